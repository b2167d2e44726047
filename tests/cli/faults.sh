# Disks that are full, files that may not grow, folders that are files, readers that go away, signals:
# a message with the reason, the right status, nothing half-written, nothing lost.
try() { "$@" 2>&1; echo "status $?"; }
if nm "$BASIN" 2> /dev/null | grep -q __tsan_init; then
    echo "skip: a limit on files ends the thread sanitizer itself"
    exit 77
fi
[ -w /dev/full ] || { echo "skip: there is no /dev/full"; exit 77; }
basin data make mlc --seed 3 --set rows=200 -o d.arff > made
train="basin train d.arff -q --method ce --set net.width=64"
$train --epochs 2 -o run > table

echo "== standard output is full, closed, or nobody reads it"
(basin eval run d.arff > /dev/full) 2>&1; echo "status $?"
(basin predict run d.arff > /dev/full) 2>&1; echo "status $?"
(basin predict run d.arff --format npy > /dev/full) 2>&1; echo "status $?"
for call in --version --help help 'help eval' 'train --help' 'data --help' 'list options' \
    'list methods --json' 'data inspect d.arff' 'data make mlc -o e.arff' 'report run --json' doctor; do
    (basin $call > /dev/full) > said 2>&1
    echo "status $? $(wc -l < said) $(grep -c 'standard output: .*: No space' said) $call"
done
(basin predict run d.arff >&-) 2>&1; echo "status $?"
(basin eval run d.arff >&-) 2>&1; echo "status $?"
(basin tune d.arff --trials 2 --epochs 2 --method ce --set net.width=16 -o tuned > /dev/null 2>&-); echo "status $?"
grep -v '^{' tuned/trials.jsonl || echo "no message went into a file"
basin list options 2>&1 | head -n 1 > first; test -s first && echo "one line was read"

echo "== files that cannot be written"
try basin predict run d.arff -o /dev/full
try basin data convert d.arff -o /dev/full --format csv
: > file
try $train --epochs 1 -o file
try $train --epochs 1 -o file/run
try basin predict run d.arff -o file/p.jsonl
echo old > p.jsonl
(ulimit -f 4; basin predict run d.arff -o p.jsonl) 2>&1; echo "status $?"
cat p.jsonl; ls | grep -c 'p\.jsonl'

echo "== a training whose disk is full goes on where it was"
$train --epochs 6 -o whole > table
(ulimit -f 16; $train --epochs 6 --set checkpoint.seconds=0 -o full) 2>&1; echo "status $?"
find full -name '*.tmp*' -o -name '*.safetensors' | wc -l
$train --epochs 6 --resume -o full > table; echo "status $?"
cmp whole/best.safetensors full/best.safetensors && echo "same model"

echo "== input that vanished, that is no file"
try basin train gone.arff -q
try basin eval run .
try basin eval gone d.arff
mv d.arff d2.arff
try basin train d.arff -q --method ce --resume -o run
mv d2.arff d.arff

echo "== SIGINT: saved, status 130; --resume gives the same bytes"
$train --epochs 400 --set early_stop.patience=400 -o long > table
$train --epochs 400 --set early_stop.patience=400 -o cut > table 2> messages &
pid=$!
while [ ! -s cut/metrics.jsonl ] && kill -0 $pid 2> /dev/null; do sleep 0.01; done
kill -INT $pid
wait $pid; echo "status $?"
sed -E 's/epoch [0-9]+/epoch N/' messages
$train --epochs 400 --set early_stop.patience=400 --resume -o cut > table
cmp long/best.safetensors cut/best.safetensors && echo "same model"

echo "== SIGINT twice: ends at once; what was saved is there, and --resume gives the same bytes"
$train --epochs 400 --set early_stop.patience=400 --set checkpoint.seconds=0 -o twice > table 2> messages &
pid=$!
while [ ! -s twice/metrics.jsonl ] && kill -0 $pid 2> /dev/null; do sleep 0.01; done
kill -STOP $pid # so that both are there before it looks
kill -INT $pid
kill -CONT $pid
sleep 0.3
kill -INT $pid 2> /dev/null
wait $pid; echo "status $?"
$train --epochs 400 --set early_stop.patience=400 --resume -o twice > table
cmp long/best.safetensors twice/best.safetensors && echo "same model"

echo "== a folder that may not be written, a file that may not be read"
place=$(mktemp -d) && chmod 755 "$place" && cp "$(command -v basin)" d.arff "$place"
[ -e d.xml ] && cp d.xml "$place"
mkdir "$place/closed" && : > "$place/secret.arff"
chmod 555 "$place/closed" && chmod 000 "$place/secret.arff"
as_anybody() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
(cd "$place" && as_anybody ./basin train d.arff -q --method ce --epochs 1 -o closed/run) 2>&1; echo "status $?"
(cd "$place" && as_anybody ./basin data inspect secret.arff) 2>&1; echo "status $?"
chmod 755 "$place/closed"; ls "$place/closed" | wc -l
rm -rf "$place"
