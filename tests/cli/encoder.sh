# Documents read by a pretrained encoder: modes of training, the same bits, methods, what is wrong.
E=$TOP/tests/golden/encoders
basin data make text --seed 1 --set rows=120 -o all.jsonl > made
head -90 all.jsonl > d.jsonl
tail -30 all.jsonl > t.jsonl
small="-q --epochs 2 --set net.layers=1 --set net.width=16 --set report=no --set lr.encoder=0.001 --set encoder.length=16 --set pretrain.epochs=1"
train() { basin train d.jsonl --encoder $E/bert $small "$@" > table 2> messages || tail -n 1 messages; }
same() { cmp $1/best.safetensors $2/best.safetensors && echo "$1 and $2: same model"; }

echo "== modes"
for mode in none adapter top:1 all; do
    train --set encoder.train=$mode --method seal-nce --threads 1 -o $mode-1
    train --set encoder.train=$mode --method seal-nce --threads 3 -o $mode-3
    same $mode-1 $mode-3
    basin predict $mode-1 t.jsonl --scores > together
    head -n 4 t.jsonl | while read -r line; do echo "$line" | basin predict $mode-1 - --scores; done > alone
    head -n 4 together | cmp - alone && echo "$mode: texts alone as together"
done

# what training measured is what the model gives, which then reads texts by itself
for mode in none all; do
    train --set encoder.train=$mode --method ce --test t.jsonl -o $mode
    basin eval $mode t.jsonl --json | grep -o '"log_loss": [0-9.e-]*' > found
    grep -o '"log_loss": [0-9.e-]*' $mode/outcome.json | sed -n 2p > measured
    cmp found measured && echo "$mode: measured as evaluated"
done

# ten trainings at once have more parts than are remembered
for threads in 1 3; do
    train --folds 10 --set encoder.train=none --method ce --threads $threads -o folds-$threads
done
same folds-1 folds-3

echo "== encoders, pooling, schedule"
for encoder in distilbert roberta; do
    basin train d.jsonl --encoder $E/$encoder $small --method ce -o $encoder > table || echo failed
done
train --method seal-nce --set encoder.pool=first --set schedule=linear --set lr.warmup=0.1 --set encoder.decay=0.9 -o first
train --method seal-nce --set energy.encoder=shared --set decide=subset -o shared
basin predict shared t.jsonl | head -n 1 | cut -c1-11

echo "== resumed, folds, methods that differentiate twice"
train --method seal-nce --epochs 1 -o part
train --method seal-nce --resume -o part
train --method seal-nce -o whole
same part whole
train --method ce --folds 2 -o folds
basin eval folds t.jsonl | tail -n 1 | cut -d, -f1
train --method implicit-cd -o implicit
train --method implicit-cd --set implicit.product=central -o central
train --method implicit-cd --set encoder.train=none -o exact

echo "== text and columns"
sed 's/{"text"/{"age": 3, "text"/; 2~2s/"age": 3/"age": 5/' d.jsonl > mixed.jsonl
basin train mixed.jsonl --encoder $E/bert $small --method ce -o mixed > table
basin predict mixed mixed.jsonl | head -n 1 | cut -c1-11
basin predict mixed t.jsonl 2>&1 > labels | cut -c1-90

echo "== what is wrong"
wrong() { basin train "$@" $small -o wrong 2>&1 > table | sed "s#$E/##"; }
wrong d.jsonl --encoder nowhere
wrong d.jsonl --encoder $E/bert --set encoder.train=top:3
wrong d.jsonl --encoder $E/bert --set encoder.pool=last
basin data make mlc --seed 1 -o rows.arff > made 2>&1
wrong rows.arff --encoder $E/bert
basin data make tag --seed 1 -o tag.conll > made
wrong tag.conll --encoder $E/bert
wrong d.jsonl --from all-1
