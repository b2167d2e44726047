# Weights of labels, tags and classes in the cross-entropy: rare ones are found more often, every
# method that has that term feels them, the others refuse them, and without them nothing changes.
basin data make mlc --seed 1 --set rows=500 -q -o m.arff > made
basin data make tag --seed 2 --set rows=200 -q -o t.conll > made
basin data make seg --seed 1 --set images=60 --set size=24 --set contrast=8 --set polarity=no -q -o s > made

recall() { # RUN DATA NAME: of that label, tag or class
    basin eval "$1" "$2" --per-label -q 2> said | awk -v name="$3" '$1 == name { print $(NF - before) }' before="$4"
}
rises() { # WHAT DATA NAME FIELD OPTION...
    local what=$1 data=$2 name=$3 field=$4 plain heavy light
    shift 4
    local train="basin train $data -q --method ce --set report=no --threads 1"
    $train "$@" -o plain --force > table
    $train "$@" -o heavy --force --weights balanced > table
    $train "$@" -o light --force --weights "$name=0.1" > table
    plain=$(recall plain "$data" "$name" "$field")
    heavy=$(recall heavy "$data" "$name" "$field")
    light=$(recall light "$data" "$name" "$field")
    awk -v what="$what" -v a="$light" -v b="$plain" -v c="$heavy" 'BEGIN {
        if (c > b + 4 && b > a + 4) print what ": recall rises with the weight"
        else print what ": recall", a, b, c }'
}
echo "== recall of what is rare: weight 0.1, none, balanced"
rises "a rare label" m.arff imply2_d 2 --epochs 15
rises "a rare tag" t.conll SAME 1 --epochs 10
rises "the smaller class" s figure 1 --epochs 12 --set net.width=8

echo "== what is said"
try() { basin train "$@" --set report=no 2>&1 | grep "weights\|not tried\|no cross"; }
try m.arff --method ce --epochs 1 --weights balanced -o r --force
try t.conll --method ce --epochs 1 --weights TURN=3,A1=0.5 -o r --force
try t.conll --method ce --epochs 1 --weights TURM=3 -o r --force
try t.conll --method ce --epochs 1 --weights TURN=-3 -o r --force
try t.conll --method ce --epochs 1 --weights TURN=3x -o r --force
try s --method seal-nce --epochs 1 --weights balanced --set ce.weight=0 -o r --force
try t.conll --epochs 1 --trials 1 --weights balanced -o auto

echo "== every method"
small="--epochs 2 --set net.width=4 --set energy.hidden=4 --set samples=2 --set gbi.steps=2 --set gbi.start=uniform"
small="$small --set energy.proof=0 --set report=no -q --threads 1"
tail_of() { # bytes behind the header: numbers alone
    local n=$(od -A n -t u8 -N 8 "$1/best.safetensors" | tr -d ' ')
    tail -c +$((n + 9)) "$1/best.safetensors" > "$1/net.bytes"
}
one() { # DATA METHOD
    local train="basin train $1 --method $2 $small --set pretrain.epochs=0"
    $train -o a --force > table 2>&1 || { echo "$2: $(tail -n 1 table)"; return; }
    $train -o b --force --set weights=none > table 2>&1
    cmp -s a/best.safetensors b/best.safetensors || echo "$2: weights=none is not the default"
    $train -o c --force --weights balanced > table 2>&1 || {
        grep -q "which method $2 does not have" table && echo "$1: $2 refuses them" || cat table
        return
    }
    tail_of a && tail_of c
    ! cmp -s a/net.bytes c/net.bytes || echo "$1: $2 does not feel them"
}
basin data make mlc --seed 1 --set rows=60 -q -o few.arff > made
basin data make tag --seed 1 --set rows=30 -q -o few.conll > made
for method in $(basin list methods | awk '/\(.*mlc.*\)$/ { print $1 }'); do one few.arff $method; done
for method in $(basin list methods | awk '/\(.*tag.*\)$/ { print $1 }'); do one few.conll $method; done
for method in ce seal-nce alen infnet+; do one s $method; done
