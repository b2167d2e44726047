"""Runs the examples in docstrings, in the tutorial and in the README."""

import doctest
import importlib
import os
import re
import sys
import tempfile

top = sys.argv[1]
failed = attempted = 0
os.chdir(tempfile.mkdtemp())
for name in ("basin", "basin._data", "basin._model", "basin._estimators"):
    result = doctest.testmod(importlib.import_module(name))
    failed, attempted = failed + result.failed, attempted + result.attempted
for name in ("docs/tutorials/python.md", "README.md"):
    with open(os.path.join(top, name), encoding="utf-8") as f:
        blocks = re.findall(r"```python\n(.*?)```", f.read(), re.S)
    assert blocks, name
    parser, known = doctest.DocTestParser(), {}
    for block in blocks:  # one program: later blocks know what earlier ones defined
        if ">>>" in block:
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            test = parser.get_doctest(block, known, name, name, 0)
            runner.run(test, clear_globs=False)
            known = test.globs
            failed, attempted = failed + runner.failures, attempted + runner.tries
        else:
            exec(compile(block, name, "exec"), known)
            attempted += 1
print(f"{attempted} examples, {failed} failed")
sys.exit(bool(failed or not attempted))
