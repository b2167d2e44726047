# Names that are not UTF-8, of files, folders and labels: JSON stays JSON, and such a run can be
# resumed.
valid() { # valid NAME: whether standard input is one JSON object
    python3 -c '
import json, sys
try:
    json.loads(sys.stdin.buffer.read().decode("utf-8"))
    print("valid  ", sys.argv[1])
except ValueError as e:
    print("INVALID", sys.argv[1], e)' "$1"
}

rows=$'rows\xff.arff' run=$'run\xc3' tag=$'words\xfe.conll'
printf '@relation x\n@attribute a numeric\n@attribute b numeric\n' >"$rows"
printf '@attribute "one\xff" {0,1}\n@attribute "t\x1bwo" {0,1}\n@data\n' >>"$rows"
for i in $(seq 1 60); do echo "$((i % 7)),$((i % 5)),$((i % 2)),$((i % 3 == 0))"; done >>"$rows"

basin data inspect "$rows" --labels last:2 --json | valid inspect
train() { basin train "$rows" --labels last:2 --method dvn --epochs 1 -q --json "$@"; }
train -o "$run" | valid train
for file in outcome.json manifest.json; do valid $file <"$run/$file"; done
head -1 "$run/metrics.jsonl" | valid metrics.jsonl
train -o "$run" --resume | valid resume
train -o $'seeds\xff' --seeds 2 | valid seeds
basin eval "$run" "$rows" --json --per-label | valid eval
basin predict "$run" "$rows" --probabilities | head -1 | valid predict
basin explain "$run" "$rows" --json --row 1 | valid explain
basin report "$run" --json | valid report
basin compare "$rows" --labels last:2 --methods ce,dvn --seeds 1 --epochs 1 -q -o $'compare\xff' --json | valid compare
basin tune "$rows" --labels last:2 --method ce --trials 2 --epochs 1 -q -o $'tune\xff' --json | valid tune
head -1 $'tune\xff/trials.jsonl' | valid trials.jsonl
basin model threshold "$run" "$rows" --kind label --json | valid threshold
basin data convert "$rows" --labels last:2 -o rows.jsonl 2>/dev/null
head -1 rows.jsonl | valid convert
basin data split "$rows" --labels last:2 -o $'parts\xff' --json 2>/dev/null | valid split

for i in 1 2 3 4 5 6 7 8; do printf 'Ada B-PER\nsleeps O\n\nin O\nBath B-LOC\n\n'; done >"$tag"
basin data inspect "$tag" --json | valid inspect
basin train "$tag" --method crf --epochs 1 -q --json -o tag | valid train
basin eval tag "$tag" --json --per-label | valid eval
basin predict tag "$tag" --format jsonl | head -1 | valid predict
basin explain tag "$tag" --json --row 1 | valid explain
basin data make tag --set rows=3 -o $'made\xff.conll' --json | valid make
