# --shared: processes divide trainings among themselves by a folder, each of them is done once, and everybody
# has the result that one process would have.
basin data make mlc --seed 3 --set rows=300 -o d.arff > made
small="--set pretrain.epochs=0 --threads 1 --set net.width=32 --set checkpoint.seconds=0"
try() { "$@" 2>&1; echo "status $?"; }
# without what takes another time, or stands in another place, each time
steady() { sed -E 's/"(seconds|train_rows_per_s|predict_rows_per_s|jobs|folder|run)": ("[^"]*"|[^,}]*)//g' "$1"; }
models() { (cd $1 && find . -name best.safetensors | LC_ALL=C sort | xargs cksum); }
# trainings that a process says it has done itself, each once
own() { cat "$@" | grep '^\[' | grep -v 'by another' | sed -E 's/^\[[^ ]* ([^:]*):.*/\1/' | LC_ALL=C sort; }
together() { # FOLDER PROCESSES COMMAND...
    local i
    for ((i = 1; i <= $2; i++)); do "${@:3}" --shared $1 > $1.$i.table 2> $1.$i.err & done
    wait
}

echo "== compare"
compare="basin compare d.arff --methods ce,seal-nce --seeds 3 --epochs 4 $small"
$compare -q -o one > table
together four 4 $compare
own four.*.err
for i in 1 2 3 4; do
    [ "$(grep -c '^\[' four.$i.err)" = 6 ] && steady four/compare.json | cmp - <(steady one/compare.json) && echo "the whole table"
done
[ "$(models one)" = "$(models four)" ] && echo "the same models"
find four -name '.*' | LC_ALL=C sort
$compare --shared four 2>&1 > table | grep -o '6 runs, 6 of them finished before'

echo "== killed"
long="basin compare d.arff --methods ce,seal-nce --seeds 3 --epochs 150 --set early_stop.patience=1000 $small"
$long -q -o alone > table
for i in 1 2 3; do $long --shared killed > killed.$i.table 2> killed.$i.err & done
kills=0
for pause in 0.1 0.2 0.3 0.4 0.5; do
    $long --shared killed > victim 2> victim.$pause.err & pid=$!
    sleep $pause
    kill -9 $pid 2> /dev/null && kills=$((kills + 1))
    wait $pid 2> /dev/null
done
wait
[ $kills -gt 0 ] && echo "killed"
[ -z "$(own killed.*.err victim.*.err | uniq -d)" ] && echo "none twice"
steady killed/compare.json | cmp - <(steady alone/compare.json) && [ "$(models alone)" = "$(models killed)" ] && echo "the same table, the same models"
for run in ce/seed-0 seal-nce/seed-2; do
    sed 's/"seconds.*//' killed/$run/metrics.jsonl | cmp - <(sed 's/"seconds.*//' alone/$run/metrics.jsonl) && echo "the same epochs"
done
find killed -name '.*' | LC_ALL=C sort

echo "== stopped, and somebody else continues"
$long --shared stopped > table 2> messages & pid=$!
until [ -e stopped/ce/seed-0/last ] || ! kill -0 $pid; do sleep 0.01; done
kill -TERM $pid
wait $pid
echo "status $?"
sed -E 's/with [0-9]+ of/with N of/' messages | tail -n 1
$long -q --shared stopped > table
[ "$(models alone)" = "$(models stopped)" ] && echo "the same models"

echo "== failures"
mkdir -p broken/seal-nce && touch broken/seal-nce/seed-1
together broken 2 $compare -q
shape() { sed -E 's/[+-]?[0-9]+\.[0-9]+/N/g; s/\| +[0-9]+/| N/g; s/-+:/-:/g; s/-{3,}/-/g; s/ +/ /g'; }
for i in 1 2; do grep '^failed' broken.$i.table; tail -n 1 broken.$i.err; done

echo "== seeds"
train="basin train d.arff --method ce --seeds 4 --epochs 4 --set report=no $small"
$train -q -o seeds > table
together several 3 $train
cat several.*.err | grep '^seed' | grep -v 'by another' | sed 's/:.*//' | LC_ALL=C sort
for i in 1 2 3; do cmp table several.$i.table; done && echo "the same table"
[ "$(models seeds)" = "$(models several)" ] && echo "the same models"

echo "== as mpirun starts them: one folder, one table"
ranks() { # COMMAND...
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$@" > second 2> second.err & pid=$!
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$@" > first 2> first.err
    echo "status $?"
    wait $pid
    echo "status $?"
}
ranks $compare -o ranks
[ "$(models one)" = "$(models ranks)" ] && echo "the same models"
grep -c '^\[' first.err
cat second second.err
$compare -q --shared ranks > table
cmp <(sed -n 1,5p table) <(sed -n 1,5p first) && echo "the same table"
ranks $train -q -o ranks-seeds
PMI_SIZE=2 PMI_RANK=1 $train -q -o ranks-seeds
cmp first <(sed 's/several/ranks-seeds/' several.1.table) && echo "the same table"
ranks basin train d.arff --method ce -o alone
cat first.err second.err
ranks basin tune d.arff --method ce --trials 2
cat first.err second.err

echo "== misuse"
try basin compare d.arff --methods ce --shared a -o b
try basin compare d.arff --methods ce --shared a --resume
try basin train d.arff --method ce --shared a
try basin train d.arff --method ce --seeds 2 --shared a --force
printf 'basin 0.0.1, another' > four/.shared
$compare -q --shared four 2>&1 | sed -E 's/this is .*, and/this is ARITHMETIC, and/'
