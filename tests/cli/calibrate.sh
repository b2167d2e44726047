# A net that is too sure of itself: calibrated on validation rows it errs less about itself on test rows, and decides as before.
try() { "$@" 2>&1; echo "status $?"; }
ece() { basin eval "$1" "$2" --json | sed -E 's/.*"ece": ([0-9.]+).*/\1/'; }
basin data make mlc --seed 5 --set rows=900 --set groups=3 -o d.arff > made
basin data split d.arff -q --shares 20,40,40 -o d > made
basin train d-train.arff --valid d-valid.arff -q --method ce --epochs 60 --set early_stop.epochs=60 --set net.dropout=0 \
    --set report=no -o run > table 2> said || cat said
cp -r run raw
basin model calibrate run d-valid.arff | sed -E 's/[0-9]+\.[0-9]+/N/g'
awk -v a="$(ece raw d-test.arff)" -v b="$(ece run d-test.arff)" 'BEGIN { print (b < 0.9 * a ? "less wrong on test rows" : "ECE " a " " b) }'
basin predict raw d-test.arff | cmp - <(basin predict run d-test.arff) && echo "same decisions"
basin predict raw d-test.arff --scores | cmp -s - <(basin predict run d-test.arff --scores) || echo "other probabilities"
basin eval raw d-test.arff --json | grep -o '"example_f1": [0-9.]*' > f1
basin eval run d-test.arff --json | grep -o '"example_f1": [0-9.]*' | cmp - f1 && echo "same F1"
basin model calibrate run d-valid.arff > table
sed -n '2,3p' table | cut -c 9-40 | uniq | wc -l # the same temperature and threshold once more
basin model threshold run d-valid.arff | grep -c wrote
tensors() { tail -c +$(($(od -A n -t u8 -N 8 "$1") + 9)) "$1" | cksum; }
tensors run/best.safetensors | cmp - <(tensors raw/best.safetensors) && echo "same weights"
echo "== isotonic regression, after a temperature and from scratch"
cp -r raw map
basin model calibrate run d-valid.arff --kind isotonic | sed -E 's/[0-9]+\.[0-9]{2,}/N/g; s/ +[0-9]+ / C /g; s/ +/ /g'
basin model calibrate map d-valid.arff --kind isotonic --json > json
grep -o '"calibration": "[a-z]*"' json
for m in run map; do
    awk -v a="$(ece raw d-test.arff)" -v b="$(ece $m d-test.arff)" 'BEGIN { print (b < 0.9 * a ? "less wrong on test rows" : "ECE " a " " b) }'
    basin predict raw d-test.arff | cmp - <(basin predict $m d-test.arff) && echo "same decisions"
    basin eval $m d-test.arff --json | grep -o '"example_f1": [0-9.]*' | cmp - f1 && echo "same F1"
done
basin predict run d-test.arff --probabilities | cmp - <(basin predict map d-test.arff --probabilities) && echo "same map"
# what is said of the result is not from the rows it was fitted to
basin eval map d-valid.arff --json | grep -o '"ece": [0-9.]*' | cut -d ' ' -f 2 > seen
grep -o '"ece": [0-9.]*' json | tail -n 1 | cut -d ' ' -f 2 | paste - seen | awk '{ print ($1 > $2 ? "not flattering" : $0) }'
basin model calibrate map d-valid.arff | sed -n '2,3p' | sed -E 's/[0-9]+\.[0-9]+/N/g; s/ +/ /g'
basin predict raw d-test.arff | cmp - <(basin predict map d-test.arff) && echo "same decisions"
basin model threshold map d-valid.arff --kind label > table
basin predict map d-test.arff > labels
basin model calibrate map d-valid.arff --kind isotonic > table
basin predict map d-test.arff | cmp - labels && echo "same decisions by label"
echo "== what cannot be"
try basin model calibrate run
try basin model calibrate run d-valid.arff --kind label
