# Several processes on one --shared folder, one of which is killed with -9 again and again and started anew.
#
#   tests/soak/shared.sh [KILLS [PROCESSES]]     default 60 kills, 4 processes; SEED=N for other moments
#
# Every training must be done once, apart from those that were under way when their process was killed, and
# the table and the models must be those of one process. Prints what it found; status 1 if anything differs.
# Needs basin on the PATH.
set -u
kills=${1:-60} processes=${2:-4}
RANDOM=${SEED:-1}
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
basin data make mlc --seed 1 --set rows=300 -o d.arff > /dev/null || exit 1
steady() { sed -E 's/"(seconds|train_rows_per_s|predict_rows_per_s|jobs|folder|run)": ("[^"]*"|[^,}]*)//g' "$1"; }
models() { (cd $1 && find . -name best.safetensors | LC_ALL=C sort | xargs cksum); }
own() { cat "$@" | grep '^\[' | grep -v 'by another' | sed -E 's/^\[[^ ]* ([^:]*):.*/\1/' | LC_ALL=C sort; }
compare="basin compare d.arff --methods ce,seal-nce,alen,infnet+ --seeds 4 --epochs 300 --threads 1 --set pretrain.epochs=3
    --set early_stop.patience=1000 --set net.width=64 --set checkpoint.seconds=1"

done=0 round=0 bad=0
$compare -q -o one > one.table || exit 1
while [ $done -lt "$kills" ]; do
    round=$((round + 1))
    rm -rf many && rm -f log.*
    pids=()
    for ((i = 0; i < processes; i++)); do $compare --shared many > table 2> log.$i & pids+=($!); done
    here=0
    while kill -0 ${pids[0]} 2> /dev/null; do
        sleep $((RANDOM % 3)).$((RANDOM % 10))
        if kill -9 ${pids[0]} 2> /dev/null; then
            wait ${pids[0]} 2> /dev/null
            done=$((done + 1)) here=$((here + 1))
            $compare --shared many > table 2> log.killed.$here & pids[0]=$!
        fi
        [ -e many/compare.json ] && break
    done
    wait
    twice=$(own log.* | uniq -d | wc -l)
    found=$(ls many/*/seed-*/outcome.json | wc -l)
    left=$(find many -name '.lease*' | wc -l)
    steady many/compare.json | cmp -s - <(steady one/compare.json) && [ "$(models many)" = "$(models one)" ] && same=same || same=other
    echo "round $round: $here kills, $found of 16 trainings, $twice done twice, $left leases left, $same table and models"
    [ "$found $twice $left $same" = "16 0 0 same" ] || bad=1
    [ $here -gt 0 ] || { echo "nothing could be hit"; exit 1; }
done
echo "$done kills, $round rounds"
exit $bad
