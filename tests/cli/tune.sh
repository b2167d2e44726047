# basin tune: the table, the files, the same twice, --jobs, kill -9 and --resume, budgets, misuse.
basin data make mlc --seed 3 --set rows=200 -o d.arff > made
small="--epochs 8 --threads 1 --set net.width=8 --set energy.hidden=4 --set checkpoint.seconds=0"
tune="basin tune d.arff -q --method seal-nce $small"
try() { "$@" 2>&1; echo "status $?"; }
# numbers are not the matter here, nor how long it took
shape() {
    sed -E 's/[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g; s/[#.]{12}/BAR/; s/ +/ /g; s/ \*//; s/finished|paused/ended/'
}
# without what takes another time, or stands in another place, each time
steady() { sed -E 's/"(seconds|elapsed|folder|config)": ("[^"]*"|[^,}]*)//g' "$1"; }

echo "== table"
$tune --trials 9 -o one > table
sed 1d table | awk 'length > 100'
head -n 6 table | shape | sed 's/validation rows.*; the best/validation rows; the best/'
tail -n 2 table | shape
(cd one && ls | grep -v trial- && ls trial-000 | grep -v '^best' && ls -d trial-* | wc -l && ls trial-*/best.safetensors | wc -l)

echo "== one line a trial, and what is searched"
basin tune d.arff --method ce $small --trials 2 -o lines 2>&1 > table | tail -n 7 | shape

echo "== JSON"
$tune --trials 3 -o json --json > text
wc -l < text
cmp text json/tune.json
grep -o '"trials": [0-9]*' text
grep -o '"start": {"trial": 0, "state": "finished", "from": "default"' text

echo "== the same twice"
$tune --trials 9 -o two > table
steady one/trials.jsonl > a
steady two/trials.jsonl > b
cmp a b && cmp one/best.config two/best.config && echo "same trials, same best.config"
basin tune d.arff -q --method seal-nce $small --seed 1 --trials 9 -o other > table
cmp -s one/best.config other/best.config || echo "another seed: another"

echo "== best.config"
best=$(grep -o '"best": {"trial": [0-9]*' one/tune.json | grep -o '[0-9]*$')
basin train -q --config one/best.config -o run > table
sed 's/, "seconds.*//' one/trial-$(printf %03d $best)/metrics.jsonl > a
sed 's/, "seconds.*//' run/metrics.jsonl | head -n $(wc -l < a) | cmp - a && echo "trains the best trial"

echo "== two at a time"
$tune --trials 6 --jobs 2 -o jobs > table
grep '^  trials' table | shape

echo "== rounds: the same for any number of jobs and processes"
rounds="$tune --trials 8 --round 3"
$rounds -o rounds > table
$rounds -o rounds-jobs --jobs 2 > table
for i in 1 2 3; do $rounds --shared rounds-shared > table.$i & done
for pause in 0.2 0.4; do
    $rounds --shared rounds-shared > table & pid=$!
    sleep $pause
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
wait
for folder in rounds-jobs rounds-shared; do
    for file in trials.jsonl tune.json best.config; do cmp <(steady rounds/$file) <(steady $folder/$file); done && echo "the same"
done
find rounds-shared -name '.lease*'
paused=$(grep '"state": "paused"' rounds/trials.jsonl | grep -o '"trial": [0-9]*' | head -n 1 | cut -d ' ' -f 2)
paused=$(ls rounds/trial-00$paused/round-*.json | tail -n 1) # as if killed before it was written
rm $paused
$rounds -o rounds --resume > table
[ -e $paused ] && cmp <(steady rounds/trials.jsonl) <(steady rounds-jobs/trials.jsonl) && echo "paused a second time as the first"
$rounds -o rounds --resume --trials 9 > table
steady rounds/trials.jsonl | head -n 7 | cmp - <(steady rounds-jobs/trials.jsonl | head -n 7) && wc -l < rounds/trials.jsonl
try $tune --trials 8 --shared rounds-shared
try $tune --budget 2s --shared other-shared
try $tune --budget 2s --round 3 -o other-round

echo "== killed and resumed"
for lines in 3 6 9 14 20; do
    $tune --trials 9 -o killed --resume > table 2> messages & pid=$!
    while kill -0 $pid 2> /dev/null && [ "$(cat killed/trials.jsonl 2> /dev/null | wc -l)" -lt $lines ]; do
        sleep 0.01
    done
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
done
printf '{"trial": 3, "sta' >> killed/trials.jsonl
$tune --trials 9 -o killed --resume > table
# what was trained last is written twice when a kill comes between two lines
last() { steady "$1" | sed 1d | tac | awk -F'"' '{split($3, n, /[:,]/)} !seen[n[2]]++' | sort; }
last one/trials.jsonl > a
last killed/trials.jsonl > b
cmp a b && cmp one/best.config killed/best.config && echo "same trials, same best.config"
before=$(sed 1d killed/trials.jsonl | wc -l)
basin tune d.arff --method seal-nce $small --trials 9 -o killed --resume 2>&1 > table | grep -o '9 trials .* were done before' | shape
[ "$before" = "$(sed 1d killed/trials.jsonl | wc -l)" ] && echo "nothing is done again"
try $tune --trials 9 -o killed
try $tune --trials 9 -o killed --resume --set batch=16
try $tune --trials 9 -o killed --resume --space lr.net=1e-3..1e-2
echo nonsense >> killed/trials.jsonl
try $tune --trials 9 -o killed --resume | sed 's/jsonl:[0-9]*/jsonl:N/'

echo "== budget"
$tune --budget 2s -o budget > table
grep -o '"seconds": [0-9.]*, "folder"' budget/tune.json | grep -o '[0-9.]*' |
    awk '{ print ($1 > 1.5 && $1 < 4 ? "about 2 seconds" : $1) }'
$tune --budget 1h -o stopped > table 2> messages & pid=$!
while [ "$(cat stopped/trials.jsonl 2> /dev/null | wc -l)" -lt 4 ]; do sleep 0.01; done
kill -INT $pid
wait $pid
echo "status $?"
shape < messages

echo "== trials that fail"
$tune --trials 8 --space lr.energy=1e-3..1000 --set clip=0 --set optimiser=sgd -o failing > table 2> messages
echo "status $?"
grep -q 'warning: trial [0-9]* failed: the loss of the [a-z]* is no longer finite' messages && echo "some failed"
grep -c '"state": "failed"' failing/trials.jsonl | sed 's/^[1-7]$/some are bad trials/'
head -n 1 table | grep -o '[0-9]* failed' | shape
mkdir blocked && touch blocked/trial-001
try $tune --trials 4 --resume -o blocked

echo "== page"
cp d.arff 'a<b>&.arff'
basin tune 'a<b>&.arff' -q --labels last:24 --method ce $small --trials 7 --space 'optimiser=adam|sgd' -o page > table
grep -o '<title>Tuning[^/]*' page/tune.html
grep -c 'http:\|https:\|src=\|@import' page/tune.html

echo "== other tasks"
basin data make tag --seed 1 --set rows=60 -o t.conll > made
basin tune t.conll -q --method infnet+ --trials 3 --epochs 2 --set net.width=8 --set words.width=8 -o tag | grep '^  method' | shape

echo "== misuse"
try basin tune
try basin tune d.arff
try basin tune d.arff --budget soon
try basin tune d.arff --budget -3m
try basin tune d.arff --trials 0
try basin tune d.arff --trials 3 --jobs 0
try basin tune d.arff --trials 3 --resume
try basin tune d.arff --trials 3 --test d.arff
try basin tune d.arff --trials 3 --method cee
try basin tune d.arff --trials 3 --metric f1 -q -o none
try basin tune d.arff --trials 3 --space lr.nett=1..2
try basin tune d.arff --trials 3 --space lr.net=1
try basin tune d.arff --trials 3 --set lr.net=0.1 --space lr.net
try basin tune none.arff --trials 3
