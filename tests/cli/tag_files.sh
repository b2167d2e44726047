# What files of sentences may look like, how they are understood, and how tags are written.
try() { "$@" 2>&1; echo "status $?"; }

# Names, some of which touch; the first argument repeats them.
names() {
    for _ in $(seq "$1"); do
        for place in Oslo Rome Bern Lima; do
            printf 'Ada N B-PER\nLund N I-PER\nBen N B-PER\nlikes V O\n%s N B-LOC\n. . O\n\n' $place
            printf '%s N B-LOC\nRome N B-LOC\nis V O\nfar R O\n\nBen N B-PER\nsees V O\n' $place
            printf 'New N B-LOC\nYork N I-LOC\n\n'
        done
    done
}
names 10 > train.conll
names 1 > test.iob2
cut -d ' ' -f 1,3 train.conll > two.conll
cut -d ' ' -f 1,3 test.iob2 > two.iob2
train="basin train -q --epochs 6 --set net.width=16 --set lr.net=0.03 --set report=no --seed 1"
$train train.conll --method ce -o ner > table
$train two.conll --method ce -o two > table
basin eval ner test.iob2 -q | awk '$1 == "span_f1" { print "span F1", $2 }'
basin eval two two.iob2 -q | awk '$1 == "span_f1" { print "span F1", $2 }'

echo "== schemes"
for scheme in iob1 iob2 bioes; do
    basin data convert test.iob2 -q --scheme $scheme -o in.conll
    basin eval ner in.conll --conlleval | head -n 1
    basin predict ner in.conll 2> messages | awk 'NF && $3 != $4' | wc -l
    cat messages
done
basin predict ner test.iob2 in.conll 2>&1 > predicted | cat # two schemes: neither is followed
basin predict ner test.iob2 -q --format jsonl | grep -o '"tags": [^]]*]' | head -n 1
cut -d ' ' -f 1,2 test.iob2 > untagged.conll
basin predict ner untagged.conll 2>&1 | head -n 4
for scheme in iob1 bilou bioes; do basin predict ner untagged.conll --scheme $scheme | sed -n 2,3p; done
try basin predict ner untagged.conll --scheme raw
try basin predict ner untagged.conll --scheme iob3

echo "== columns or plain text"
printf '%s\n' '-DOCSTART- O' '' Ada 'likes O' 'Rome B-LOC' > ragged
try basin predict two ragged
sed 1,2d ragged | try basin predict two -
printf 'Ada lives in Paris\n\nBen works in Rome\n' | try basin predict two - | awk '{ print $1, NF }'
printf 'dogs N x\nrun V x\n' | basin predict two - -q --tag-column 3 | awk '{ print $1, NF }'
sed 's/ [BI]-/ /; s/ \(PER\|LOC\)$/ N/; s/ O$/ V/' two.conll > pos.conll
$train pos.conll --method ce -o pos > table
printf 'Ada N x\nsees V x\n' | try basin predict pos - | awk '{ print $1, NF }'
printf '# text = Ada sees Rome\nAda N B-PER\nsees V O\nRome N B-LOC\n\n# text = Ben\n#\nBen N B-PER\n' > comments
try basin predict ner comments
basin data inspect comments | grep '^format\|^note.*#'
try basin predict two untagged.conll --set text.format=text | head -n 3 | awk '{ print $1, NF }'
basin predict ner two.iob2 -q --feature-columns 1 2>&1 | head -n 1
awk 'NF { print $3, $2, $1 } !NF' test.iob2 > turned
basin eval ner turned --word-column 3 --tag-column 1 --json -q | grep -o '"span_f1": [0-9.]*'
try basin predict ner turned --feature-columns none
try basin predict ner turned --set lr.net=1
try basin eval ner turned --set text.to=iob1
try basin eval ner turned --set text.format

echo "== several sequences"
$train train.conll --method crf -o crf > table
basin predict crf test.iob2 -q --format jsonl --nbest 3 --constrain > best.jsonl
head -n 1 best.jsonl | grep -o '"[a-z_]*":' | tr -d '":' | paste -sd ' '
# the first is what is predicted; all differ; scores fall
awk '{
    n = split($0, part, "\"tags\": ")
    for (i = 2; i <= n; i++) { tags[i] = part[i]; sub(/\].*/, "", tags[i]) }
    for (i = 3; i <= n; i++) { score[i] = part[i]; sub(/.*"score": /, "", score[i]); score[i] += 0 }
    good += n == 5 && tags[2] == tags[3] && tags[3] != tags[4] && tags[4] != tags[5] &&
            tags[3] != tags[5] && score[3] >= score[4] && score[4] >= score[5]
} END { print good, "of", NR, "in order" }' best.jsonl
printf 'Ada N\n' | basin predict crf - -q --set text.format=conll --format jsonl --nbest 1000 --constrain |
    grep -o '"score"' | wc -l
try basin predict crf test.iob2 --nbest 3
try basin predict ner test.iob2 --nbest 3 --format jsonl
try basin predict crf test.iob2 --nbest 0 --format jsonl

echo "== a tag that does not fit"
sed '5s/B-LOC/b-LOC/' train.conll > slip.conll
try basin data check slip.conll
try basin train slip.conll -q -o no
try basin eval ner slip.conll
basin train slip.conll -q --method ce --epochs 1 --set text.scheme=raw --set report=no -o raw | sed -n 3p | awk '{ print $1, $3 }'
try basin eval two untagged.conll

echo "== CoNLL-U"
basin data convert test.iob2 -o test.conllu 2>&1 | tail -n 1
basin data convert test.conllu -q -o back.conll && cmp back.conll two.iob2 && echo "there and back"
basin data convert test.conllu -q --scheme bioes -o bioes.conllu && sed -n 2,4p bioes.conllu
basin predict two test.conllu -q | cmp - test.conllu && echo "tags are where they were"
sed 's/Tag=.*/SpaceAfter=No/' test.conllu | basin predict two - -q | sed -n 2,3p
basin predict two test.conllu -q > again.conllu && basin eval two again.conllu --json | grep -o '"span_f1": [0-9.]*'
$train test.conllu --method ce -o u > table && basin predict u test.conllu -q | awk -F '\t' 'NF > 1 { print NF }' | uniq
sed 's/Tag=//' test.conllu > bare.conllu
$train bare.conllu --tag-column 10 --method ce -o bare > table && basin predict bare bare.conllu -q | cut -f 10 | sed -n 2,3p
sed 's/Tag=.*/_/' test.conllu > open.conllu
basin predict bare bare.conllu open.conllu -q | cut -f 10 | grep -c Tag=
sed '2s/Tag=.*/Foreign/; 3s/Tag=.*/SpaceAfter=No/; s/Tag=.*/_/' test.conllu > items.conllu
basin predict two items.conllu -q | cut -f 10 | sed -n 2,3p
try basin eval two items.conllu
sed 's/Tag=.*/SpaceAfter=No/' test.conllu > items.conllu
try basin eval two items.conllu
try basin predict ner test.conllu
basin data convert pos.conll -q -o pos.conllu && basin predict pos pos.conllu -q | cut -f 1-5 | sed -n 2,3p

echo "== tags that training does not have"
printf 'Ada N B-PER\nLund N I-PER\nReed N I-PER\n\nEve N B-ORG\n. . O\n\n' > other.conll
head -n 3 other.conll > longer.conll
basin data check train.conll longer.conll | grep '^against\|^problem'
try basin data check train.conll other.conll | grep '^against\|^problem\|^basin\|^status'
basin train train.conll --valid other.conll -q --epochs 1 --method ce --set report=no -o odd 2>&1 | head -n 1

echo "== word vectors"
vectors="$train train.conll --method ce --epochs 1 --embeddings vectors.txt --force -o vec"
printf 'zzz 1 0\nyyy 0 1\n' > vectors.txt && $vectors 2>&1 | grep words:
{ seq 200 | sed 's/$/ 1 0/'; echo 'Ada 5 0 1'; echo 'Rome 1 1'; } > vectors.txt && $vectors 2>&1 | grep words:

echo "== metrics that are not defined"
basin eval pos pos.conll -q --json | grep -o '"span_f1": [a-z0-9.]*\|"unknown_accuracy": [a-z0-9.]*'
basin train pos.conll -q --method ce --epochs 1 --set report=no --json -o nulls | grep -o '"span_f1": [a-z0-9.]*' | uniq -c | awk '{ print $1, $3 }'

echo "== nothing there"
head -n 10 train.conll > short.conll
basin data split short.conll -o none -q 2>&1 | grep warning
basin eval pos pos.conll --constrain 2>&1 > table | grep constrain
basin predict pos pos.conll --constrain 2>&1 > tagged | grep constrain
