# Who writes a row and waits gets its answer, before the input ends; answers do not depend on how rows arrive.
awk 'BEGIN {
    print "age,colour,size,label_a,label_b"
    for (i = 0; i < 600; i++)
        print i % 70 "," (i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "blue") "," i % 7 / 7 "," (i % 70 > 30) "," (i % 3 == 0)
}' > d.csv
small="-q --method ce --epochs 2 --set net.width=16 --set report=no"
basin train d.csv $small -o run > table 2> said
cut -d, -f1-3 d.csv > x.csv
awk -F, 'NR > 1 { print "{\"age\": " $1 ", \"colour\": \"" $2 "\", \"size\": " $3 "}" }' x.csv > x.jsonl

# ask NAME MODEL OPTION...: lines of standard input one by one, each with its answer before the next
ask() {
    local name=$1 line answer heads=$2 n=0
    shift 2
    coproc P { exec basin predict "$@" 2> "$name.err"; }
    local pid=$P_PID
    exec 5>&"${P[1]}" 6<&"${P[0]}"
    eval "exec ${P[1]}>&- ${P[0]}<&-"
    : > "$name.out"
    while IFS= read -r line; do
        printf '%s\n' "$line" >&5
        if [ "$heads" -gt 0 ]; then heads=$((heads - 1)); continue; fi
        IFS= read -r -t 60 -u 6 answer || { echo "no answer"; break; }
        printf '%s\n' "$answer" >> "$name.out"
        n=$((n + 1))
    done
    exec 5>&-
    cat <&6 >> "$name.out"
    exec 6<&-
    wait "$pid" && echo "$name: $n answers while the input was open"
}
head -n 41 x.csv | ask csv 1 run - --scores
head -n 40 x.jsonl | ask jsonl 0 run - --scores
cmp csv.out jsonl.out && echo "tables and JSON: same"
head -n 41 x.csv | cat | basin predict run - --scores | cmp - csv.out && echo "at once: same"
(head -n 7 x.csv; sleep 0.3; tail -n +8 x.csv) | basin predict run - --scores > two
cat x.csv | basin predict run - --scores | cmp - two && echo "in two parts: same"
mkfifo pipe
(cat x.jsonl > pipe &) ; basin predict run pipe --scores | cmp - two && echo "a named pipe: same"
printf 'age,colour,size\n3,"re\nd",1\n4,red,1\n' | basin predict run - 2> said | wc -l
printf 'id,age,colour,size\n7,4,red,1\n' | basin predict run - 2> said | cut -d, -f1
printf 'age,colour,size\n3,red,1\n4,red,1,9\n' | basin predict run - 2>&1 > p | cut -d';' -f1
printf 'age,colour,size\n3,"red,1\n4,red,1\n' | basin predict run - 2>&1 > p
printf '{"age": 3}\n{"age": 4\n' | basin predict run - 2>&1 > p | cut -d: -f1-3

echo "== sentences"
basin data make tag --seed 1 --set rows=120 -o t.conll > made
basin train t.conll $small -o tags > table 2> said
cut -d' ' -f1 t.conll | paste -s -d' ' | sed 's/  */ /g' | fold -s -w 60 | head -n 30 > t.txt
ask text 0 tags - --set text.format=text --format jsonl < t.txt
basin predict tags t.txt -q --set text.format=text --format jsonl | cmp - text.out && echo "a file: same"
sed 's/.*/{"text": "&"}/' t.txt | ask spans 0 tags -
sed 's/.*/{"text": "&"}/' t.txt > t.jsonl
basin predict tags t.jsonl -q | cmp - spans.out && echo "a file: same"
printf '{"text": "", "id": 1}\n{"text": "x"}\n{"text": ""}\n' | ask empty 0 tags -
cut -d, -f1-2 empty.out
cat t.conll | basin predict tags - -q | cmp - <(basin predict tags t.conll -q) && echo "columns: same"

# columns: a sentence ends at a blank line, and has its answer before the next one is written
coproc P { exec basin predict tags - -q; }
exec 5>&"${P[1]}" 6<&"${P[0]}"
head -n 200 t.conll | while IFS= read -r line; do
    printf '%s\n' "$line" >&5
    while [ -z "$line" ] && IFS= read -r -t 60 -u 6 answer; do
        printf '%s\n' "$answer"
        [ -n "$answer" ] || break
    done
done > columns.out
[ -s columns.out ] && head -n "$(wc -l < columns.out)" t.conll | basin predict tags - -q | cmp - columns.out &&
    echo "columns: every sentence was answered while the input was open"
exec 5>&- 6<&-
eval "exec ${P[1]}>&- ${P[0]}<&-"
