#!/usr/bin/python3
"""Linear models of scikit-learn on tf-idf, to compare with: one for each label, one threshold.

    bench/tfidf.py FOLDER FEATURES svm|lr C

FOLDER has train.jsonl, valid.jsonl and test.jsonl with members text and labels. FEATURES is words
(single ones), pairs (and neighbours) or pairs+chars (and 2 to 5 characters within words), each with
sublinear tf, in at least two documents. The threshold is the one with the best example F1 on valid.
"""

import json
import sys

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_union
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

COMMON = {"sublinear_tf": True, "min_df": 2}
FEATURES = {
    "words": {},
    "pairs": {"ngram_range": (1, 2)},
    "chars": {"analyzer": "char_wb", "ngram_range": (2, 5)},
}


def scores(Y, P):
    both, all_ = Y & P, Y.sum(1) + P.sum(1)
    example = np.where(all_ > 0, 2 * both.sum(1) / np.maximum(all_, 1), 1).mean()
    label = Y.sum(0) + P.sum(0)
    macro = np.where(label > 0, 2 * both.sum(0) / np.maximum(label, 1), 0).mean()
    return example, 2 * both.sum() / label.sum(), macro


def main(folder, features, model, C):
    rows = {
        p: [json.loads(line) for line in open(f"{folder}/{p}.jsonl", encoding="utf-8")]
        for p in ("train", "valid", "test")
    }
    names = MultiLabelBinarizer().fit([r["labels"] for p in rows.values() for r in p])
    Y = {p: names.transform([r["labels"] for r in rows[p]]) for p in rows}
    tfidf = make_union(*[TfidfVectorizer(**COMMON, **FEATURES[f]) for f in features.split("+")])
    tfidf.fit([r["text"] for r in rows["train"]])
    X = {p: tfidf.transform([r["text"] for r in rows[p]]) for p in rows}
    if model == "svm":
        one = LinearSVC(C=float(C))
    else:
        one = LogisticRegression(C=float(C), solver="liblinear")
    all_ = OneVsRestClassifier(one).fit(X["train"], Y["train"])
    S = {p: all_.decision_function(X[p]) for p in ("valid", "test")}
    most = 8 * int(Y["valid"].sum())
    cuts = np.unique(np.sort(S["valid"].ravel())[-most:][:: max(1, most // 1000)])
    best = max(cuts, key=lambda t: scores(Y["valid"], (S["valid"] > t) * 1)[0])
    print(folder, features, model, C, X["train"].shape[1], "features")
    for what, t in ("at 0", 0), ("tuned", best):
        found = scores(Y["test"], (S["test"] > t) * 1)
        print(f"{what:6}", "example %.2f micro %.2f macro %.2f" % tuple(100 * v for v in found))


if __name__ == "__main__":
    main(*sys.argv[1:])
