# Every method of every task on the far device (tests/far.h): the model, its evaluation and its
# predictions, by long searches too, are those of the CPU, byte by byte; and one device goes on with
# what the other has made.
[ -x "$BUILD/far/basin" ] || { echo "skip: no $BUILD/far/basin"; exit 77; }
far() { BASIN_DEVICE=far "$BUILD/far/basin" "$@"; }

basin data make mlc --seed 1 --set rows=60 --set groups=3 --set words=3 -q -o mlc.arff > made
basin data make tag --seed 1 --set rows=20 --set length=5 --set tags=4 -q -o tag.conll > made
basin data make roles --seed 1 --set rows=10 --set clauses=1 --set words=2 -q -o roles.conll > made
basin data make seg --seed 1 --set images=6 --set size=16 -q -o seg.tar > made
small="-q --epochs 1 --set report=no"
for setting in pretrain.epochs=1 net.width=4 energy.hidden=4 samples=3 gbi.steps=3 gbi.test_steps=70 \
    clip=0.5 energy.proof=0; do
    small="$small --set $setting"
done

untimed() { sed 's/"seconds": [^,]*, "rows_per_s": [^,]*, //; s/, [0-9.]* s$//'; }

# same WHAT COMMAND...: whether both print the same
same() {
    local what=$1
    shift
    basin "$@" 2>&1 | untimed > cpu.out
    far "$@" 2>&1 | untimed > far.out
    cmp cpu.out far.out || echo "$what: another output"
}

for data in mlc.arff tag.conll roles.conll seg.tar; do
    task=${data%.*} n=0
    for method in $(basin list methods | sed -n "s/^\([^ ]*\) .*(.*$task.*)\$/\1/p"); do
        what="$task $method"
        train="train $data --method $method $small"
        basin $train -o cpu > table 2>&1 || cat table
        far $train -o far > table 2>&1 || cat table
        cmp cpu/best.safetensors far/best.safetensors || echo "$what: another model"
        same "$what predicts" predict cpu $data -q
        n=$((n + 1))
        rm -rf cpu far
    done
    echo "$task: $n methods"
done

echo "== resumed"
train="train mlc.arff --method seal-nce $small --set checkpoint.seconds=0"
basin $train --epochs 4 -o whole > table
for first in basin far; do
    if [ $first = far ]; then second=basin; else second=far; fi
    $first $train --epochs 2 -o run > table
    $second $train --epochs 4 --resume -o run > table
    cmp whole/best.safetensors run/best.safetensors && echo "$first, then $second: the same model"
    rm -r run
done

basin $train --from whole -o more > table
far $train --from whole -o run > table
cmp more/best.safetensors run/best.safetensors && echo "from another model: the same model"

echo "== searches"
for how in net gbi refine; do
    same $how predict whole mlc.arff -q --energy --infer $how
    echo "$how: $(grep -c energy far.out) energies"
done
same evaluation eval whole mlc.arff --json
grep -c example_f1 far.out
same explanation explain whole mlc.arff
grep -c energy far.out
