# Several trainings that become one model: folds, ensembles, and how they are resumed.
basin data make mlc --seed 5 --set rows=300 -o d.arff > made
basin data make mlc --seed 5 --set rows=300 -o new.arff > made
basin data make tag --seed 1 --set rows=60 -o t.conll > made
basin data make seg --seed 1 --set images=12 -o s.tar > made
small="--set net.width=8 --threads 1 --epochs 3 --set checkpoint.seconds=0"
try() { "$@" 2>&1 > table; echo "status $?"; }

echo "== folds"
try basin train d.arff -q --method ce $small --folds 3 -o folds
sed 's/[0-9.]* s, [0-9]* rows/S s, R rows/' table
ls -A folds | paste -sd ' '
basin train d.arff -q --method ce $small --folds 3 --threads 2 -o again > table
cmp folds/best.safetensors again/best.safetensors && echo "the same for two threads"
basin report folds -q -o page.html > table && grep -c 'out of fold\|valid' page.html | sed 's/^[1-9].*/a page/'

echo "== the mean of the models"
for m in folds folds/model-0 folds/model-1 folds/model-2; do
    basin predict $m new.arff -q --format csv --scores -o $(basename $m).csv
done
paste -d, folds.csv model-0.csv model-1.csv model-2.csv | awk -F, '
    NR > 1 { n = NF / 4; for (i = 1; i <= n; i++) {
        mean = ($(i + n) + $(i + 2 * n) + $(i + 3 * n)) / 3; d = $i - mean
        if (d > 2e-5 || d < -2e-5) bad++; cells++ } }
    END { print (cells > 1000 ? "many" : "few"), "cells,", bad + 0, "differ" }'

echo "== other tasks and ensembles"
try basin train t.conll -q --method crf $small --folds 2 --ensemble 2 -o tags
basin eval tags t.conll -q > table && echo "evaluated"
try basin train s.tar -q --method ce $small --ensemble 2 -o masks
basin predict masks s.tar -q -o out && ls out | wc -l
try basin train d.arff -q --method spen $small --set gbi.steps=3 --ensemble 2 -o search
basin eval search d.arff -q > table && echo "evaluated"

echo "== interrupted and resumed"
basin train d.arff -q --method ce $small --folds 3 --set checkpoint.seconds=0 -o killed > table 2>&1 & pid=$!
until [ -s killed/model-1/metrics.jsonl ]; do sleep 0.01; done
kill -9 $pid
wait $pid 2> /dev/null
[ -e killed/best.safetensors ] || echo "no model yet"
try basin train d.arff -q --method ce $small --folds 3 -o killed --resume
cmp folds/best.safetensors killed/best.safetensors && echo "the same bytes"
try basin train d.arff -q --method ce $small --folds 4 -o killed --resume

echo "== compared"
compare="basin compare d.arff --methods ce,seal-nce --seeds 2 $small --folds 3 -o compared"
try $compare -q
sed -E 's/[+-]?[0-9]+\.[0-9]+/N/g' compared/compare.md | grep -o '^.* out-of-fold rows\|^Out-of-fold.*'
cmp folds/best.safetensors compared/ce/seed-0/best.safetensors && echo "the model of train --folds"
ls -A compared/ce/seed-0 | paste -sd ' '
rm compared/ce/seed-1/outcome.json compared/ce/seed-1/model-1/outcome.json
cp compared/compare.json before
$compare --resume 2> messages > table
grep -o '[0-9]* runs, .*test;' messages
for f in before compared/compare.json; do # times differ
    sed -E 's/"(seconds|[a-z_]*rows_per_s)": [0-9.]+//g' $f > $(basename $f).steady
done
cmp before.steady compare.json.steady && echo "resumed: same numbers"
try basin eval compared/ce/seed-1 d.arff -q

echo "== what is wrong"
try basin train d.arff --method ce $small --folds 3 --valid new.arff -o wrong
basin data make mlc --seed 5 --set rows=8 -o few.arff > made
try basin train few.arff -q --method ce $small --folds 20 -o wrong
try basin compare d.arff -q --methods ce,spen $small --set from=folds -o refused
try basin tune d.arff -q --method ce $small --trials 1 --set ensemble=2 -o tuned
