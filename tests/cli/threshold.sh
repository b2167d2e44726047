# Another threshold for a trained model: chosen anew on other rows, or given; the weights stay.
try() { "$@" 2>&1; echo "status $?"; }
score() { sed -E -n "s/.*\"$1\": ([0-9.]+).*/\1/p"; }
basin data make mlc --seed 3 --set rows=400 --set groups=3 -o d.arff > made
basin data split d.arff -q -o d > made
basin train d-train.arff --valid d-valid.arff -q --method ce --epochs 4 --set threshold=0.9 --set report=no -o run > table
# The tensors are behind the header, whose length is in the first eight bytes.
tensors() { tail -c +$(($(od -A n -t u8 -N 8 "$1") + 9)) "$1" | cksum; }
tensors run/best.safetensors > weights
cp run/best.safetensors first
basin eval run d-test.arff --json | grep -o '"threshold_kind": "[a-z]*"'

echo "== one for all labels"
basin model threshold run d-valid.arff | cut -c 1-9
basin eval run d-test.arff --json | grep -o '"threshold_kind": "[a-z]*"'
tensors run/best.safetensors | cmp - weights && echo "same weights"
cp first run/best.safetensors
for metric in example_f1 micro_f1 macro_f1; do
    cp first run/best.safetensors
    basin model threshold run d-valid.arff --metric $metric --json > said
    after=$(sed 's/.*"after"//' said | score $metric)
    basin eval run d-valid.arff --json | score $metric | sed "s/^$after\$/$metric: eval agrees/"
    before=$(sed 's/, "after".*//' said | score $metric)
    awk -v a="$before" -v b="$after" 'BEGIN { print (b > a ? "better" : "not better") }'
done

echo "== one a label, top-k, a number"
basin model threshold run d-valid.arff --kind label --json | grep -o '"thresholds": '
basin eval run d-test.arff | sed -n '2s/ *[0-9].*//p'
basin model threshold run d-valid.arff --kind label --json | sed 's/.*"thresholds": \[//; s/\].*//' | tr -d ' ' | tr ',' '\n' |
    awk '{ printf "%.3f\n", $1 }' > wanted
basin eval run d-test.arff --per-label | sed -n '/^label/,$p' | tail -n +2 | awk '{ print $NF }' | cmp - wanted && echo "eval shows them"
basin eval run d-test.arff --per-label --json | grep -o '"threshold": [0-9.]*}' | wc -l
basin eval run d-test.arff --per-label --threshold 0.5 | grep -c threshold
basin model threshold run d-valid.arff --kind top-k | sed -n '3s/^\(after: *top-\)[0-9]* .*/\1K/p'
basin predict run d-test.arff | sed 's/[^,]//g' | sort -u | wc -l
basin model threshold run --value 0.25 | tail -n 2
basin predict run d-test.arff | cmp - <(basin predict run d-test.arff --threshold 0.25) && echo "predict uses it"
tensors run/best.safetensors | cmp - weights && echo "same weights"
ls run | grep -c tmp

echo "== what cannot be"
cp run/best.safetensors kept
try basin model
try basin model threshold run
try basin model threshold run d-valid.arff --kind each
try basin model threshold run d-valid.arff --metric lrap
try basin model threshold run --value 1.5
try basin model threshold run --value 0.5 --kind label
try basin model threshold run none.arff
basin data make tag --seed 1 --set rows=60 -o t.conll > made
basin train t.conll -q --method ce --epochs 1 --set report=no -o tags > table 2> said
try basin model threshold tags t.conll
cmp run/best.safetensors kept && echo "the model is as it was"
