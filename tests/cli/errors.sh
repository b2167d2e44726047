# One line each: the file or option, what is wrong, what would be right.
try() { "$@" 2>&1; echo "status $?"; }
basin data make mlc --seed 3 --set rows=200 -o d.arff > made
try basin train missing.arff
try basin train d.arff -q --method cee
try basin train d.arff -q --set early_stop.metric=f1
try basin train d.arff -q --set threshold.metric=f1
cp d.arff 'a|b.arff'
try basin train 'a|b.arff' --labels last:24 -q
try basin train d.arff -q --labels nothing
try basin train d.arff -q --word-column 2
try basin train d.arff -q --set seg.flip=yes
try basin train d.arff -q --set threshold=maybe --epochs 1 -o r
try basin train d.arff -q --preset infnet+/ner
try basin train d.arff -q --preset seal/horses
basin train d.arff --preset seal/bibtex --method alen --epochs 1 -o shared 2>&1 > table | grep '^preset'
basin train d.arff --preset seal/bibtex --method ce --epochs 1 -o own 2>&1 > table | grep -c '^preset'
try basin eval missing d.arff
try basin eval d.arff d.arff
mkdir empty
try basin eval empty d.arff
basin train d.arff -q --method ce --epochs 1 --seeds 2 --seed 3 -o seeds > table
try basin model threshold seeds d.arff
try basin train d.arff -q --from seeds -o more
basin tune --help | grep -c -- '--test'
try basin tune d.arff --trials 1 --test d.arff | cut -c1-60
: > nothing.arff
try basin train nothing.arff
printf '@relation x\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\nfoo,1\n' > bad.arff
try basin data inspect bad.arff --labels l
basin train d.arff -q --method ce --epochs 1 -o run > table
try basin predict run d.arff --format xml
try basin predict run d.arff --top-k none
try basin predict run d.arff --top-k 2 --threshold 0.9
try basin predict run d.arff --format csv --scores --top-k 2
try basin predict run d.arff --format npy --scores --threshold 0.9
try basin predict run d.arff -o p.csv.gz
try basin predict run d.arff -o p.foo | head -n 1
try basin predict run bad.arff
try basin eval run d.arff --threshold high
try basin eval run d.arff --metric-profile sk
try basin eval run d.arff --infer gbi
try basin eval run d.arff --constrain
head -c 1000 run/best.safetensors > cut.safetensors
try basin predict cut.safetensors d.arff | sed 's/of [0-9]* bytes in/of N bytes in/'

# options that would do nothing, and a run that knows its data
try basin data inspect d.arff --shares 50,50
try basin data make tag --scheme bioes -o t.conll
try basin data convert d.arff -o -
try basin data check d.arff -o x
try basin train d.arff --dev v.arff
try basin train --resume -o nowhere
try basin train d.arff -q --method dvn --set gbi.start=net --set pretrain.epochs=0
try basin train d.arff -q --method spen --set pretrain.epochs=0
try basin train d.arff -q --method dvn --set dvn.samples=truth,inferense
try basin train d.arff -q --method implicit-cd --set cost=l1
basin train --resume -o run 2>&1 | grep "already finished"
