# Pages in a real browser, where there is one: sorting, filtering, light and dark, narrow windows;
# no complaints, nothing fetched.
for need in python3 chromium; do
    command -v $need > /dev/null || { echo "skip: no $need"; exit 77; }
done
small="-q --epochs 3 --threads 2 --set net.width=16"
(
    set -e
    basin data make mlc --seed 3 --set rows=300 --set groups=12 -o d.arff
    basin train d.arff $small --method seal-nce -o mlc
    basin train d.arff $small --method ce --seeds 2 -o seeds
    basin report mlc seeds -o several.html
    basin compare d.arff $small --methods ce,seal-nce --seeds 2 -o compare
    basin explain mlc d.arff -q --row 3 -o explain.html
    basin tune d.arff $small --method ce --trials 3 -o tune
    basin data make tag --seed 1 --set rows=120 -o t.conll
    basin train t.conll $small --method ce -o tag
    basin data make seg --seed 1 --set images=24 --set size=16 -o shapes
    basin train shapes $small --method seal-nce -o seg
    basin explain seg shapes -q --row 3 -o masks.html
) > made 2>&1
[ -e masks.html ] || { cat made; exit 1; }
timeout 300 python3 "$TOP/tests/browser/pages.py" mlc/report.html several.html compare/compare.html \
    tag/report.html seg/report.html explain.html masks.html tune/tune.html
