# Small files that unpack to large ones, in every reader: refused with a line that says why.
# tests/test_memory.c measures the memory that it takes.
try() { "$@" 2>&1 | cut -c1-150; echo "status ${PIPESTATUS[0]}"; }
lines() { head -c "$1" /dev/zero | tr '\0' '\n'; }
long() { head -c "$1" /dev/zero | tr '\0' a; }
much="--set data.max_mb=1"
for packer in gzip xz bzip2 zstd; do
    command -v $packer > which || { echo "skip: no $packer"; exit 77; }
done

echo "== packed more than once"
lines 3000000 | gzip | gzip | gzip > n.csv.gz
lines 3000000 | xz | gzip > x.csv.gz
try basin data inspect n.csv.gz
try basin data inspect x.csv.gz
try basin data inspect n.csv.gz --task tag
try basin data inspect n.csv.gz --task seg
gzip < n.csv.gz | try basin data inspect -

echo "== rows: more than is allowed"
(echo a,b,l; yes 1,2,0 | head -c 3000000) | gzip > d.csv.gz
try basin data inspect d.csv.gz --labels l $much
(echo '@relation x'; echo '@attribute a numeric'; echo '@attribute l {0,1}'; echo '@data'; yes 1,0 | head -c 3000000) | xz > d.arff.xz
try basin data inspect d.arff.xz --labels l $much
yes '1 1:1' | head -c 3000000 | bzip2 > d.libsvm.bz2
try basin data inspect d.libsvm.bz2 $much
yes '{"x": 1, "labels": ["a"]}' | head -c 3000000 | zstd -q > d.jsonl.zst
try basin data inspect d.jsonl.zst $much
(echo 500000 3 2; yes '1 1:1' | head -c 3000000) | gzip > d.xmc.gz
try basin data inspect d.xmc.gz $much
try basin data split d.csv.gz --labels l $much -o part
echo "== and what lies beside them"
printf 'a,b,l\n1,2,0\n3,4,1\n' > s.csv
lines 3000000 | gzip > names.gz
try basin data inspect s.csv --labels names.gz $much
printf '@relation x\n@attribute a numeric\n@attribute l {0,1}\n@data\n1,0\n2,1\n' > s.arff
(echo '<labels>'; yes ' ' | head -c 3000000) | gzip > s.xml
try basin data inspect s.arff $much
seq 100 > many && printf '1 1:1\n2 1:1\n' > s.libsvm
try basin data inspect s.libsvm --labels many --set data.max_labels=50
yes g | head -c 3000000 | gzip > groups.gz
try basin data split s.csv --labels l --groups groups.gz $much -o part

echo "== sentences, vectors, clusters, rules"
yes 'w B-x' | head -c 3000000 | gzip > t.conll.gz
try basin data inspect t.conll.gz --task tag $much
yes 'some words' | head -c 3000000 | gzip > t.txt.gz
try basin data inspect t.txt.gz --task tag --set text.format=text $much
basin data make tag --seed 1 --set rows=30 -o s.conll > made
(yes 'w 1 2 3' | head -c 3000000) | gzip > v.gz
small="--method ce --epochs 1 -q --set report=no"
try basin train s.conll --embeddings v.gz $much $small -o v
(yes '0101 w' | head -c 3000000) | gzip > c.gz
try basin train s.conll --set words.clusters=c.gz $much $small -o c
(yes '# rule' | head -c 3000000) | gzip > r.gz
cut -d' ' -f1 s.conll > u.conll
try basin train s.conll --unlabelled u.conll --rules r.gz $much $small -o r

echo "== images"
basin data make seg --seed 1 --set images=12 --set size=16 -o s.tar > made
mkdir -p bomb/images && cp s.tar bomb/keep && tar xf s.tar -C bomb && head -c 3000000 /dev/zero > bomb/zeros.png
(cd bomb && tar cf - .) | gzip > b.tar.gz
(cd bomb && tar cf - .) | gzip | gzip > b2.tar.gz
try basin data inspect b.tar.gz $much
try basin data inspect b2.tar.gz
echo "== predict"
(echo '@relation x'; echo '@attribute a numeric'; echo '@attribute l {0,1}'; echo '@data'; yes '1,0
2,1' | head -n 100) > p.arff
basin train p.arff --labels l $small -o m > table
try basin predict m d.arff.xz $much -o p.jsonl
try basin eval m d.arff.xz $much
basin train s.conll $small -o tag > table
try basin predict tag t.conll.gz $much -o p.conll
try basin predict tag t.conll.gz --set data.max_rows=1 | tail -n 1

