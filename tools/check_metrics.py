#!/usr/bin/python3
"""Compares src/data's metrics with scikit-learn and with the rules of MULAN, MEKA and SEAL.

    tools/check_metrics.py [--cases N] [--seed N] [--cc gcc]

Makes random and edge-case matrices, runs tests/real/metrics_driver.c on them in batches, and
compares every metric, the table of labels and the tuned thresholds to 1e-9. What scikit-learn
has is compared with scikit-learn itself; the other profiles with the plain transcriptions below,
which follow the Java sources loop by loop (MULAN 43f6389, MEKA f9ffe23). Status 0 when all agree,
1 when not, 77 when scikit-learn is absent.
"""
import argparse
import glob
import math
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    from sklearn import metrics as sk
except ImportError:
    print("skip: scikit-learn is absent; install python3-sklearn")
    sys.exit(77)

warnings.filterwarnings("ignore")
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 1e-9
EPS = float(np.finfo(np.float32).eps)


def build(cc, folder):
    out = os.path.join(folder, "metrics_driver")
    data = [f for kind in ("metric*", "stats*", "threshold*")
            for f in sorted(glob.glob(os.path.join(TOP, "src/data", kind + ".c")))]
    base = sorted(glob.glob(os.path.join(TOP, "src/base", "*.c")))
    subprocess.run([cc, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-O2",
                    "-ffp-contract=off", "-I" + os.path.join(TOP, "src"),
                    "-I" + os.path.join(TOP, "include"),
                    os.path.join(TOP, "tests/real/metrics_driver.c"), *data, *base,
                    "-o", out, "-larchive", "-ljansson", "-lm"], check=True)
    return out


# ---- matrices: name, gold, scores, decisions or None (then scores >= threshold), threshold ----

def golden():
    a = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    p = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 1]])
    yield "golden A, equal scores", a, np.full(a.shape, .5), p
    yield "golden A, .1 .2 .3", a, np.tile([.1, .2, .3], (5, 1)), p
    b = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 0, 1]])
    s = np.array([[.9, .4, .3, .2], [.6, .1, .2, .3], [.8, .7, .6, .2], [.5, .5, .5, .1],
                  [.2, .3, .1, .4]])
    yield "golden B", b, s, None


def edges(rng):
    for n, k in ((1, 2), (1, 7), (4, 2), (9, 5), (70, 60), (40, 130)):
        s = rng.random((n, k))
        y = (rng.random((n, k)) < .3).astype(int)
        zero, one = np.zeros((n, k), int), np.ones((n, k), int)
        tag = " %dx%d" % (n, k)
        yield "no gold" + tag, zero, s, None
        yield "all gold" + tag, one, s, None
        yield "nothing predicted" + tag, y, s, zero
        yield "all predicted" + tag, y, s, one
        yield "nothing at all" + tag, zero, s, zero
        yield "perfect" + tag, y, .25 + .5 * y, y
        yield "perfect scores" + tag, y, .9 * y + .1 * s * (1 - y), None
        yield "worst" + tag, y, 1. - y, 1 - y
        yield "all scores equal" + tag, y, np.full((n, k), .5), None
        yield "scores 0 and 1" + tag, y, (rng.random((n, k)) < .5) * 1., None
        yield "minus zero" + tag, y, np.where(rng.random((n, k)) < .5, -0., 0.), None
        half = y.copy()
        half[: (n + 1) // 2] = 0
        half[:, k // 2:] = 0
        yield "empty rows and labels" + tag, half, np.round(s, 1), None
        y1 = zero.copy()
        y1[:, 0] = 1
        yield "one label always on" + tag, y1, np.round(s, 1), None


def randoms(rng, cases):
    for i in range(cases):
        n, k = int(rng.integers(1, 90)), int(rng.integers(2, 90))
        y = (rng.random((n, k)) < rng.choice([.02, .1, .3, .7])).astype(int)
        s = rng.random((n, k)) ** rng.choice([.5, 1, 4])
        s = s + rng.choice([0, .2, 2]) * y
        s = s / s.max()
        digits = int(rng.choice([0, 1, 2, 9]))
        on = (rng.random((n, k)) < .2).astype(int) if i % 3 == 0 else None
        yield "random %d %dx%d" % (i, n, k), y, np.round(s, digits), on


# ---- the other tools, transcribed ----

def f_measure(tp, fp, fn, empty):
    return empty if tp + fp + fn == 0 else 2 * tp / (2 * tp + fp + fn)


def counts(y, p):
    return ((y & p).sum(), ((1 - y) & p).sum(), (y & (1 - p)).sum())


def mean(x):
    return sum(x) / len(x) if len(x) else math.nan


def ranks_last_first(s):
    """MULAN: stable ascending sort; the last of equals gets the best rank."""
    order = np.argsort(s, kind="stable")
    ranks = np.empty(len(s), int)
    ranks[order] = len(s) - np.arange(len(s))
    return ranks


def row_precision(y, ranks):
    rel = np.flatnonzero(y)
    return mean([sum(ranks[rel] <= ranks[r]) / ranks[r] for r in rel])


def rank_loss(y, ranks):
    rel, irr = np.flatnonzero(y), np.flatnonzero(1 - y)
    if len(rel) == 0 or len(irr) == 0:
        return 0.
    return (ranks[rel][:, None] > ranks[irr][None, :]).sum() / (len(rel) * len(irr))


def hits_at(y, order, k):
    return sum(y[j] for j in order[:k]) / k


def strict_ap(y, s):
    """MULAN's MeanAveragePrecision.getValue(label)."""
    got, ap = 0, 0.
    for place, i in enumerate(np.argsort(-s, kind="stable"), 1):
        if y[i]:
            got += 1
            ap += got / place
    return ap / got if got else math.nan


def common(y, s, p):
    """What no tool disputes, and what is ours alone: top labels, calibration."""
    order = np.argsort(-s, axis=1, kind="stable")
    edges_ = (np.arange(16) / 15).astype(np.float32).astype(float)
    which = np.clip(np.searchsorted(edges_, s, side="left") - 1, 0, 14)
    clip = np.clip(s, 0, 1)
    ece = sum(abs((y - clip)[which == b].sum()) for b in range(15)) / y.size
    n = len(y)
    return {"one_error": mean([1 - y[i][order[i][0]] for i in range(n)]),
            **{"p_at_%d" % k: mean([hits_at(y[i], order[i], k) for i in range(n)])
               for k in (1, 3, 5)},
            "ece": ece}


def sklearn_profile(y, s, p):
    out = common(y, s, p)
    out.update({
        "example_f1": sk.f1_score(y, p, average="samples", zero_division=0),
        "micro_f1": sk.f1_score(y, p, average="micro", zero_division=0),
        "macro_f1": sk.f1_score(y, p, average="macro", zero_division=0),
        "subset_accuracy": sk.accuracy_score(y, p),
        "hamming_loss": sk.hamming_loss(y, p),
        "jaccard": sk.jaccard_score(y, p, average="samples", zero_division=0),
        "lrap": sk.label_ranking_average_precision_score(y, s),
        "ranking_loss": sk.label_ranking_loss(y, s),
        "coverage": sk.coverage_error(y, s),
        "map_label": sk.average_precision_score(y, s, average="macro"),
        "map_example": sk.average_precision_score(y, s, average="samples"),
        "log_loss": sk.log_loss(y.ravel(), np.clip(s, EPS, 1 - EPS).ravel(), labels=[0, 1])})
    pr, rc, f1, _ = sk.precision_recall_fscore_support(y, p, average=None, zero_division=0)
    ap = sk.average_precision_score(y, s, average=None)
    conf = sk.multilabel_confusion_matrix(y, p)
    for l in range(y.shape[1]):
        (tn, fp), (fn, tp) = conf[l]
        out["label.%d.counts" % l] = (tp, fp, fn, tn)
        out.update({"label.%d.%s" % (l, k): v[l] for k, v in
                    (("precision", pr), ("recall", rc), ("f1", f1), ("ap", ap))})
    return out


def seal_profile(y, s, p):
    keep = y.sum(axis=1) > 0
    if not keep.any():
        return {}
    return sklearn_profile(y[keep], s[keep], p[keep])


def mulan_profile(y, s, p):
    out = common(y, s, p)
    n, k = y.shape
    ranks = [ranks_last_first(s[i]) for i in range(n)]
    order = [np.argsort(r) for r in ranks]
    rows = [counts(y[i], p[i]) for i in range(n)]
    cols = [counts(y[:, j], p[:, j]) for j in range(k)]
    ap = [strict_ap(y[:, j], s[:, j]) for j in range(k)]
    labelled = [i for i in range(n) if y[i].any()]
    clip = np.clip(s, 1e-8, 1 - 1e-8)
    out.update({
        "example_f1": mean([f_measure(*c, 1) for c in rows]),
        "micro_f1": f_measure(*np.sum(cols, axis=0), 1),
        "macro_f1": mean([f_measure(*c, 1) for c in cols]),
        "subset_accuracy": mean([fp + fn == 0 for _, fp, fn in rows]),
        "hamming_loss": (y != p).mean(),
        "jaccard": mean([1 if sum(c) == 0 else c[0] / sum(c) for c in rows]),
        "lrap": mean([row_precision(y[i], ranks[i]) for i in labelled]),
        "ranking_loss": mean([rank_loss(y[i], ranks[i]) for i in range(n)]),
        "coverage": mean([max(ranks[i][y[i] == 1]) - 1 if y[i].any() else 0 for i in range(n)]),
        "one_error": mean([1 - y[i][order[i][0]] for i in range(n)]),
        **{"p_at_%d" % q: mean([hits_at(y[i], order[i], q) for i in range(n)]) for q in (1, 3, 5)},
        "map_label": mean([a for a in ap if not math.isnan(a)]),
        "map_example": mean([row_precision(y[i], ranks[i]) for i in labelled]),
        "log_loss": -(y * np.log(clip) + (1 - y) * np.log(1 - clip)).sum(axis=1).mean()})
    for j, (tp, fp, fn) in enumerate(cols):
        none = 1. if tp + fp + fn == 0 else 0.
        out["label.%d.counts" % j] = (tp, fp, fn, n - tp - fp - fn)
        out["label.%d.precision" % j] = tp / (tp + fp) if tp + fp else none
        out["label.%d.recall" % j] = tp / (tp + fn) if tp + fn else none
        out["label.%d.f1" % j] = f_measure(tp, fp, fn, 1)
        out["label.%d.ap" % j] = ap[j]
    return out


def meka_profile(y, s, p):
    out = sklearn_profile(y, s, p)
    n, k = y.shape
    rows = [counts(y[i], p[i]) for i in range(n)]
    ties = [np.array([(s[i] >= v).sum() for v in s[i]]) for i in range(n)]
    with np.errstate(divide="ignore", invalid="ignore"):
        cell = -(np.where(y == 1, np.log(s), np.log(1 - s)))
    cell = np.where(np.abs(y - s) < 1e-6, 0, np.minimum(cell, math.log(k)))
    out.update({
        "example_f1": mean([0 if c[0] == 0 else f_measure(*c, 0) for c in rows]),
        "jaccard": mean([1 if sum(c) == 0 else c[0] / sum(c) for c in rows]),
        "lrap": mean([row_precision(y[i], ties[i]) if y[i].any() else 1. for i in range(n)]),
        "ranking_loss": mean([rank_loss(y[i], ranks_last_first(s[i])) for i in range(n)]),
        "one_error": mean([y[i][int(np.argmax(s[i]))] == 0 for i in range(n)]),
        "log_loss": cell.mean()})
    return out


PROFILES = {"sklearn": sklearn_profile, "mulan": mulan_profile, "meka": meka_profile,
            "seal": seal_profile}
SWEPT = "example_f1 micro_f1 macro_f1 subset_accuracy hamming_loss jaccard".split()


def brute_force(profile, y, s):
    """The best value of each set metric over all cuts, one evaluation per distinct score."""
    cuts = np.append(np.unique(s), np.inf)
    best = {}
    for t in cuts:
        got = PROFILES[profile](y, s, (s >= t).astype(int))
        for key in SWEPT:
            if key in got:
                better = min if key == "hamming_loss" else max
                best[key] = better(best.get(key, got[key]), got[key])
    return best


# ---- the comparison ----

class Tally:
    def __init__(self):
        self.numbers, self.bad, self.worst = 0, 0, 0.

    def compare(self, where, name, ours, theirs):
        self.numbers += 1
        if math.isnan(ours) and math.isnan(theirs):
            return
        gap = abs(ours - theirs)
        if gap <= LIMIT * max(1, abs(theirs)):
            self.worst = max(self.worst, gap)
            return
        self.bad += 1
        if self.bad <= 20:
            print("%s: %s is %.17g, expected %.17g" % (where, name, ours, theirs))


def run_driver(driver, folder, profile, y, s, on, batch):
    path = os.path.join(folder, "matrix")
    n, k = y.shape
    decided = on if on is not None else np.zeros((n, k), int)
    with open(path, "wb") as f:
        f.write(np.array([n, k], np.int32).tobytes())
        f.write(np.float32(math.nan if on is not None else .5).tobytes())
        f.write(y.astype(np.uint8).tobytes())
        f.write(s.astype(np.float32).tobytes())
        f.write(decided.astype(np.uint8).tobytes())
    text = subprocess.run([driver, path, profile, str(batch)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return {w[0]: tuple(map(float, w[1:])) for w in map(str.split, text.splitlines())}


def check(tally, driver, folder, profile, name, y, s, on, sweep):
    s = s.astype(np.float32).astype(float)
    p = on if on is not None else (s >= .5).astype(int)
    got = run_driver(driver, folder, profile, y, s, on, batch=1 + len(name) % 17)
    where = profile + ", " + name
    for key, want in PROFILES[profile](y, s, p).items():
        wants = want if isinstance(want, tuple) else (want,)
        for ours, theirs in zip(got[key], wants):
            tally.compare(where, key, ours, float(theirs))
    if not sweep:
        return
    for key, want in brute_force(profile, y, s).items():
        tally.compare(where, "tuned " + key, got["tuned." + key][0], want)
        at = PROFILES[profile](y, s, (s >= got["cut." + key][0]).astype(int))[key]
        tally.compare(where, "value at the cut of " + key, at, want)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cc", default=os.environ.get("CC", "gcc"))
    opts = parser.parse_args()
    rng = np.random.default_rng(opts.seed)
    tally, n = Tally(), 0
    with tempfile.TemporaryDirectory() as folder:
        driver = build(opts.cc, folder)
        for name, y, s, on in [*golden(), *edges(rng), *randoms(rng, opts.cases)]:
            sweep = y.size <= 150
            for profile in PROFILES:
                check(tally, driver, folder, profile, name, y, s, on, sweep)
            n += 1
    import sklearn
    print("metrics: %d matrices, 4 profiles, %d numbers against scikit-learn %s, %d differ, "
          "worst difference %.1e" % (n, tally.numbers, sklearn.__version__, tally.bad, tally.worst))
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
