# Tagged sentences from file to prediction; what is said of files that are not in order.
try() { "$@" 2>&1; echo "status $?"; }
keys() { grep -o '"[a-z_0-9]*":' | tr -d '":' | paste -sd ' '; }
# numbers are not the matter here
shape() { sed -E 's/-?[0-9]+\.[0-9]+|n\/a/N/g; s/[0-9]+ sentences\/s/N sentences\/s/; s/ +/ /g'; }

echo "== make, inspect, split, check"
basin data make tag --seed 1 --set rows=200 --set length=6 -o d.conll
basin data inspect d.conll
basin data inspect d.conll --json | keys
basin data split d.conll --shares 60,20,20 -o part | awk '{ print $1, $2 }'
cat part-*.conll | sort | cmp - <(sort d.conll) && echo "every line is in one part"
basin data check part-train.conll part-valid.conll part-test.conll | grep -v '^note\|^lengths\|^words'

echo "== spans"
names() {
    for place in Oslo Rome Bern Lima; do
        printf 'Ada N B-PER\nLund N I-PER\nlikes V O\n%s N B-LOC\n. . O\n\n' $place
        printf '%s N B-LOC\nis V O\nfar R O\n\nBen N B-PER\nsees V O\nNew N B-LOC\nYork N I-LOC\n\n' $place
    done
}
names > train.conll
names | head -n 9 > test.conll
basin data inspect train.conll
basin data convert train.conll -q --scheme bioes -o bioes.conll
head -n 5 bioes.conll
basin data convert bioes.conll -q --scheme iob2 -o back.conll
cmp train.conll back.conll && echo "there and back"
basin data convert train.conll -q -o t.conllu && basin data convert train.conll -q --format text -o t.txt
head -n 2 t.conllu
head -n 2 t.txt

echo "== train"
train="basin train part-train.conll --valid part-valid.conll -q --method ce --epochs 2 --set net.width=16"
$train --test part-test.conll -o run | shape | head -n 3
basin train train.conll -q --method ce --epochs 30 --set net.width=16 --set lr.net=0.05 -o ner | shape | head -n 1
basin train train.conll -q --method ce --epochs 1 --feature-columns none --tag-column last --word-column 1 \
    --json -o plain | keys
grep '^text.feature\|^text.tag_c\|^text.word' plain/config

printf 'ada 1 0\nlund 1 0.1\nrome 0 1\n' > vectors.txt
basin train train.conll --method ce --epochs 1 --feature-columns none --embeddings vectors.txt -o vectors 2>&1 |
    grep '^words:'
echo 'Ada Lund likes Rome .' | basin predict vectors - | awk 'NF { print NF }' | uniq -c
basin train part-train.conll -q --method ce --epochs 1 --set net.width=8 --seeds 2 --json -o seeds |
    sed 's/.*"mean"/"mean"/' | grep -o '"[a-z_]*": {' | tr -d '": {' | paste -sd ' '

echo "== eval"
basin eval run part-test.conll | shape
basin eval ner train.conll --per-label | tail -n 3 | awk '{ print $1, $2 }'
basin eval run part-test.conll --per-label | grep '^tag' | shape
basin eval ner test.conll --conlleval | shape
basin eval ner test.conll --json | keys
for how in "" --constrain; do
    basin eval plain train.conll $how --json | grep -o '"ill_formed": [0-9]*' | sed 's/: [1-9][0-9]*/: some/'
done

echo "== predict"
basin predict ner test.conll | awk 'NF { print NF }; !NF' | uniq -c
basin predict ner test.conll | cut -d ' ' -f 1-3 | cmp - test.conll && echo "columns are kept"
cut -d ' ' -f 1,2 test.conll > untagged.conll
basin predict ner untagged.conll | cut -d ' ' -f 3 > a
basin predict ner test.conll | cut -d ' ' -f 4 > b
cmp a b && echo "tags are not needed"
echo 'Ada Lund likes Rome .' | basin predict plain - | awk '{ print $1, NF }'
basin predict ner test.conll --format jsonl | head -n 1 | keys
basin predict ner test.conll --scores -o out.jsonl && head -n 1 out.jsonl | keys
gzip -k test.conll && basin predict ner test.conll.gz | cmp - <(basin predict ner test.conll) && echo "compressed"

echo "== what is wrong with data"
printf 'Ada N B-PER\nLund I-PER\n\n' > ragged.conll
printf 'Ada N B-PER\nUNO N B-ORG\n. . O\nEve N I-LOC\n\n' > unknown.conll
: > empty.conll
printf 'Ad\xe9 N B-PER\n\n' > latin.conll
try basin data check ragged.conll
try basin data check train.conll ragged.conll test.conll unknown.conll | grep -v '^note\|^lengths\|^words\|^tags'
try basin data check train.conll unknown.conll --json | sed 's/.*"problems"/"problems"/'
try basin data check empty.conll
try basin data inspect latin.conll
try basin train ragged.conll -q -o no
try basin train empty.conll -q -o no
try basin train latin.conll -q -o no
try basin train train.conll -q --tag-column 7 -o no
try basin train train.conll -q --tag-column first -o no
try basin train train.conll -q --feature-columns 3 -o no
try basin train train.conll -q --embeddings nowhere.txt -o no
try basin train t.txt -q --task tag -o no
try basin eval ner unknown.conll | grep 'warning\|status'
basin eval ner unknown.conll -q --json 2> messages | grep -o '"gold_[a-z]*": [0-9]*'
try basin eval ner ragged.conll
try basin eval ner t.txt
try basin predict ner ragged.conll
try basin eval ner d.conll
try basin predict ner empty.conll
echo 'Ada Lund' | try basin predict ner -

echo "== misuse"
basin data make mlc --seed 3 --set rows=100 -o d.arff -q > made
basin train d.arff -q --method ce --epochs 1 -o rows > table
try basin eval rows d.arff --conlleval
try basin eval rows test.conll
try basin eval ner d.arff
try basin predict rows test.conll
try basin eval ner test.conll --threshold 0.3
try basin eval ner test.conll --metric-profile meka
try basin eval ner test.conll --conlleval --json
try basin eval ner test.conll --conlleval --per-label
try basin predict ner test.conll --format npy
try basin predict ner test.conll --top-k 2
try basin predict ner test.conll --scores
try basin train d.arff -q --task tag -o no
try basin train train.conll -q --task mlc -o no
try basin data convert train.conll -o x.arff
try basin data convert train.conll -o x --format npy
try basin data convert d.conll -o x.conll --scheme bioes
try basin data split train.conll -o x --groups made
try basin data split train.conll -o x --documents
try basin data split d.arff -o x --documents
try basin data make tag --set tags=5 -o x
try basin data make tag --format arff -o x
basin data make tag --set rows=1 --set length=2 -o made.jsonl -q | head -n 1
sed 's,_[0-9],,g' made.jsonl
try basin data make nonsense -o x
