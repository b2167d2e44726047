# basin report: the page after a training and by itself, seeds, several runs, what it refuses and
# what it leaves out.
basin data make mlc --seed 3 --set rows=300 -o d.arff > made 2>&1
small="-q --epochs 3 --threads 2 --set net.width=16"
try() { "$@" 2>&1; echo "status $?"; }
sections() { grep -o '<h2>[^<]*</h2>' "$1" | sed 's/<[^>]*>//g' | paste -s -d ';'; }
# without what takes another time each time
steady() { sed '/<h2>Speed and memory/,/<h2>Data/d' "$1"; }
# numbers are not the matter here; what takes another time each time is left out
shape() {
    sed -E '/^Speed and memory/,/^$/d; /^(Labels|Features that matter|Confused labels)$/,/^$/{/^  /d}' |
        sed -E 's/[+-]?[0-9]+\.[0-9]+/N/g; s/[0-9]+ kB/N kB/; s/ +/ /g'
}

echo "== after a training"
mkdir a b
(cd a && basin train ../d.arff $small --method seal-nce -o run | tail -n 2)
(cd b && basin train ../d.arff $small --method seal-nce -o run > table)
sections a/run/report.html
steady a/run/report.html > x
steady b/run/report.html > y
cmp x y && echo "the same training, the same page"
(cd b && basin report run | shape)
grep -o 'Phases: [^<]*' a/run/report.html
sed -n '/<h2>Confused labels/,/<h2>Worst/p' a/run/report.html | grep -o '<table.*><thead>'
steady b/run/report.html > y
cmp x y && echo "made again, the same page"
basin train d.arff $small --method ce --set report=no -o quiet | sed -n '/wrote/p'
ls quiet
mkdir -p taken/report.html
basin train d.arff $small --method ce -o taken 2>&1 | grep -c 'report.html was not written: '
ls taken

echo "== advice"
for layers in 0 1; do
    basin train d.arff -q --threads 2 --method ce --epochs 40 --set net.layers=$layers -o layers$layers > table
    basin report layers$layers -o layers.html | tr '\n' ' ' | grep -c 'use  *less  *of  *a  *net'
done

echo "== seeds and several runs"
basin train d.arff $small --method ce --seeds 2 -o seeds > table
basin report seeds quiet --json > json
grep -o '"left_out": \[\]' json
grep -o '"[a-z]*": \[{"[a-z]*": ' json
grep -o '"run": "[a-z]*", "method": "[a-z]*", "seeds": [0-9], "part": "test", "n": [0-9]*' json
sections report.html
grep -o '<h3>[^<]*</h3>' report.html | sed 's/<[^>]*>//g'
grep -c 'class="band' report.html
# the rows of one seed are those that all seeds were tested on
basin report seeds/seed-1 --json | grep -o '"metrics_tuned": {"example_f1": [0-9.]*' > own
sed -E 's/.*"metrics_tuned": (.*)/\1/' own > x
grep -o '"test_tuned": {"example_f1": [0-9.]*' seeds/seed-1/outcome.json | sed -E 's/"test_tuned": //' > y
cmp x y && echo "the test rows of seed 1"

echo "== tasks"
basin data make tag --seed 1 --set rows=120 -o t.conll > made
basin train t.conll $small --method ce -o tag > table
sections tag/report.html
basin data make seg --seed 1 --set images=24 --set size=16 -o shapes > made
rm "shapes/masks/$(tail -n 1 shapes/splits/test.txt).png" # without a mask nothing is wrong
basin train shapes $small --method ce --set mask.need=no -o seg > table
sections seg/report.html
grep -c '<img class="pixel"' seg/report.html

echo "== nothing from elsewhere, and small"
cat a/run/report.html tag/report.html seg/report.html | grep -c 'https\?:\|@import\|url(\|src="[^d]'
[ "$(wc -c < a/run/report.html)" -lt 400000 ] && echo "small"

echo "== rows by their number in the file"
# of every row that is shown, its first feature is in that row of the file
sed '1,/@data/d' d.arff > rows
sed -n '/<h2>Worst rows/,$p' a/run/report.html | grep '<td class="name">[0-9]*</td>' | head -n 5 |
    sed -E 's/.*"name">([0-9]*)<.*<td class="wrap quiet">([a-z0-9_]*).*/\1 \2/' | while read -r row name; do
    at=$(grep '@attribute' d.arff | cut -d' ' -f2 | grep -nx "$name" | cut -d: -f1)
    sed -n "${row}p" rows | grep -c "[{,]$((at - 1)) 1[,}]"
done

echo "== a complete page stays"
cp -r a/run whole && sed -i 's,\.\./d.arff,gone.arff,' whole/config
try basin report whole | shape
cmp whole/report.html a/run/report.html && echo "as it was"
basin report whole -o poorer.html -q 2> said | shape

echo "== what is not there"
cp -r quiet lost && mv d.arff gone.arff
try basin report lost | shape
sections lost/report.html
grep -o 'class="warn">[^<]*' lost/report.html
mv gone.arff d.arff
basin data make mlc --seed 4 --set rows=300 -o d.arff > made 2>&1
try basin report lost | shape
basin data split d.arff -o part > split
basin train part-train.arff --valid part-valid.arff --test part-test.arff $small --method ce -o files > table
rm part-train.arff
try basin report files -o files.html | shape
try basin report files | tail -n 1
cp part-valid.arff part-test.arff
try basin report files -o files.html 2>&1 | grep -o 'part-test.arff has changed.*'
basin train - $small --labels last:24 --method ce -o piped < d.arff > table 2>&1
try basin report piped -o piped.html < /dev/null | shape
cp -r quiet half && rm half/best.safetensors
try basin report half | shape
sections half/report.html
printf '{"epoch": 4, "phase": "cro' >> half/metrics.jsonl # killed
try basin report half -q | shape | tail -n 2
echo 'not JSON' > half/metrics.jsonl
try basin report half
rm half/metrics.jsonl
try basin report half
try basin report quiet -o no/such/folder.html

echo "== misuse"
try basin report
try basin report nowhere
try basin report d.arff
try basin report shapes
try basin report quiet tag
try basin report quiet --threads 0
