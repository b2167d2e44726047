# Files that are not quite like those a model was trained on: what is left out, and what is said.
try() { "$@" 2>&1; echo "status $?"; }
scores() { "$@" 2>&1 | sed -E -n 's/^@[0-9.]+ +([0-9.]+).*/F1/p; /^warning/p; /^basin/p; s/^([0-9]+ rows).*/\1/p'; }
awk 'BEGIN {
    print "x,y,p,q,r" > "d.csv"
    for (i = 0; i < 120; i++) {
        x = i * 37 % 101 / 50 - 1; y = i * 53 % 97 / 48 - 1
        p = x > 0; q = y > 0; r = x * y > 0
        printf "%g,%g,%d,%d,%d\n", x, y, p, q, r > "d.csv"
        l = (p ? ",\"p\"" : "") (q ? ",\"q\"" : "")
        printf "{\"x\": %g, \"y\": %g, \"labels\": [%s]}\n", x + 2, y + 2, substr(l, 2) > "d.jsonl"
    }
}'
small="-q --method ce --epochs 2 --set net.width=8 --set report=no"
basin train d.csv --labels p,q,r $small -o csv > table
basin train d.jsonl $small -o jsonl > table

echo "== label columns that are not there, or beside"
scores basin eval csv d.csv
cut -d, -f1-4 d.csv > fewer.csv
scores basin eval csv fewer.csv
sed '1s/r/other/' d.csv > renamed.csv
scores basin eval csv renamed.csv
scores basin eval csv fewer.csv -q
cut -d, -f1-2 d.csv > bare.csv
try basin eval csv bare.csv
basin predict csv renamed.csv 2>&1 | wc -l
sed '1s/p,q/label_p,label_q/; 1s/,r/,label_r/' d.csv > named.csv
cut -d, -f1-4 named.csv > part.csv
basin train named.csv --valid part.csv --method ce --epochs 1 -o tested 2>&1 | grep '^warning'
printf '{"x": 1, "p": 1, "q": 0}\n{"x": 2, "q": 1}\n{"x": 3, "p": 0, "q": null}\n' > open.jsonl
basin data convert open.jsonl --labels p,q -q --format jsonl -o left.jsonl && cat left.jsonl

echo "== what does not count as usual"
awk -F, 'BEGIN { OFS = "," } NR > 1 { $5 = 0; if (NR % 4 == 0) $3 = $4 = 0; if (NR > 90) $3 = 0 } { print }' d.csv > bare-rows.csv
for profile in sklearn mulan seal; do
    basin eval csv bare-rows.csv --metric-profile $profile --threshold 0.9999 | tail -n 2
    basin eval csv bare-rows.csv --metric-profile $profile --json | grep -o '"rows_unl.*absent": [0-9]*'
done
awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = $4 = $5 = 0 } { print }' d.csv > nothing.csv
try basin eval csv nothing.csv --metric-profile seal
basin train d.csv --labels p,q,r $small --set threshold=label -o each | grep -c 'per label'
basin eval each d.csv | sed -n '2s/^\(per label\) .*/\1/p'
basin eval each d.csv --json --per-label | sed -E 's/: [0-9.]+/: N/g' | grep -o '"threshold.*"profile\|"labels": .*"label": "q"'
basin eval each d.csv --threshold 0.25 --json | grep -o '"threshold.*"profile'
basin train d.csv --labels p,q,r $small --set threshold=label -o each --resume --json | grep -o '"threshold.*"valid_t'

echo "== features of another model"
printf '{"X": 1, "Y": 5}\n' | basin predict jsonl - 2>&1
printf '{"X": 1, "Y": 5}\n' | basin predict jsonl - --format npy 2>&1 > p.npy
printf '{"x": 1, "Y": 5}\n' | basin predict jsonl - 2>&1 > p.jsonl
printf '{"x": 1, "y": 5, "z": 0}\n' | basin predict jsonl - 2>&1 > p.jsonl
# in one piece of a long file all is well
(sed 's/"x"/"X"/; s/"y"/"Y"/' d.jsonl; for i in $(seq 40); do cat d.jsonl; done) | basin predict jsonl - 2>&1 | wc -l
# rows of the training data had all features: more than half of them are missed
awk '{ print (NR > 1 ? NR % 3 "," NR % 5 "," NR % 7 : "a,b,c") "," $0 }' d.csv > wide.csv
basin train wide.csv --labels p,q,r $small -o wide > table
printf '{"b": 1, "c": 1, "labels": ["p"]}\n' | basin eval wide - 2>&1 | grep '^warning'

sed '5s/^[^,]*,/warm,/; 7s/^[^,]*,/cold,/' d.csv > text.csv
try basin predict csv text.csv
(for i in $(seq 40); do cat d.jsonl; done; printf '{"x": "warm", "y": 1}\n') > text.jsonl
try basin predict jsonl text.jsonl -o p.jsonl

echo "== labels of another model"
sed '3s/"labels": \[/"labels": ["new", /; s/, ]/]/' d.jsonl > new.jsonl
basin predict jsonl new.jsonl | cmp - <(basin predict jsonl d.jsonl) && echo "predicted all the same"
scores basin eval jsonl new.jsonl
basin train d.jsonl --test new.jsonl --method ce --epochs 1 -o unseen 2>&1 | grep -a '^warning'

echo "== the second file has what the first has not"
printf '{"x": 1, "labels": ["p"]}\n' > one.jsonl
scores basin eval jsonl one.jsonl d.jsonl
scores basin eval jsonl d.jsonl one.jsonl
printf 'c,size,p,q\nred,small,1,0\nblue,small,0,1\n' > c1.csv
printf 'c,size,p,q\ngreen,large,1,0\nred,small,0,1\n' > c2.csv
basin data inspect c1.csv c2.csv --labels p,q | grep -o '[0-9]* missing.*values'

echo "== data that is given twice"
said() { basin train "$@" --method ce --epochs 1 --set report=no --force -o twice 2>&1 | grep '^warning'; }
cp named.csv copy.csv && head -n 60 named.csv > half.csv
(head -n 1 named.csv && tail -n 60 named.csv) > rest.csv
said named.csv --valid named.csv
said named.csv --test copy.csv
said named.csv half.csv --valid half.csv --test rest.csv
said half.csv --valid rest.csv --test ./rest.csv
said half.csv --valid rest.csv
basin data make tag --seed 1 --set rows=60 -o t.conll > made
cp t.conll u.conll
said t.conll --test u.conll
true

echo "== columns and categories that are new, or not there"
awk 'BEGIN {
    print "age,colour,size,label_a,label_b"
    for (i = 0; i < 90; i++)
        print i % 70 "," (i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "blue") "," i % 7 "," (i % 70 > 30) "," (i % 3 == 0)
}' > kinds.csv
basin train kinds.csv $small -o kinds > table 2> said
printf 'age,colour,size\n3,pink,1\n4,red,2\n5,brown,3\n' | basin predict kinds - 2>&1 > p.jsonl
printf 'age,size\n3,1\n' | basin predict kinds - 2>&1 > p.jsonl
printf 'age,who,colour,size,more\n3,me,red,4,1\n' | basin predict kinds - 2>&1 > p.jsonl
printf '{"age": 3, "colour": null, "size": 2}\n{"age": 3, "colour": "pink", "size": 2, "a": 1, "b": 2, "c": 3, "d": 4}\n' | basin predict kinds - 2>&1 > p.jsonl
printf '{"age": 3, "colour": null, "size": 2}\n' | basin predict kinds - 2>&1 > p.jsonl
printf 'years,weight\n3,1\n' | try basin predict kinds -
printf 'age,size,label_a,label_b\n3,1,0,1\n' | try basin eval kinds -
