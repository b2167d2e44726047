"""basin.Model, basin.Data and basin.train, with numpy and scipy."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
import scipy.sparse as sp

import basin

SMALL = {"method": "ce", "epochs": 4, "net_width": 16, "threads": 1}


def rows(n=120, features=12, labels=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features)).astype(np.float32)
    X[rng.random(X.shape) < 0.5] = 0
    Y = (X @ rng.normal(size=(features, labels)) > 0.3).astype(np.int64)
    return X, Y


def svm(path, X, Y):
    with open(path, "w") as f:
        for x, y in zip(X, Y):
            features = " ".join(f"{k}:{v!r}" for k, v in enumerate(x.tolist()) if v)
            f.write(f"{','.join(map(str, np.flatnonzero(y)))} {features}\n")


def words(n=60):
    X = [["Ada", "Lund", "sees", "Rome"][: 2 + i % 3] + ["."] for i in range(n)]
    tag = {"Ada": "B-PER", "Lund": "I-PER", "Rome": "B-LOC"}
    return X, [[tag.get(w, "O") for w in s] for s in X]


def photos(n=12):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 256, (n, 20, 16, 3)).astype(np.uint8)
    return X, (X[..., 0] > 127).astype(np.uint8)


class Training(unittest.TestCase):
    def setUp(self):
        self.old = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.old)
        self.folder.cleanup()

    def by_tool(self, *arguments):
        done = subprocess.run(
            [os.environ["BASIN"], "train", *arguments, "-q", "--set", "report=no", "-o", "run"]
            + ["--method", "ce", "--epochs", "4", "--set", "net.width=16", "--force"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        with open("run/best.safetensors", "rb") as f:
            return f.read()

    def test_rows_give_the_bytes_of_the_tool(self):
        X, Y = rows()
        np.save("X.npy", X)
        np.save("Y.npy", Y)
        self.assertEqual(
            self.by_tool("X.npy", "Y.npy"), basin.train(SMALL, basin.Data.rows(X, Y)).to_bytes()
        )
        svm("x.svm", X, Y)
        data = basin.Data.rows(sp.csr_matrix(X), sp.csc_matrix(Y), label_names=list("0123"))
        model = basin.train(SMALL, data)
        self.assertEqual(self.by_tool("x.svm"), model.to_bytes())
        self.assertEqual(model.to_bytes(), basin.train(SMALL, "x.svm").to_bytes())

    def test_sentences_give_the_bytes_of_the_tool(self):
        X, y = words()
        with open("x.conll", "w") as f:
            for s, tags in zip(X, y):
                f.write("".join(f"{w}\t{t}\n" for w, t in zip(s, tags)) + "\n")
        model = basin.train(SMALL, basin.Data.sentences(X, y))
        self.assertEqual(self.by_tool("x.conll"), model.to_bytes())

    def test_history_and_callbacks(self):
        X, Y = rows()
        seen = []
        data = basin.Data.rows(X, Y)
        model = basin.train(SMALL, data, callbacks=[seen.append])
        self.assertEqual([e["epoch"] for e in model.history], [1, 2, 3, 4])
        self.assertEqual(sum(e["event"] == "epoch" for e in seen), 4)
        self.assertEqual(model.summary["epochs"], 4)
        model = basin.train(
            SMALL, data, callbacks=[lambda e: e["event"] == "epoch" and e["epoch"] == 2]
        )
        self.assertEqual(len(model.history), 2)

        def wrong(event):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            basin.train(SMALL, data, callbacks=[wrong])

    def test_a_folder_is_a_run(self):
        X, Y = rows()
        model = basin.train(SMALL, basin.Data.rows(X, Y), folder="out")
        self.assertEqual(basin.Model.load("out").to_bytes(), model.to_bytes())
        with self.assertRaisesRegex(basin.BasinError, "finished run"):
            basin.train(SMALL, basin.Data.rows(X, Y), folder="out")
        again = basin.train({**SMALL, "seed": 1}, basin.Data.rows(X, Y), folder="out", force=True)
        self.assertNotEqual(again.to_bytes(), model.to_bytes())

    def test_saving(self):
        X, Y = rows()
        model = basin.train(SMALL, basin.Data.rows(X, Y, label_names=list("abcd")))
        model.save("m.safetensors")
        loaded = basin.Model.load("m.safetensors")
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        self.assertEqual(copy.history, model.history)
        self.assertEqual(loaded.labels, list("abcd"))
        self.assertEqual(os.listdir("."), ["m.safetensors"])
        with self.assertRaises(OSError):
            basin.Model.load("gone")
        with self.assertRaisesRegex(TypeError, "Model.load"):
            basin.Model("m.safetensors")
        with self.assertRaises(OSError):
            model.save("gone/m")
        with self.assertRaises(ValueError):
            basin.Model.from_bytes(model.to_bytes()[:-9])
        with self.assertRaisesRegex(basin.BasinError, "gbi.step"):
            basin.train({"gbi_stepz": 3}, basin.Data.rows(X, Y))

    def test_evaluation(self):
        X, Y = rows()
        data = basin.Data.rows(X, Y)
        model = basin.train(SMALL, data)
        found = model.evaluate(data, per_label=True)
        self.assertIn("micro_f1", found.metrics)
        self.assertIn("ex-F1", repr(found))
        self.assertIn("<pre>", found._repr_html_())


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.Y = rows()
        cls.dense = basin.train(SMALL, basin.Data.rows(cls.X, cls.Y))
        cls.wide = np.zeros(
            (120, 400), np.float32
        )  # the net of such rows reads them as sparse ones
        cls.wide[:, ::40] = cls.X[:, :10]
        cls.sparse = basin.train(SMALL, basin.Data.rows(sp.csr_matrix(cls.wide), cls.Y))

    def test_every_kind_of_array(self):
        for model, X in (self.dense, self.X), (self.sparse, self.wide):
            self.every_kind_of_array(model, X)

    def every_kind_of_array(self, model, X):
        read_only = X.copy()
        read_only.flags.writeable = False
        wide = np.zeros((len(X), 2 * X.shape[1]), np.float32)
        wide[:, ::2] = X
        with tempfile.NamedTemporaryFile() as f:
            X.tofile(f)
            f.flush()
            mapped = np.memmap(f.name, np.float32, "r", shape=X.shape)
            given = [
                X.astype(np.float64),
                np.asfortranarray(X),
                read_only,
                wide[:, ::2],
                X.tolist(),
                mapped,
            ]
            want = model.predict_proba(X)
            for other in given:
                np.testing.assert_array_equal(model.predict_proba(other), want)

    def test_every_kind_of_sparse_matrix(self):
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
        for model, rows in (self.dense, self.X), (self.sparse, self.wide):
            want = model.predict_proba(rows)
            for form in "csr csc coo lil dok bsr dia".split():
                for kind in sp.csr_matrix, sp.csr_array:
                    X = kind(rows).asformat(form)
                    np.testing.assert_array_equal(model.predict_proba(X), want)
            X = sp.csr_matrix(rows, dtype=np.float64)
            X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
            np.testing.assert_array_equal(model.predict_proba(X), want)

    def test_sparse_matrices_are_left_alone(self):
        X = sp.csr_matrix(self.wide)
        X.indices[: X.indptr[1]] = X.indices[: X.indptr[1]][::-1].copy()
        X.data[: X.indptr[1]] = X.data[: X.indptr[1]][::-1].copy()
        X.has_sorted_indices = X.has_canonical_format = False
        before = X.indices.copy(), X.data.copy()
        want = self.sparse.predict_proba(self.wide)
        np.testing.assert_array_equal(self.sparse.predict_proba(X), want)
        basin.train(SMALL, basin.Data.rows(X, self.Y))
        np.testing.assert_array_equal(X.indices, before[0])
        np.testing.assert_array_equal(X.data, before[1])

    def test_nothing_is_copied_that_fits(self):
        X = np.zeros((2000, 500), np.float32)
        M = sp.csr_matrix(X + 1)
        dense, csr = basin.Data.rows(X), basin.Data.rows(M)
        self.assertIs(dense._kept[1][0], X)
        self.assertTrue(np.shares_memory(csr._kept[1][1], M.indices))
        self.assertTrue(np.shares_memory(csr._kept[1][2], M.data))

    def test_many_rows_have_the_scores_of_one(self):
        X = np.tile(self.X, (9, 1))
        p = self.dense.predict_proba(X)
        one = np.vstack([self.dense.predict_proba(X[i : i + 1]) for i in range(120)])
        np.testing.assert_array_equal(p, np.tile(one, (9, 1)))
        self.assertTrue((p > 0).all() and (p < 1).all())
        self.assertEqual(self.dense.predict_proba(X[:0]).shape, (0, 4))
        self.assertEqual(self.dense.predict_proba(sp.csr_matrix(X[:0])).shape, (0, 4))

    def test_labels(self):
        self.assertEqual(self.dense.labels, ["y0", "y1", "y2", "y3"])
        named = basin.Data.rows(self.X, [["b"] if y[0] else ["a", "b"] for y in self.Y])
        model = basin.train(SMALL, named)
        self.assertEqual(model.labels, ["a", "b"])
        with self.assertRaisesRegex(ValueError, "'c' is not in label_names"):
            basin.Data.rows(self.X[:1], [["c"]], label_names=["a"])
        with self.assertRaisesRegex(ValueError, "other than 0 and 1"):
            basin.Data.rows(self.X, 2 * self.Y)

    def test_wrong_rows(self):
        with self.assertRaisesRegex(ValueError, "X has 3 features, but the model has 12"):
            self.dense.predict_proba(self.X[:, :3])
        with self.assertRaisesRegex(ValueError, "infinite"):
            self.dense.predict_proba(np.full((1, 12), np.inf))
        with self.assertRaisesRegex(ValueError, "infinite"):
            self.dense.predict_proba(np.full((1, 12), 1e300))
        with self.assertRaisesRegex(ValueError, "X has 120 rows, y has 3"):
            basin.Data.rows(self.X, self.Y[:3])
        with self.assertRaisesRegex(ValueError, "NUL"):
            basin.Data.rows(self.X, self.Y, label_names=["a", "b\0", "c", "d"])
        with self.assertRaisesRegex(ValueError, "labels of y end at 7, not at 3"):
            basin.Data.label_sets(self.X[:2], [0, 1, 7], [0, 1, 2], 4)
        for scores in np.zeros((120, 1)), np.zeros((0, 5)), np.zeros(4):
            with self.assertRaisesRegex(ValueError, r"\(n, 4\) are needed"):
                self.dense.decide(scores)
            with self.assertRaisesRegex(ValueError, "scores are"):
                self.dense.interactions(scores)
        self.assertTrue(np.isfinite(self.dense.predict_proba(np.full((1, 12), np.nan))).all())

    def test_threads(self):
        want, wrong = self.dense.predict_proba(self.X), []

        def work():
            for _ in range(40):
                if (self.dense.predict_proba(self.X) != want).any():
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(wrong, [])

    def test_trainings_in_threads(self):
        found = []

        def work():
            found.append(basin.train(SMALL, basin.Data.rows(self.X, self.Y)).to_bytes())

        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(set(found), {self.dense.to_bytes()})

    def test_a_forked_child_predicts_and_trains(self):
        X = np.tile(self.X, (20, 1))
        model = basin.train({**SMALL, "threads": 2}, basin.Data.rows(self.X, self.Y))
        model.threads = 2
        want = model.predict_proba(X)
        child = os.fork()
        if child == 0:
            ok = (model.predict_proba(X) == want).all()
            ok &= basin.train(SMALL, basin.Data.rows(self.X, self.Y)).to_bytes() == model.to_bytes()
            os._exit(0 if ok else 3)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


WAYS = "threshold", "f1", "subset", "hamming", "jaccard"
# an energy that is trained a little, so that its decisions are not those of a threshold
ENERGY = {
    "energy.proof": 0,
    "energy.base": "net",
    "energy.kind": "pairs",
    "energy.epochs": 4,
    "pretrain.epochs": 4,
    "lr.energy": 0.05,
    "samples": 20,
    "decide.samples": 20,
    "infer": "net",
}
DECIDED = {**SMALL, **ENERGY, "method": "nce", "decide": "subset"}


def by_tool(model, *files, decide=None, form="npy", more=()):
    """What `basin predict` writes about files."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/m")
        words = ["predict", f"{folder}/m", *files, "-q", "--format", form, "-o", f"{folder}/y"]
        words += [*more] + ([] if decide is None else ["--decide", decide])
        subprocess.run([os.environ["BASIN"], *words], check=True)
        if form == "npy":
            return np.load(f"{folder}/y")
        with open(f"{folder}/y") as f:
            return f.read()


class Decisions(unittest.TestCase):
    """Predictions are those of `basin predict`, by a threshold or by an energy."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.X, self.Y = rows()

    def sets(self, model, X, decide=None):
        number = {name: k for k, name in enumerate(model.labels)}
        on = np.zeros((X.shape[0], len(number)), np.uint8)
        for row, names in zip(on, model.predict(X, decide=decide)):
            row[[number[name] for name in names]] = 1
        return on

    def as_the_tool(self, model, X, path):
        cut = model.decide(model.predict_proba(X))
        for how in WAYS:
            with self.subTest(how):
                found = self.sets(model, X, how)
                np.testing.assert_array_equal(found, by_tool(model, path, decide=how))
                self.assertEqual((found == cut).all(), how == "threshold")
        own = self.sets(model, X)
        np.testing.assert_array_equal(own, by_tool(model, path))
        np.testing.assert_array_equal(own, self.sets(model, X, model.decision))
        one = np.vstack([self.sets(model, X[i : i + 1]) for i in range(9)])
        np.testing.assert_array_equal(one, own[:9])

    def test_dense_rows(self):
        X = np.tile(self.X, (3, 1))  # several pieces
        X[5, 3] = np.nan
        np.save(f"{self.folder}/X.npy", X)
        data = basin.Data.rows(self.X, self.Y)
        model = basin.train(DECIDED, data)
        self.assertEqual(model.decision, "subset")
        self.as_the_tool(model, X, f"{self.folder}/X.npy")
        found = self.sets(model, X)
        np.testing.assert_array_equal(self.sets(model, sp.csr_matrix(X)), found)
        model.threads = 2
        np.testing.assert_array_equal(self.sets(model, X), found)
        right = (found[:120] == self.Y).all(axis=1)
        right[5] = False  # has no value missing in the data
        for how in None, "threshold":
            right = (self.sets(model, self.X, how) == self.Y).all(axis=1).mean()
            metrics = model.evaluate(data, decide=how).metrics
            self.assertAlmostEqual(metrics["subset_accuracy"], right)
        with self.assertRaisesRegex(ValueError, "decide: 'best' is not threshold, f1"):
            model.predict(X, decide="best")
        with self.assertRaisesRegex(ValueError, "X has 3 features"):
            model.predict(X[:, :3])

    def test_more_samples_than_a_model_may_ask_for(self):
        np.save(f"{self.folder}/X.npy", self.X)
        settings = {**DECIDED, "decide": "f1", "decide.samples": 1500}
        model = basin.train(settings, basin.Data.rows(self.X, self.Y))
        with self.assertRaisesRegex(ValueError, "1500 samples per row"):
            model.predict(self.X)
        model.options = {"decide_samples": 4}
        found = self.sets(model, self.X)
        np.testing.assert_array_equal(
            found, by_tool(model, f"{self.folder}/X.npy", more=["--set", "decide.samples=4"])
        )
        np.testing.assert_array_equal(self.sets(pickle.loads(pickle.dumps(model)), self.X), found)
        right = (found == self.Y).all(axis=1).mean()
        metrics = model.evaluate(basin.Data.rows(self.X, self.Y)).metrics
        self.assertAlmostEqual(metrics["subset_accuracy"], right)
        model.options["decide.samples"] = 50
        self.assertTrue((self.sets(model, self.X) != found).any())
        model.options = {"lr.net": 1}
        with self.assertRaisesRegex(ValueError, "lr.net"):
            model.predict(self.X)

    def test_sparse_rows(self):
        wide = np.zeros((120, 400), np.float32)
        wide[:, ::40] = self.X[:, :10]
        svm(f"{self.folder}/x.svm", wide, self.Y)
        data = basin.Data.rows(sp.csr_matrix(wide), self.Y, label_names=list("0123"))
        model = basin.train({**DECIDED, "decide": "f1"}, data)
        self.assertEqual(model.decision, "f1")
        self.as_the_tool(model, sp.csr_matrix(wide), f"{self.folder}/x.svm")
        np.testing.assert_array_equal(self.sets(model, wide), self.sets(model, sp.csr_matrix(wide)))

    def test_texts(self):
        rng = np.random.default_rng(3)
        X = np.array([" ".join(rng.choice(list("abcdefgh"), 4)) for _ in range(120)])
        with open(f"{self.folder}/x.jsonl", "w") as f:
            f.writelines(f'{{"text": "{text}"}}\n' for text in X)
        data = basin.Data.rows(None, [list("abcd"[: i % 3]) for i in range(120)], texts=X)
        here = os.path.dirname(os.path.abspath(__file__))
        for more in {}, {"encoder": f"{here}/../golden/encoders/bert", "encoder.train": "none"}:
            model = basin.train({**DECIDED, **more}, data)
            self.as_the_tool(model, X, f"{self.folder}/x.jsonl")
        small = basin.train({**DECIDED, **more, "model.encoder": "beside"}, data)
        small.save(f"{self.folder}/small")
        with self.assertRaisesRegex(basin.BasinValueError, "neither inside nor beside it"):
            basin.Model.load(f"{self.folder}/small")
        small = basin.Model.load(f"{self.folder}/small", encoder=more["encoder"])
        np.testing.assert_array_equal(small.predict_proba(X), model.predict_proba(X))

    def test_without_an_energy(self):
        np.save(f"{self.folder}/X.npy", self.X)
        model = basin.train(SMALL, basin.Data.rows(self.X, self.Y))
        self.assertEqual(model.decision, "threshold")
        for how in None, "threshold", "f1":
            np.testing.assert_array_equal(
                self.sets(model, self.X, how), by_tool(model, f"{self.folder}/X.npy", decide=how)
            )

    def test_sentences(self):
        rng = np.random.default_rng(5)
        X = [list(rng.choice(list("abcde"), 2 + i % 5)) for i in range(80)]
        y = [list(rng.choice(["N", "V"], len(s))) for s in X]
        with open(f"{self.folder}/x.conll", "w") as f:
            f.writelines("".join(f"{w}\t{t}\n" for w, t in zip(*s)) + "\n" for s in zip(X, y))
        settings = {**DECIDED, "energy.kind": "lm", "energy.base": "none", "energy.hidden": 8}
        settings["early_stop.epochs"] = 4
        model = basin.train(settings, basin.Data.sentences(X, y))
        self.assertEqual(model.decision, "subset")
        found = {}
        for how in None, "threshold", "subset", "hamming":
            found[how] = model.predict(X, decide=how)
            lines = by_tool(model, f"{self.folder}/x.conll", decide=how, form="conll").split("\n\n")
            tags = [[line.split()[-1] for line in s.splitlines()] for s in lines if s.strip()]
            self.assertEqual(found[how], tags)
        self.assertEqual(found[None], found["subset"])
        self.assertNotEqual(found["threshold"], found["subset"])
        spans = model.predict_spans(X[:1], decide="threshold")
        self.assertEqual([t for _, _, t in spans[0]], found["threshold"][0])
        with self.assertRaisesRegex(ValueError, "f1 is for spans"):
            model.predict(X, decide="f1")

    def test_images(self):
        X, y = photos()
        settings = {**SMALL, "net_width": 4, "epochs": 1, "decide": "jaccard"}
        model = basin.train(settings, basin.Data.images(X, y))
        best, cut = np.stack(model.predict(X)), np.stack(model.predict(X, decide="threshold"))
        self.assertTrue((best != cut).any())
        np.testing.assert_array_equal(best, model.predict(X, decide="jaccard"))
        np.testing.assert_array_equal(cut, np.stack(model.predict_proba(X)) > 0.5)


class OtherTasks(unittest.TestCase):
    def test_sentences(self):
        X, y = words()
        model = basin.train({**SMALL, "epochs": 40, "lr_net": 0.02}, basin.Data.sentences(X, y))
        self.assertEqual(model.predict(X), y)
        self.assertEqual(model.predict_spans(X[2:3]), [[(0, 2, "PER"), (3, 4, "LOC")]])
        p = model.predict_proba(X)
        self.assertEqual([len(a) for a in p], [len(s) for s in X])
        np.testing.assert_allclose(p[0].sum(axis=1), 1, rtol=1e-5)
        self.assertEqual(model.predict([[]]), [[]])
        self.assertEqual(model.predict([]), [])
        for wrong, why in (
            ("text", "one text"),
            (["a text"], "split it"),
            ([[3]], "a token is a int"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                model.predict(wrong)
        with self.assertRaisesRegex(ValueError, "sentence 1: 2 tokens, 1 tags"):
            basin.Data.sentences([["a"], ["b", "c"]], [["O"], ["O"]])

    def test_roles_are_for_the_tool(self):
        with open("x.conll", "w") as f:
            f.write("Ada\t-\t(A0*)\nsings\tsing\t(V*)\n\n" * 20)
        model = basin.train(SMALL, "x.conll")
        self.assertEqual(model.task, "roles")
        for method in model.predict, model.predict_proba:
            with self.assertRaisesRegex(ValueError, "basin predict"):
                method([["Ada", "sings"]])

    def test_columns_of_tokens(self):
        X, y = words()
        X = [[(w, "upper" if w[0].isupper() else None) for w in s] for s in X]
        model = basin.train({**SMALL, "epochs": 40, "lr_net": 0.02}, basin.Data.sentences(X, y))
        self.assertEqual(model.predict(X), y)
        with self.assertRaisesRegex(ValueError, "0 columns"):
            model.predict([["Ada"]])

    def test_images(self):
        X, y = photos()
        model = basin.train({**SMALL, "net_width": 4}, basin.Data.images(X, y))
        masks = model.predict(list(X) + [X[0][:7]])
        self.assertEqual([m.shape for m in masks], [(20, 16)] * 12 + [(7, 16)])
        self.assertEqual(model.predict_proba(X[:2])[1].shape, (20, 16))
        basin.train(
            {**SMALL, "net_width": 4}, basin.Data.images([x[..., :1] for x in X], y.astype(bool))
        )
        for wrong, why in (
            (X / 255, "8-bit integers"),
            (X[..., :2], "height, width"),
            (X.astype(int) + 300, "0 to 255"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                model.predict(wrong)


CTRL_C = """
import os, signal, sys, threading, time
import numpy as np, basin
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 60)).astype(np.float32)
Y = (X[:, :8] > 0).astype(int)
sent = []
def send():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
epochs = []
def listen(event):
    if event["event"] == "epoch":
        epochs.append(event)
        if len(epochs) == 2:
            threading.Timer(0.25, send).start()
for estimator in False, True:
    sent.clear(), epochs.clear()
    params = {"method": "seal-nce", "epochs": 100000, "threads": 1}
    try:
        if estimator:
            more = {"early_stop.patience": 99999}
            clf = basin.EnergyClassifier(**params, callbacks=[listen], options=more)
            clf.fit(X, Y)
        else:
            params["early_stop.patience"] = 99999
            basin.train(params, basin.Data.rows(X, Y), callbacks=[listen])
        print("not interrupted")
    except KeyboardInterrupt as e:
        late = time.perf_counter() - sent[0]
        ok = clf.predict(X[:2]).shape == (2, 8) if estimator else len(e.model.predict(X[:2])) == 2
        print("in time" if late < 0.2 else f"late: {late}", ok)
        print(f"{late:.3f} s", file=sys.stderr)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


class Process(unittest.TestCase):
    def python(self, program, **more):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env={**os.environ, **more},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_ctrl_c_keeps_the_best_model(self):
        self.assertEqual(self.python(CTRL_C), "in time True\nin time True\n")

    def test_import_takes_neither_numpy_nor_sklearn(self):
        names = "numpy", "scipy", "sklearn", "pandas"
        program = f"import sys, basin; print([m for m in {names} if m in sys.modules])"
        self.assertEqual(self.python(program), "[]\n")
        program = "import sys, basin; basin.Model, basin.train; print('sklearn' in sys.modules)"
        self.assertEqual(self.python(program), "False\n")

    def test_time_of_import_and_of_one_row(self):
        """In processor time, since the machine may be busy: under 50 ms, and 40 us above C."""
        program = (
            "import time; t = time.process_time(); import basin; print(time.process_time() - t)"
        )
        self.assertLess(min(float(self.python(program)) for _ in range(3)), 0.05)
        X, Y = rows()
        model = basin.train(SMALL, basin.Data.rows(X, Y))
        model.threads = 1
        x, scores = X[:1].copy(), np.empty((1, 4), np.float32)
        with basin._model._Predictor.of(model) as p:
            given = p.handle, x.ctypes.data, 1, scores.ctypes.data, None

            def time_of(function, *arguments):
                begun = time.process_time()
                for _ in range(2000):
                    function(*arguments)
                return (time.process_time() - begun) / 2000

            bare = min(time_of(basin._lib.lib.basin_predict_dense, *given) for _ in range(5))
        above = min(time_of(model.predict_proba, x) for _ in range(5)) - bare
        print(f"one row: {1e6 * above:.1f} us above the C call", file=sys.stderr)
        self.assertLess(above, 40e-6)

    def test_a_library_that_is_not_there(self):
        program = "try:\n import basin\nexcept ImportError as e: print(e)"
        self.assertIn("BASIN_LIBRARY=", self.python(program, BASIN_LIBRARY="/gone/libbasin.so"))
        self.assertIn("has no basin_version", self.python(program, BASIN_LIBRARY="libm.so.6"))

    def test_models_in_cycles_are_freed(self):
        program = """
import gc, sys
import numpy as np, basin
for last in False, True:
    model = basin.train(%r, basin.Data.rows(np.ones((20, 3), np.float32), np.eye(20, 3)))
    model.predict_proba(np.ones((1, 3)))
    model.itself, model.idle = model, model._idle
    if not last:
        del model
        gc.collect()
"""
        self.assertEqual(self.python(program % SMALL), "")

    def test_beside_another_openmp(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("no torch")
        program = """
import numpy as np
model = basin.train(%r, basin.Data.rows(np.ones((20, 3), np.float32), np.eye(20, 3)))
print(model.predict_proba(np.ones((1, 3))).shape, torch.ones(3) @ torch.ones(3))
print((torch.ones(300, 300) @ torch.ones(300, 300)).sum())
"""
        for order in "torch, basin", "basin, torch":
            text = self.python(f"import {order}" + program % {**SMALL, "threads": 2})
            self.assertEqual(text, "(1, 3) tensor(3.)\ntensor(27000000.)\n")

    def test_a_handler_of_the_program(self):
        program = CTRL_C.replace(
            "for estimator in False, True:",
            """
def handler(number, frame):
    raise KeyError('mine')
signal.signal(signal.SIGINT, handler)
try:
    params = {"method": "ce", "epochs": 100000, "threads": 1, "early_stop.patience": 99999}
    basin.train(params, basin.Data.rows(X, Y), callbacks=[listen])
except KeyError as e:
    print(e, signal.getsignal(signal.SIGINT) is handler)
sys.exit()
for estimator in ():""",
        )
        self.assertEqual(self.python(program), "'mine' True\n")

    def test_memory_does_not_grow(self):
        X, Y = rows(40, 6, 2)
        data = basin.Data.rows(X, Y)

        def size():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def fit(times):
            for _ in range(times):
                model = basin.train({**SMALL, "epochs": 1}, data)
                model.predict_proba(X)
            del model
            gc.collect()

        fit(200)
        before = size()
        fit(int(os.environ.get("FITS", "1000")))
        self.assertLess(size() - before, 4 << 20)


class Progress(unittest.TestCase):
    def test_a_terminal_has_one_line(self):
        import io
        from basin._progress import Progress

        class Terminal(io.StringIO):
            def isatty(self):
                return True

        old, sys.stderr = sys.stderr, Terminal()
        try:
            progress = Progress(True)
            progress.tell(
                {"event": "epoch", "epoch": 1, "loss_net": 2.5, "valid": {"f1": 0.5}, "best": True}
            )
            progress.tell({"event": "progress", "what": "epoch 2", "done": 1, "total": 4})
            progress.tell({"event": "message", "level": "info", "text": "a note"})
            progress.close()
            text = sys.stderr.getvalue()
        finally:
            sys.stderr = old
        self.assertIn("\repoch 1, loss 2.5, f1 50.00, best so far", text)
        self.assertIn("\repoch 2: 25 %; epoch 1", text)
        self.assertIn("a note", text)

    def test_a_notebook_has_one_output(self):
        import types
        from basin import _progress

        shown = []

        class ZMQInteractiveShell:
            pass

        class Handle:
            def update(self, data, raw):
                shown.append(data["text/plain"])

        package = types.ModuleType("IPython")
        package.get_ipython = ZMQInteractiveShell
        package.display = types.ModuleType("IPython.display")
        package.display.display = lambda data, raw, display_id: Handle()
        sys.modules["IPython"], sys.modules["IPython.display"] = package, package.display
        try:
            progress = _progress.Progress(False)
            progress.tell({"event": "epoch", "epoch": 7, "valid": {}})
            progress.close()
        finally:
            del sys.modules["IPython"], sys.modules["IPython.display"]
        self.assertEqual(shown, ["epoch 7"])


if __name__ == "__main__":
    warnings.simplefilter("ignore", basin.BasinWarning)
    unittest.main()
