# Energies that share the encoder of the net: models without a second one, which predict by net and
# by search and are continued from like others; methods that have nothing to share refuse.
basin data make mlc --seed 1 --set rows=80 -q -o m.arff > made
basin data make tag --seed 2 --set rows=40 -q -o t.conll > made
basin data make seg --seed 1 --set images=12 --set size=16 -q -o s > made
small="--set net.width=6 --set energy.hidden=4 --set samples=2 --set gbi.start=uniform --set report=no -q --threads 1"
sizes() { # RUN: how many tensors the energy's encoder has
    head -c 20000 "$1/best.safetensors" | tr '"' '\n' | grep -a -c "^energy/\(T\|words\)/"
}
for data in m.arff t.conll s; do
    train="basin train $data --method seal-nce $small"
    $train --epochs 2 -o own --force > table
    $train --epochs 2 -o shared --force --set energy.encoder=shared > table
    [ $data = s ] || echo "$data: $(sizes own) and $(sizes shared) tensors"
    for infer in net gbi; do
        basin eval shared $data --infer $infer -q > table 2>&1 || cat table
    done
    basin train $data --from shared --method seal-ranking $small --epochs 1 -o next --force > table 2>&1 || cat table
    cmp -s shared/best.safetensors next/best.safetensors || echo "continued: $(sizes next)"
done
echo "== refused"
try() { basin train "$@" $small --set energy.encoder=shared -o r --force 2>&1 | tail -n 1; }
try t.conll --method crf
try m.arff --method dvn --set pretrain.epochs=0
try m.arff --method seal-static-nce
try m.arff --method seal-nce --set net.members=4
try m.arff --method seal-nce --set energy.encoder=both
echo "== without effect where there is no energy"
basin train m.arff --method ce --epochs 1 $small --set energy.encoder=shared -o r --force > table && echo trained
