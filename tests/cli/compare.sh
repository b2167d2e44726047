# basin compare: the table, the files, resuming, --jobs, and what it refuses.
basin data make mlc --seed 3 --set rows=400 -o d.arff > made
small="--set pretrain.epochs=0 --epochs 4 --threads 2 --set net.width=32 --set checkpoint.seconds=0"
compare="basin compare d.arff -q --methods ce,seal-nce --seeds 2 $small"
try() { "$@" 2>&1; echo "status $?"; }
# numbers, and the width of columns, are not the matter here
shape() { sed -E 's/[+-]?[0-9]+\.[0-9]+/N/g; s/\| +[0-9]+/| N/g; s/-+:/-:/g; s/-{3,}/-/g; s/ +/ /g'; }
# without what takes another time, or stands in another place, each time
steady() {
    sed -E 's/"(seconds|train_rows_per_s|predict_rows_per_s|jobs|folder|run)": ("[^"]*"|[^,}]*)//g' "$1"
}

echo "== table"
$compare -o one | shape | sed 's,^next: basin predict one/[a-z-]*/,next: basin predict one/METHOD/,'
(cd one && find . -type f | LC_ALL=C sort)
basin compare d.arff -q --methods seal-nce,ce --baseline ce --seeds 1 $small -o lrap --metric lrap | shape |
    head -n 8
basin data split d.arff -o part > split
basin compare part-train.arff --valid part-test.arff -q --methods ce --seeds 1 $small -o valid | head -n 3 | shape

echo "== one line a run"
basin compare d.arff --methods ce --seeds 2 $small -o lines 2>&1 > table | grep '^\[' | tee said |
    sed -E 's/[0-9]+\.[0-9]+/N/g; s/best [0-9]+/best N/'
grep -oh '"test_tuned": {"example_f1": [0-9.]*' lines/ce/seed-[01]/outcome.json | awk '{ printf "%.2f\n", 100 * $3 }' |
    cmp - <(sed 's/.*at 0.5, \(.*\) tuned;.*/\1/' said) && echo "as in outcome.json"

echo "== JSON"
$compare -o json --json > text
wc -l < text
cmp text json/compare.json && grep -o '^.*"folder": "[a-z]*"' text

echo "== two at a time"
$compare -o two --jobs 2 > table
steady one/compare.json > a
steady two/compare.json > b
cmp a b && echo "same numbers"
cmp one/seal-nce/seed-1/best.safetensors two/seal-nce/seed-1/best.safetensors && echo "same model"

echo "== page"
cp d.arff 'a<b>&.arff'
basin compare 'a<b>&.arff' -q --methods ce --seeds 1 --labels last:24 $small -o page --html page.html > table
cmp page.html page/compare.html && grep -o '<title>Comp.*</title>' page.html
grep -c 'https\?:\|src=\|@import\|url(' page.html
grep -o '<line class="grid".*' page.html | sed 's/<line class="base".*//' | uniq -c | sed 's/<.*/charts with one axis/; s/^ *//'
grep -o 'circle class="dot f k0" cx="[0-9]*' page.html | awk -F'"' '{ print ($4 < 520 ? "a dot in the chart" : $4) }'

echo "== a method with settings of its own, and controls"
basin compare d.arff -q --methods ce,seal-nce,seal-nce:samples=5 --controls --seeds 2 $small -o controls > table
shape < table | sed -n '/Is it the energy/,$p' | sed 's,^next: .*,next,'
(cd controls && ls -d */ | LC_ALL=C sort)
grep -o '"control_of": "[^"]*", "control": "[^"]*", "gain_of_method": {"[a-z]*"' controls/compare.json
basin eval controls/seal-nce:energy.scale=0/seed-0 d.arff -q > table && echo "a control is a run like any other"
grep '^method\|^lr.net' controls/ce:as=seal-nce/seed-0/config
basin compare d.arff -q --methods ce,ce:samples=5 --seeds 1 $small -o equal | head -n 1 | shape
try basin compare d.arff -q --methods ce,seal-nce:samples=x $small
try basin compare d.arff -q --methods ce,seal-nce:sample=5 $small
try basin compare d.arff -q --methods ce,seal-nce:pretrain.cache=a/b $small
long=ce:early_stop.patience=3:$(printf 'checkpoint.seconds=%0300d' 1):plateau.factor=0.25:plateau.patience=2
named="basin compare d.arff --methods $long,$long:plateau.both=yes --seeds 1 $small -o long"
$named -q | grep '^next' | sed -E 's/[0-9a-f]{16}/HASH/'
(cd long && ls -d */ | sed -E 's/[0-9a-f]{16}/HASH/')
grep -h '^checkpoint.seconds' long/*/seed-0/config
$named --resume 2>&1 > table | grep -o '[0-9]* runs, [0-9]* of them finished before'
try basin compare d.arff -q --methods ce:checkpoint.seconds=$(printf '%0874d' 1) $small # a folder with a control's settings
try basin compare d.arff -q --methods ce:checkpoint.seconds=$(printf '%0873d' 1),no $small | sed 's/;.*//'

echo "== resume"
for pause in 0.05 0.1 0.2; do
    $compare -o killed --resume > table 2> messages & pid=$!
    sleep $pause
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
$compare -o killed --resume > table
steady killed/compare.json > b
cmp a b && echo "killed and resumed: same numbers"
$compare -o killed --resume > table
steady killed/compare.json > b
cmp a b && echo "finished before: same numbers"
before=$(cat killed/ce/seed-0/outcome.json)
basin compare d.arff --methods ce,seal-nce --seeds 3 $small -o killed --resume 2>&1 > table |
    grep -o '[0-9]* runs, [0-9]* of them finished before'
[ "$before" = "$(cat killed/ce/seed-0/outcome.json)" ] && echo "finished runs are kept"
try $compare -o killed
try $compare -o killed --resume --set batch=16
basin compare d.arff -q --methods ce,seal-nce --seeds 2 $small --epochs 5 -o killed --resume > table
echo "status $?, $(wc -l < killed/ce/seed-0/metrics.jsonl) epochs"
basin compare d.arff -q --methods ce,seal-nce --seeds 2 $small --epochs 5 -o five > table
steady killed/compare.json > a && steady five/compare.json > b && cmp a b && echo "more epochs: same numbers"
echo '{"identity": 3' > killed/ce/seed-1/outcome.json
try basin compare d.arff --methods ce,seal-nce --seeds 2 $small --epochs 5 -q -o killed --resume
$compare -o stopped --epochs 100000 --set early_stop.patience=100000 > table 2> messages & pid=$!
sleep 0.7
kill -INT $pid
wait $pid
echo "status $?"
cat messages

echo "== failures"
mkdir -p broken/seal-nce && touch broken/seal-nce/seed-1
$compare -o broken --resume > table 2> messages
echo "status $?"
shape < table | grep -v '^$' | head -n 6
grep '^failed' table
tail -n 1 messages
mkdir -p hopeless && touch hopeless/ce
try basin compare d.arff -q --methods ce -o hopeless --resume $small

echo "== misuse"
try basin compare
try basin compare d.arff
try basin compare d.arff --methods ''
try basin compare d.arff --methods ce,
try basin compare d.arff --methods ce,cee
try basin compare d.arff --methods ce,ce
try basin compare d.arff --methods ce --baseline seal-nce
try basin compare d.arff --methods ce --seeds 0
try basin compare d.arff --methods ce --jobs none
try basin compare d.arff --methods ce --metric f1
try basin compare d.arff --methods ce --resume
try basin compare d.arff --method ce
try basin compare none.arff --methods ce
