# A training that is interrupted leaves the best model so far, and can be continued to the same bytes.
basin data make mlc --seed 5 --set rows=300 -o d.arff > made
basin data make tag --seed 1 --set rows=60 -o t.conll > made
basin data make seg --seed 1 --set images=12 -o s.tar > made
small="--set net.width=8 --threads 1 --set report=no --set early_stop.patience=100000"
try() { "$@" 2>&1 > table; echo "status $?"; }
numbers() { sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g'; }
# stop RUN FILE COMMAND...: Ctrl-C when FILE has more than $lines lines
lines=3
stop() {
    file=$2
    "${@:3}" -o $1 > table 2> messages & pid=$!
    until [ "$(cat $file 2> /dev/null | wc -l)" -gt $lines ] || ! kill -0 $pid 2> /dev/null; do sleep 0.01; done
    kill -INT $pid
    wait $pid
    echo "status $?"
    tail -n 1 messages | sed -E 's/epoch [0-9]+/epoch N/'
}
use() { # RUN DATA
    try basin eval $1 $2 2>&1 | grep -v '^note'
    numbers < table | head -n 1
    try basin predict $1 $2 -q -o ${3:-$1.out}
}

echo "== one training"
train="basin train d.arff -q --method ce $small"
stop plain plain/metrics.jsonl $train --epochs 3000
ls -A plain | paste -sd ' '
use plain d.arff
try basin report plain -q -o plain.html
grep -o 'the training is not finished: [a-z ]*' plain.html
try basin explain plain d.arff -q
try $train --epochs 4 -o plain
ls -A plain | paste -sd ' '

echo "== the model is that of its best epoch"
stop best best/metrics.jsonl $train --epochs 100000 --set early_stop.metric=hamming_loss
epochs=$(grep -n '"best": true' best/metrics.jsonl | tail -n 1 | cut -d: -f1)
$train --epochs $epochs --set early_stop.metric=hamming_loss -o until > table
for run in best until; do basin predict $run d.arff -q --probabilities -o $run.jsonl; done
cmp best.jsonl until.jsonl && echo "the same predictions"

echo "== resumed: the same bytes, and nothing else"
long="$train --epochs 400"
$long -o whole > table
stop cut cut/metrics.jsonl $long
[ -e cut/unfinished.safetensors ] && echo "unfinished"
basin train --resume -q -o cut > table
cmp whole/best.safetensors cut/best.safetensors && echo "the same bytes"
ls -A cut | paste -sd ' '
lines=403
stop cut cut/metrics.jsonl $train --epochs 100000 --resume # there is a finished model, too
lines=3
basin eval cut d.arff 2>&1 > table | tail -n 1

echo "== before the first epoch is over"
basin train d.arff -q --method ce $small --set batch=1 --set net.width=4000 -o early > table 2> messages & pid=$!
until [ -e early/config ]; do sleep 0.01; done
kill -INT $pid
wait $pid
cat messages
try basin eval early d.arff

echo "== energies: before and after they are trained"
stop before before/metrics.jsonl basin train d.arff -q --method spen $small --set gbi.steps=3 --set pretrain.epochs=100000 --epochs 100000
use before d.arff
basin eval before d.arff -q --json | grep -o '"infer": "[a-z]*"'
stop after after/metrics.jsonl basin train d.arff -q --method spen $small --set gbi.steps=3 --set pretrain.epochs=1 --epochs 100000 --set energy.proof=0
basin eval after d.arff -q --json | grep -o '"infer": "[a-z]*"'
try basin explain after d.arff -q -o after.html

echo "== other tasks"
stop tags tags/metrics.jsonl basin train t.conll -q --method crf $small --epochs 100000
use tags t.conll
stop masks masks/metrics.jsonl basin train s.tar -q --method ce $small --epochs 100000
use masks s.tar masks-out

echo "== folds and ensembles"
folds="basin train d.arff -q --method ce $small --epochs 300 --folds 3 --ensemble 2"
$folds -o folds > table
stop first first/model-0/metrics.jsonl $folds --epochs 100000
use first d.arff
stop some some/model-2/metrics.jsonl $folds
use some d.arff
try basin report some -q -o some.html
grep -o 'on [0-9]* validation rows' table | sed 's/ 300 / all /; s/[0-9][0-9]*/some/'
basin train --resume -q -o some > table
cmp folds/best.safetensors some/best.safetensors && echo "the same bytes"
ls -A some | paste -sd ' '
stop mean mean/model-2/metrics.jsonl basin train d.arff -q --method ce $small --epochs 300 --ensemble 5
models=$(ls mean/model-*/best.safetensors | wc -l)
[ $models -lt 5 ] && echo "some models are finished"
for run in mean $(ls -d mean/model-*/best.safetensors); do
    basin predict $run d.arff -q --format csv --scores -o $(echo $run | tr / -).csv
done
paste -d, mean.csv mean-*.csv | awk -F, -v models=$models 'NR > 1 { n = NF / (models + 1)
    for (i = 1; i <= n; i++) {
        mean = 0
        for (k = 1; k <= models; k++) mean += $(i + k * n) / models
        bad += $i - mean > 2e-5 || mean - $i > 2e-5; cells++
    } }
    END { print (cells > 1000 ? "many" : "few"), "cells,", bad + 0, "differ from the mean of those" }'

echo "== auto, and seeds"
auto="basin train d.arff -q $small --epochs 400 --trials 2 --set folds=1"
$auto -o auto > table
stop one one/try-linear/metrics.jsonl $auto --epochs 100000
use one d.arff
stop two-tried two-tried/try-net/metrics.jsonl $auto
ls -A two-tried | paste -sd ' '
use two-tried d.arff
try basin report two-tried -q -o two-tried.html
basin train --resume -q -o two-tried > table
cmp auto/best.safetensors two-tried/best.safetensors && echo "the same bytes"
ls -A two-tried | paste -sd ' '
stop seeds seeds/seed-1/metrics.jsonl $train --epochs 600 --seeds 3
try basin eval seeds/seed-1 d.arff
