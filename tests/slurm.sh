# A real Slurm on this machine alone: an array job of compare, one task of which is queued again by force, and a
# training that reaches its time limit, have the results of direct runs.
#
#   tests/slurm.sh [build]      needs slurmctld, slurmd and munged (Debian: slurm-wlm munge), and root
#
# Everything listens on the loopback interface, under ports and in a folder of its own, and is ended in the end.
set -u
build=$(cd "${1:-build}" && pwd) || exit 2
export PATH=$build:$PATH:/usr/sbin LC_ALL=C
for program in slurmctld slurmd munged sbatch scontrol; do
    command -v $program > /dev/null || { echo "skip: no $program"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skip: needs root"; exit 77; }
work=$(mktemp -d) && cd "$work" || exit 1
chmod 755 "$work"
pids=()
finish() {
    scancel --me > /dev/null 2>&1
    kill "${pids[@]}" 2> /dev/null
    sleep 1
    kill -9 "${pids[@]}" 2> /dev/null
    cd / && rm -rf "$work"
}
trap finish EXIT
bad() { echo "FAIL $*"; tail -n 5 ctld.log slurmd.log ./*.log 2> /dev/null; exit 1; }

port=$((20000 + RANDOM % 20000)) node=$(hostname -s)
mkdir munge state spool
chmod 700 munge
head -c 1024 /dev/urandom > munge/key
chmod 400 munge/key
munged --foreground --force --socket="$work/munge.socket" --key-file=munge/key --pid-file=munge/pid \
    --log-file=munge/log --seed-file=munge/seed > munge.out 2>&1 & pids+=($!)
cat > slurm.conf <<END
ClusterName=basin
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,requeue_delay=1
ReturnToService=2
MpiDefault=none
KillWait=5
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D > ctld.out 2>&1 & pids+=($!)
slurmd -D -N "$node" > slurmd.out 2>&1 & pids+=($!)
for ((i = 0; i < 60; i++)); do [ "$(sinfo -h -o %t 2> /dev/null)" = idle ] && break; sleep 1; done
[ "$(sinfo -h -o %t 2> /dev/null)" = idle ] || bad "Slurm does not come up: $(cat ./*.out | tail -n 5)"
echo "ok   $(sinfo --version) on $node"

models() { (cd $1 && find . -name best.safetensors | LC_ALL=C sort | xargs cksum); }
steady() { sed -E 's/"(seconds|train_rows_per_s|predict_rows_per_s|jobs|folder|run)": ("[^"]*"|[^,}]*)//g' "$1"; }
ended() { # JOB: waits for it
    local i
    for ((i = 0; i < 600; i++)); do [ -z "$(squeue -h -j $1 2> /dev/null)" ] && return; sleep 1; done
    bad "job $1 does not end"
}
basin data make mlc --seed 3 --set rows=300 -o d.arff > made
small="--set net.width=32 --set early_stop.patience=100000 --set checkpoint.seconds=1"

compare="compare d.arff --methods ce,seal-nce --seeds 4 --epochs 1000 $small"
basin $compare -q --threads 1 -o direct > table || bad "the direct run"
basin slurm --tasks 3 --time 10 $compare --shared array > array.sh
job=$(sbatch --parsable array.sh) || bad sbatch
for ((i = 0; i < 300; i++)); do [ "$(ls array/*/*/metrics.jsonl 2> /dev/null | wc -l)" -ge 3 ] && break; sleep 0.1; done
scontrol requeue "${job}_1" || bad "scontrol requeue"
ended $job
restarts=$(grep -c 'methods, 4 seeds' basin-compare-*.log | awk -F: '{ n += $2 } END { print n }')
[ "$restarts" -ge 4 ] || bad "3 tasks were started $restarts times"
steady array/compare.json | cmp - <(steady direct/compare.json) || bad "another table"
[ "$(models array)" = "$(models direct)" ] || bad "other models"
twice=$(cat basin-compare-*.log | grep '^\[' | grep -v 'by another' | sed -E 's/^\[[^ ]* ([^:]*):.*/\1/' | sort | uniq -d)
[ -z "$twice" ] || bad "done twice: $twice"
[ -z "$(find array -name '.lease*')" ] || bad "leases are left"
echo "ok   an array of 3 tasks, one queued again ($restarts starts): 8 trainings, each once, table and models of the direct run"

train="train d.arff --method seal-nce --epochs 3000 $small"
basin $train -q --threads 1 -o whole > table || bad "the direct training"
basin slurm --time 1 --before 58 $train -o limited > limited.sh
job=$(sbatch --parsable limited.sh) || bad sbatch
ended $job
starts=$(grep -c 'task mlc, method' basin-train-$job.log)
[ "$starts" -ge 2 ] || bad "the training was started $starts times"
cmp limited/best.safetensors whole/best.safetensors || bad "another model"
echo "ok   a training that is told in time and queued again: $starts starts, the model of the direct run"
