# Tables that are opened in a spreadsheet: no cell of them is run as a formula when asked for.
try() { "$@" 2>&1; echo "status $?"; }
cat > d.jsonl <<'END'
{"id": "=1+1", "features": {"a": 1, "b": 0}, "labels": ["=HYPERLINK(\"http://x\",\"y\")"]}
{"id": "-0.5", "features": {"a": 0, "b": 1}, "labels": ["@sum", "+1 good"]}
{"id": "-1,5", "features": {"a": 1, "b": 1}, "labels": ["-0.5"]}
{"id": "-dash", "features": {"a": 1, "b": 1}, "labels": ["plain"]}
{"id": "\tx", "features": {"a": 1, "b": 1}, "labels": ["plain", "a=b"]}
{"id": " =2", "features": {"a": 0, "b": 1}, "labels": ["a=b"]}
END
basin train d.jsonl --valid d.jsonl -q --method ce --epochs 2 -o run > table 2> said
echo "== exact, and for a spreadsheet"
basin predict run d.jsonl -q --format csv > exact.csv
basin predict run d.jsonl -q --format csv --csv-safe > safe.csv
head -n 1 exact.csv
head -n 1 safe.csv
cut -d, -f1,2 safe.csv | tail -n 6 | cut -c 1-9
sed "s/\"'/\"/g" safe.csv | cmp - exact.csv && echo "no other difference"
basin predict run d.jsonl -q -o safe.tsv --csv-safe
head -n 1 safe.tsv
tr '\t' ' ' < safe.tsv | tail -n 1 | cut -c 1-9
echo "== tags"
printf '=cmd O\n+49 B-X\n-3 O\n\nAda B-X\n-- O\n' > t.conll
basin train t.conll --valid t.conll -q --method ce --epochs 1 -o tags > table 2> said
basin predict tags t.conll -q --format csv --csv-safe | cut -d, -f1-3
echo "== where it would do nothing"
try basin predict run d.jsonl --csv-safe
try basin predict tags t.conll --csv-safe
