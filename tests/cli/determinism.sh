# The same bytes for any number of threads; and after kill -9 and --resume.
basin data make mlc --seed 5 --set rows=1500 -o d.arff > made
train="basin train d.arff -q --method seal-nce --epochs 12 --seed 7 --set checkpoint.seconds=0 --set net.width=64"
$train --threads 1 -o one > one.table
$train --threads 2 -o two > table
$train --threads 3 -o three > table
cmp one/best.safetensors two/best.safetensors && echo "1 and 2 threads: same model"
cmp one/best.safetensors three/best.safetensors && echo "1 and 3 threads: same model"

# killed at moments all over the run; every resume goes on from the last checkpoint
for pause in 0.05 0.11 0.17 0.23 0.31; do
    $train --threads 2 --resume -o killed > table 2> messages & pid=$!
    sleep $pause
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
$train --threads 2 --resume -o killed > table
cmp one/best.safetensors killed/best.safetensors && echo "killed and resumed: same model"
sed 's/, "seconds.*//' one/metrics.jsonl > a
sed 's/, "seconds.*//' killed/metrics.jsonl > b
cmp a b && echo "same metrics.jsonl"

# Ctrl-C saves and says so; a run with other settings is not gone on with
$train --epochs 2000 --set early_stop.patience=2000 --resume -o stopped > table 2> messages & pid=$!
sleep 0.6
kill -INT $pid
wait $pid
echo "status $?"
sed 's/epoch [0-9]*/epoch N/; s/stopped has .*; to/stopped has ...; to/' messages | tail -n 1 # perhaps no model yet
$train --set batch=16 --resume -o one 2>&1
echo "status $?"

# more epochs go on from the state that is there, and are what they would have been at once
short="basin train d.arff -q --method ce --set net.width=16 --set early_stop.patience=100 --set report=no"
$short --epochs 9 -o more9 > table
$short --epochs 5 --set checkpoint.seconds=0 -o more > table
$short --epochs 4 --resume -o more 2>&1 | sed 's/.*--resume/--resume/'
$short --epochs 9 --set schedule=cosine --resume -o more 2>&1 | sed 's/.*--resume/--resume/'
$short --epochs 9 --resume -o more > table
cmp more9/best.safetensors more/best.safetensors && echo "more epochs: same model"
wc -l < more/metrics.jsonl
basin train --resume -o more --epochs 10 -q > table && wc -l < more/metrics.jsonl
# also after a run that was over before it was time for a checkpoint, and after one that got more before
$short --epochs 5 -o brief > table
$short --epochs 7 --resume -o brief > table
$short --epochs 9 --resume -o brief > table
cmp more9/best.safetensors brief/best.safetensors && echo "more epochs after a short run: same model"
# a run that goes on is not finished, whatever it was before
cp -r more killed-more
$short --epochs 100000 --resume -o killed-more > table 2> messages & pid=$!
until [ "$(wc -l < killed-more/metrics.jsonl)" -gt 12 ]; do sleep 0.02; done
kill -9 $pid; wait $pid 2> /dev/null
ls killed-more/outcome.json 2> /dev/null || echo "not finished"
$short --epochs 5 --set schedule=cosine --set checkpoint.seconds=0 -o cosine > table
$short --epochs 9 --set schedule=cosine --resume -o cosine 2>&1
rm -r more/last
$short --epochs 20 --resume -o more 2>&1
$short --epochs 10 --time-limit 60 --resume -o more 2>&1
basin data make mlc --seed 8 --set rows=300 -o other.arff > made
basin train other.arff -q --method ce --set net.width=16 --set early_stop.patience=100 --epochs 10 --resume -o more 2>&1

# a time limit ends a run inside of an epoch, with a model that was evaluated; who resumes goes on there
basin data make mlc --seed 9 --set rows=4000 -o long.arff > made
long="basin train long.arff -q --method ce --set net.width=64 --set batch=2 --set report=no --threads 1"
$long --epochs 1 -o long > table
$long --epochs 1 --time-limit 0.01 --json -o cut | grep -o '"epochs": 1,\|"ended": "[a-z ]*"'
basin eval cut long.arff > table && echo "evaluated"
$long --epochs 1 --resume -o cut > table
cmp long/best.safetensors cut/best.safetensors && echo "a longer limit: same model"

# the config of a run repeats it
basin train -q --config one/config -o again > table
cmp one/best.safetensors again/best.safetensors && echo "config: same model"

# a finished run is not made again, nor overwritten by another one
cp one/best.safetensors before
rm -rf one/last
$train --resume -o one > again.table
grep -v "^wrote\|^next" one.table | cmp - again.table && echo "finished: same table"
basin train d.arff --epochs 3 --resume -o one 2>&1 | tail -n 1
cmp one/best.safetensors before && echo "left alone"
