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
