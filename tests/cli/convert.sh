# Every format holds the same rows: the hash of the content does not change.
basin data make mlc --seed 4 --set rows=120 --set groups=2 --set words=2 --set noise=3 -o d.arff > made
hash() { basin data inspect "$@" --json | tr ',' '\n' | grep hash; }
hash d.arff
for ext in jsonl libsvm csv xmc; do
    basin data convert d.arff -o c.$ext 2> note && echo "converted to $ext"
done
hash c.jsonl
basin data convert c.jsonl -o back.arff 2> note
hash back.arff
basin data split d.arff --shares 50,25,25 --seed 1 -o s 2> note
ls
basin data check d.arff | head -n 1
# rows of one group stay together: 40 groups of three rows each, so parts are multiples of three
i=0; while [ $i -lt 40 ]; do echo g$i; echo g$i; echo g$i; i=$((i + 1)); done > groups
basin data split d.arff --shares 50,50 --groups groups -o g 2> note | awk '/^g-/ { print $1, $2 % 3 }'
head -n 5 groups > short
basin data split d.arff --groups short -o g 2>&1 || echo "status $?"

# pipes give what files give: looking at the task takes nothing away
basin data make tag --seed 1 -o t.conll > made
basin data inspect t.conll 2> note | grep -v ^next > file
basin data inspect - < t.conll 2> note | grep -v ^next | cmp - file && echo "standard input: same"
basin data inspect <(cat t.conll) 2> note | grep -v ^next | cmp - file && echo "a pipe: same"
cat c.jsonl | basin data convert - -o piped.arff 2> note
cmp piped.arff back.arff && echo "label sets from standard input: same"
