# The same 600 rows give the same bytes of model, whatever file they are read from.
train() { basin train "$@" -q --method ce --epochs 3 --seed 4 --set net.width=16 --set report=no > table; }

# bytes as numbers: an array of numpy is its header and these bytes
awk 'BEGIN { srand(7); for (r = 0; r < 600; r++) {
    line = ""; for (i = 0; i < 6; i++) { x[i] = int(rand() * 256); if (rand() < .1) x[i] = 0; line = line x[i] " " }
    print line (x[0] + x[1] > 250) " " (x[2] > 130) " " (x[3] > 40 && x[4] < 200) } }' > rows
array() { # TYPE SHAPE < numbers
    head="{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
    printf "\\223NUMPY\\1\\0\\$(printf %03o ${#head})\\0%s" "$head"
    printf "$(awk '{ for (i = 1; i <= NF; i++) printf "\\%03o", $i }')"
}
cut -d' ' -f1-6 rows | array '|u1' '(600, 6)' > X.npy
cut -d' ' -f7-9 rows | array '|b1' '(600, 3)' > Y.npy

{ echo x0,x1,x2,x3,x4,x5,y0,y1,y2; tr ' ' , < rows; } > d.csv
cut -d, -f1-6 d.csv > X.csv; cut -d, -f7-9 d.csv > Y.csv
awk '{ printf "{"; for (i = 1; i < 7; i++) printf "\"x%d\": %s, ", i - 1, $i
       for (i = 7; i < 10; i++) printf "\"y%d\": %s%s", i - 7, $i ? "true" : "false", i < 9 ? ", " : "}\n" }' rows > d.jsonl
{ echo @relation d; for i in 0 1 2 3 4 5; do echo "@attribute x$i numeric"; done
  for i in 0 1 2; do echo "@attribute y$i {0,1}"; done; echo @data; tr ' ' , < rows; } > d.arff
{ sed /@data/q d.arff; awk '{ printf "{"; c = ""; for (i = 1; i <= NF; i++) if ($i != 0) { printf "%s%d %s", c, i - 1, $i; c = "," }
  print "}" }' rows; } > sparse.arff
# decimal commas, UTF-16, the index that pandas writes
sed 's/,/;/g; 1!s/\([0-9]\);/\1,0;/1' d.csv > comma.csv
{ printf '\377\376'; sed 's/./&\x00/g' d.csv | tr '\n' '\001' | sed 's/\x01/\n\x00/g'; } > u16.csv
awk -F, 'NR == 1 { print "," $0 } NR > 1 { print NR - 2 "," $0 }' d.csv > index.csv

train d.csv --labels 'y*' -o csv
same() { name=$1; shift; train "$@" -o "run-$name" && cmp csv/best.safetensors "run-$name/best.safetensors" && echo "$name: same model"; }
same jsonl d.jsonl --labels 'y*'
same arff d.arff --labels 'y*'
same sparse-arff sparse.arff --labels 'y*'
same npy X.npy Y.npy
same npy-in-one-word X.npy+Y.npy
same two-csv X.csv Y.csv
same beside X.npy
same decimal-commas comma.csv --labels 'y*'
same utf-16 u16.csv --labels 'y*'
same index index.csv --labels 'y*'
basin data convert d.csv --labels 'y*' -o again.jsonl 2> note
sed -n 1p again.jsonl | grep -o '"features":{"x0":[0-9]*,"x1"'
basin data convert d.jsonl --labels 'y*' -o again.arff 2> note
same converted again.arff

# a model takes each of them, with labels or without
for f in d.csv d.jsonl d.arff X.npy X.csv u16.csv comma.csv; do basin predict csv $f --scores > "$f.out" 2> note; cmp d.csv.out "$f.out" && echo "$f: same predictions"; done
for f in d.csv d.jsonl d.arff "X.npy Y.npy" X.npy+Y.npy "X.csv Y.csv"; do basin eval csv $f | sed -n 2p > eval; [ -e first ] || cp eval first; cmp first eval && echo "$f: same scores"; done
basin predict csv X.npy Y.npy 2>&1 > none

# what was said about the columns when it was trained need not be said again
awk -F, 'BEGIN { OFS = "," } NR == 1 { print $0, "junk" } NR > 1 { for (i = 7; i < 10; i++) $i = $i ? "ja" : "nein"; print $0, "j" NR % 5 }' d.csv > ja.csv
train ja.csv --labels 'y*' --true ja --false nein --drop junk -o ja
basin eval ja ja.csv | sed -n 2p | cmp - first && echo "ja.csv: same scores"
cut -d' ' -f1-8 rows | array '|u1' '(600, 8)' > wide.npy
basin predict csv wide.npy 2>&1 || echo refused
