# Every metric against scikit-learn, and the other profiles against transcriptions of their tools.
# Debian's Python is meant, whatever other one comes first on the PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3
command -v $python >/dev/null || { echo "skip: no Python"; exit 77; }
exec $python tools/check_metrics.py
