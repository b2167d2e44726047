# One net learns from a model: what an ensemble knows, at the speed of a plain net.
basin data make mlc --seed 5 --set rows=900 -o all.arff > made
basin data split all.arff -q --shares 50,50 --names train,test -o d > made
basin data make tag --seed 1 --set rows=60 -o t.conll > made
small="--set net.width=64 --threads 1 --epochs 15 --set report=no"
try() { "$@" 2>&1 > table; echo "status $?"; }
apart() { # mean distance of the probabilities of two models for rows that are new to both
    for m in $1 $2; do basin predict $m d-test.arff -q --format csv --scores -o $m.csv; done
    paste -d, $1.csv $2.csv | awk -F, 'NR > 1 { n = NF / 2
        for (i = 1; i <= n; i++) { d = $i - $(i + n); sum += d < 0 ? -d : d; cells++ } }
        END { printf "%.0f\n", 1e5 * sum / cells }'
}

echo "== an ensemble"
basin train d-train.arff -q --method ce $small --ensemble 6 -o teacher > table
try basin train d-train.arff $small --distil teacher --seed 9 -o student | grep 'distil\|status\|task'
basin train d-train.arff -q --method ce $small --seed 9 -o plain > table # not one of the ensemble
[ $(apart student teacher) -lt $(apart plain teacher) ] && echo "nearer to the ensemble than a plain net"
[ $(wc -c < student/best.safetensors) -lt $(($(wc -c < teacher/best.safetensors) / 4)) ] && echo "one net"
basin train d-train.arff -q $small --distil teacher --seed 9 --threads 2 -o again > table
cmp student/best.safetensors again/best.safetensors && echo "the same for two threads"
basin train d-train.arff -q $small --distil teacher --seed 9 --set distil.weight=0 -o none > table
[ $(apart none plain) = 0 ] && echo "without weight it is a plain net"
grep '^distil' student/config
basin report student -q -o page.html | grep -q 'a linear model' && echo "compared with a linear model"

echo "== folds teach out of fold"
basin train d-train.arff -q --method ce $small --folds 3 --seed 2 -o folds > table
try basin train d-train.arff $small --distil folds -o pupil | grep 'distil\|status\|task'
grep '^distil' pupil/config
basin report pupil -q -o page.html | grep -o 'on [0-9]* validation rows'
try basin train d-test.arff $small --distil folds -o other | grep 'distil\|status\|task'
try basin train d-train.arff --valid d-test.arff $small --distil folds -o valid | grep 'distil\|status\|task'

echo "== interrupted and resumed, another teacher"
long="basin train d-train.arff -q $small --epochs 300 --set early_stop.patience=300 --set checkpoint.seconds=0"
$long --distil folds -o whole > table
$long --distil folds -o killed > table 2>&1 & pid=$!
until [ -s killed/metrics.jsonl ]; do sleep 0.01; done
kill -9 $pid
wait $pid 2> /dev/null
try $long --distil teacher -o killed --resume
basin train --resume -o killed -q > table
cmp whole/best.safetensors killed/best.safetensors && echo "the same bytes"

echo "== what is wrong"
basin train t.conll -q --method crf $small -o tags > table
try basin train t.conll -q $small --distil tags -o wrong
try basin train d-train.arff -q $small --distil tags -o wrong
try basin train d-train.arff -q $small --distil nothing -o wrong
try basin train d-train.arff -q $small --distil teacher --method seal-nce -o wrong
try basin train d-train.arff -q $small --distil teacher --folds 3 -o wrong
try basin train d-train.arff -q $small --distil teacher --ensemble 3 -o wrong
try basin train d-train.arff -q $small --distil teacher --from plain -o wrong
try basin train d-train.arff -q $small --distil teacher --set distil.weight=2 -o wrong
try basin compare d-train.arff -q --methods ce $small --set distil=teacher -o wrong
basin data make mlc --seed 6 --set rows=100 --set groups=7 -o more.arff > made
try basin train more.arff -q $small --distil teacher -o wrong
