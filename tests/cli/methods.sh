# Every training method: the same bytes for any number of threads, and after kill -9 and --resume
# in each of its phases; and the ways to predict with what it made.
make="basin data make mlc --seed 5 --set groups=3 --set words=3 --set noise=5 -q"
$make --set rows=160 -o d.arff > made
$make --set rows=40 -o e.arff > made

. "$TOP/tests/cli/kill.bash"

energies() {
    basin predict one e.arff -q --energy --infer "$1" | sed -n 's/.*"energy": \(.*\)}/\1/p'
}

basin list methods | grep '(.*mlc.*)$' | while read -r method _; do
    train="basin train d.arff -q --method $method --epochs 5 --seed 7 --set report=no"
    for setting in pretrain.epochs=5 batch=48 net.width=8 energy.hidden=8 samples=5 gbi.steps=4 \
        gbi.test_steps=6 clip=0.5 plateau.patience=1 energy.proof=0; do
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

    # how it can predict, and how it does by itself
    infer=$(sed -n 's/^infer = //p' one/config)
    can=
    for how in net gbi refine; do
        if basin eval one e.arff -q --json --infer $how > $how.json 2> messages; then
            grep -q '"example_f1": [01]' $how.json || echo "$method: no F1 by $how"
            can="$can $how"
        else
            sed 's/^basin:/ /' messages
        fi
    done
    echo "  eval:$can; by itself $infer"
    basin eval one e.arff -q --json > own.json
    for file in own $infer; do
        sed 's/"seconds": [^,]*, "rows_per_s": [^,]*, //' $file.json > $file.cut
    done
    cmp own.cut "$infer.cut" || echo "$method: predicts in another way than $infer"
    basin predict one e.arff -q --energy > own.jsonl 2> messages
    sed 's/^basin:/ /' messages
    echo "  energies: $(grep -c '"energy": -\?[0-9]' own.jsonl)"

    # a search from the net's output that returns the best iterate is never worse than that
    if [ "$can" = " net gbi refine" ] && grep -q '^gbi.best = yes' one/config; then
        paste <(energies net) <(energies refine) |
            awk '$2 > $1 + 1e-5 * (1 + ($1 < 0 ? -$1 : $1)) { up++ } $2 < $1 { down++ }
                 END { if (NR != 40 || up || !down) print "  refined: " up + 0 " up, " down + 0 " down" }'
    fi
done

# energy.init=net is felt by every method that trains by turns
epochs_of() {
    rm -rf one
    basin train d.arff -q --method "$1" --epochs 2 --seed 7 --set report=no --set pretrain.epochs=2 \
        --set net.width=8 --set energy.hidden=8 --set samples=5 --set energy.weight=1 --set "$2" -o one > table
    sed 's/, "seconds.*//' one/metrics.jsonl > "$3"
}
for method in seal-nce seal-regression alen implicit-cd infnet+; do
    epochs_of $method seed=7 usual.jsonl
    epochs_of $method energy.init=net other.jsonl
    if cmp -s usual.jsonl other.jsonl; then echo "$method: energy.init=net changes nothing"; fi
done

# infnet.stay holds on to the net after its pre-training, from which the net has hardly moved: to hold
# on to another one would cost thousands
for method in infnet infnet+ seal-margin-compound; do
    epochs_of $method infnet.stay=1e4 stay.jsonl
    sed -n '$s/.*"loss_net": \([^,]*\),.*/\1/p' stay.jsonl |
        awk -v m=$method '$1 > 100 { print m ": infnet.stay costs " $1 }
                          END { if (NR != 1) print m ": no loss" }'
done
