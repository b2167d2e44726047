# A run folder has one writer at a time, and keeps a finished run.
basin data make mlc --seed 5 --set rows=400 -o d.arff > made
small="--set net.width=8 --threads 1 --set report=no --set checkpoint.seconds=0"
try() { "$@" 2>&1 > table; echo "status $?"; }

echo "== two at a time"
basin train d.arff -q --method ce $small --epochs 100000 --set early_stop.patience=100000 -o run > first 2>&1 & pid=$!
until [ -s run/metrics.jsonl ]; do sleep 0.01; done
try basin train d.arff -q --method ce $small -o run
try basin train d.arff -q --method ce $small -o run --resume
try basin train d.arff -q --method ce $small -o run --force
try basin compare d.arff -q --methods ce $small -o run --resume
try basin tune d.arff -q --method ce $small --trials 1 -o run --resume
kill -9 $pid
wait $pid 2> /dev/null
ls -A run | grep -v tmp | paste -sd ' '
rm run/metrics.jsonl
basin train d.arff -q --method ce $small --epochs 100000 --set early_stop.patience=100000 -o run --resume > first 2>&1 & pid=$!
until [ -s run/metrics.jsonl ]; do sleep 0.01; done
kill -INT $pid
wait $pid
echo "status $?"
ls -A run | paste -sd ' '

echo "== what is finished"
try basin train d.arff -q --method ce $small --epochs 2 -o done
cp done/best.safetensors before
try basin train d.arff -q --method ce $small --epochs 3 -o done
cmp done/best.safetensors before && echo "left alone"
try basin train d.arff -q --method ce $small --epochs 2 -o done --resume
try basin train d.arff -q --method ce $small --epochs 3 -o done --resume --force | head -n 1
try basin train d.arff --method ce $small --epochs 3 -o done --force | grep 'done:\|status'
ls -A done | paste -sd ' '
try basin train nothing.arff -q -o new/folder
[ -e new ] || echo "no folder"

echo "== what is shown while it trains, and in the end"
basin train d.arff --method ce $small --epochs 1 --set split.valid=0.1 --set split.test=0.3 -o seen 2>&1 | grep '^split'
basin eval done d.arff | sed 's/[0-9]/N/g; s/N.*of/N of/' | head -n 3

echo "== what an outcome does not say is not shown"
basin train d.arff --test d.arff -q --method ce $small --epochs 2 -o old 2> err | tail -n 2
sed -i 's/ "[a-z]*_margin": [^,}]*,//g' old/outcome.json
basin train d.arff --test d.arff -q --method ce $small --epochs 2 -o old --resume 2> err > table
grep -c '^test' table; grep -c ' +-' table

echo "== instruction sets"
try env BASIN_ISA=sse9 basin train d.arff -q --method ce $small -o other | sed 's/; plain.*/; plain .../'
