# Ten labelled sentences, others without tags, and rules about both: better than the ten alone; the same bits
# after kill -9 and --resume; what does not fit is refused.
basin data make tag --seed 3 --set rows=900 -q -o all.conll > made
cut() { awk -v from=$1 -v to=$2 'BEGIN { n = 1 } n >= from && n <= to { print } !NF { n++ }' all.conll; }
cut 1 10 > few.conll
cut 11 60 > valid.conll
cut 61 260 > test.conll
cut 261 860 > tagged.conll
awk '{ print $1 }' tagged.conll > words.conll
cat > my.rules <<END
# words of a kind say which; some also say the side
tags A1 B1 A2 B2 A3 B3 SAME TURN
word 4 SAME word=^same_
word 4 TURN word=^turn_
$(for k in 1 2 3; do
    echo "word 4 A$k,B$k word=^[abx]${k}_"
    echo "word 3 A$k word=^a${k}_"
    echo "word 3 B$k word=^b${k}_"
done)
END

options="--valid valid.conll --test test.conll -q --method ce --epochs 12 --set net.width=32 --set net.layers=1
    --set words.width=24 --set lr.net=0.01 --set checkpoint.seconds=0 --set net.dropout=0"
rules="--unlabelled words.conll --rules my.rules"
accuracy() { sed 's/.*"test": {"token_accuracy": \([^,]*\),.*/\1/'; }
alone=$(basin train few.conll $options --json -o alone | accuracy)
with=$(basin train few.conll $options $rules --threads 1 --json -o one | accuracy)
echo "labelled alone $alone, with rules $with" >&2
awk -v a=$alone -v b=$with 'BEGIN { print "with rules: " (b > a + 0.05 ? "better" : "not better") }'
grep -c '"unlabelled": 600' one/manifest.json

# tags in the files are not looked at; threads, resume and config
basin train few.conll $options --unlabelled tagged.conll --rules my.rules --threads 2 -o two > table
cmp one/best.safetensors two/best.safetensors && echo "tags of unlabelled sentences: not looked at"
for pause in 0.1 0.2 0.3; do
    basin train few.conll $options $rules --resume -o killed > table 2> messages & pid=$!
    sleep $pause
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
basin train few.conll $options $rules --resume -o killed > table
cmp one/best.safetensors killed/best.safetensors && echo "killed and resumed: same model"
basin train --config one/config -q -o again > table
cmp one/best.safetensors again/best.safetensors && echo "config: same model"

# half of them in another file, and a method with an energy; spans
awk 'NR <= 4000' words.conll > half-1.conll
awk 'NR > 4000' words.conll > half-2.conll
for method in seal-nce crf implicit-cd; do
    basin train few.conll $options --unlabelled half-1.conll --unlabelled half-2.conll --rules my.rules \
        --method $method --epochs 1 --set implicit.product=central -o $method > table && echo "$method: trained"
done
printf 'Ann B-PER\nLee I-PER\nsaw O\nRome B-LOC\n\nRome B-LOC\nfell O\n\n' > spans.conll
printf 'Ann\nLee\nsaw\nRome\n\nBob\nfell\n\n' > more.conll
printf 'word 3 PER word=^(Ann|Lee|Bob)$\nword 3 LOC word=^Rome$\nword 3 O word=^[a-z]\nstay 1\n' > spans.rules
basin train spans.conll --valid spans.conll --unlabelled more.conll --rules spans.rules --method ce --epochs 1 \
    -o spans 2>&1 | grep '^rules'

# what is refused
try() { "$@" 2>&1 | sed 's/^\(wrote\|next\).*//'; echo "status ${PIPESTATUS[0]}"; }
echo 'word 1 A1 first' >> my.rules
try basin train few.conll $options $rules --resume -o one
sed -i '$d' my.rules
try basin train few.conll $options --unlabelled half-1.conll --rules my.rules --resume -o one
try basin train few.conll $options --unlabelled words.conll -o no
try basin train few.conll $options --rules my.rules -o no
try basin train few.conll $options --unlabelled words.conll --rules none.rules -o no
try basin train few.conll $options --unlabelled none.conll --rules my.rules -o no
echo 'word 1 SAM word=^s' > bad.rules
try basin train few.conll $options --unlabelled words.conll --rules bad.rules -o no
echo 'word 1 SAME word=(' > bad.rules
try basin train few.conll $options --unlabelled words.conll --rules bad.rules -o no
: > empty.conll
try basin train few.conll $options --unlabelled empty.conll --rules my.rules -o no
basin data make mlc --seed 5 --set rows=100 -q -o d.arff > made
try basin train d.arff -q --unlabelled words.conll --rules my.rules -o no
try basin train d.arff -q --rules my.rules -o no
