# What an energy learned: planted dependencies are found, figures agree with `basin eval`, and what
# cannot be explained is refused.
try() { "$@" 2>&1; echo "status $?"; }
keys() { grep -o '"[a-z_0-9]*":' | tr -d '":' | awk '!seen[$0]++' | paste -sd ' '; }
# without what takes another time each time
steady() { sed -E 's/"seconds": [0-9.]+, //'; }
# the value behind a key, the first time it occurs
value() { grep -o "\"$1\": [^,}]*" | head -n 1 | cut -d' ' -f2; }

echo "== planted: d => c => b => a in four groups"
basin data make mlc --seed 3 --set rows=1500 --set kinds=imply --set groups=4 -q -o d.arff > made
basin train d.arff -q --method seal-nce --epochs 16 --set net.layers=1 --set net.width=64 \
    --set energy.hidden=32 --set lr.energy=0.01 --threads 2 -o run > table
basin explain run d.arff > table
tail -n 1 table
# of the strongest eight pairs, how many are within a group: the first letters of their names
sed -n '/^Rewarded most/,/^Punished most/p' table | grep ' + ' | tee pairs |
    awk '{ n += substr($1, 1, 6) == substr($3, 1, 6) }
         END { print (n >= 7 ? "planted pairs are the strongest" : "only " n " of " NR " are planted") }'
basin explain run d.arff --json --row 7 > j
for against in 'counts, given frequencies' information; do
    sed "s/.*\"against\": \"$against\"//" j > part
    echo $(value spearman < part) $(value shuffled_mean < part) $(value shuffled_sd < part) |
        awk -v what="$against" '{ print what ": " ($1 > $2 + 4 * $3 ? "clearly above shuffled" : $0) }'
done

echo "== numbers"
wc -l < j
keys < j
basin explain run d.arff --json --row 7 --threads 3 | steady > three
steady < j | cmp - three && echo "1 and 3 threads: same numbers"
basin data convert d.arff -o d.csv -q
awk '{ print (NR > 1 ? "row-" NR - 1 : "id") "," $0 }' d.csv > named.csv
basin explain run named.csv -q --rows 10 --row 7 --json | grep -o '"number": 7, "text": "[^"]*"'
# the search after its last step, and the net, as eval has them
for how in net refine gbi; do basin eval run d.arff --infer $how --json | value example_f1; done > eval
sed 's/.*"steps": {\(.*\)}, "row".*/\1/' j > steps
net=$(value net < steps)
last() { sed "s/.*\"$1\": {[^}]*\"score\": \[\([^]]*\)\].*/\1/" steps | sed 's/.*, //'; }
for v in $net $(last refine) $(last gbi); do echo $v; done | paste - eval |
    awk '{ d = $1 - $2; print (d < 1e-5 && d > -1e-5 ? "as eval says" : $0) }'

echo "== page"
head -c 15 explain.html; echo
grep -c 'src="http\|href="http\|@import\|url(' explain.html
basin explain run d.arff -q --rows 100 --row 2 -o page.html > table
grep -o 'class="verdict">The energy has learnt which labels go together' page.html
grep -o '<h2[^>]*>[^<]*' page.html | sed 's/.*>//'
grep '^run: \|^Row\|^  energy of\|^page' table | sed -E 's/-?[0-9]+\.[0-9]+/N/g'
basin explain run d.arff --rows 100 --json 2>&1 > j | head -n 1
[ -e out.html ] || basin explain run d.arff -q --json -o out.html > j
head -c 1 j; head -c 15 out.html; echo

echo "== sentences"
basin data make tag --seed 1 --set rows=150 --set length=6 -q -o d.conll > made
basin train d.conll -q --method crf --epochs 3 --set net.width=16 --threads 2 -o crf > table
basin explain crf d.conll --json --row 5 > j
keys < j
basin explain crf d.conll -q -o tag.html > table
grep -o '<h2[^>]*>[^<]*' tag.html | sed 's/.*>//'
# of a chain, what neighbours have to do with each other is its matrix of transitions
grep -o '"differences": [a-z]*' j
basin train d.conll -q --method infnet+ --epochs 1 --set net.width=8 --set energy.kind=lm \
    --set energy.hidden=4 --threads 2 -o lm > table
basin explain lm d.conll --json --rows 40 | grep -o '"differences": [a-z]*\|"refine"'
# a cost-augmented net that was kept: its score
basin train d.conll -q --method infnet+ --epochs 4 --set net.width=16 --set energy.hidden=4 \
    --set infnet.keep=yes --threads 2 -o both > table
basin explain both d.conll -q --json | grep -o '"nets": .*' > nets
keys < nets
sed -n 's/.*"net": \([0-9.]*\), "cost_augmented": \([0-9.]*\).*/\1 \2/p' nets |
    awk '{ print ($1 >= 0 && $1 <= 1 && $2 >= 0 && $2 <= 1 ? "scores of both" : "no: " $0) }'
net=$(value net < nets)
[ "$(basin eval both d.conll --json | value token_accuracy | cut -c 1-6)" = "$(echo $net | cut -c 1-6)" ] && echo "the net as eval has it"
basin explain both d.conll -q | grep -c 'cost-augmented companion'
basin eval both d.conll --infer cost > table 2>&1
tail -n 1 table

echo "== images"
basin data make seg --seed 3 --set images=16 --set size=16 -q -o d.tar > made
basin train d.tar -q --method seal-regression --epochs 1 --set net.width=4 --set energy.hidden=8 --set seg.crops=1 --threads 2 \
    -o seg > table
basin explain seg d.tar -q --part all --json --row 2 > j
keys < j
basin explain seg d.tar -q --part all --row 2 -o seg.html > table
grep -o '<h2[^>]*>[^<]*' seg.html | sed 's/.*>//'
grep -o 'data:image/png' seg.html | wc -l

echo "== refused"
basin train d.arff -q --method ce --epochs 1 --set net.width=8 -o ce > table
try basin explain ce d.arff
try basin explain run
try basin explain run d.arff --row 0
try basin explain run d.arff --row 1501
try basin explain run d.arff --rows some
try basin explain run d.conll
try basin explain run none.arff
try basin explain run d.arff -q -o no/such/folder/page.html
printf 'one\ntwo\n\n' | try basin explain crf -
try basin explain --help
