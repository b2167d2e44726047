# dist.shards=V: the gradient of a batch as a sum over parts in a fixed tree. For every task the same bits for
# any number of threads and after a kill, close to whole batches where nothing is drawn at random, and learning.
basin data make mlc --seed 3 --set rows=260 -o d.arff > made
basin data make tag --seed 1 --set rows=90 -o t.conll > made
basin data make seg --seed 1 --set images=14 -o s.tar > made
try() { "$@" 2>&1; echo "status $?"; }
small="--set net.width=16 --set report=no --set pretrain.epochs=2 --set checkpoint.seconds=0"
first() { head -n 1 $1/metrics.jsonl | grep -o "\"$2\": [0-9.]*" | cut -d ' ' -f 2; }

echo "== the same bits"
basin data make mlc --seed 1 --set rows=150 --set text=yes -o x.csv > made
basin data make text --seed 1 --set rows=90 -o e.jsonl > made
encoder="--encoder $TOP/tests/golden/encoders/bert --set encoder.length=16 --set net.layers=1"
for run in "x.csv ce --labels last:24" "e.jsonl seal-nce $encoder" "e.jsonl ce $encoder --set encoder.train=none" "d.arff ce" "d.arff seal-nce" "d.arff infnet+" "d.arff spen" "t.conll crf" "t.conll seal-nce" "t.conll infnet+" "s.tar ce" "s.tar seal-regression" "s.tar alen"; do
    set -- $run
    train="basin train $1 -q --method $2 ${*:3} $small --epochs 4 --set dist.shards=3 --set batch=20"
    rm -rf one two cut
    $train --threads 1 -o one > table
    $train --threads 2 -o two > table
    $train --threads 2 -o cut > table 2> messages & pid=$!
    until [ -s cut/metrics.jsonl ] || ! kill -0 $pid 2> /dev/null; do sleep 0.01; done
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
    $train --threads 2 --resume -o cut > table 2> messages
    cmp one/best.safetensors two/best.safetensors && cmp one/best.safetensors cut/best.safetensors && echo "$2 of $1: for any number of threads, and after a kill"
done

echo "== the mean over the batch; nets of photos normalise over a shard, not over a batch"
for run in "1e-5 d.arff ce --set net.dropout=0" "1e-5 e.jsonl ce $encoder --set lr.encoder=0 --set encoder.dropout=0 --set net.dropout=0" "0.03 s.tar ce --set seg.jitter=0 --set net.dropout=0"; do
    set -- $run
    near=$1
    shift
    for V in 1 2 5 8; do
        rm -rf v$V
        basin train $1 -q --method $2 "${@:3}" $small --epochs 1 --set lr.net=0 --set decay.net=0 --set batch=13 --set dist.shards=$V -o v$V > table
    done
    for V in 2 5 8; do
        for what in loss_net grad_net; do echo "$(first v1 $what) $(first v$V $what)"; done
    done |
        awk -v near=$near '{ d = $1 - $2; bad += !($1 > 0) || d * d > near * near * $1 * $1 } END { print NR, "losses and norms of gradients,", bad + 0, "differ" }'
done

echo "== another number of shards is another run"
basin train d.arff -q --method ce $small --epochs 3 --set dist.shards=2 -o v > table
try basin train d.arff -q --method ce $small --epochs 4 --set dist.shards=4 -o v --resume
basin train d.arff -q --method ce $small --epochs 3 -o w > table
cmp -s v/best.safetensors w/best.safetensors || echo "another model than with whole batches"

echo "== refused"
try basin train d.arff -q --method implicit-cd --set dist.shards=2 -o x
try basin train d.arff -q --method ce --set mode=code --set dist.shards=2 -o x
try basin train d.arff -q --method ce --set batch=3 --set dist.shards=4 -o x
basin train d.arff -q --method ce $small --epochs 1 --set batch=4 --set dist.shards=4 -o x > table && echo "a part for each row of a batch is allowed"
try basin train d.arff -q --method ce --set dist.shards=65 -o x
