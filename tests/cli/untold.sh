# What a configuration, a model or a list from elsewhere may open and write: regular files, and
# nothing outside of -o. What is said on the command line is done. A pipe without a writer would be
# waited for without end: every command has a limit.
try() { timeout 60 "$@" 2>&1; echo "status $?"; }
quiet() { timeout 60 "$@" > out 2>&1; local s=$?; [ $s = 0 ] || { cat out; echo "status $s"; }; }
basin data make mlc --seed 3 --set rows=100 -o d.arff > made
basin data make tag --seed 1 --set rows=40 -o t.conll > made
basin data make seg --seed 1 --set images=12 --set size=16 -o s.tar > made
small="--method ce --epochs 1 -q --set report=no --set net.width=4"
mkfifo pipe

echo "== files that a config names"
for key in file.train file.valid file.test words.vectors words.clusters rules.file data.labels data.xml mask.names text.tag_names data.drop; do
    echo "$key = pipe" > c
    [ $key = file.train ] && data= || data=d.arff
    try basin train $data --config c $small -o no | sed 's/; anything.*//'
done
printf 'file.train = "d.arff|/dev/zero"\n' > c
try basin train --config c $small -o no
try basin compare --config c --methods ce -o no | cut -c1-40
try basin tune --config c --trials 1 -o no | cut -c1-40
ls no 2> err
echo "file.train = d.arff" > c
quiet basin train --config c $small -o fine
quiet basin train --config <(cat c) $small -o fine2 # told
quiet basin train <(cat d.arff) --labels last:24 $small -o told
quiet basin train - --labels last:24 $small -o stdin < d.arff
quiet basin train t.conll --embeddings <(printf 'a 1 2\nb 3 4\n') $small -o vectors
quiet basin train --resume -o stdin < d.arff
try basin report stdin | sed 's/(.*//' | grep 'warn\|At the\|wrote\|status'

echo "== where a config writes"
mkdir elsewhere
printf 'pretrain.cache = elsewhere/nets\nfile.train = d.arff\nepochs = 2\npretrain.epochs = 1\n' > c
try basin train --config c --method seal-nce --set report=no --set samples=2 --set net.width=4 -o cached 2>&1 | grep 'warning\|status'
ls elsewhere; grep -c pretrain.cache cached/config
basin train --config c --set pretrain.cache=elsewhere/nets --method seal-nce --set report=no --set samples=2 --set net.width=4 -q -o cached2 > table
ls elsewhere/nets | wc -l
basin compare --config c --methods seal-nce --seeds 1 --set samples=2 --set net.width=4 -o cmp 2>&1 > table | grep -c '^warning: pretrain.cache'

echo "== files that lie beside data, or in a run"
mkdir beside && cp d.arff beside/e.arff && mkfifo beside/e.xml && cp beside/e.arff beside/f.arff
try basin data inspect beside/e.arff --labels last:24 | tail -n 2 | cut -c1-50
printf '1,2 1:1\n2 2:1\n' > beside/g.libsvm && mkfifo beside/g.labels
try basin data inspect beside/g.libsvm | sed -n 's/^labels.*/&/p; /^status/p'
printf 'a,b\n1,2\n3,4\n' > beside/X.csv && mkfifo beside/y.csv
try basin data inspect beside/X.csv | cut -c1-60
printf '{"tokens": ["a", "b"], "ner_tags": [0, 1]}\n' > beside/j.jsonl && mkfifo beside/j.labels beside/dataset_info.json
try basin data inspect beside/j.jsonl --task tag | tail -n 2 | cut -c1-60
mkdir brat && echo 'a text' > brat/a.txt && mkfifo brat/a.ann brat/b.txt && : > brat/b.ann && printf 'T1\tX 0 1\ta\n' > brat/c.ann && echo a > brat/c.txt
try basin data inspect brat --task tag | tail -n 2 | cut -c1-70
mkdir pictures && mkfifo pictures/p.png
outlines() { echo "{\"images\": [{\"id\": 1, \"file_name\": \"$1\"}], \"categories\": [{\"id\": 1, \"name\": \"x\"}], \"annotations\": [{\"id\": 1, \"image_id\": 1, \"category_id\": 1, \"segmentation\": [[0, 0, 2, 0, 2, 2]]}]}" > pictures/list.json; }
outlines p.png && try basin data inspect pictures/list.json
outlines /dev/zero && try basin data inspect pictures/list.json --task seg
cp -r fine run && rm run/metrics.jsonl && mkfifo run/metrics.jsonl
try basin report run
cp -r fine run2 && rm run2/config && mkfifo run2/config
try basin train --resume -o run2
try basin report run2
sed 's/^file.train.*/file.train = pipe/' fine/config > cfg && cp -r fine run3 && mv cfg run3/config
try basin report run3 -o r.html | sed 's/ (.*//' | grep 'warn\|At the\|wrote\|status'
grep -o "its training data cannot be read[^;(]*" r.html
