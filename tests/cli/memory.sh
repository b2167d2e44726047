# Little address space: whatever the limit, a call succeeds or says in one line that memory ran out. None
# waits for ever (OpenBLAS does, when it gets no buffer), dies, or ends the process of a host.
if nm "$BASIN" 2> /dev/null | grep -q "__[at]san_init"; then
    echo "skip: sanitizers need more address space than a limit leaves"
    exit 77
fi
export OPENBLAS_NUM_THREADS=2 # it prepares for every core, however many there are
basin data make mlc --seed 3 --set rows=200 --set groups=16 -o d.arff > made
basin data make tag --seed 3 --set rows=40 -o t.conll > made
basin data make seg --seed 3 --set images=8 --set size=16 -o s.tar > made
small="-q --epochs 1 --set report=no --threads 2"
basin train d.arff $small --method seal-nce -o m > table
basin train t.conll $small --method infnet+ --set net.width=128 -o t > table
basin train s.tar $small --method ce --set net.width=48 -o s > table

# limited KIB COMMAND...: "done", or the message without what depends on the machine
limited() {
    local limit=$1
    shift
    (ulimit -c 0; ulimit -v "$limit"; timeout 60 "$@" > out 2> err)
    case $? in
    0) echo "done" ;;
    1) sed -e 's/;.*//' -e 's/[0-9][0-9]*/N/g' err ;;
    124) echo "hangs" ;;
    *) echo "dies: $(head -n 1 err)" ;;
    esac
}

echo "== 300000 KiB"
limited 300000 basin list tasks
limited 300000 basin data inspect d.arff
limited 300000 basin train d.arff $small --method ce -o small
limited 300000 basin predict m d.arff
limited 300000 basin eval t t.conll
limited 300000 basin predict s s.tar

echo "== more and more"
for limit in 150000 250000 400000 440000 480000 500000 530000 560000 600000 640000 700000 800000 1000000; do
    rm -rf run
    limited $limit basin train d.arff $small --method seal-nce -o run
    limited $limit basin predict m d.arff --threads 2
    limited $limit basin predict t t.conll --threads 2
    limited $limit basin predict s s.tar --threads 2
done | sed 's/^basin: out of memory.*/basin: out of memory/' | sort -u

echo "== no thread can be started: one is enough"
basin train d.arff $small --method ce -o whole > table
(ulimit -s 2000000 2> /dev/null && ulimit -v 1900000 && exec timeout 60 basin train d.arff $small --method ce -o alone > table 2>&1) ||
    cat table
cmp whole/best.safetensors alone/best.safetensors && echo "same model"

echo "== a host that limits itself"
cat > host.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "basin.h"
int main(int argc, char **argv)
{
    const struct rlimit limit = {strtoul(argv[argc - 1], NULL, 10) << 10, RLIM_INFINITY};
    basin_error         err = {0};
    basin_model        *m = NULL;
    basin_predictor    *p = NULL;
    setrlimit(RLIMIT_AS, &limit);
    printf("model: %d\n", basin_model_load("m", &m, &err));
    printf("predictor: %s\n", basin_predictor_new(m, 2, &p, &err) == BASIN_ENOMEM ? "ENOMEM" : err.msg);
    basin_predictor_free(p);
    basin_model_free(m);
    return 0;
}
END
cc -std=c11 -D_DEFAULT_SOURCE -I "$TOP/include" host.c "$BUILD/libbasin.so" -Wl,-rpath,"$BUILD" -o host
timeout 60 ./host 300000; echo "status $?"
