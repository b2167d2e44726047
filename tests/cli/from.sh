# Training goes on with a model: parameters are found again by the names of what they are for.
set -u
still="--set lr.net=0 --set lr.energy=0 --set pretrain.lr=0 --set decay.net=0 --set decay.energy=0 --epochs 1"
train() { basin train "$@" -q --force --set report=no > /dev/null; }
told() { grep -e '--from' | sed 's/^basin: //'; }
# columns of a table from the last to the first
turned() { awk -F, -v OFS=, '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? OFS : "\n") }'; }
# probabilities of all labels, and whether two models give the same but for rounding
chances() { basin predict "$1" "$2" --probabilities -q | grep -no '"[^" ]*": [0-9][-.e0-9]*' | sort; }
alike() {
    paste -d' ' <(chances "$1" "$3") <(chances "$2" "$3") |
        awk '{ d = $1 == $3 ? $2 - $4 : 1; if (d < 0) d = -d; if (d > most) most = d; n++ }
             END { print (n > 0 && most < 1e-5 ? "the same" : "not the same, by " most) }'
}

basin data make mlc --seed 1 --set rows=200 -o first.arff > /dev/null 2>&1
basin data convert first.arff --format csv -o rows.csv > /dev/null 2>&1
head -1 rows.csv | tr ',' '\n' | tail -24 > names
turned < rows.csv > turned.csv

echo "# columns in another order, and nothing is learnt: the model is what it was"
for method in ce seal-nce; do
    for more in "" "--set net.members=4 --set net.width=32" "--set standardise=yes --set net.bins=4"; do
        train rows.csv --labels names --method $method --epochs 2 $more -o old
        train turned.csv --labels names --from old $still -o new
        echo "$method $more: $(alike old new rows.csv)"
    done
done
train rows.csv --labels names --method ce --epochs 2 --folds 3 -o old
train turned.csv --labels names --from old $still --folds 3 -o new
echo "each model of an ensemble: $(alike old new rows.csv)"
train turned.csv --labels names --from old --method seal-nce --set energy.proof=0 --set pretrain.epochs=1 $still -o new
grep '^method' new/config

echo "# other columns: what is new, what is given up, what stays"
cut -d, -f2-120,122-143 rows.csv > most.csv
awk -F, -v OFS=, '{ print (NR == 1 ? "extra" : NR % 3), $0, (NR == 1 ? "other" : NR % 2) }' most.csv > more.csv
(tail -n +2 names; echo other) | grep -v -x xor6_d > others
train rows.csv --labels names --method ce --epochs 2 -o old
basin train more.csv --labels others --from old --epochs 3 -o more -q --set report=no 2>&1 | told
basin train more.csv --labels others --from old --epochs 3 -o again --set report=no 2>&1 | told
cmp more/best.safetensors again/best.safetensors

echo "# tags: words, characters and tags are known by how they are written"
basin data make tag --seed 1 --set rows=60 -o first.conll > /dev/null 2>&1
basin data make tag --seed 2 --set rows=60 -o second.conll > /dev/null 2>&1
basin train first.conll --method crf --epochs 2 --set chars.net=cnn -o tags -q --set report=no > /dev/null
tac first.conll | awk 'NF || seen { print; seen = 1 } END { print "" }' > backwards.conll
train backwards.conll --from tags $still -o still
for run in tags still; do basin predict $run second.conll -q -o $run.conll; done
cmp tags.conll still.conll && echo "the same tags"
grep -v ' B' second.conll > fewer.conll
basin train fewer.conll --from tags --epochs 1 -o fewer --set report=no 2>&1 | told

echo "# images: channels are the same, classes may be more"
basin data make seg --seed 1 --set images=12 -o photos > /dev/null 2>&1
# (a net without means of batches, which follow the photos even if nothing is learnt)
basin train photos --method ce --epochs 1 --set net.kind=unet --set net.width=8 -o masks -q --set report=no > /dev/null
train photos --from masks $still -o kept
for run in masks kept; do basin predict $run photos -q -o $run.out; done
diff -r masks.out kept.out && echo "the same masks"

echo "# what does not fit"
basin train rows.csv --labels names --from old --set net.width=16 -o no 2>&1 | tail -1
basin train rows.csv --labels names --from old --set net.layers=3 -o no 2>&1 | tail -1
basin train first.conll --from old -o no 2>&1 | tail -1
basin train rows.csv --labels names --from nobody -o no 2>&1 | tail -1
basin compare rows.csv --labels names --methods ce --set from=old -o compared 2>&1 | tail -1
cut -d, -f121-144 rows.csv > labels.csv
basin train labels.csv --labels names --from old -o no 2>&1 | tail -1

echo "# a run like any other: it is gone on with to the same bytes, but not from another model"
basin train more.csv --labels others --from old --method ce --epochs 2 --set checkpoint.seconds=0 -o short -q --set report=no > /dev/null
basin train more.csv --labels others --from old --method ce --epochs 4 -o short -q --set report=no --resume > /dev/null
basin train more.csv --labels others --from old --method ce --epochs 4 -o long -q --set report=no > /dev/null
cmp short/best.safetensors long/best.safetensors && echo "the same bytes"
basin train more.csv --labels others --from new --method ce --epochs 4 -o long -q --set report=no --resume 2>&1 | tail -1
basin train more.csv --labels others --method ce --epochs 4 -o long -q --set report=no --resume 2>&1 | tail -1
