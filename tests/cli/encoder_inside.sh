# How an encoder would cut texts; its numbers as halves, whole, or left in its folder, found again, and put inside.
E=$TOP/tests/golden/encoders
unset BASIN_ENCODERS
basin data make text --seed 1 --set rows=120 -o all.jsonl > made
head -90 all.jsonl > d.jsonl
tail -30 all.jsonl > t.jsonl

echo "== pieces"
basin data inspect all.jsonl --encoder $E/bert | grep pieces
basin data inspect all.jsonl --encoder $E/roberta --set encoder.length=30 --json | grep -o '"pieces":.*unknown": [0-9]*'
basin data inspect all.jsonl --encoder $E 2>&1 | sed "s|$E|E|"
basin list encoders | grep -c -e '--encoder FOLDER'

train() {
    basin train d.jsonl --encoder $E/bert -q --epochs 2 --method ce --set net.layers=1 --set net.width=16 --set report=no \
        --set lr.encoder=0.001 --set encoder.length=16 --test t.jsonl "$@" > table || echo failed
}
scores() { basin predict $1 t.jsonl --scores --threshold 0 | sed 's/.*"scores": \[//; s/\].*//' | tr ', ' '\n\n' | grep .; }
size() { wc -c < $1/best.safetensors; }

echo "== halves"
for mode in all none; do
    for dtype in f16 f32; do
        train --set encoder.train=$mode --set model.dtype=$dtype -o $mode-$dtype
        basin eval $mode-$dtype t.jsonl --json | sed 's/.*"lrap": \([0-9.]*\).*/\1/' > found
        sed 's/.*"test": {\([^}]*\)}.*/\1/; s/.*"lrap": \([0-9.]*\).*/\1/' $mode-$dtype/outcome.json > measured
        cmp found measured && echo "$mode, $dtype: measured as evaluated"
        scores $mode-$dtype > $mode-$dtype.scores
    done
    paste $mode-f16.scores $mode-f32.scores |
        awk -v mode=$mode '{ d = $1 - $2; d = d < 0 ? -d : d; most = d > most ? d : most }
            END { print mode ": " (NR == 30 * 24 && most < 0.0005 ? "scores change by less than 0.0005" : most) }'
    [ $(size $mode-f16) -lt $(($(size $mode-f32) * 6 / 10)) ] && echo "$mode: little more than half as large"
done

echo "== beside"
mkdir kept
cp -r $E/bert kept/bert
for mode in none top:1 all; do
    train --encoder kept/bert --set encoder.train=$mode --set model.encoder=beside -o $mode-beside
    train --set encoder.train=$mode -o $mode-inside
    scores $mode-inside > $mode
    scores $mode-beside | cmp - $mode && echo "$mode: found where it was in training"
done
train --encoder kept/bert --set encoder.train=none --set model.encoder=beside --method nce -o energy
train --encoder kept/bert --set encoder.train=none --set model.encoder=beside --seeds 2 -o seeds
scores "seeds -q" > mean
mv kept away
for mode in none top:1 all; do
    BASIN_ENCODERS=nowhere:$E scores $mode-beside | cmp - $mode && echo "$mode: found in a folder of BASIN_ENCODERS"
    basin predict $mode-beside t.jsonl 2>&1 | head -n 1 | sed 's/{"labels.*/all of it is inside/'
done
[ $(size none-beside) -lt $(($(size none-inside) / 3)) ] && echo "less than a third as large"
cp -r $E/distilbert none-beside/bert
basin predict none-beside t.jsonl 2>&1
rm -r none-beside/bert
cp -r $E/bert none-beside/bert
scores none-beside | cmp - none && echo "found beside the model"
rm -r none-beside/bert

echo "== named"
try() { "$@" 2>&1 | sed "s|$E|E|g"; }
scores "none-beside --encoder away/bert" | cmp - none && echo predict
scores "seeds -q --encoder away/bert" | cmp - mean && echo "predict, a mean of seeds"
basin eval none-beside t.jsonl --encoder away/bert | sed '$d' > named
basin eval none-inside t.jsonl | sed '$d' | cmp - named && echo eval
basin explain energy t.jsonl --encoder away/bert | grep page
try basin explain energy t.jsonl
basin report none-beside none-inside --encoder away/bert -o page.html 2>&1 | grep -c '^warning'
basin report none-beside -o page.html 2>&1 | grep '^warning.*its encoder'
train --from none-beside --encoder away/bert --set encoder.train=none -o further
try basin predict none-beside t.jsonl --encoder $E/roberta
try basin predict none-beside t.jsonl --encoder away
try basin predict none-inside t.jsonl --encoder away/bert

echo "== bundle"
for mode in none top:1; do
    basin model bundle $mode-beside --encoder away/bert -o $mode.safetensors
    cmp $mode.safetensors $mode-inside/best.safetensors && echo "$mode: the same file"
done
basin model bundle seeds --encoder away/bert -o mean.safetensors -q --json
scores mean.safetensors | cmp - mean && echo "predicts as the mean of seeds"
basin model calibrate none-beside d.jsonl --encoder away/bert > table
scores "none-beside --encoder away/bert" > calibrated
cmp -s calibrated none || echo calibrated
basin model bundle none-beside --encoder away/bert -o none-beside/best.safetensors
scores none-beside | cmp - calibrated && echo "in place of the model"
try basin model bundle none-beside -o new.safetensors
try basin model bundle top:1-beside -o new.safetensors
try basin model bundle top:1-beside --encoder $E/distilbert -o new.safetensors
try basin model bundle top:1-beside --encoder away/bert -o away
try basin model bundle top:1-beside
try basin model bundle top:1-beside t.jsonl -o new.safetensors
try basin model bundle top:1-beside --kind one -o new.safetensors
try basin model threshold none-beside d.jsonl -o new.safetensors
[ -e new.safetensors ] || echo "nothing was written"
