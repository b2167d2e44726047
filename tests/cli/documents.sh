# Rows that have a text: every format, methods, predictions, and what is wrong with some.
basin data make text --seed 1 --set rows=400 -o t.jsonl
basin data inspect t.jsonl
small="-q --epochs 2 --set net.width=16 --set report=no"
train() { basin train "$@" $small > table; }

echo "== the same model from every format"
basin data convert t.jsonl -o t.csv 2> note
basin data convert t.jsonl -o t.ft
tr , '\t' < t.csv > t.tsv
gzip -k t.jsonl
train t.jsonl --method ce -o run
train t.jsonl.gz --method ce -o gz && cmp run/best.safetensors gz/best.safetensors && echo gz
train t.ft --method ce -o ft && cmp run/best.safetensors ft/best.safetensors && echo ft
train t.csv --labels last:24 --method ce -o csv && cmp run/best.safetensors csv/best.safetensors && echo csv
train t.tsv --labels last:24 --method ce -o tsv && cmp run/best.safetensors tsv/best.safetensors && echo tsv

sed 's/"labels"/"label":"all","themes"/' t.jsonl > themes.jsonl
train themes.jsonl --labels themes --method ce -o themes && cmp run/best.safetensors themes/best.safetensors && echo "a member that is named"
{ printf '\357\273\277'; sed 's/$/\r/' t.jsonl; } > bom.jsonl
train bom.jsonl --method ce -o bom && cmp run/best.safetensors bom/best.safetensors && echo "a byte order mark"

echo "== the same predictions from every format, and from a pipe"
sed 's/.*"text":"\([^"]*\)".*/\1/' t.jsonl > t.txt
basin predict run t.jsonl --scores > want
for f in t.csv t.tsv t.ft t.txt t.jsonl.gz; do basin predict run $f --scores | cmp - want && echo $f; done
(echo text; sed 's/.*/"&"/' t.txt) > one.csv
basin predict run one.csv --scores | cmp - want && basin predict run - --scores < one.csv | cmp - want && echo "one column"
(head -n 3 t.txt; sleep 0.2; tail -n +4 t.txt) | basin predict run - --scores | cmp - want && echo pipe
basin eval run t.jsonl | sed -n 2p > want
for f in t.ft "t.csv --set data.labels=last:24"; do basin eval run $f | sed -n 2p | cmp - want && echo "$f"; done

echo "== folds, several seeds, resuming, going on, teaching"
basin data split t.jsonl -o s > table; sed 's/ *$//' table
head -n 5 s-train.jsonl | cat - s-test.jsonl > both.jsonl && basin data check s-train.jsonl both.jsonl | grep against
train s-train.jsonl --method seal-nce --folds 3 -o folds && basin eval folds s-test.jsonl | sed -n 2p | cut -c1-12
train s-train.jsonl --valid s-valid.jsonl --method seal-nce --epochs 3 -o whole
train s-train.jsonl --valid s-valid.jsonl --method seal-nce -o part
train s-train.jsonl --valid s-valid.jsonl --method seal-nce --epochs 3 --resume -o part
cmp whole/best.safetensors part/best.safetensors && echo resumed
train s-test.jsonl --from whole --method seal-nce -o more && head -c 9999 more/best.safetensors | grep -ac ngrams
train s-train.jsonl --distil folds -o taught && echo taught
printf 'story,age,labels\n' > mixed.csv
awk -F'"' '{ print $4 "," NR % 7 "," $8 (NR % 2 ? "|odd" : "") }' t.jsonl >> mixed.csv
train mixed.csv --text-column story --method ce -o mixed; basin predict mixed mixed.csv --scores | head -2 | cut -c1-60
echo "namato odd" | basin predict mixed -
sed 's/^{/{"features": [1, 0.5], /' t.jsonl > listed.jsonl
train listed.jsonl --method ce -o listed && basin predict listed listed.jsonl --scores | wc -l

echo "== a table without names, labels by number"
printf 'rain\nsun\nwind\n' > sky
for i in $(seq 60); do printf 'it was %s on day number %d of all\t%s\tid%d\n' $([ $((i % 3)) = 0 ] && echo "rain 0 $i" | sed 's/ 0.*//' || echo sun) $i $((i % 3 ? 1 : 0))$([ $((i % 4)) = 0 ] && echo ,2) $i; done > sky.tsv
train sky.tsv --labels c2 --label-names sky --method ce -o sky.run
basin predict sky.run sky.tsv --scores | sed 's/"id": "[^"]*", //' > a
cut -f1 sky.tsv | basin predict sky.run - --scores | cmp - a && echo "a table, and its texts alone"
basin eval sky.run sky.tsv --set data.labels=c2 --set data.label_names=sky | grep -c example_f1

echo "== words that matter"
for i in $(seq 120); do
    [ $((i % 3)) = 0 ] && echo "__label__oil petrol and lamps nr $((i % 7))" || echo "__label__corn maize and fields nr $((i % 5))"
done > two.ft
basin train two.ft --method ce -q --epochs 30 --set net.width=16 --set folds=1 -o two > table
basin report two -o two.html --json | grep -o '"telling_words": *\[.*"documents"' | tr '{' '\n' | grep '"label"' | cut -c1-60
grep -c 'petrol and lamps' two.html
basin train two.ft --method seal-nce -q --epochs 8 --set net.width=16 --set energy.proof=0 --set folds=1 --set report=no -o pair > table
basin explain pair two.ft --row 3 -o row.html > table && grep -c 'petrol and lamps' row.html

echo "== what is wrong"
printf '{"text": "ok then", "labels": ["a"]}\n{"text": "bad \377 byte", "labels": ["b"]}\n' > bad.jsonl
exec 2>&1
basin data inspect bad.jsonl
{ echo [; head -n 1 t.jsonl; echo ]; } > list.json
basin data inspect list.json; basin predict run list.json
printf '__label__a caf\351 ol\351\n__label__b \n__label__a x\n' > latin.ft
basin data inspect latin.ft | grep note
basin train t.csv --labels last:24 --text-column tekst
basin data inspect t.jsonl --text-column text,tekst
sed 's/,"labels".*/}/' t.jsonl > bare.jsonl
sed 's/"labels"/"topics"/; 1s/,"topics".*/}/' t.jsonl | head -n 9 > topics.jsonl
basin eval run bare.jsonl
basin data inspect topics.jsonl | grep 'no member'
for kind in oil corn oil no; do echo "{\"text\":\"what $kind costs today\",\"kind\":\"$kind\"}"; done > kind.jsonl
basin data inspect kind.jsonl --labels kind | grep ^labels
tac kind.jsonl > blank.jsonl; basin data inspect blank.jsonl --labels kind
basin data inspect t.csv --labels last:24 --drop text
printf '0\n1\n' > names
printf '__label__7 one two\n' > n.ft
basin data inspect n.ft --label-names names
basin data inspect n.ft --label-names nowhere
basin predict run mixed.csv > table
printf 'age,height\n3,4\n' | basin predict run - --set data.format=csv
printf '__label__a one\n__label__b two\n' > once.ft
basin train once.ft t.ft --set net.width=4 --epochs 1 -q | tail -1
basin train t.jsonl --set ngrams.words=0 -q
basin data convert t.jsonl -o t.arff
basin predict run s-test.jsonl --set data.format=plain > table && echo "a line of JSON can be a text"
printf '\n' | basin predict run - --scores | cut -c1-10
basin data make roles --set rows=3 -q -o roles.conll > made
basin predict run roles.conll > table
basin predict run roles.conll --set data.format=plain > table
head -c 11000000 /dev/zero | tr '\0' x | basin predict run - --set data.max_line_mb=10
basin data make poem -o x || true
