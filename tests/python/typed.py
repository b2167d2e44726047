"""A program of a user, for `mypy --strict`."""

from typing import Dict, List

import basin


def train(X: List[List[float]], names: List[List[str]]) -> List[List[str]]:
    model: basin.Model = basin.train({"method": "ce"}, basin.Data.rows(X, names))
    found: List[List[str]] = model.predict(X)
    metrics: Dict[str, float] = model.evaluate(basin.Data.rows(X, names)).metrics
    clf = basin.EnergyClassifier("ce", lr_net=0.01, options={"gbi.steps": 3}).fit(X, names)
    tagger: basin.EnergyTagger = basin.EnergyTagger(epochs=3).fit([["a"]], [["O"]])
    tags: List[List[str]] = tagger.predict([["a"]])
    clf.save("m")
    print(basin.EnergyClassifier.load("m").loss_curve_, metrics, tags)
    return found
