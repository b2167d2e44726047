# A folder of seeds is a model, too: the mean of those in it.
basin data make mlc --seed 5 --set rows=300 -o d.arff > made
basin data make tag --seed 1 --set rows=60 -o t.conll > made
basin data make seg --seed 1 --set images=12 -o s.tar > made
small="--set net.width=8 --threads 1 --epochs 3 --set report=no"
try() { "$@" 2>&1 > table; echo "status $?"; }

echo "== three seeds"
basin train d.arff -q --method seal-nce $small --seeds 3 -o seeds > table
try basin eval seeds d.arff
sed -E 's/ +[0-9.]+ \+-.*/ .../; 2q' table
for m in seeds seeds/seed-0 seeds/seed-1 seeds/seed-2; do
    basin predict $m d.arff -q --format csv --scores -o $(basename $m).csv
done
paste -d, seeds.csv seed-0.csv seed-1.csv seed-2.csv | awk -F, 'NR > 1 { n = NF / 4
    for (i = 1; i <= n; i++) {
        d = $i - ($(i + n) + $(i + 2 * n) + $(i + 3 * n)) / 3; bad += d > 2e-5 || d < -2e-5; cells++
    } }
    END { print (cells > 1000 ? "many" : "few"), "cells,", bad + 0, "differ from the mean" }'
for m in seeds seeds/seed-0 seeds/seed-1 seeds/seed-2; do
    basin eval $m d.arff -q --json | grep -o '"threshold": [0-9.]*' | cut -d ' ' -f 2
done | awk 'NR == 1 { mean = $1 } NR > 1 { sum += $1 / 3 }
    END { d = mean - sum; print "thresholds:", (d * d < 1e-8 ? "the mean" : "not the mean") }'
try basin explain seeds d.arff -q -o seeds.html

echo "== other tasks, ensembles, comparisons"
basin train t.conll -q --method crf $small --seeds 2 -o tags > table
try basin eval tags t.conll -q
basin train s.tar -q --method ce $small --seeds 2 --ensemble 2 -o masks > table
try basin predict masks s.tar -o out
ls out | wc -l
basin compare d.arff -q --methods ce --seeds 2 --seed 4 $small --folds 3 -o compared > table
try basin predict compared/ce d.arff -o p.jsonl

echo "== what has no mean"
rm -r seeds/seed-0 seeds/seed-2
try basin eval seeds d.arff
basin train d.arff -q --method seal-nce $small --seed 2 --set energy.hidden=3 -o seeds/seed-2 > table
try basin eval seeds d.arff
rm -r seeds/seed-2
basin train d.arff -q --method seal-nce $small --seeds 2 --seed 1 -o seeds --force > table
basin model threshold seeds/seed-2 d.arff -q --kind label > table
try basin predict seeds d.arff
basin model threshold seeds/seed-1 d.arff -q --kind label > table
try basin predict seeds d.arff -o p.jsonl
basin model calibrate seeds/seed-2 d.arff -q > table
try basin predict seeds d.arff
