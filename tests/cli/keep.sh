# Predictions beside the input's own columns, and probabilities of all labels by name.
try() { "$@" 2>&1; echo "status $?"; }
awk 'BEGIN {
    print "age,colour,label_a,label_b"
    for (i = 0; i < 200; i++)
        print i % 70 "," (i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "blue") "," (i % 70 > 30) "," (i % 3 == 0)
}' > d.csv
basin train d.csv -q --method ce --epochs 30 --set report=no -o run > table 2> said
cat > x.csv <<'END'
"name, full",age,colour,note,zip
"Ada ""the"" first",65,red,=1+1,007
Bob,2,green,"two
lines",1.5e3
 Cy ,3,blue,,-1
END
numbers() { sed -E 's/[0-9]+(\.[0-9]+)?(e-[0-9]+)?/N/g'; }
echo "== a table"
basin predict run x.csv -q --keep-columns --format csv
echo "== for a spreadsheet, with tabs"
basin predict run x.csv -q --keep-columns --csv-safe --format tsv | head -n 2
echo "== as JSON"
basin predict run x.csv -q --keep-columns
echo "== from a pipe, and with scores"
cat x.csv | basin predict run - -q --keep-columns --format csv | cmp - <(basin predict run x.csv -q --keep-columns --format csv) && echo same
basin predict run x.csv -q --keep-columns --scores --format csv | tail -n 1 | tr ',' '\n' | grep -c '[0-9]\.[0-9]\|e-'
basin predict run d.csv -q --keep-columns --format csv | cut -d, -f1-4 | cmp - d.csv && echo "the file is in it"
basin predict run d.csv -q --keep-columns --format csv | cut -d, -f5- | tail -n +2 | cmp - <(basin predict run d.csv -q --format csv | cut -d, -f2- | tail -n +2) && echo "and the predictions"
echo "== rows of JSON"
printf '{"age": 65, "colour": "red", "x": {"deep": [1, 2.50]}, "labels": ["label_a"]}\n\n { "age" : 2 } \n{}\n' > x.jsonl
basin predict run x.jsonl -q --keep-columns
basin predict run x.jsonl -q --keep-columns --probabilities --scores | head -n 1 | numbers
basin predict run x.jsonl -q --probabilities | head -n 1 | numbers
echo "== what cannot be"
try basin predict run x.jsonl -q --keep-columns --format csv
try basin predict run d.csv --keep-columns --format npy
try basin predict run d.csv --probabilities --format csv
printf '{"age": 1, "predicted": 2}\n' > twice.jsonl
try basin predict run twice.jsonl -q --keep-columns
printf 'age,colour,predicted_label_a\n1,red,0\n' > twice.csv
try basin predict run twice.csv -q --keep-columns --format csv
try basin predict run x.csv d.csv -q --keep-columns --format csv -o both.csv
printf '@relation r\n@attribute age numeric\n@attribute colour {red,green,blue}\n@data\n3,red\n' > d.arff
try basin predict run d.arff -q --keep-columns
