# Data and settings at the edge: training works or stops with advice, and a saved model is never spoilt.
table() {
    printf '@relation x\n@attribute a numeric\n@attribute b numeric\n@attribute l1 {0,1}\n@attribute l2 {0,1}\n@data\n'
    cat
} > table.arff
train() { basin train "$@" -q --threads 1 --epochs 3 -o run > /dev/null 2> messages; }
outcome() { # of a training: a model that evaluates, or one line of advice
    local status=$? name=$1 data=$2
    if [ $status -ne 0 ]; then
        echo "$name: status $status: $(cat messages)"
    elif ! basin eval run "$data" -q > /dev/null 2> messages; then
        echo "$name: the model cannot be used: $(cat messages)"
    fi
    tried=$((tried + 1))
    rm -rf run
}
tried=0
rates=("" "--set lr.net=1000 --set lr.energy=1000" "--set lr.net=0 --set lr.energy=0")

echo "== label sets: identical rows, labels never and always on, empty sets, 1e30, five rows"
for kind in '1,1,1,0' '$i,2,0,1' '5,$i,0,0' '1e30,-1e30,$((i%2)),1' '$i,$((i%7)),$((i%2)),$((i%3==0))'; do
    for i in {1..40}; do eval "echo $kind"; done | table
    for m in ce seal-nce dvn spen infnet+ alen implicit-cd; do
        train table.arff --labels last:2 --method $m
        outcome "$m $kind" table.arff
    done
done
for m in ce seal-nce dvn spen infnet+ alen implicit-cd; do
    for rate in "${rates[@]}"; do
        train table.arff --labels last:2 --method $m $rate
        outcome "$m $rate" table.arff
    done
done
for i in {1..5}; do echo "1,$i,1,0"; done | table
train table.arff --labels last:2 --method seal-nce
outcome "five rows" table.arff
echo "1,2,1,0" | table
train table.arff --labels last:2 --method ce
outcome "one row" table.arff

echo "== identical sentences, shapes"
for i in {1..12}; do printf 'a X\nb Y\n\n'; done > d.conll
basin data make seg --seed 1 --set images=10 --set size=16 -o d.tar > /dev/null
for rate in "${rates[@]}"; do
    for m in ce crf seal-nce infnet+; do
        train d.conll --task tag --method $m $rate
        outcome "tag $m $rate" d.conll
    done
    for m in ce seal-regression alen; do
        train d.tar --set net.width=4 --method $m $rate
        outcome "seg $m $rate" d.tar
    done
done
echo "$tried trainings"
try() { "$@" 2>&1; echo "status $?"; }
try basin train d.tar -q --method seal-regression --set lr.net=1e6

echo "== a row that is too large for the model"
for i in {1..40}; do echo "$i,$((i%7)),$((i%2)),$((i%3==0))"; done | table
train table.arff --labels last:2 --method spen
sed '12s/.*/3e38,-3e38,1,0/' table.arff > large.arff
for how in net gbi refine; do try basin predict run large.arff -q --infer $how --scores --energy -o out; done
[ -e out ] && echo "half an output was left"
basin predict run large.arff -q > out 2> messages
echo "status $?, $(wc -l < out) lines"
try basin eval run large.arff -q --json
basin predict run table.arff -q --scores --energy -o out
echo "$(wc -l < out) lines, $(grep -ci 'nan\|inf' out) with what is no number"
