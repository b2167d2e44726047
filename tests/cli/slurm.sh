# basin slurm: scripts for Slurm, run here by a shell that plays its part; and signals before a limit.
basin data make mlc --seed 3 --set rows=300 -o d.arff > made
try() { "$@" 2>&1; echo "status $?"; }
models() { (cd $1 && find . -name best.safetensors | LC_ALL=C sort | xargs cksum); }
small="--threads 1 --set net.width=32 --set report=no --set early_stop.patience=100000"

echo "== scripts"
basin slurm --tasks 8 --cpus 2 --time 1:00:00 --mem 4G --partition short compare 'a b.arff' --methods ce,seal-nce --shared "it's" | tee array.sh
bash -n array.sh
basin slurm --time 30 train d.arff -o run > one.sh
bash -n one.sh
diff array.sh one.sh
basin slurm tune d.arff --trials 9 --shared t | bash -n

echo "== misuse"
try basin slurm
try basin slurm predict run d.arff
try basin slurm train d.arff
try basin slurm --tasks 3 train d.arff -o run
try basin slurm --tasks none train d.arff -o run
try basin slurm --task 3 train d.arff -o run

echo "== a task whose time is nearly over is queued again, and continued"
mkdir bin
printf '#!/bin/bash\necho "scontrol $*" >> %s/queued\n' "$PWD" > bin/scontrol
chmod +x bin/scontrol
export PATH=$PWD/bin:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=10
basin slurm --tasks 2 compare d.arff -q --methods ce --seeds 2 --epochs 300 $small --shared c > job.sh
basin compare d.arff -q --methods ce --seeds 2 --epochs 300 $small -o direct > table
bash job.sh > table 2> messages & pid=$!
until [ -e c/ce/seed-0/metrics.jsonl ]; do sleep 0.01; done
kill -USR1 $pid
wait $pid
echo "status $?"
sed -E 's/with [0-9]/with N/' messages | tail -n 1
cat queued
bash job.sh > table
echo "status $?"
[ "$(models c)" = "$(models direct)" ] && echo "the same models"

echo "== a task that is preempted"
basin slurm train d.arff -q --method ce --epochs 300 $small -o run > job.sh
basin train d.arff -q --method ce --epochs 300 $small -o whole > table
rm queued
bash job.sh > table 2> messages & pid=$!
until [ -e run/metrics.jsonl ]; do sleep 0.01; done
kill -TERM $pid
wait $pid
echo "status $?"
[ -e queued ] || echo "not queued again: the batch system does that"
bash job.sh > table
echo "status $?"
cmp run/best.safetensors whole/best.safetensors && echo "the same model"

echo "== signals"
for signal in USR1 TERM INT; do
    for verb in "train --method ce" "compare --methods ce" "tune --method ce --trials 3" "tune --method ce --trials 3 --round 2"; do
        rm -rf stopped
        basin $verb d.arff -q --epochs 100000 $small -o stopped > table 2> messages & pid=$!
        until [ -n "$(find stopped -name metrics.jsonl 2> /dev/null)" ]; do sleep 0.01; done
        kill -$signal $pid
        wait $pid
        echo "$signal $? $(find stopped -name state.safetensors | wc -l)"
    done
done
