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
basin predict energy d.arff -q -o two.csv --threads 2
cmp sets.csv two.csv && echo "same sets for two threads"
basin data split d.arff --shares 10,90 --names few,rest -o part -q > table
basin predict energy part-few.arff -q -o few.jsonl
basin predict energy d.arff -q -o all.jsonl
grep -c -F -x -f few.jsonl all.jsonl | awk '{ print ($1 >= 250 ? "rows are decided alike among others" : "rows change with their company") }'

for how in f1 subset hamming jaccard; do
    basin eval energy d.arff -q --decide $how | awk 'NR == 2 { print $1 }'
done
basin eval energy d.arff -q | awk 'NR == 2 { print $1, "by itself" }'
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
try basin train t.conll -q --method nce --set samples.share=0.5 -o none
