# Labels that depend on each other, among them xor of two others: linear nets cannot, an energy over
# the labels can. Without its term over the labels the energy is of no use, either.
basin data make mlc --seed 3 --set rows=2000 --set groups=3 --set words=4 --set on=0.75 -q -o d.arff > made

# Means of F1 and subset accuracy on test over two seeds, in points.
mean() {
    for seed in 1 2; do
        basin train d.arff -q --json --threads 2 --seed $seed --epochs 30 --set report=no --set net.layers=0 \
            --set net.dropout=0 --set lr.net=0.01 "$@" -o run
        rm -r run
    done | sed 's/.*"test": {\([^}]*\)}.*/\1/
                s/.*"example_f1": \([^,]*\),.*"subset_accuracy": \([^,]*\),.*/\1 \2/' |
        awk '{ f1 += $1; subset += $2 } END { printf "%.1f %.1f\n", 100 * f1 / NR, 100 * subset / NR }'
}

seal="--method seal-nce --set energy.hidden=64 --set lr.energy=0.03 --set energy.weight=0.5"
search="--set infer=refine --set gbi.lr=0.05"
ce=$(mean --method ce)
with=$(mean $seal $search)
without=$(mean $seal $search --set energy.scale=0)
echo "ce $ce, seal-nce $with, without its term over labels $without" >&2
echo "$ce $with $without" | awk '{
    print "seal-nce above ce: F1 " ($3 > $1 + 2.5 ? "yes" : "no") ", subset " ($4 > $2 + 12 ? "yes" : "no")
    print "without its term over labels: F1 " ($5 > $1 + 1 ? "yes" : "no") ", subset " ($6 > $2 + 5 ? "yes" : "no") }'
