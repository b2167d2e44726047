# Decisions by an energy: on "exactly one of four" the lowest-energy sets obey the rule and match more
# often; the same decisions from eval, predict and compare, on any number of threads; refusals.
basin data make mlc --seed 1 --set rows=3000 --set kinds=pick --set groups=3 --set on=0.4 -o d.arff > made
grep -c "best possible subset accuracy" made

train="basin train d.arff -q --json --epochs 25 --set report=no --set net.width=50"
nce="--method nce --set energy.proof=0 --set pretrain.epochs=25 --set infer=net --set energy.base=net --set energy.kind=pairs
     --set energy.epochs=15 --set lr.energy=0.005 --set samples=60 --set early_stop.epochs=15 --set decide.samples=60"
$train --method ce -o ce > ce.json
$train $nce --decide subset -o energy --threads 1 > energy.json
$train $nce --decide subset -o again --threads 2 > again.json
cmp energy/best.safetensors again/best.safetensors && echo "same bytes for one thread and two"
$train $nce --decide subset --set energy.scale=0 -o without > without.json

subset() { sed 's/.*"test_tuned": {[^}]*"subset_accuracy": \([^,]*\),.*/\1/' $1.json; }
echo "$(subset ce) $(subset energy) $(subset without)" | tee /dev/stderr | awk '{
    print "more exact sets: " ($2 > 1.4 * $1 ? "yes" : "no")
    print "without terms over labels: " ($3 > 1.2 * $1 ? "yes" : "no") }'

# Of the sets, how many have one label of each group.
obey() { awk -F, 'NR > 1 { for (i = 2; i < NF; i += 4) { n++; ok += $i + $(i+1) + $(i+2) + $(i+3) == 1 } }
                  END { print (ok > 0.99 * n ? "the rule is obeyed" : "the rule is broken") }' $1; }
basin predict energy d.arff -q -o sets.csv --threads 1
obey sets.csv
basin predict energy d.arff -q --decide threshold -o cut.csv
obey cut.csv
awk '{ n += rows } n > 300 { exit } { print } tolower($1) == "@data" { rows = 1 }' d.arff > few.arff
for n in 1 2; do basin predict energy few.arff -q -o $n.csv --threads $n; done
cmp 1.csv 2.csv && echo "same sets for two threads"
head -n 301 sets.csv | cmp - 1.csv && echo "rows are decided alike among others"

for how in f1 subset hamming jaccard; do
    basin eval energy few.arff -q --decide $how | awk 'NR == 2 { print $1 }'
done
basin eval energy few.arff -q | awk 'NR == 2 { print $1, "by itself" }'
basin eval ce d.arff -q --decide f1 | awk 'NR == 2 { print $1, "of a plain net" }'

echo "== refused"
try() { "$@" 2>&1 | tail -n 1; }
try basin eval energy d.arff -q --decide best
try basin eval energy d.arff -q --decide f1 --threshold 0.3
try basin predict energy d.arff -q --decide f1 --top-k 2
try basin eval energy d.arff -q --decide f1 --set decide.samples=1
try basin train d.arff -q --method dvn --set pretrain.epochs=0 --set energy.base=net -o none
basin data make tag --seed 2 --set rows=40 -q -o t.conll > made
try basin train t.conll -q --method ce --decide f1 -o none
try basin train t.conll -q --method ce --decide jaccard -o none
try basin train t.conll -q --method nce --set samples.share=0.5 -o none

# Labels with a hierarchy: an energy along it joins each label with the one above, and no others as much.
echo "== tree"
awk 'BEGIN { srand(1); for (i = 0; i < 400; i++) { l = ""; f = "\"c\": 1"
    for (p = 1; p <= 3; p++) if (rand() < 0.5) { l = l ", \"0" p "\""
        for (c = 1; c <= 2; c++) if (rand() < 0.4) { l = l ", \"0" p "/0" c "\""; if (rand() < 0.5) f = f ", \"w" p c "\": 1" } }
    printf "{\"features\": {%s}, \"labels\": [%s]}\n", f, substr(l, 3) } }' > tree.jsonl
basin train tree.jsonl -q --method nce --set pretrain.epochs=10 --set energy.base=net --set energy.kind=tree --set infer=net --set energy.proof=0 \
    --set energy.epochs=15 --set lr.energy=0.01 --set samples=30 --set early_stop.epochs=15 --set net.width=20 --set report=no -o tree > table
basin explain tree tree.jsonl --json | python3 -c '
import json, sys
t = json.load(sys.stdin)
names, m = [x["name"] if isinstance(x, dict) else x for x in t["labels"]], t["interaction"]["matrix"]
pairs = sorted(((-abs(m[i][j]), sorted((names[i], names[j]))) for i in range(9) for j in range(i)))[:6]
print("strongest: a label and the one above it" if all(b.startswith(a + "/") for _, (a, b) in pairs) else pairs)'
try basin train d.arff -q --method nce --set energy.kind=tree -o none

# Tags that depend on more than their neighbours: the lowest energy is no chain's best sequence.
echo "== tags"
basin data make tag --seed 2 --set rows=600 -q -o t.conll > made
basin data split t.conll -q --shares 80,20 --names train,test -o t > table
basin train t-train.conll -q --json --method nce --set energy.kind=lm --set pretrain.epochs=8 --set energy.epochs=14 --set infer=net \
    --set energy.proof=0 --set samples=30 --set report=no --set net.width=16 --set energy.hidden=16 --set energy.init=net \
    --set lr.energy=0.005 --set early_stop.epochs=14 -o tags > tags.json
how="-q --set decide.samples=24"
basin eval tags t-test.conll -q | awk 'NR == 2 { print $1 }' > net
basin eval tags t-test.conll $how --decide subset | awk 'NR == 2 { print $1 }' > whole
paste net whole | tee /dev/stderr | awk '{ print ($2 > $1 + 3 ? "better than the net" : "no better than the net") }'
basin predict tags t-test.conll $how --decide hamming -o one.conll --threads 1
basin predict tags t-test.conll $how --decide hamming -o two.conll --threads 2
cmp one.conll two.conll && echo "same tags for two threads"
head -n 60 t-test.conll > few.conll
basin predict tags few.conll $how --decide hamming -o few.out
head -n 55 few.out | cmp -n 300 - one.conll && echo "same tags among others"
try basin predict tags t-test.conll -q --nbest 2 --format jsonl --decide subset

echo "== masks"
basin data make seg --seed 1 --set images=24 -q -o shapes > made
basin train shapes -q --method nce --set pretrain.epochs=2 --set energy.epochs=1 --set infer=net --set energy.proof=0 --set net.width=4 \
    --set energy.hidden=4 --set report=no --decide jaccard --set decide.samples=4 -o masks > table
for how in f1 subset hamming jaccard; do
    basin eval masks shapes -q --decide $how --set decide.samples=4 | awk -v how=$how 'NR == 2 { print how, NF, "columns" }'
done
basin predict masks shapes -q --decide jaccard --set decide.samples=4 -o one --threads 1
basin predict masks shapes -q --decide jaccard --set decide.samples=4 -o two --threads 2
diff -r one two && echo "same masks for two threads"
basin predict masks shapes -q -o own
diff -r one own && echo "and without saying how: the model knows"
basin predict masks shapes -q --decide threshold -o cut
diff -rq one cut > differ || echo "other masks than of single pixels"
