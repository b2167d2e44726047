# The Python package: its modules, its wheel in an environment of its own, its types.
python=/usr/bin/python3 # Debian's; another one on the PATH would not see Debian's modules
for module in numpy scipy sklearn pandas venv ensurepip; do
    "$python" -c "import $module" 2> why || { echo "skip: no $module for $python"; exit 77; }
done
if nm -D "$BUILD/libbasin.so" | grep -q "__[at]san"; then
    echo "skip: Python cannot load a library with sanitizers after others"
    exit 77
fi
export BASIN_LIBRARY=$BUILD/libbasin.so PYTHONPATH=$TOP/python:$TOP/tests/python PYTHONDONTWRITEBYTECODE=1
run() { "$python" -W ignore::UserWarning "$@" > log 2>&1 || { echo "failed: $*"; cat log; }; }

run -m unittest test_model && echo "models and training"
run -m unittest test_estimators && echo "estimators"
run "$TOP/tests/python/examples.py" "$TOP" && echo "examples"
"$python" "$TOP/python/params" "$BASIN" | diff "$TOP/python/basin/_params.py" - > log ||
    { echo "python/params $BASIN --write makes these arguments anew:"; cat log; }
"$python" -c "
import re, basin
found = re.search(r'BASIN_VERSION \"(.+)\"', open('$TOP/include/basin.h').read())[1]
print('version' if basin.__version__ == found else 'python/basin/_version.py is not that of basin.h')"
if "$python" -c "import mypy" 2> why; then
    "$python" -m mypy --config-file "$TOP/pyproject.toml" --cache-dir=cache "$TOP/python/basin" > log || cat log
    "$python" -m mypy --strict --cache-dir=cache "$TOP/tests/python/typed.py" > log || cat log
fi

# pip without a network; twice the same bytes; used from elsewhere, without BASIN_LIBRARY
"$python" -m venv --system-site-packages v > log && v/bin/pip install --no-index "$TOP" > log 2>&1 || cat log
mkdir a b
for i in a b; do v/bin/pip wheel --no-index --no-deps -w $i "$TOP" > log 2>&1 || cat log; done
cmp a/*.whl b/*.whl && echo "a wheel, twice the same"
for i in a b; do
    (umask $([ $i = a ] && echo 077 || echo 022) && "$python" -c "import backend; backend.build_sdist('$i')")
done
cmp a/*.tar.gz b/*.tar.gz && echo "sources, twice the same"
env -u BASIN_LIBRARY -u PYTHONPATH v/bin/python -c "
import basin, os
assert os.path.dirname(basin.__file__) in basin._lib.lib._name, basin._lib.lib._name
print(basin.Model.__name__, 'from the wheel')"
