# An energy that makes validation worse leaves the net that was there before it (energy.proof), also
# when the run was killed and resumed; one that is not asked for proof does not.
make="basin data make mlc --seed 5 --set groups=3 --set words=3 --set noise=5 -q"
$make --set rows=300 -o d.arff > made
$make --set rows=40 -o e.arff > made

. "$TOP/tests/cli/kill.bash"

common="-q --epochs 6 --seed 7 --threads 2 --set report=no --set net.width=16 --set lr.net=0.002"
basin train d.arff --method ce $common -o ce > table
basin predict ce e.arff -q > ce.jsonl

card() { # what the model says of it
    tr '{' '\n' < "$1/best.safetensors" 2> /dev/null | tr -d '\\' |
        sed -n 's/.*"best_epoch": \([0-9]*\), "energy_sure": \([0-9.]*\), "net_kept": \([a-z]*\).*/\3/p' | head -n 1
}

# NAME OPTIONS: an energy that pushes the net, or the search, far off
harm() {
    name=$1
    shift
    train="basin train d.arff $common --set pretrain.lr=0.002 $*"
    $train --set energy.proof=0.8 -o "$name" > table
    basin predict "$name" e.arff -q > own.jsonl
    cmp ce.jsonl own.jsonl && echo "$name: predicts as ce does; net kept: $(card "$name")"
    $train --set energy.proof=0 -o "$name-0" > table
    basin predict "$name-0" e.arff -q > own.jsonl
    cmp -s ce.jsonl own.jsonl && echo "$name: without proof it predicts as ce does, too"
}
harm seal-regression --method seal-regression --set energy.weight=1000 --set lr.energy=0.1
harm alen --method alen --set energy.weight=1000 --set lr.energy=0.1
harm spen --method spen --set gbi.space=projected --set gbi.lr=1 --set lr.energy=0.1
harm dvn --method dvn --set gbi.space=projected --set gbi.lr=1 --set lr.energy=0.1
harm static --method seal-static-regression --set energy.weight=1000 --set lr.energy=0.1

# the net outlives the process
train="basin train d.arff $common --set pretrain.lr=0.002 --method seal-regression --set energy.weight=1000 --set lr.energy=0.1 --set energy.proof=0.8"
stops="3 8"
kill_at_all_stops || echo "never killed in time"
$train --resume -o killed > table
cmp seal-regression/best.safetensors killed/best.safetensors && echo "killed and resumed: same model"

# a preset has its own settings: no proof, no pre-training
basin train d.arff -q --preset seal/genbase --method seal-nce --epochs 1 --set report=no -o preset > table
grep '^energy.proof\|^pretrain.epochs' preset/config
basin train d.arff -q --method seal-nce --epochs 1 --set report=no -o untuned > table
grep '^energy.proof\|^pretrain.epochs' untuned/config
