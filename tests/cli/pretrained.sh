# Pre-training is shared by runs that begin alike, and changes no bit of them.
basin data make mlc --seed 5 --set rows=400 -o d.arff > made
basin data make tag --seed 5 --set rows=60 -o d.conll > made
basin data make seg --seed 5 --set images=40 -o d.tar > made

# NAME DATA OPTIONS: by itself, and with pretrain.cache
twice() {
    name=$1 data=$2
    shift 2
    for how in alone shared; do
        cache=
        [ $how = shared ] && cache="--set pretrain.cache=nets"
        basin train $data -q --epochs 4 --set pretrain.epochs=2 --set report=no "$@" $cache \
            -o $name-$how > table 2>&1
        sed 's/, "seconds.*//' $name-$how/metrics.jsonl > $how
    done
    cmp $name-alone/best.safetensors $name-shared/best.safetensors && cmp alone shared &&
        echo "$name: same model, same metrics.jsonl; nets kept: $(ls nets | wc -l)"
}
for m in seal-nce seal-margin-compound infnet implicit-cd; do
    twice $m d.arff --method $m --set net.width=32
done
rm -r nets
for form in stacked separated shared single; do
    twice $form d.conll --method infnet+ --set infnet.form=$form --set net.width=16
done
rm -r nets
for m in seal-regression seal-regression-s; do
    twice $m d.tar --method $m --set net.width=8 --set samples=2
done

# another seed, other settings of the net: other nets
twice seed d.tar --method seal-regression --set net.width=8 --seed 1
twice width d.tar --method seal-regression --set net.width=9
# what an energy alone looks at makes no difference
twice weight d.tar --method seal-regression --set net.width=8 --set energy.weight=0.1

# a file that was damaged is said to be, and made again
for net in nets/*; do echo x >> "$net"; done
basin train d.tar -o damaged --method seal-regression --set net.width=8 --epochs 4 \
    --set samples=2 --set pretrain.epochs=2 --set pretrain.cache=nets --set report=no 2>&1 > table |
    sed 's/nets.[0-9a-f]*/nets\/N/' | grep again
cmp seal-regression-alone/best.safetensors damaged/best.safetensors && echo "same model again"

# a folder that cannot be made
basin train d.tar -o refused --method seal-regression --set pretrain.epochs=2 --set pretrain.cache=d.tar/nets 2>&1 | tail -n 1

# compare shares by itself
basin compare d.arff -q --methods seal-nce,seal-margin-compound --seeds 2 --epochs 4 --set net.width=32 \
    --set pretrain.epochs=2 -o both > table
ls both/pretrained | wc -l
cmp both/seal-nce/seed-0/best.safetensors seal-nce-alone/best.safetensors && echo "compare: same model"
