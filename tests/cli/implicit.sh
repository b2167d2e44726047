# Implicit gradients: every method and solver runs, with the same bytes for any number of threads
# and after an interruption.
basin data make mlc --seed 5 --set rows=900 -o d.arff > made
train="basin train d.arff -q --epochs 5 --seed 7 --set checkpoint.seconds=0 --set net.width=48"

same() {
    cmp one/best.safetensors $1/best.safetensors && echo "$what: $2"
}

for what in ssvm dvn cd; do
    run="$train --method implicit-$what"
    $run --threads 1 -o one > table
    $run --threads 2 -o two > table
    same two "1 and 2 threads: same model"
    # the curvature behind the rate of the series is made anew every 64 steps, and kept between
    for pause in 0.05 0.09 0.14; do
        $run --threads 1 --resume -o killed > table 2> messages & pid=$!
        sleep $pause
        kill -9 $pid 2> /dev/null
        wait $pid 2> /dev/null
    done
    $run --threads 2 --resume -o killed > table
    same killed "killed and resumed: same model"
    rm -r one two killed
done

for what in "series --set implicit.residual=0 --set implicit.terms=5" diagonal none; do
    run="$train --method implicit-cd --set implicit.solver=$what --set implicit.product=central"
    $run --threads 1 -o one > table
    $run --threads 2 -o two > table
    same two "1 and 2 threads: same model"
    rm -r one two
done

# by default the residual is what was asked for, the Hessian having been made positive
$train --method implicit-cd -o cg > table
tail -n 1 cg/metrics.jsonl | sed 's/.*"residual": \([^,]*\),.*"damping": \([^,]*\),.*/\1 \2/' | tee /dev/stderr |
    awk '{ print ($1 <= 0.1 ? "converged" : "not converged"), ($2 > 0.01 ? "and damped" : "") }'

# a rate that cannot work is lowered
$train --method implicit-ssvm --set implicit.solver=series --set implicit.terms=5 --set implicit.residual=0 --set implicit.rate=1000 -o fast > table
grep -c '"rate_lowered": 1,' fast/metrics.jsonl
