# Labels, words and names of files that are commands to a terminal, or lines of their own: tables,
# notes and messages show them, formats for machines keep them.
esc=$'\033[2J' csi=$'\302\2332J' turn=$'\342\200\256' nl=$'\nFORGED'
# Prints what a terminal would obey, or a line that a name has begun: nothing, if all is well.
look() { cat >> seen; LC_ALL=C grep -a -n -P '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|^FORGED' seen | cat -v; : > seen; }
check() { "$@" > all 2>&1; echo "status $?"; look < all; }
small="--method seal-nce --epochs 1 --set net.width=4 --set samples=2"

echo "== rows"
d="d$esc$turn$nl.csv" run="run$csi$nl"
printf '"x%s%s",y,"l%s","m%s%s","k%s"\n' "$esc" "$nl" "$esc" "$csi" "$nl" "$turn" > "$d"
awk 'BEGIN { for (i = 0; i < 80; i++) printf "%d,%d,%d,%d,%d\n", i % 7, i % 5, (i % 7 > 3), (i % 5 > 2), i % 2 }' >> "$d"
check basin data inspect "$d" --labels last:3
check basin data check "$d" "$d" --labels last:3
check basin data split "$d" --labels last:3 -o "part$esc"
check basin data make mlc --set rows=20 -o "made$esc$nl.arff"
check basin train "$d" --labels last:3 $small -o "$run"
check basin eval "$run" "$d" --per-label; tail -n 3 all | cut -d" " -f1
check basin explain "$run" "$d" --row 1 -o e.html
check basin report "$run"
check basin compare "$d" --labels last:3 --methods ce --seeds 1 --epochs 1 -o "cmp$esc$nl"
check basin tune "$d" --labels last:3 --method ce --trials 1 --epochs 1 -o "tune$esc$nl"
check basin train "missing$esc$nl"; cat all
check basin train "$d" --labels "z$esc$nl"
check basin train "$d" --set "key$csi$nl=1"
check basin "verb$esc$nl"
check basin train "--opt$csi$nl"
check basin eval "no$turn$nl" "$d"
sed '3s/^[^,]*/'"$esc/" "$d" > bad.csv
check basin predict "$run" bad.csv
# the command that is proposed is one that works
eval "$(basin data inspect "$d" --labels last:3 | sed -n 's/^next     //p')" --method ce --epochs 1 -q -o again > table && echo trained

echo "== JSON has the very names, and no terminal obeys it"
basin eval "$run" "$d" --per-label --json > j && look < j
basin predict "$run" "$d" > p && look < p
grep -o '"label": "[^"]*"' j
echo "== CSV and its line ends"
basin predict "$run" "$d" --format csv > p.csv
head -n 3 p.csv | cat -v
basin data inspect p.csv --labels last:3 --json | grep -o '"rows": [0-9]*'

echo "== sentences"
awk -v e="$esc" -v t="$turn" 'BEGIN { for (i = 0; i < 60; i++) printf "w%s%d B-t%s\nx%s O\n\n", e, i % 9, e, t }' > t.conll
check basin data inspect t.conll
sed 's/B-t/B-u/' t.conll > u.conll
check basin data check t.conll u.conll
check basin train t.conll --method ce --epochs 1 -o "tag$esc$nl"
check basin eval "tag$esc$nl" t.conll --per-label
check basin eval "tag$esc$nl" u.conll --per-label
check basin eval "tag$esc$nl" t.conll --conlleval

echo "== images"
basin data make seg --seed 1 --set images=12 --set size=16 -o s.tar > made
printf 'back%s\nfore%s\n' "$esc" "$csi" > names
check basin data inspect s.tar --set mask.names=names
check basin train s.tar --set mask.names=names --method ce --epochs 1 --set net.width=4 -o seg
check basin eval seg s.tar --per-label
