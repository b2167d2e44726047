# Predictions in every format agree; standard input works; labels in the file are not needed.
basin data make mlc --seed 2 --set rows=300 --set groups=3 -o d.arff > made
basin train d.arff -q --method seal-nce --epochs 5 -o run > table
basin predict run d.arff -o p.jsonl
basin predict run d.arff -o p.csv
basin predict run d.arff -o p.arff
basin predict run d.arff -o p.npy
basin predict run - < d.arff | cmp - p.jsonl && echo "stdin: same"
gzip -k d.arff && cp d.xml dd.xml && mv d.arff.gz dd.arff.gz
basin predict run dd.arff.gz | cmp - p.jsonl && echo "gz: same"
wc -l < p.jsonl
ones=$(tail -n +2 p.csv | cut -d, -f2- | tr -cd 1 | wc -c)
labels=$(grep -o '_[a-d]"' p.jsonl | wc -l)
cells=$(tail -c 3600 p.npy | tr -cd '\001' | wc -c)
pairs=$(sed '1,/@data/d' p.arff | tr -cd ' ' | wc -c)
[ "$ones" = "$labels" ] && [ "$ones" = "$cells" ] && [ "$ones" = "$pairs" ] && echo "four formats: same"
grep -c '^@attribute ".*" {0,1}$' p.arff
basin predict run d.arff --scores -o s.arff
grep -c '^@attribute ".*" numeric$' s.arff
basin predict run d.arff --top-k 2 | head -n 1 | tr -cd , | wc -c
basin predict run d.arff --scores --threshold 0 | head -n 1 | tr ' ' '\n' | grep -c '^[0-9]\|^\[[0-9]'
basin predict run d.arff --threshold 1 -o none.jsonl && echo "a threshold of 1"
basin predict run d.arff --threshold 1.01 2>&1
basin eval run d.arff --json | tr ',' '\n' | cut -d: -f1
basin eval run d.arff --per-label | tail -n 13 > labels
cut -c1-12 labels
basin eval run d.arff --per-label --json | grep -o '{"label"[^}]*}' |
    awk -F '[:,}]' '{ printf "%d %.2f %.2f %.2f %.2f\n", $4, 100 * $6, 100 * $8, 100 * $10, 100 * $12 }' |
    cmp - <(awk 'NR > 1 { print $2, $3, $4, $5, $6 }' labels) && echo "the table has the numbers of the JSON, in percent"

echo "== files that are read otherwise than the model remembers"
try() { "$@" 2>&1; echo "status $?"; }
basin data convert d.arff -q -o d.csv
basin predict run d.csv -q --set data.header=yes | wc -l
long=of_more_than_thirty_two_letters_is_cut
sed "1s/,[^,]*$/,$long/" d.csv > long.csv
basin train long.csv -q --labels last:12 --method ce --epochs 1 --set net.width=8 -o long > table
basin eval long long.csv --per-label | grep "^${long:0:9}" | cut -c 1-36
try basin predict run d.csv --set data.header=no | cut -c 1-40
try basin predict run d.arff --set text.format=conll | cut -c 1-80
try basin predict run d.arff --nbest 2
try basin predict run d.arff --scheme iob2
# some rows have names, and only beyond the first piece: the others are called by their number
awk 'BEGIN { for (i = 0; i < 9000; i++)
    print "{" (i > 5000 && i % 2 ? "\"id\": \"n" i "\", " : "") "\"features\": {\"pick1_a_word1\": true}}" }' > some.jsonl
head -n 4000 some.jsonl > none.jsonl
basin predict run some.jsonl none.jsonl --format csv -q 2> said > p.csv
cut -d, -f1 p.csv | sort | uniq -d | wc -l
sed -n '2p;5002,5004p;9002,9003p' p.csv | cut -d, -f1 | paste -s -d ' '
basin predict run some.jsonl -q 2> said | sed -n '1p;5002,5003p' | cut -d, -f1
sed 's/"n\([0-9]*\)"/"\1"/' some.jsonl | basin predict run - --format csv 2>&1 > p.csv | cut -d';' -f1
