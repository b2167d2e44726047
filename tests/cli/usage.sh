# What the tool says when it is asked, or asked wrongly. Status 2 = misused.
try() { "$@" 2>&1; echo "status $?"; }
basin --version
try basin
try basin trian
try basin "trán"
try basin train
try basin train x.arff --metod ce
try basin train x.arff --seeds zero
try basin train x.arff --set epochs=ten
try basin train x.arff --epochs 0
try basin train x.arff --set net.widht=3
try basin train x.arff --set nonsense
try basin train x.arff --preset seal/bibtx
try basin train x.arff --resume
try basin eval
try basin predict m
try basin list things
try basin data
try basin data inspekt f
try basin data make
try basin list methods
for verb in $(basin --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do try basin "$verb" --nonsense; done
long=$(printf 'x%.0s' $(seq 2000))
for words in 'train x.conll' 'eval m x.conll' 'predict m x.conll' 'model threshold m x.conll'; do
    try basin $words --tag-column "$long"
done

echo "== lists, in words and in JSON"
for what in methods energies encoders tasks readers metrics presets options space generators; do
    basin list $what > words
    [ "$(wc -l < words)" -ge 3 ] || echo "$what: $(wc -l < words) lines"
    echo "$what: $(basin list $what --json | cut -c 1-$((${#what} + 4)))"
done
for what in methods energies encoders tasks readers metrics presets devices; do
    basin list $what --json | grep -o '"[^"]*"' | tail -n +2 | tr -d '"' | cmp - <(basin list $what | cut -d ' ' -f 1)
done && echo "the same names"
basin list devices
basin train nowhere.arff --task mlc --device gpu 2>&1; echo "status $?"
basin predict nowhere nowhere.arff --device gpu 2>&1; echo "status $?"
basin doctor | grep -v oneDNN | cut -d ' ' -f 1 | paste -sd ' '
basin doctor --json | cut -c 1-12

echo "== presets fit their methods"
basin list presets | tr -d , | while read -r preset task methods; do
    case $methods in *'all methods') methods=infnet+ ;; esac
    for method in ce $methods; do
        basin train nowhere.arff -q --task $task --preset $preset --method $method 2>&1 | sed "s|^|$preset $method: |"
    done
done > tried
grep -v ': basin: nowhere.arff: no such file$' tried
[ "$(wc -l < tried)" -gt 100 ] && echo "more than 100 pairs"
basin list presets | awk 'NF < 3' # each says for which methods it is

echo "== where the time goes"
basin data make mlc --seed 1 --set rows=60 -o d.arff > made 2>&1
BASIN_PROFILE=1 basin train d.arff -q --epochs 1 --method ce --threads 1 -o run 2> times > table
grep -q matmul times && echo "products are timed"
awk '$1 == "profile:" { if ($4 < 1) print "has not run"; n++; next } $1 != "part" { rows++ }
    END { if (n && rows > 3 * n) print "step by step" }' times
