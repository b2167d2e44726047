# A wheel with the libraries inside that it needs: installed, it uses those and no others.
python=/usr/bin/python3
for module in numpy venv ensurepip; do
    "$python" -c "import $module" 2> why || { echo "skip: no $module for $python"; exit 77; }
done
if nm -D "$BUILD/libbasin.so" | grep -q "__[at]san"; then
    echo "skip: Python cannot load a library with sanitizers after others"
    exit 77
fi
rm -f "$BUILD"/wheel/*
make -C "$TOP" -s B="$BUILD" WHOLE=1 wheel > log 2>&1 || { cat log; exit 1; }
"$python" -m venv --system-site-packages v > log
v/bin/pip install --no-index "$BUILD"/wheel/*manylinux*.whl > log 2>&1 || cat log
v/bin/python - << 'END'
import os
import numpy as np
import basin

rows = basin.Data.rows(np.random.default_rng(0).random((60, 5)), np.eye(60, 3))
basin.train({"method": "ce", "epochs": 2, "threads": 1, "net_width": 64}, rows)
here = os.path.join(os.path.dirname(basin.__file__), "libs")
with open("/proc/self/maps") as f:
    maps = {line.split()[-1] for line in f if ".so" in line}
own = {os.path.basename(p) for p in maps if p.startswith(here)}
twice = [p for p in maps if os.path.basename(p) in own and not p.startswith(here)]
print("its own:", {"libarchive.so.13", "libxml2.so.2", "libbasin-openblas.so.0"} <= own, twice)
print("of gcc:", len([p for p in maps if "libgomp" in p]))
END
