"""The estimators with scikit-learn and pandas."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import scipy.sparse as sp
import sklearn.base
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import basin
from basin import EnergyClassifier, EnergySegmenter, EnergyTagger, EnergyTextClassifier
from test_model import ENERGY, by_tool, photos, rows, words

SMALL = dict(method="ce", epochs=4, net_width=16, threads=1)
NAMES = np.array(list("abcd"))


def lists(Y):
    return [NAMES[row > 0].tolist() for row in Y]


class Texts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X = ["oil prices rise", "wheat and corn", "crude oil output", "corn exports"] * 20
        cls.y = [["oil"], ["grain", "wheat"], ["oil"], ["grain"]] * 20
        cls.clf = EnergyTextClassifier(**SMALL).fit(cls.X, cls.y)

    def test_kinds_of_lists_give_one_model(self):
        import pandas as pd

        want = self.clf.model_.to_bytes()
        Y = np.array([[n in row for n in ("grain", "oil", "wheat")] for row in self.y]).astype(int)
        for X in (pd.Series(self.X), np.array(self.X), np.array(self.X, dtype=object)):
            self.assertEqual(EnergyTextClassifier(**SMALL).fit(X, self.y).model_.to_bytes(), want)
        frame = pd.DataFrame(Y, columns=["grain", "oil", "wheat"])
        self.assertEqual(EnergyTextClassifier(**SMALL).fit(self.X, frame).model_.to_bytes(), want)
        data = basin.Data.rows(None, self.y, texts=self.X)
        settings = {"method": "ce", "epochs": 4, "net.width": 16, "split.test": 0, "threads": 1}
        self.assertEqual(basin.train(settings, data).to_bytes(), want)

    def test_predictions(self):
        p = self.clf.predict_proba(self.X)
        self.assertEqual(p.shape, (80, 3))
        with tempfile.TemporaryDirectory() as folder:
            self.clf.save(f"{folder}/m")
            again = EnergyTextClassifier.load(f"{folder}/m")
            np.testing.assert_array_equal(again.predict_proba(self.X), p)
            with self.assertRaisesRegex(ValueError, "a text; EnergyTextClassifier loads it"):
                EnergyClassifier.load(f"{folder}/m")
        for again in (pickle.loads(pickle.dumps(self.clf)), sklearn.base.clone(self.clf)):
            if not hasattr(again, "model_"):
                again.fit(self.X, self.y)
            np.testing.assert_array_equal(again.predict_proba(self.X), p)
        np.testing.assert_array_equal(self.clf.predict_proba(self.X[1:2]), p[1:2])
        np.testing.assert_array_equal(self.clf.model_.predict_proba(self.X), p)
        self.assertEqual(self.clf.predict_proba([None, ""]).shape, (2, 3))
        self.assertEqual(self.clf.evaluate(self.X, self.y).metrics.keys() > {"example_f1"}, True)

    def test_columns(self):
        columns = np.random.default_rng(0).random((80, 2))
        both = EnergyTextClassifier(**SMALL).fit(
            self.X, self.y, (self.X[:8], self.y[:8], columns[:8]), columns=columns
        )
        p = both.predict_proba(self.X, columns=columns)
        np.testing.assert_array_equal(both.predict_proba(self.X, sp.csr_matrix(columns)), p)
        self.assertTrue((p != both.predict_proba(self.X, columns=columns[::-1])).any())
        with self.assertRaisesRegex(ValueError, "predictions need columns, too"):
            both.predict(self.X)
        with self.assertRaisesRegex(ValueError, "predictions take no columns"):
            self.clf.predict(self.X, columns=columns)
        with self.assertRaisesRegex(ValueError, "80 texts, but 3 rows of columns"):
            both.predict(self.X, columns=columns[:3])

    def test_refused(self):
        for X, why in (
            ("one text", "a list of texts"),
            ([["a"]], "text 0 is list, not str"),
            (["a", 3], "text 1 is int, not str"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                self.clf.predict(X)
        with self.assertRaisesRegex(ValueError, "use basin_predict_texts"):
            self.clf.model_._dense(np.zeros((1, 0), np.float32))


class Classifier(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.Y = rows()
        cls.clf = EnergyClassifier(**SMALL).fit(cls.X, cls.Y)

    def test_forms_of_label_sets_give_one_model(self):
        X, Y = self.X, self.Y
        want = self.clf.model_.to_bytes()
        for y in (
            Y.tolist(),
            Y.astype(bool),
            sp.csr_matrix(Y),
            sp.lil_matrix(Y),
            np.asfortranarray(Y),
        ):
            self.assertEqual(EnergyClassifier(**SMALL).fit(X, y).model_.to_bytes(), want)
        named = EnergyClassifier(**SMALL).fit(X, lists(Y))
        self.assertEqual(named.classes_.tolist(), NAMES.tolist())
        np.testing.assert_array_equal(named.predict_proba(X), self.clf.predict_proba(X))
        self.assertEqual(named.predict(X), lists(self.clf.predict(X)))
        again = EnergyClassifier(**SMALL).fit(X, [set(row) for row in lists(Y)])
        self.assertEqual(again.model_.to_bytes(), named.model_.to_bytes())
        numbers = EnergyClassifier(**SMALL).fit(X, [np.flatnonzero(row).tolist() for row in Y])
        self.assertEqual(numbers.classes_.tolist(), [0, 1, 2, 3])
        self.assertEqual(
            numbers.predict(X[:1])[0], np.flatnonzero(self.clf.predict(X[:1])[0]).tolist()
        )

    def test_bytes_of_the_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/X.npy", self.X)
            np.save(f"{folder}/Y.npy", self.Y)
            options = "method=ce epochs=4 net.width=16 split.test=0 report=no seed=3".split()
            settings = [word for o in options for word in ("--set", o)]
            files = [f"{folder}/X.npy", f"{folder}/Y.npy", "-q", "-o", f"{folder}/run"]
            subprocess.run(
                [os.environ["BASIN"], "train", *files, *settings],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            tool = EnergyClassifier.load(f"{folder}/run")
            mine = EnergyClassifier(**SMALL, random_state=3).fit(self.X, self.Y)
            self.assertEqual(tool.model_.to_bytes(), mine.model_.to_bytes())
            self.assertEqual(
                tool.predict(self.X[:1])[0],
                [f"y{k}" for k in np.flatnonzero(mine.predict(self.X[:1]))],
            )
            mine.save(f"{folder}/m")
            self.assertEqual(
                EnergyClassifier.load(f"{folder}/m").model_.to_bytes(), mine.model_.to_bytes()
            )
            with self.assertRaisesRegex(ValueError, "task mlc; EnergyTagger needs tag"):
                EnergyTagger.load(f"{folder}/m")
            with self.assertRaisesRegex(ValueError, "no text; EnergyClassifier loads it"):
                EnergyTextClassifier.load(f"{folder}/m")

    def test_outputs(self):
        X, clf = self.X, self.clf
        p = clf.predict_proba(X)
        self.assertEqual(p.shape, (120, 4))
        np.testing.assert_allclose(1 / (1 + np.exp(-clf.decision_function(X))), p, rtol=1e-6)
        self.assertEqual(clf.predict(X).dtype, self.Y.dtype)
        self.assertEqual(len(clf.loss_curve_), clf.n_iter_)
        self.assertEqual(clf.n_iter_, 4)
        self.assertEqual(clf.n_features_in_, 12)
        self.assertAlmostEqual(clf.score(X, self.Y), (clf.predict(X) == self.Y).all(axis=1).mean())
        self.assertIn("micro_f1", clf.evaluate(X, self.Y).metrics)
        report = clf.report(X, self.Y)
        self.assertIn("<svg", report._repr_html_())
        self.assertIn("ex-F1", repr(report))
        with self.assertRaises(NotFittedError):
            EnergyClassifier().predict(X)

    def test_energies(self):
        X, Y = self.X, self.Y
        clf = EnergyClassifier("seal-nce", epochs=15, net_width=16, threads=1).fit(X, Y)
        truth, wrong = clf.energy(X, Y), clf.energy(X, 1 - Y)
        self.assertEqual(truth.shape, (120,))
        self.assertLess(truth.mean(), wrong.mean())
        np.testing.assert_array_equal(clf.energy(X, sp.csr_matrix(Y)), truth)
        found = clf.explain(X, Y)
        np.testing.assert_allclose(found.interactions, found.interactions.T)
        self.assertEqual(found.together[0, 0], Y[:, 0].sum())
        self.assertEqual(len(found.pairs()), 6)
        self.assertIn("y0 + y1", repr(found))
        self.assertIn("<svg", found._repr_html_())
        with self.assertRaisesRegex(ValueError, "without an energy"):
            self.clf.energy(X, Y)

    def test_one_class_per_row(self):
        y = np.array(["no", "yes"])[self.Y[:, 0]]
        clf = EnergyClassifier(**{**SMALL, "epochs": 30}).fit(self.X, y)
        p = clf.predict_proba(self.X)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        self.assertEqual(clf.decision_function(self.X).shape, (120,))
        self.assertGreater(clf.score(self.X, y), 0.8)
        self.assertEqual(clf.label_names_, ["no", "yes"])
        with self.assertRaisesRegex(ValueError, "unseen"):
            clf.evaluate(self.X, np.full(120, "other"))

    def test_sparse_rows(self):
        X = np.zeros((120, 400))
        X[:, ::40] = self.X[:, :10]
        clf = EnergyClassifier(**SMALL).fit(sp.csc_matrix(X), self.Y)
        for other in X, sp.coo_matrix(X), X.astype(np.float32):
            np.testing.assert_array_equal(
                clf.predict_proba(other), clf.predict_proba(sp.csr_matrix(X))
            )
        clf = EnergyClassifier(**SMALL).fit(sp.csr_matrix(X), self.Y, eval_set=(X, self.Y))
        clf = EnergyClassifier(**SMALL).fit(X, self.Y, eval_set=(sp.csr_matrix(X), self.Y))

    def test_validation_rows(self):
        X, Y = self.X, self.Y
        a = EnergyClassifier(**SMALL).fit(X[:80], Y[:80], eval_set=(X[80:], Y[80:]))
        b = EnergyClassifier(**SMALL).fit(
            X[:80], Y[:80], eval_set=[(X[80:], sp.csr_matrix(Y[80:]))]
        )
        self.assertEqual(a.model_.to_bytes(), b.model_.to_bytes())
        self.assertNotEqual(
            a.model_.to_bytes(), EnergyClassifier(**SMALL).fit(X[:80], Y[:80]).model_.to_bytes()
        )
        named = EnergyClassifier(**SMALL)
        with self.assertRaisesRegex(ValueError, "unseen label 'z'"):
            named.fit(X, lists(Y), eval_set=(X[:1], [["z"]]))

    def test_parameters(self):
        clf = EnergyClassifier("ce", lr_net=0.1, options={"gbi.steps": 3})
        self.assertEqual(sklearn.base.clone(clf).get_params(), clf.get_params())
        self.assertIn("lr_net=0.1", repr(clf))
        for wrong, why in (
            (dict(lr_net="fast"), "lr.net"),
            (dict(method="seal"), "seal"),
            (dict(options={"lr.nett": 1}), "lr.net"),
            (dict(epochs=0), "epochs"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                EnergyClassifier(**wrong).fit(self.X, self.Y)
        seeds = [
            EnergyClassifier(**SMALL, random_state=s).fit(self.X, self.Y)
            for s in (0, None, np.int64(0))
        ]
        self.assertEqual(len({s.model_.to_bytes() for s in seeds}), 1)
        EnergyClassifier(**SMALL, random_state=np.random.RandomState(1)).fit(self.X, self.Y)
        EnergyClassifier(**SMALL, options={"weights": "balanced"}).fit(self.X, self.Y)
        EnergyClassifier(**SMALL, weights={"y0": 2.0}).fit(self.X, self.Y)

    def test_pickle(self):
        copy = pickle.loads(pickle.dumps(self.clf))
        np.testing.assert_array_equal(copy.predict(self.X), self.clf.predict(self.X))
        self.assertEqual(copy.loss_curve_, self.clf.loss_curve_)
        self.assertEqual(pickle.dumps(copy), pickle.dumps(pickle.loads(pickle.dumps(copy))))

    def test_wrong_data(self):
        X, Y = self.X, self.Y
        for x, y, why in (
            (X, 2 * Y + Y[::-1], "multioutput|row has one class"),
            (X, X[:, 0], "Unknown label type"),
            (X[:10], Y, "inconsistent"),
            (X, np.ones(120), "one class"),
            (X, None, "requires y"),
            (X, [[]] * 119 + [()], "no row of y has a label"),
            (X, [["a"]] * 119 + [None], "row 119 of y is None"),
            (X[:2], Y[:2], "too few to split.*eval_set"),
            (np.where(X > 2, np.inf, X), Y, "infinity"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                EnergyClassifier(**SMALL).fit(x, y)
        with self.assertRaisesRegex(ValueError, "infinite|infinity"):
            self.clf.predict(np.full((1, 12), np.inf, np.float32))

    def test_wrong_parameters(self):
        """Messages name what Python calls them."""
        for params, why in (
            ({"options": {"net.widht": 3}}, "^unknown option 'net.widht'; did you mean"),
            ({"epochs": "ten"}, "^epochs: 'ten' is not a whole number"),
            ({"method": "cee"}, "^method: no method is called 'cee'; did you mean 'ce'"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                EnergyClassifier(**{**SMALL, **params}).fit(self.X, self.Y)
        with self.assertRaisesRegex(TypeError, "options is a dict"):
            EnergyClassifier(options=["a"]).fit(self.X, self.Y)
        with self.assertRaisesRegex(FileNotFoundError, "'/nowhere/model'$"):
            self.clf.save("/nowhere/model")
        events = []
        EnergyClassifier(**SMALL, callbacks=events.append).fit(self.X, self.Y)
        self.assertTrue(events)


class Decisions(unittest.TestCase):
    """Sets as an energy decides, which those above a threshold are not."""

    settings = {**SMALL, "method": "nce", "decide": "subset", "options": ENERGY}

    @classmethod
    def setUpClass(cls):
        cls.X, cls.Y = rows()
        cls.clf = EnergyClassifier(**cls.settings).fit(cls.X, cls.Y)

    def test_predictions_are_those_of_the_tool(self):
        clf, X = self.clf, self.X
        cut = clf.model_.decide(clf.predict_proba(X))
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/X.npy", X)
            clf.save(f"{folder}/m")
            loaded = EnergyClassifier.load(f"{folder}/m")
            for how in None, "threshold", "subset", "f1":
                found = clf.predict(X, decide=how)
                np.testing.assert_array_equal(
                    found, by_tool(clf.model_, f"{folder}/X.npy", decide=how)
                )
                self.assertEqual((found == cut).all(), how == "threshold")
                np.testing.assert_array_equal(clf.predict(sp.csr_matrix(X), decide=how), found)
                names = [[f"y{k}" for k in np.flatnonzero(row)] for row in found]
                self.assertEqual(loaded.predict(X, decide=how), names)
        found = clf.predict(X)
        self.assertEqual(found.dtype, self.Y.dtype)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict(X), found)

    def test_scores_are_of_the_decisions(self):
        clf, X, Y = self.clf, self.X, self.Y
        self.assertEqual(sklearn.base.clone(clf).decide, "subset")
        for how in None, "f1", "threshold":
            right = (clf.predict(X, decide=how) == Y).all(axis=1).mean()
            metrics = clf.evaluate(X, Y, decide=how).metrics
            self.assertAlmostEqual(metrics["subset_accuracy"], right)
        self.assertAlmostEqual(clf.score(X, Y), (clf.predict(X) == Y).all(axis=1).mean())

    def test_texts_and_columns(self):
        X = [" ".join("abcdef"[k] for k in np.flatnonzero(row[:6])) for row in self.X]
        columns = self.X[:, 6:]
        clf = EnergyTextClassifier(**self.settings).fit(X, self.Y, columns=columns)
        found = clf.predict(X, columns)
        self.assertTrue((found != clf.predict(X, columns, decide="threshold")).any())
        np.testing.assert_array_equal(found, clf.predict(X, sp.csr_matrix(columns)))
        named = [[f"y{k}" for k in np.flatnonzero(row)] for row in found]
        self.assertEqual(clf.model_.predict(X, columns), named)
        right = (found == self.Y).all(axis=1).mean()
        metrics = clf.evaluate(X, self.Y, columns=columns).metrics
        self.assertAlmostEqual(metrics["subset_accuracy"], right)

    def test_its_own_options_are_those_of_predictions(self):
        options = {**ENERGY, "decide.samples": 1500, "gbi_test_steps": 3}
        clf = EnergyClassifier(**{**self.settings, "options": options}).fit(self.X, self.Y)
        self.assertEqual(clf.model_.options, {"decide.samples": 1500, "gbi_test_steps": 3})
        self.assertEqual(clf.predict(self.X[:3]).shape, (3, 4))

    def test_one_class_has_nothing_to_decide(self):
        y = self.Y[:, 0]
        for wrong in {"decide": "f1"}, {"options": {"decide": "f1"}}:
            with self.assertRaisesRegex(ValueError, "decide: f1 is for sets of labels"):
                EnergyClassifier(**SMALL, **wrong).fit(self.X, y)
        clf = EnergyClassifier(**SMALL, decide="threshold").fit(self.X, y)
        with self.assertRaisesRegex(ValueError, "decide: subset is for sets of labels"):
            clf.predict(self.X, decide="subset")
        np.testing.assert_array_equal(clf.predict(self.X), clf.predict_proba(self.X).argmax(axis=1))

    def test_tags_and_masks(self):
        rng = np.random.default_rng(5)
        X = [list(rng.choice(list("abcde"), 3 + i % 4)) for i in range(60)]
        y = [["N" if w < "c" else rng.choice(["N", "V"]) for w in s] for s in X]
        tagger = EnergyTagger("ce", epochs=3, net_width=8, threads=1, decide="hamming").fit(X, y)
        self.assertEqual(tagger.model_.decision, "hamming")
        likeliest = [[tagger.classes_[k] for k in p.argmax(1)] for p in tagger.predict_proba(X)]
        self.assertEqual(tagger.predict(X, decide="threshold"), likeliest)
        self.assertEqual(tagger.predict_single(X[0], decide="threshold"), likeliest[0])
        by_samples = tagger.predict(X)
        self.assertEqual(by_samples, tagger.predict(X, decide="hamming"))
        self.assertNotEqual(by_samples, likeliest)
        for how, found in (None, by_samples), ("threshold", likeliest):
            right = [a == b for s, t in zip(found, y) for a, b in zip(s, t)]
            accuracy = tagger.evaluate(X, y, decide=how).metrics["token_accuracy"]
            self.assertAlmostEqual(accuracy, np.mean(right))
        with self.assertRaisesRegex(ValueError, "no decision by jaccard"):
            tagger.spans(X, decide="jaccard")
        X, y = photos()
        seg = EnergySegmenter("ce", epochs=1, net_width=4, threads=1, decide="jaccard").fit(X, y)
        best, cut = seg.predict(X), seg.predict(X, decide="threshold")
        self.assertTrue((best != cut).any())
        for how, same in ("jaccard", True), ("threshold", False):
            first = next(iter(seg.evaluate(X, y, decide=how).metrics.values()))
            self.assertEqual(seg.score(X, y) == first, same)


class Frames(unittest.TestCase):
    def setUp(self):
        import pandas as pd

        X, self.Y = rows()
        self.frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
        self.frame["colour"] = np.where(X[:, 3] > 0, "red", np.where(X[:, 4] > 0, "blue", None))
        self.frame["size"] = pd.Categorical(
            np.where(X[:, 5] > 0, "big", "small"), ["small", "big", "huge"]
        )
        self.frame["on"] = X[:, 6] > 0
        self.frame["count"] = pd.array([1, None] * 60, dtype="Int64")
        self.frame.loc[3, "a"] = np.nan

    def test_columns(self):
        clf = EnergyClassifier(**SMALL).fit(self.frame, self.Y)
        self.assertEqual(clf.feature_names_in_.tolist(), self.frame.columns.tolist())
        self.assertEqual(
            clf.model_.feature_names,
            [
                "a",
                "b",
                "c",
                "colour=red",
                "colour=blue",
                "size=small",
                "size=big",
                "size=huge",
                "on",
                "count",
            ],
        )
        want = clf.predict_proba(self.frame)
        np.testing.assert_array_equal(clf.predict_proba(self.frame[::-1])[::-1], want)
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(clf)).predict_proba(self.frame), want
        )
        self.frame["colour"] = "green"  # unseen: no category
        self.assertEqual(clf.predict(self.frame).shape, self.Y.shape)
        with self.assertRaisesRegex(ValueError, "feature names"):
            clf.predict(self.frame[self.frame.columns[::-1]])
        with self.assertRaisesRegex(ValueError, "must be a frame"):
            clf.predict(np.zeros((2, 7)))
        self.frame.columns = range(7)  # which are no feature names
        clf = EnergyClassifier(**SMALL).fit(self.frame, self.Y)
        with self.assertRaisesRegex(ValueError, "must be a frame"):
            clf.predict(np.zeros((2, 7), np.float32))

    def test_the_file_gives_the_same_bytes(self):
        frame = self.frame.drop(columns=["size"])
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/x.csv"
            table = frame.astype({"on": int})
            for k in range(4):
                table[f"y{k}"] = self.Y[:, k]
            table.to_csv(path, index=False)
            params = {"method": "ce", "epochs": 4, "net.width": 16, "split.test": 0}
            params["data.labels"] = "y*"
            by_file = basin.train(params, path)
        clf = EnergyClassifier(**SMALL).fit(frame, self.Y)
        self.assertEqual(clf.model_.feature_names, by_file.feature_names)
        self.assertEqual(clf.model_.to_bytes(), by_file.to_bytes())

    def test_dates_are_refused(self):
        import pandas as pd

        self.frame["day"] = pd.date_range("2020-01-01", periods=120)
        with self.assertRaisesRegex(ValueError, "'day' has values of kind datetime.*use numbers"):
            EnergyClassifier(**SMALL).fit(self.frame, self.Y)

    def test_in_a_column_transformer(self):
        change = ColumnTransformer(
            [("n", StandardScaler(), ["a", "b"]), ("c", OneHotEncoder(), ["size"])]
        )
        frame = self.frame.fillna({"a": 0})
        pipe = make_pipeline(change, EnergyClassifier(**SMALL)).fit(frame, self.Y)
        self.assertEqual(pipe.predict(frame).shape, self.Y.shape)

    def test_labels_of_a_frame(self):
        import pandas as pd

        labels = pd.DataFrame(self.Y, columns=["w", "x", "y", "z"])
        clf = EnergyClassifier(**SMALL).fit(self.frame, labels)
        self.assertEqual(clf.label_names_, ["w", "x", "y", "z"])
        single = pd.Series(np.where(self.Y[:, 0], "p", "q"), name="y")
        self.assertEqual(
            set(EnergyClassifier(**SMALL).fit(self.frame, single).predict(self.frame)) - {"p", "q"},
            set(),
        )


class Tools(unittest.TestCase):
    """What scikit-learn does with estimators."""

    def setUp(self):
        self.X, self.Y = rows()

    def test_grid_search_in_processes(self):
        grid = {"lr_net": [0.001, 0.01], "net_width": [8]}
        search = GridSearchCV(EnergyClassifier(**SMALL), grid, cv=2, n_jobs=2, scoring="f1_micro")
        alone = GridSearchCV(EnergyClassifier(**SMALL), grid, cv=2, scoring="f1_micro")
        search.fit(self.X, self.Y), alone.fit(self.X, self.Y)
        np.testing.assert_array_equal(
            search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
        )
        self.assertEqual(
            search.best_estimator_.model_.to_bytes(), alone.best_estimator_.model_.to_bytes()
        )

    def test_multiprocessing_backend(self):
        import joblib

        EnergyClassifier(**{**SMALL, "threads": 2}).fit(self.X, self.Y)  # there are threads now
        with joblib.parallel_backend("multiprocessing", n_jobs=2):
            scores = cross_val_score(
                EnergyClassifier(**{**SMALL, "threads": 2}), self.X, self.Y, cv=2
            )
        np.testing.assert_array_equal(
            scores, cross_val_score(EnergyClassifier(**SMALL), self.X, self.Y, cv=2)
        )

    def test_cross_validation(self):
        p = cross_val_predict(
            EnergyClassifier(**SMALL), self.X, self.Y, cv=2, method="predict_proba"
        )
        self.assertEqual(p.shape, self.Y.shape)
        y = cross_val_predict(
            make_pipeline(StandardScaler(), EnergyClassifier(**SMALL)), self.X, self.Y, cv=2
        )
        self.assertGreater(f1_score(self.Y, y, average="micro"), 0.3)

    def test_pools_of_threads_are_left_alone(self):
        from threadpoolctl import threadpool_info, threadpool_limits

        def pools():
            info = threadpool_info()
            return sorted((p["filepath"], p["num_threads"]) for p in info)

        EnergyClassifier(**{**SMALL, "threads": 2}).fit(self.X, self.Y)
        before = pools()
        self.assertTrue(before)
        EnergyClassifier(**{**SMALL, "threads": 2}).fit(self.X, self.Y).predict(self.X)
        self.assertEqual(pools(), before)
        with threadpool_limits(3):
            before = pools()
            EnergyClassifier(**{**SMALL, "threads": 1}).fit(self.X, self.Y).predict(self.X)
            self.assertEqual(pools(), before)

    def test_pools_from_before_the_import(self):
        """Pools of numpy and scikit-learn are as they were; at most our own come on top."""
        program = """
import sklearn.neural_network
from threadpoolctl import threadpool_info

def pools():
    return {p["filepath"]: p["num_threads"] for p in threadpool_info()}

before = pools()
import basin, numpy as np
X = np.random.default_rng(0).random((40, 5))
basin.EnergyClassifier("ce", epochs=2, threads=1).fit(X, (X[:, :3] > 0.5).astype(int)).predict(X)
assert before and {k: v for k, v in pools().items() if k in before} == before, (before, pools())
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_tags_of_newer_versions(self):
        class Tags:
            def __init__(self):
                self.input_tags = type("InputTags", (), {})()
                self.classifier_tags = type("ClassifierTags", (), {})()

        base = sklearn.base.BaseEstimator
        if hasattr(base, "__sklearn_tags__"):
            tags = EnergyClassifier().__sklearn_tags__()
        else:
            base.__sklearn_tags__ = lambda self: Tags()
            try:
                tags = EnergyClassifier().__sklearn_tags__()
                self.assertFalse(EnergyTagger().__sklearn_tags__().input_tags.two_d_array)
            finally:
                del base.__sklearn_tags__
        self.assertTrue(
            tags.classifier_tags.multi_label
            and tags.input_tags.sparse
            and tags.input_tags.allow_nan
        )

    def test_validation_of_newer_versions(self):
        """validate_data in place of methods of the base class."""
        from unittest import mock
        from sklearn.utils import validation

        called = []

        def validate_data(estimator, X, reset, skip_check_array):
            called.append(reset)
            if reset:
                estimator.n_features_in_ = X.shape[1]

        with mock.patch.object(validation, "validate_data", validate_data, create=True):
            with mock.patch.object(EnergyClassifier, "_names_and_number_old", False):
                clf = EnergyClassifier(**SMALL).fit(self.X, self.Y)
                clf.predict(self.X.tolist())
        self.assertEqual(called, [True, False])


class Others(unittest.TestCase):
    def test_tagger(self):
        X, y = words()
        tagger = EnergyTagger("ce", epochs=40, lr_net=0.02, net_width=16, threads=1).fit(
            X, y, eval_set=(X, y)
        )
        self.assertEqual(tagger.predict(X), y)
        self.assertEqual(tagger.score(X, y), 1)
        self.assertEqual(tagger.predict_single(X[2]), y[2])
        self.assertEqual(tagger.spans(X[2:3]), [[(0, 2, "PER"), (3, 4, "LOC")]])
        one = tagger.predict_marginals_single(X[0])[0]
        self.assertEqual(
            max(one, key=one.get), "S-PER" if len(X[0]) < 3 or X[0][1] != "Lund" else "B-PER"
        )
        self.assertAlmostEqual(sum(one.values()), 1, 5)
        copy = pickle.loads(pickle.dumps(tagger))
        self.assertEqual(copy.predict(X), y)
        self.assertIn("PER", repr(tagger.report(X, y)))
        search = GridSearchCV(
            EnergyTagger("ce", epochs=3, threads=1), {"net_width": [4, 8]}, cv=2
        ).fit(X, y)
        self.assertIn(search.best_params_["net_width"], (4, 8))
        with self.assertRaises(ValueError):
            EnergyTagger().fit(X, None)

    def test_energies_of_tags_and_masks(self):
        X, y = words()
        tagger = EnergyTagger("seal-nce", epochs=10, net_width=16, threads=1).fit(X, y)
        truth = tagger.energy(X, y)
        self.assertTrue((truth < tagger.energy(X, [tags[::-1] for tags in y])).mean() > 0.9)
        alone = [tagger.energy([s], [t])[0] for s, t in zip(X[:6], y[:6])]
        self.assertEqual(truth[:6].tolist(), alone)
        with self.assertRaisesRegex(ValueError, "no tags"):
            tagger.energy(X, None)
        found = tagger.explain(X, y)
        n, n_of = len(tagger.classes_), tagger.classes_.index
        self.assertEqual(found.labels, tagger.classes_)
        self.assertEqual((found.interactions.shape, len(found.pairs())), ((n, n), n * n))
        self.assertEqual(found.together.sum(), sum(len(tags) - 1 for tags in y))
        self.assertGreater(found.together[n_of("B-PER"), n_of("E-PER")], 0)
        self.assertEqual(found.together[n_of("E-PER"), n_of("B-PER")], 0)
        self.assertIn("B-PER then E-PER", found._repr_html_())
        plain = tagger.explain(X)
        self.assertIsNone(plain.together)
        np.testing.assert_array_equal(plain.interactions, found.interactions)
        self.assertRegex(repr(plain), "^tags +interaction\n")
        X, y = photos()
        seg = EnergySegmenter("seal-regression", epochs=2, net_width=4, threads=1).fit(X, y)
        found = seg.energy(X, y)
        self.assertEqual(found.shape, (len(X),))
        self.assertTrue((found != seg.energy(X, 1 - y)).all())
        self.assertEqual(seg.energy(X[3:4], y[3:4])[0], found[3])
        with self.assertRaisesRegex(ValueError, "mask"):
            seg.energy(X, None)
        with self.assertRaisesRegex(ValueError, "mask"):
            seg.energy([X[0], X[1]], [y[0], None])
        found = seg.explain(X, y)
        self.assertEqual(found.interactions.shape, (17, 17))
        self.assertAlmostEqual(found.together[8, 8], 1)
        self.assertTrue((found.interactions[7:10, 7:10] != 0).all())
        self.assertIn("+1, 0", found._repr_html_())
        self.assertIsNone(seg.explain(X).together)
        with self.assertRaisesRegex(ValueError, "without an energy"):
            EnergySegmenter("ce", epochs=1, net_width=4, threads=1).fit(X, y).explain(X)

    def test_segmenter(self):
        X, y = photos()
        seg = EnergySegmenter("ce", epochs=2, net_width=4, threads=1).fit(X, y)
        self.assertEqual(seg.predict(X).shape, y.shape)
        self.assertEqual(seg.predict_proba(list(X))[0].shape, y[0].shape)
        self.assertEqual(
            pickle.loads(pickle.dumps(seg)).predict(X[:1]).tolist(), seg.predict(X[:1]).tolist()
        )
        self.assertTrue(0 <= seg.score(X, y) <= 1)
        sklearn.base.clone(seg)


if __name__ == "__main__":
    warnings.simplefilter("ignore", basin.BasinWarning)
    unittest.main()
