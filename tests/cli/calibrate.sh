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
tail -n +2 table | head -n 2 | cut -c 9- | uniq | wc -l
basin model threshold run d-valid.arff | grep -c wrote
tensors() { tail -c +$(($(od -A n -t u8 -N 8 "$1") + 9)) "$1" | cksum; }
tensors run/best.safetensors | cmp - <(tensors raw/best.safetensors) && echo "same weights"
echo "== what cannot be"
try basin model calibrate run
try basin model calibrate run d-valid.arff --kind label
