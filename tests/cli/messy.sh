# Forty files as people have them, and what happens to each: the table of docs/files.md.
n=0
look() { # WHAT ARGUMENTS...: what inspect says, without what it always says
    n=$((n + 1)); echo "$n. $1"; shift
    basin data inspect "$@" 2>&1 | sed -n 's/^inputs   \([0-9]* features\).*/\1/p; s/^labels   \([0-9]*\).*/\1 labels/p
        /first line holds the names\|have no label/!s/^note  *//p; s/^basin: //p' | sed 's/^/    /'
}
twenty() { for i in $(seq 20); do eval "echo \"$1\""; done; } # LINE with $i, and $((...)) of it

{ echo a,b,y; twenty '$((i % 7)),$((i * i % 11)),$((i % 2))'; } > plain.csv
look "CSV, labels not named" plain.csv
look "CSV, labels named" plain.csv --labels y
tr , ';' < plain.csv | sed '1!s/;/,5;/' > comma.csv
look "semicolons and decimal commas" comma.csv --labels y
{ echo 'a;y'; twenty '$((i % 7 + 1)),$((i + 100));$((i % 2))'; } > thousand.csv
look "1,234: thousands or decimals?" thousand.csv --labels y
look "the same, when told" thousand.csv --labels y --set data.decimal=point
tr , '\t' < plain.csv > tab.tsv
look "tabs" tab.tsv --labels y
sed '1s/^/\xef\xbb\xbf/; s/$/\r/' plain.csv > dos.csv
look "byte order mark and Windows line ends" dos.csv --labels y
{ printf '\377\376'; sed 's/./&\x00/g' plain.csv | tr '\n' '\001' | sed 's/\x01/\n\x00/g'; } > u16.csv
look "UTF-16" u16.csv --labels y
{ echo a,b,y; twenty '$((i % 7)),K\\\\xf6ln,$((i % 2))' | sed 's/\\\\xf6/\xf6/'; } > latin1.csv
sed -i '3s/K.ln/Bonn/' latin1.csv
look "Latin-1 texts" latin1.csv --labels y
sed 1d plain.csv > bare.csv
look "no header" bare.csv --labels last:1
{ echo ,a,b,y; sed 1d plain.csv | awk '{ print NR - 1 "," $0 }'; } > index.csv
look "the index that pandas writes" index.csv --labels y
{ echo user_id,a,y; twenty '$((i * 7919 % 100003)),$((i % 7)),$((i % 2))'; } > id.csv
look "identifiers" id.csv --labels y
{ echo when,a,y; twenty '2024-01-$((i % 9 + 10)),$((i % 7)),$((i % 2))'; } > date.csv
look "dates" date.csv --labels y
{ echo review,a,y; twenty 'it was a very $i fine film,$((i % 7)),$((i % 2))'; } > text.csv
look "texts" text.csv --labels y
cut -d, -f1,3 text.csv > only.csv
look "nothing but texts" only.csv --labels y
{ echo a,y,z; twenty '$((i % 7)),ja,nein'; twenty '$i,nein,ja'; } > ja.csv
look "yes and no in another language" ja.csv --labels y,z
look "the same, when told" ja.csv --labels y,z --true ja --false nein
{ echo a,y,z; twenty '$((i % 7)),x,'; twenty '$i,,x'; } > cross.csv
look "crosses" cross.csv --labels y,z
{ echo a,tags; twenty "\$((i % 7)),\\\"['red', 'big']\\\""; twenty "\$i,[]"; } > pandas.csv
look "lists that pandas wrote" pandas.csv
{ echo a,tags; twenty '$((i % 7)),red|big'; twenty '$i,red'; } > bar.csv
look "labels with bars between" bar.csv
{ echo a,b,y; twenty '$((i % 7)),NA,1'; twenty '$i,$i.5,0'; } > na.csv
look "NA, empty cells" na.csv --labels y
{ echo a,b,y; twenty '$((i % 7)),$((i % 3)).5,$((i % 2))'; echo 1,n.a.!,1; } > odd.csv
look "one cell that is no number" odd.csv --labels y
sed '5s/$/,9/' plain.csv > more.csv
look "a row with one cell too many" more.csv --labels y
look "a column left out" plain.csv --labels y --drop b
look "a name that is mistyped" plain.csv --labels Y
cut -d, -f1,2 plain.csv > X.csv; cut -d, -f3 plain.csv > Y.csv
look "X and Y as two files" X.csv Y.csv
head -n 9 Y.csv > short.csv
look "Y with fewer rows" X.csv+short.csv
npy() { printf "\\223NUMPY\\1\\0\\$(printf %03o ${#1})\\0%s" "$1"; printf "$2"; }
npy "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 2), }" '\1\0\2\0\3\0\4\0\5\0\6\0' > F.npy
npy "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 2), }" '\1\0\0\1\1\1' > L.npy
look "npy, Fortran order" F.npy L.npy
look "npy without labels" F.npy
npy "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }" 'pickle' > O.npy
look "npy of Python objects" O.npy
echo '{"a": 1, "home": {"city": "Bonn", "rooms": 3}, "y": true}
{"a": 2, "home": {"city": null, "rooms": 2}, "y": false}
{"a": 0, "home": {"city": "Ulm"}, "y": true}' > nested.jsonl
look "JSONL, nested, labels true and false" nested.jsonl --labels y
echo '{"words": {"a": 1}, "labels": ["p"]}
{"words": {"b": 2}, "labels": ["q"]}
{"words": {"c": 1}, "labels": ["p", "q"]}' > bag.jsonl
look "JSONL, bags of words" bag.jsonl
echo '{"a": 1, "genres": ["p", "q"]}
{"a": 2, "genres": []}' > genres.jsonl
look "JSONL, labels under another name" genres.jsonl --labels genres
echo '[{"a": 1, "labels": ["p"]}]' > list.json
look "one JSON list" list.json
printf 'PAR1xxxx' > d.parquet
look "Parquet" d.parquet
printf 'PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\23\0\0\0[Content_Types].xml' > d.xlsx
look "Excel" d.xlsx
printf '\200\4\225' > d.pkl
look "a pickle" d.pkl
printf '@relation %s\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute c {0,1}\n@data\n1,0,1\n0,1,1\n' "'d: -C 1'" > d.arff
printf '<labels><label name="c"/></labels>' > d.xml
look "ARFF that says one thing, its XML another" d.arff
look "the same, when told" d.arff --xml d.xml
: > empty.csv
look "an empty file" empty.csv
