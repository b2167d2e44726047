# The commands of the README, as they stand there.
grep '^    build/basin ' "$TOP/README.md" | sed 's/^ *build.//' > commands
wc -l < commands
sh -e ./commands > out 2>&1 && echo "all worked"
wc -l < labels.jsonl
sed 's/ [^ ]*$//' tagged.conll | cmp - demo-test.conll && echo "one more column"
ls masks/*.png | wc -l
