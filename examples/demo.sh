#!/bin/sh
# demo.sh -- the first ten minutes in one: make data, look at it, train, measure, predict.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

echo "Label sets with planted dependencies: the best possible score is known."
run basin data make mlc --seed 1 --set rows=6000 -o demo.arff
run basin data inspect demo.arff
run basin data split demo.arff --shares 60,20,20 -o demo
run basin train demo-train.arff --valid demo-valid.arff --test demo-test.arff --method ce \
    --epochs 40 -o runs/ce
run basin eval runs/ce demo-test.arff --metric-profile mulan
run basin predict runs/ce demo-test.arff --scores -o labels.jsonl
run head -n 3 labels.jsonl

printf '\nTexts with labels, of invented words: again the best possible score is known.\n'
run basin data make text --seed 1 --set rows=3000 -o news.jsonl
run basin train news.jsonl --method ce --epochs 20 -o runs/news
sed 's/.*"text":"\([^"]*\)".*/\1/' news.jsonl | head -n 2 > plain.txt
run basin predict runs/news plain.txt
