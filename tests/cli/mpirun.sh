# mpirun starts processes that divide trainings; OpenMPI or MPICH, whichever is there.
command -v mpirun > /dev/null || { echo "skip: no mpirun"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl=self PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun -np 2 true > probe 2>&1 || { echo "skip: mpirun starts no two processes here: $(head -n 1 probe)"; exit 77; }
basin data make mlc --seed 3 --set rows=300 -o d.arff > made
small="--epochs 4 --threads 1 --set net.width=32 --set pretrain.epochs=0"
models() { (cd $1 && find . -name best.safetensors | LC_ALL=C sort | xargs cksum); }

for verb in "compare --methods ce,seal-nce --seeds 2" "train --method ce --seeds 3" "tune --method ce --trials 5 --round 2"; do
    name=${verb%% *}
    basin $verb d.arff -q $small -o $name > $name.table
    mpirun -np 2 basin $verb d.arff -q $small -o $name-2 > $name-2.table 2> $name.err
    echo "$name: status $?, $(grep -c "^wrote\|^next\|^mean of" $name-2.table) lines of one result"
    [ "$(models $name)" = "$(models $name-2)" ] && echo "the same models"
done
mpirun -np 2 basin train d.arff -q --method ce $small -o one 2>&1 | grep '^basin'
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 basin train d.arff --method ce --seeds 2 $small -o silent > said 2>&1
echo "the second process: status $?, $(wc -l < said) lines"
