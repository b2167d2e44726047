# Every check that scikit-learn has for estimators.
python=/usr/bin/python3
"$python" -c "import sklearn" 2> why || { echo "skip: no sklearn for $python"; exit 77; }
if nm -D "$BUILD/libbasin.so" | grep -q "__[at]san"; then
    echo "skip: Python cannot load a library with sanitizers after others"
    exit 77
fi
export BASIN_LIBRARY=$BUILD/libbasin.so PYTHONPATH=$TOP/python PYTHONDONTWRITEBYTECODE=1
"$python" "$TOP/tests/python/check_estimator.py"
