# Semantic roles on the command line: files, messages, training by several methods, threads, resuming,
# predictions from a pipe, reports.
basin data make roles --seed 3 --set rows=60 --set words=3 -o d.conll
basin data make roles --seed 4 --set rows=25 --set words=3 -q -o e.conll > made
basin data inspect d.conll | sed -n '1p;/^roles/,$p'
basin data split d.conll -o part | sed 1d | awk '{ print $1, $2 }'
echo "== formats"
basin data convert e.conll -o e.jsonl -q
basin data convert e.jsonl -o again.conll -q
cmp e.conll again.conll && echo "columns, JSON, columns: the same"
gzip -k e.conll
basin data inspect e.conll.gz --json | grep -o '"sentences": [0-9]*' | head -n 1
basin data check d.conll e.conll > checked && echo checked
cut -f 1,2 e.conll > new.conll
sed 's/, "spans": \[[^]]*\]//g' e.jsonl > new.jsonl
grep -c spans new.jsonl

echo "== broken files"
sed '0,/(/s/(ARG[0-9M-]*[A-Z]*/(/' d.conll > nameless.conll
sed '0,/)$/s/)$//' d.conll > open.conll
sed '2s/$/\t*/' d.conll > ragged.conll
cut -f 1,3- d.conll > missing.conll
for file in nameless open ragged missing; do
    basin data inspect $file.conll --task roles 2>&1 | head -n 1
    basin train $file.conll --task roles --method ce -o broken 2> messages || sed 's/^basin: /train: /' messages
done

small="-q --epochs 1 --seed 7"
for setting in pretrain.epochs=1 net.width=6 net.layers=1 words.width=6 energy.hidden=4 samples=3 batch=16 gbi.steps=3 \
    gbi.test_steps=3 report=no energy.proof=0; do
    small="$small --set $setting"
done
echo "== methods"
for method in ce crf infnet+ dvn implicit-cd; do # far.sh has all of them
    basin train d.conll --valid e.conll --method $method $small -o $method > table 2> messages || cat messages
    basin predict $method e.conll -q | cmp -s - e.conll && echo "$method: all right after 1 epoch?"
    echo "$method, energy.kind $(sed -n 's/^energy.kind = //p' $method/config)"
done
for method in ce crf dvn; do
    basin eval $method e.conll --json -q | grep -o '"argument_f1": [01]' > f1 || echo "$method: no F1"
    basin eval $method e.conll --json -q --set roles.unique=yes | grep -o '"ucr": 0[,}]' > ucr || echo "$method: core roles twice"
done

echo "== the same bytes"
train="basin train d.conll --valid e.conll --method seal-nce $small --set energy.kind=attention-pairs --set pretrain.epochs=2 --epochs 4"
$train --threads 1 -o one > table
$train --threads 3 -o three > table
cmp one/best.safetensors three/best.safetensors && echo "1 and 3 threads: the same model"
$train --epochs 2 --set checkpoint.seconds=0 -o more > table
$train --set checkpoint.seconds=0 --resume -o more > table
cmp one/best.safetensors more/best.safetensors && echo "resumed: the same model"
basin predict one e.conll -q > roles.conll
basin predict one new.conll -q | cmp - roles.conll && echo "without roles: the same"
cat new.conll | basin predict one - -q | cmp - roles.conll && echo "from a pipe: the same"
basin predict one new.jsonl -q > roles.jsonl
basin data convert roles.conll -o converted.jsonl -q
cmp roles.jsonl converted.jsonl && echo "in JSON: the same"
head -n "$(grep -n '^$' new.conll | head -n 1 | cut -d: -f1)" new.conll > first.conll
basin predict one first.conll -q | cmp - <(head -n "$(wc -l < first.conll)" roles.conll) && echo "alone: the same"
basin predict one e.conll --format jsonl --scores --energy -q | head -n 1 | grep -o '"scores"\|"energy"' | sort | uniq -c | awk '{ print $2 }'
basin predict one e.conll --scores 2>&1
basin predict one e.conll --nbest 2 2>&1
basin predict one e.conll --set roles.unique=yes -q > once.conll
basin eval ce e.conll --set roles.unique=maybe 2>&1
basin eval ce e.conll --conlleval 2>&1
basin eval ce e.conll --constrain --per-label -q | grep -c '^A'

echo "== reports"
basin report one ce -o both.html -q > table && grep -c 'Worst sentences' both.html
basin explain one e.conll --rows 20 --row 1 -o explained.html -q > table && grep -c '<html' explained.html
basin compare d.conll --valid e.conll --methods ce,crf --seeds 2 $small -o compared > table 2>&1 || cat table
grep -c argument_f1 compared/compare.json
