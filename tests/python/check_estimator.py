"""Every check that scikit-learn has for estimators; "N checks, none failed" if so."""

import sys
import warnings

from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator
from unittest import SkipTest

import basin

passed = 0
skipped = failed = 0
for estimator, check in check_estimator(basin.EnergyClassifier(), generate_only=True):
    name = getattr(check, "func", check).__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check(estimator)
            passed += 1
        except SkipTest:
            print(f"{name} skips itself", file=sys.stderr)
            skipped += 1
        except Exception as e:
            print(f"{name}: {type(e).__name__}: {e}")
            failed += 1
assert passed > 40, passed
print(f"{passed} checks passed, {skipped} skipped themselves", file=sys.stderr)
print("check_estimator: none failed" if not failed else f"{failed} failed")
