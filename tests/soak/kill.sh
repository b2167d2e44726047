# Kills trainings, comparisons and searches at random moments, resumes them, and compares bytes.
#
#   tests/soak/kill.sh [CYCLES]      at least that many kills, default 500; SEED=N for other moments
#
# A cycle: start (or resume) a run, kill -9 after a random part of what it takes, look whether the run
# folder is readable; after some kills let it end, and compare its model and record with those of a run
# that was left alone. Prints one line per subject and "N kills, N lost, N differ"; status 1 unless
# both are 0. Needs basin on the PATH.
set -u
cycles=${1:-500}
RANDOM=${SEED:-1}
kills=0 lost=0 differ=0 ended=0
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT

{
    basin data make mlc --seed 1 --set rows=300 --set groups=2 -o mlc.arff
    basin data make tag --seed 1 --set rows=150 --set length=6 -o tag.conll
    basin data make seg --seed 1 --set images=40 --set size=16 -o seg.tar
} > /dev/null || exit 1
small="--set net.width=16 --set samples=4 --set checkpoint.seconds=0 --set pretrain.epochs=3 --threads 2 -q"
mlc="mlc.arff $small --epochs 25 --set energy.hidden=8"
tag="tag.conll $small --epochs 6 --set words.width=8"
seg="seg.tar $small --epochs 5 --set energy.hidden=8 --set seg.crop=12x12"

now() { local t=$EPOCHREALTIME; echo $((10#${t/[.,]/} / 1000)); } # milliseconds
pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

# What must not depend on kills: models, and records without times.
fingerprint() {
    find "$1" -name 'best.safetensors' -o -name 'metrics.jsonl' -o -name 'best.config' | LC_ALL=C sort | while read -r f; do
        case $f in
        *.jsonl) sed -E 's/"(seconds|[a-z_]*per_s|time)": *[0-9.e+-]+,? *//g' "$f" ;;
        *) cat "$f" ;;
        esac
    done | cksum
}

# One subject: name, command. The folder is given by -o.
subject() {
    local name=$1 want take begin pid k here=0
    shift
    rm -rf whole killed
    begin=$(now)
    "$@" -o whole > /dev/null 2>&1 || { echo "$name: the undisturbed run failed"; lost=$((lost + 1)); return; }
    take=$(($(now) - begin))
    want=$(fingerprint whole)
    for ((k = 0; k < 8; k++)); do
        "$@" --resume -o killed > /dev/null 2> messages &
        pid=$!
        pause $((RANDOM % (take + 1)))
        if kill -9 $pid 2> /dev/null; then
            here=$((here + 1))
        fi
        wait $pid 2> /dev/null
    done
    if ! "$@" --resume -o killed > /dev/null 2> messages; then
        echo "$name: cannot be resumed: $(tail -n 1 messages)"
        lost=$((lost + 1))
    elif [ "$(fingerprint killed)" != "$want" ]; then
        echo "$name: other bytes after $here kills"
        differ=$((differ + 1))
    fi
    if [ "$(find killed -name '.basin-*' -o -name .lock | wc -l)" -ne 0 ]; then
        echo "$name: temporary files are left"
        differ=$((differ + 1))
    fi
    kills=$((kills + here)) ended=$((ended + 1))
}

round() {
    for m in ce seal-nce dvn infnet+ alen implicit-cd spen; do
        subject "mlc $m" basin train $mlc --method $m --seed $RANDOM
    done
    for m in ce crf seal-nce infnet+ implicit-cd; do
        subject "tag $m" basin train $tag --method $m --seed $RANDOM
    done
    for m in ce seal-regression alen dvn; do
        subject "seg $m" basin train $seg --method $m --seed $RANDOM
    done
    subject "compare" basin compare mlc.arff $small --epochs 8 --methods ce,seal-nce --seeds 2 --jobs 2
    subject "tune" basin tune mlc.arff $small --epochs 8 --method seal-nce --trials 6
}

while [ $kills -lt "$cycles" ]; do
    before=$kills
    round
    echo "$kills kills so far, $ended runs, $lost lost, $differ differ"
    [ $kills -gt $before ] || { echo "no run could be hit"; exit 1; }
done
echo "$kills kills, $lost lost, $differ differ"
[ $lost -eq 0 ] && [ $differ -eq 0 ]
