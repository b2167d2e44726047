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
# "S-PER S-PER" would be one phrase to that program; it is given the tags of the file
for scheme in iob1 iob2 bioes; do
    basin data convert test.iob2 -q --scheme $scheme -o in.conll
    basin eval ner in.conll --conlleval-compat | head -n 1
    basin predict ner in.conll 2> messages | awk 'NF && $3 != $4' | wc -l
    cat messages
done
basin predict ner test.iob2 -q --format jsonl | grep -o '"tags": [^]]*]' | head -n 1
cut -d ' ' -f 1,2 test.iob2 > untagged.conll
basin predict ner untagged.conll 2>&1 | head -n 4
for scheme in iob1 bilou bioes; do basin predict ner untagged.conll --scheme $scheme | sed -n 2,3p; done
try basin predict ner untagged.conll --scheme raw
try basin predict ner untagged.conll --scheme iob3
