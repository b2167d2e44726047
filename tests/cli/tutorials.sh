# The commands of the tutorials, as they stand there.
for t in multilabel text tagging roles segmentation researcher; do
    mkdir $t
    grep '^    [a-z]' "$TOP/docs/tutorials/$t.md" | sed 's/^ *//' > $t/commands
    echo "$t: $(wc -l < $t/commands) commands"
    (cd $t && sh -e ./commands > out 2> messages) || { tail -n 3 $t/messages; exit 1; }
done
wc -l < multilabel/labels.jsonl
grep -c '' multilabel/top.csv
ls segmentation/masks/*.png | wc -l
[ "$(wc -l < roles/roles.jsonl)" = "$(grep -c '^$' roles/part-test.conll)" ] && echo "roles of every sentence"
