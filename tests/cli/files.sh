# Files of rows with labels: what is written must be read back, and nothing is lost in silence.
try() { "$@" 2>&1; echo "status $?"; }
basin data make mlc --seed 3 --set rows=60 --set groups=2 --set words=2 --set noise=2 -o d.arff > made

# parts have names of their own, one each
try basin data split d.arff -o spl --shares 80,20 --names a,a
try basin data split d.arff -o spl --shares 50,50 --names a
try basin data split d.arff -o spl --shares 50,50 --names a,
ls spl* 2> none || echo "nothing written"

# a word and a label of one name, in formats where both are columns; rows called id beside a feature id
printf '%s\n' '{"id":"x","features":{"python":1,"id":2},"labels":["python"]}' \
    '{"id":"y","features":{"id":3},"labels":["java"]}' > so.jsonl
try basin data convert so.jsonl -o so.arff
try basin data convert so.jsonl -o so.csv
tail -n 3 so.arff; cat so.csv
basin data convert so.arff -o so2.jsonl 2> note; cat so2.jsonl
basin data inspect so.csv --labels python,java | grep ^labels
printf '%s\n' '{"features":{"a":1},"labels":["id","two\nlines"]}' '{"features":{"a":3},"labels":["id"]}' > br.jsonl
try basin data convert br.jsonl -o br.libsvm
try basin data convert br.jsonl -o br.csv

# files beside the written one: replaced with it, never somebody's own
basin data convert so.jsonl -o st.libsvm 2> note; cat st.labels
printf '1,5 1:2\n9 2:1\n' > num.libsvm
try basin data convert num.libsvm -o st.libsvm
ls st*
echo 'mine' > own.xml
try basin data convert num.libsvm -o own.arff
cat own.xml; ls own*

# what a format cannot hold
printf 'f1,f2,f3,l1,l2\n1,0,0,1,0\n2,0,0,1,0\n' > z.csv
try basin data convert z.csv --labels last:2 -o z.jsonl
try basin data convert z.csv --labels last:2 -o z.libsvm
printf '1 1:1\n7 1:2\n' > n.libsvm; printf '1\n7\n9\n' > n.labels
try basin data convert n.libsvm -o n2.libsvm

# cells that are not what their column is
{ echo price,b,l; for i in $(seq 20); do echo $((i % 7)).5,$i.5,$((i % 2)); done; echo -,1,1; } > dash.csv
basin data inspect dash.csv --labels l | grep note
try basin data check dash.csv --labels l
{ echo 'price;l'; for i in $(seq 20); do echo "$i,5;$((i % 2))"; done; } > comma.csv
try basin data check comma.csv --labels l
printf '@relation x\n@attribute c {red,green,blue}\n@attribute n numeric\n@attribute l {0,1}\n@data\n?,?,0\nred,1,1\nblue,2,?\n' > miss.arff
basin data inspect miss.arff --labels l | grep 'missing\|open'

# the next command works as it stands; several files are checked against the first
cp d.arff "my d;1.arff"; cp d.xml "my d;1.xml"
basin data inspect "my d;1.arff" d.arff --xml d.xml --set data.max_rows=1000 | tail -n 1
basin data inspect d.arff --task mlc --labels 'pick1_?' | tail -n 1
basin data check d.arff d.arff | grep 'file\|against\|next'
printf '{"features":{"noise_1":1},"labels":["other"]}\n' > other.jsonl
basin data convert d.arff -o dj.jsonl 2> note
basin data check dj.jsonl other.jsonl dj.jsonl > table; echo "status $?"; grep 'file\|problem\|next' table
basin data split d.arff -o 'sp"q' --shares 50,50 --json 2> note | cut -c1-36
printf 'a,never,l1\n1,0,1\n2,0,0\n' > never.csv
basin data inspect never.csv --labels never,l1 | sed -n 3,6p

# columns that only number or name the rows
{ echo ,x,l; for i in 7 3 9 11 2 0 4 5 1 8; do echo $i,$((i % 3)).5,$((i % 2)); done; } > pd.csv
basin data inspect pd.csv --labels l | grep '^inputs\|identifier'
printf ',x,l\n0,1.5,0\n1,2.5,1\n' > pd2.csv
basin data inspect pd2.csv --labels l | grep '^inputs\|identifier'
{ echo time,x,l; for i in $(seq 12); do echo $i,$((i % 3)).5,$((i % 2)); done; } > count.csv
basin data inspect count.csv --labels l | grep '^inputs\|counts'
for i in $(seq 20); do echo "{\"title\":\"t$i\",\"c\":\"c$((i % 3))\",\"labels\":[$((i % 2))]}"; done > text.jsonl
basin data inspect text.jsonl | grep '^inputs\|identifier'
sed 's/,"c":"c."//' text.jsonl > only.jsonl
basin data inspect only.jsonl | grep '^inputs\|identifier'

# rows that are all zero are rows to a model
basin train text.jsonl -q --method ce --epochs 1 -o zero > table
echo '{"features":{}}' | basin predict zero - | wc -l
{ for i in $(seq 5000); do echo '{}'; done; echo '{"c":"c1"}'; } > zero.jsonl
basin predict zero zero.jsonl | wc -l

# labels that are numbers, as names of columns
printf '1,5 1:2 3:0.5\n 2:1\n1 1:3\n9 2:2\n' > u.libsvm
basin data convert u.libsvm -o u.csv 2> note; head -n 2 u.csv
basin data inspect u.csv --labels last:3 | grep '^labels'
basin data inspect u.csv --labels 1,5,9 | grep '^labels'
sed 's/"//g' u.csv > bare.csv
basin data inspect bare.csv --labels 1,5,9 | grep '^labels'
printf '0,1\n0.5,1\n1.5,0\n' > two.csv
try basin data inspect two.csv --labels 1
printf '7,2,3\n0.5,1,0\n1.5,0,1\n' > row.csv
try basin data inspect row.csv --labels last:2

# rows without names: those to predict have no labels
for i in $(seq 20); do echo "$((i % 2)),$((i % 3 / 2)),$((i % 2)).5,$((i % 3)).25"; done > rows.csv
basin train rows.csv -q --labels first:2 --method ce --epochs 1 -o rows > table
basin predict rows rows.csv > all.jsonl
cut -d, -f3- rows.csv > bare.csv
basin predict rows bare.csv | cmp - all.jsonl && echo "without labels: same"

# labels that were not chosen are no features
basin data inspect d.arff | grep '^inputs' | cut -d, -f1
basin data inspect d.arff --labels pick1_a,pick1_b | grep '^inputs\|^labels\|are left out' | cut -d, -f1-4
basin train d.arff --labels pick1_a -q --method ce --epochs 1 -o one > table
basin eval one d.arff > table && echo "evaluated"
basin predict one d.arff | wc -l

# more digits than are kept
printf 'a,l\n16777217,1\n2,0\n' > big.csv
basin data inspect big.csv --labels l | grep rounded
printf '{"a":16777219,"labels":["l"]}\n{"a":20000000,"labels":[]}\n' > big.jsonl
basin data inspect big.jsonl | grep rounded

# what is wrong with a file, and options that mean nothing to it
printf '1 1:2 2:nan\n2 1:1\n' > nan.libsvm; try basin data inspect nan.libsvm
printf '1 1:2 -1:4\n2 1:1\n' > minus.libsvm; try basin data inspect minus.libsvm
printf '[\n {"a": 1, "labels": ["x"]},\n {"a": 2, "labels": []}\n]\n' > list.json; try basin data inspect list.json
printf 'a,l\r1,0\r2,1\r' > mac.csv; try basin data inspect mac.csv --labels l
try basin data inspect u.libsvm --labels 1
basin data inspect so.jsonl --labels a --set data.header=no | grep 'not used'
basin data inspect u.libsvm --xml d.xml | grep 'not used'
basin data inspect u.csv --labels 1,5,9 --set data.label_sep=';' --xml d.xml | grep 'not used'

# parts are rows of the file as they stand there
{ printf 'patient_id,date,sex,note,l1\r\n'; for i in $(seq 30); do printf '10%02d,2020-01-%02d,%s,"a\nb, c%d",%d\r\n' $i $i $([ $((i % 3)) = 0 ] && echo M || echo F) $((i % 4)) $((i % 2)); done; } > p.csv
basin data split p.csv --labels l1 -o p --shares 50,50 2> note > table; cat note
head -n 3 p-train.csv
tail -qn +2 p-train.csv p-test.csv | sort | cmp - <(tail -n +2 p.csv | sort) && echo "csv: the same bytes"
basin train p-train.csv -q --labels l1 --method ce --epochs 1 -o whole > table
basin eval whole p.csv > table && echo "the whole is like its parts"
printf '%% c\n@relation x\n@attribute c {red,green}\n@attribute l {0,1}\n@data\nred,1\n%% no row\ngreen,0\nred,0\n\ngreen,1' > c.arff
basin data split c.arff --labels l -o c --shares 50,50 2> note > table; cat note
cat c-train.arff; tail -n 2 c-train.xml
basin data split u.libsvm -o up --shares 50,50 2> note > table; cat note up-*
printf '1 1:2\n# no row\n2 2:1 # c\n1 3:4\n3 1:1\n' > l.libsvm; printf 'x\ny\nz\nw\n' > l.labels
basin data split l.libsvm -o lp --shares 50,50 2> note > table; cat note; sort lp-*.libsvm; cat lp-test.labels
printf '1 0:2\n1 2:1\n1 3:4\n1 1:1\n' > b.libsvm
basin data split b.libsvm -o bp --shares 50,50 2> note > table; cat note
basin data split so.jsonl so.jsonl -o two --shares 50,50 2> note > table; cat note
basin data split text.jsonl -o tx --shares 50,50 2> note > table; cat tx-* | sort | cmp - <(sort text.jsonl) && echo "jsonl: the same bytes"

# options that leave nothing, or would count for nothing
printf 'a,b,y\n1,2,0\n3,4,1\n' > aby.csv
printf '{"a": 1, "y": true}\n{"a": 2, "y": false}\n' > ay.jsonl
try basin data inspect aby.csv --labels y --drop a,y
try basin data inspect ay.jsonl --labels y --drop y
