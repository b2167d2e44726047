# Training on sentences: the same bytes for any number of threads, and after kill -9 and --resume in
# each phase; the ways to predict with what it made.
basin data make tag --seed 5 --set rows=120 --set length=6 --set tags=4 -q -o d.conll > made
basin data make tag --seed 6 --set rows=30 --set length=6 --set tags=4 -q -o e.conll > made
. "$TOP/tests/cli/kill.bash"

for method in ce crf infnet+; do
    train="basin train d.conll -q --method $method --epochs 5 --seed 7 --set report=no"
    for setting in pretrain.epochs=5 batch=12 net.width=8 words.width=8 energy.hidden=8 chars.net=cnn \
        chars.features=4 gbi.steps=4 clip=0.5 plateau.patience=1; do
        train="$train --set $setting"
    done
    rm -rf one two three
    $train --threads 1 -o one > table
    $train --threads 2 -o two > table
    $train --threads 3 -o three > table
    cmp one/best.safetensors two/best.safetensors || echo "$method: 2 threads give another model"
    cmp one/best.safetensors three/best.safetensors || echo "$method: 3 threads give another model"

    # killed after the second epoch of every phase
    phases=$(sed 's/.*"phase": "\([^"]*\)".*/\1/' one/metrics.jsonl)
    stops=$(echo "$phases" | awk '++n[$0] == 2 { print NR }')
    kill_at_all_stops || echo "$method: never killed in time"
    $train --threads 2 --set checkpoint.seconds=0 --resume -o killed > table
    cmp one/best.safetensors killed/best.safetensors || echo "$method: resumed to another model"
    for run in one killed; do
        sed 's/, "seconds.*//' $run/metrics.jsonl > $run.jsonl
    done
    cmp one.jsonl killed.jsonl || echo "$method: resumed to another record"
    echo "$method: $(echo "$phases" | uniq | paste -sd '>'), killed $(echo "$stops" | wc -w) x"

    # outputs do not depend on threads, nor on whether sentences come alone
    basin predict one e.conll -q --threads 1 > all
    basin predict one e.conll -q --threads 3 | cmp - all || echo "$method: 3 threads give other tags"
    head -n "$(grep -n '^$' e.conll | head -n 1 | cut -d: -f1)" e.conll > first.conll
    basin predict one first.conll -q | cmp - <(head -n "$(wc -l < first.conll)" all) ||
        echo "$method: alone, a sentence has other tags"

    can=
    for how in net gbi refine viterbi; do
        if basin eval one e.conll -q --json --infer $how > $how.json 2> messages; then
            grep -q '"token_accuracy": [01]' $how.json || echo "$method: no accuracy by $how"
            can="$can $how"
        else
            sed 's/^basin:/ /' messages
        fi
    done
    echo "  eval:$can; by itself $(sed -n 's/^infer = //p' one/config)"
    basin predict one e.conll -q --format jsonl --energy > own.jsonl 2> messages
    sed 's/^basin:/ /' messages
    echo "  energies: $(grep -c '"energy": -\?[0-9]' own.jsonl)"
done

# the config of a run repeats it; Ctrl-C saves
basin train -q --config one/config -o again > table
cmp one/best.safetensors again/best.safetensors && echo "config: same model"
$train --epochs 5000 --set early_stop.patience=5000 -o stopped > table 2> messages & pid=$!
while [ "$(lines stopped/metrics.jsonl)" -lt 1 ]; do sleep 0.01; done
kill -INT $pid
wait $pid
echo "status $?"
sed 's/epoch [0-9]*/epoch N/' messages | tail -n 1
