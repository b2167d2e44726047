# Without a method: some are tried, the best is kept and said.
basin data make mlc --seed 5 --set rows=200 -o d.arff > made
basin data make mlc --seed 6 --set rows=100 -o new.arff > made
basin data make tag --seed 1 --set rows=60 -o t.conll > made
basin data make seg --seed 1 --set images=12 -o s.tar > made
small="--set net.width=16 --threads 1 --epochs 4 --set checkpoint.seconds=0 --set report=no"
times() { sed 's/[0-9.]* s, [0-9]* rows/S s, R rows/; s/\(^[a-z]* .* [0-9][0-9]\.[0-9][0-9]\) *[0-9.]* /\1 S /' "$@"; }

echo "== what is tried and told"
basin train d.arff -q $small --trials 4 -o run > table
times table
ls -A run | paste -sd ' '
basin eval run new.arff -q > table && echo "evaluated"
basin train d.arff -q $small --trials 4 --threads 2 -o again > table
cmp run/best.safetensors again/best.safetensors && echo "the same for two threads"
basin train d.arff -q $small --trials 2 --json -o two | sed 's/.*"tried": \[/[/; s/"seconds": [0-9.e-]*/"seconds": S/g; s/, "task.*//'
basin train --config run/config -q -o repeated > table
cmp run/best.safetensors repeated/best.safetensors && echo "repeated"

echo "== interrupted and resumed"
basin train d.arff -q $small --trials 4 -o killed > table 2>&1 & pid=$!
until [ -s killed/try-net/model-1/metrics.jsonl ]; do sleep 0.01; done
kill -9 $pid
wait $pid 2> /dev/null
[ -e killed/best.safetensors ] || echo "no model yet"
basin train -q --resume -o killed > table; echo "status $?"
cmp run/best.safetensors killed/best.safetensors && echo "the same bytes"
basin train d.arff -q $small --trials 4 -o killed 2>&1

echo "== other tasks"
basin train t.conll -q $small --trials 2 -o tags | cut -c 1-27 | head -n 4
basin train s.tar -q $small --trials 2 -o masks | cut -c 1-27 | head -n 3

echo "== budgets"
basin train d.arff -q $small --budget 0.001s -o short | grep -c "not tried: would take about"
basin train d.arff -q $small --time-limit 0.001 -o limit | grep -c 'not tried: --time-limit'
basin train d.arff -q $small --budget soon -o no; echo "status $?"
