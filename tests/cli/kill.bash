# Kills runs of $train into the folder `killed`; read by tests of resuming.

lines() { # of a record
    local line=()
    [ -e "$1" ] && mapfile -t line < "$1"
    echo ${#line[@]}
}

# Starts or resumes a run and kills it once it has recorded so many epochs; true if it had not ended.
kill_after() {
    $train --threads 2 --set checkpoint.seconds=0 --resume -o killed > table 2> messages &
    local pid=$!
    while kill -0 $pid 2> /dev/null && [ "$(lines killed/metrics.jsonl)" -lt "$1" ]; do
        sleep 0.002
    done
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
    [ ! -e killed/best.safetensors ]
}

# On a busy machine a run may end before it is hit: then once more.
kill_at_all_stops() {
    local try stop
    for try in 1 2 3 4 5; do
        rm -rf killed
        for stop in $stops; do
            kill_after "$stop" || continue 2
        done
        return 0
    done
    return 1
}
