#!/usr/bin/python3
"""Writes tests/golden/*.txt: what PyTorch computes, for tests/test_golden*.c to agree with.

Run by hand in the repository, with PyTorch 1.13 or newer:  /usr/bin/python3 tools/make_golden.py

A file is plain text. Its first line is a comment with the tolerances of the double and the float
build (norm of the difference by norm of the value); then follow tensors:

    NAME d0 d1 d2 d3
    numbers, row-major

Inputs and weights are multiples of 1/64, so they are exact in float. Names of parameters are
those of the library, weights lie input by output. "d:NAME" is the gradient of the tensor "loss" by
NAME. Everything is computed in double precision and printed with 17 digits.
"""
import math
import os

import torch
import torch.nn.functional as F

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "golden")
LIMIT = 20000  # bytes of a file


def tensor(*shape, scale=1.0):
    """Multiples of 1/64 within about three times the scale."""
    x = torch.randn(*shape) * scale
    return torch.round(x * 64) / 64


def leaf(*shape, scale=1.0):
    return tensor(*shape, scale=scale).requires_grad_()


class Golden:
    def __init__(self, name, about, double=1e-12, single=1e-5):
        self.name = name
        self.seen = set()
        self.text = "# tolerance %g double, %g float; %s\n" % (double, single, about)

    def put(self, name, x):
        x = torch.as_tensor(x, dtype=torch.float64).detach()
        assert name not in self.seen and " " not in name
        self.seen.add(name)
        shape = [1] * (4 - x.dim()) + list(x.shape)
        self.text += "%s %s\n" % (name, " ".join(map(str, shape)))
        numbers = ["%.17g" % v if v * 64 != round(v * 64) else "%.10g" % v
                   for v in x.reshape(-1).tolist()]
        for i in range(0, len(numbers), 4):
            self.text += " ".join(numbers[i:i + 4]) + "\n"

    def params(self, table):
        for name, x in table.items():
            self.put(name, x)

    def grads(self, loss, table):
        self.put("loss", loss)
        got = torch.autograd.grad(loss, list(table.values()))
        for name, g in zip(table, got):
            self.put("d:" + name, g)

    def write(self):
        data = self.text.encode()
        assert len(data) < LIMIT, (self.name, len(data))
        with open(os.path.join(FOLDER, self.name + ".txt"), "wb") as f:
            f.write(data)
        print("%-20s %6d bytes" % (self.name, len(data)))


def mlp_params(sizes, out):
    """Layers net/0, net/1, ... and a linear one called out."""
    p = {}
    for i in range(len(sizes) - 1):
        p["net/%d/W" % i] = leaf(sizes[i], sizes[i + 1], scale=0.5)
        p["net/%d/b" % i] = leaf(sizes[i + 1], scale=0.2)
    p["out/W"] = leaf(sizes[-1], out, scale=0.5)
    p["out/b"] = leaf(out, scale=0.2)
    return p


def mlp(x, p, layers):
    for i in range(layers):
        x = F.softplus(F.linear(x, p["net/%d/W" % i].t(), p["net/%d/b" % i]), threshold=1e9)
    return F.linear(x, p["out/W"].t(), p["out/b"])


# ---- layers ----

def make_mlp():
    g = Golden("mlp", "two softplus layers and a linear one; loss = <y, c>")
    p = mlp_params([6, 7, 7], 3)
    x, c = leaf(5, 6), tensor(5, 3)
    y = mlp(x, p, 2)
    g.params(p)
    g.params({"x": x, "c": c, "y": y})
    g.grads((y * c).sum(), dict(p, x=x))
    g.write()


def make_mlp_csr():
    g = Golden("mlp_csr", "the same on a sparse input (zeros of x are absent; row 1 is empty)")
    p = mlp_params([13, 7, 7], 3)
    x = tensor(5, 13) * (torch.rand(5, 13) < 0.35)
    x[1] = 0
    c = tensor(5, 3)
    first = torch.sparse.mm(x.to_sparse(), p["net/0/W"]) + p["net/0/b"]
    h = F.softplus(first, threshold=1e9)
    h = F.softplus(F.linear(h, p["net/1/W"].t(), p["net/1/b"]), threshold=1e9)
    y = F.linear(h, p["out/W"].t(), p["out/b"])
    g.params(p)
    g.params({"x": x, "c": c, "y": y})
    g.grads((y * c).sum(), p)
    g.write()


def make_bilstm():
    """torch has gates i, f, g, o in rows and two biases; ours is one bias, gates in columns."""
    T, B, D, H, layers = 5, 4, 3, 2, 2
    g = Golden("bilstm", "two bidirectional LSTM layers over packed sequences; loss = <h, c>")
    net = torch.nn.LSTM(D, H, num_layers=layers, bidirectional=True)
    for w in net.parameters():
        w.data = tensor(*w.shape, scale=0.6)
    x, c = leaf(T, B, D), tensor(T, B, 2 * H)
    length = torch.tensor([3, 5, 1, 4])
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, length, enforce_sorted=False)
    h, _ = torch.nn.utils.rnn.pad_packed_sequence(net(packed)[0], total_length=T)
    loss = (h * c).sum()
    loss.backward()
    for k in range(layers):
        for side, tail in (("forward", ""), ("backward", "_reverse")):
            def part(kind):
                return getattr(net, "%s_l%d%s" % (kind, k, tail))
            name = "lstm/%d/%s/" % (k, side)
            assert torch.allclose(part("bias_ih").grad, part("bias_hh").grad)
            g.put(name + "Wx", part("weight_ih").t())
            g.put(name + "Wh", part("weight_hh").t())
            g.put(name + "b", part("bias_ih") + part("bias_hh"))
            g.put("d:" + name + "Wx", part("weight_ih").grad.t())
            g.put("d:" + name + "Wh", part("weight_hh").grad.t())
            g.put("d:" + name + "b", part("bias_ih").grad)
    g.params({"x": x, "len": length, "c": c, "h": h, "loss": loss, "d:x": x.grad})
    g.write()


def make_conv():
    g = Golden("conv", "5x5 convolutions with stride 1 and 2, ReLU, then a transposed one, 4x4 "
               "with stride 2; loss = <y, c>")
    x = leaf(2, 1, 7, 8)
    p = {"conv/0/W": leaf(2, 1, 5, 5, scale=0.4), "conv/0/b": leaf(1, 2, 1, 1, scale=0.2),
         "conv/1/W": leaf(3, 2, 5, 5, scale=0.3), "conv/1/b": leaf(1, 3, 1, 1, scale=0.2),
         "up/W": leaf(3, 1, 4, 4, scale=0.4)}
    a = F.conv2d(x, p["conv/0/W"], p["conv/0/b"].reshape(-1), stride=1, padding=2)
    h = F.relu(a)
    b = F.conv2d(h, p["conv/1/W"], p["conv/1/b"].reshape(-1), stride=2, padding=2)
    y = F.conv_transpose2d(F.relu(b), p["up/W"], stride=2, padding=1)
    assert min(a.abs().min(), b.abs().min()) > 1e-4, "an activation sits on the kink"
    c = tensor(*y.shape)
    g.params(p)
    g.params({"x": x, "c": c, "y": y})
    g.grads((y * c).sum(), dict(p, x=x))
    g.write()


def make_embedding():
    g = Golden("embedding", "rows of a table; index -1 gives zeros; loss = <y, c>")
    table = leaf(6, 3)
    index = torch.tensor([[0, 2, 5, -1], [2, 2, -1, -1], [4, 0, 2, 5]])
    mask = (index >= 0).unsqueeze(-1)
    y = F.embedding(index.clamp(min=0), table) * mask
    c = tensor(*y.shape)
    g.params({"words": table, "index": index, "c": c, "y": y})
    g.grads((y * c).sum(), {"words": table})
    g.write()


def make_norm():
    g = Golden("norm", "gelu(layer_norm(x)), eps 1e-5; loss = <y, c>")
    x, gain, bias = leaf(4, 9), leaf(9), leaf(9, scale=0.5)
    y = F.gelu(F.layer_norm(x, (9,), gain, bias, 1e-5))
    c = tensor(*y.shape)
    g.params({"gain": gain, "bias": bias, "x": x, "c": c, "y": y})
    g.grads((y * c).sum(), {"gain": gain, "bias": bias, "x": x})
    g.write()


# ---- losses; d:NAME:z is the gradient of loss NAME by the logits z ----

def make_losses():
    g = Golden("losses", "cross-entropy by picked log-softmax, binary cross-entropy from logits, "
               "soft F1; means over rows; the logits reach 40")
    z, y = tensor(5, 7, scale=2.0), (torch.rand(5, 7) < 0.4).double()
    z[0, 0], z[0, 1] = 40, -40
    y[2] = 0
    z.requires_grad_()
    index = torch.tensor([[3], [0], [6], [2], [2]])
    log_p = F.log_softmax(z, dim=-1)
    pick = -log_p.gather(1, index).mean()
    bce = F.binary_cross_entropy_with_logits(z, y, reduction="sum") / 5
    p = torch.sigmoid(z)
    f1 = (2 * (y * p).sum(1) / (y + p).sum(1)).mean()
    g.params({"z": z, "y": y, "index": index, "log_softmax": log_p})
    for name, loss in (("pick", pick), ("bce", bce), ("f1", f1)):
        g.put(name, loss)
        g.put("d:%s:z" % name, torch.autograd.grad(loss, z, retain_graph=True)[0])
    g.write()


# ---- optimisers: parameters, flat and in order, after each of ten steps ----

def run_optimiser(name, about, rule, rate, momentum=0.0, decay=0.0, clip=0.0, groups=False):
    g = Golden("optim_" + name, about + "; loss = mean of (net(x) - t)^2")
    p = mlp_params([3, 4], 2)
    x, t = tensor(6, 3), tensor(6, 2)
    g.params(p)
    g.params({"x": x, "t": t, "rate": rate, "momentum": momentum, "decay": decay, "clip": clip})
    table = [{"params": [w], "lr": rate * (0.5 if groups and n.startswith("out") else 1),
              "weight_decay": decay * (0 if groups and n.endswith("/b") else 1)}
             for n, w in p.items()]
    opt = {"sgd": lambda: torch.optim.SGD(table, lr=rate, momentum=momentum),
           "adam": lambda: torch.optim.Adam(table, lr=rate),
           "adamw": lambda: torch.optim.AdamW(table, lr=rate)}[rule]()
    clipped = 0
    for step in range(1, 11):
        opt.zero_grad()
        loss = ((mlp(x, p, 1) - t) ** 2).mean()
        loss.backward()
        # clip_grad_norm_ adds 1e-6 to the norm; the library does not
        norm = torch.sqrt(sum((w.grad ** 2).sum() for w in p.values()))
        g.put("norm:%d" % step, norm)
        if clip and norm > clip:
            clipped += 1
            for w in p.values():
                w.grad *= clip / norm
        opt.step()
        g.put("step:%d" % step, torch.cat([w.detach().reshape(-1) for w in p.values()]))
    assert not clip or 0 < clipped < 10, "clipping should act in some steps only: %d" % clipped
    g.write()


def make_optimisers():
    run_optimiser("sgd", "SGD with momentum and coupled decay", "sgd", 0.1, momentum=0.9,
                  decay=0.01)
    run_optimiser("clip", "SGD with momentum, gradient clipped by norm", "sgd", 0.1, momentum=0.5,
                  clip=0.75)
    run_optimiser("adam", "Adam", "adam", 0.05)
    run_optimiser("adam_coupled", "Adam with coupled decay", "adam", 0.05, decay=0.1)
    run_optimiser("adamw", "AdamW", "adamw", 0.05, decay=0.1)
    run_optimiser("adamw_groups", "AdamW; no decay on biases, half the rate for out/", "adamw",
                  0.05, decay=0.1, groups=True)


# ---- the energy of SPEN ----

def make_spen():
    B, D, L, H, W, K, rate = 3, 4, 5, 4, 7, 5, 0.7
    g = Golden("spen", "E = -<y, T(x) B> + v' softplus(y M + m): value E, gradient and Hessian-"
               "vector product by y; loss = |y_K - target|^2 after %d logit steps of rate %g"
               % (K, rate))
    p = {"energy/T/0/W": leaf(D, W, scale=0.5), "energy/T/0/b": leaf(W, scale=0.2),
         "energy/T/1/W": leaf(W, W, scale=0.5), "energy/T/1/b": leaf(W, scale=0.2),
         "energy/B/W": leaf(W, L, scale=0.5),
         "energy/M/W": leaf(L, H, scale=0.8), "energy/M/b": leaf(H, scale=0.2),
         "energy/v": leaf(H, 1)}

    def energy(y):
        t = x
        for i in range(2):
            t = F.softplus(t @ p["energy/T/%d/W" % i] + p["energy/T/%d/b" % i], threshold=1e9)
        h = F.softplus(y @ p["energy/M/W"] + p["energy/M/b"], threshold=1e9)
        return (h @ p["energy/v"]).sum() - (y * (t @ p["energy/B/W"])).sum()

    x, z0 = tensor(B, D), leaf(B, L)
    y = torch.round(torch.rand(B, L) * 64) / 64
    y.requires_grad_()
    direction = tensor(B, L)
    target = (torch.rand(B, L) < 0.5).double()
    e = energy(y)
    dy = torch.autograd.grad(e, y, create_graph=True)[0]
    hv = torch.autograd.grad((dy * direction).sum(), y)[0]
    z = z0
    for _ in range(K):
        z = z - rate * torch.autograd.grad(energy(torch.sigmoid(z)), z, create_graph=True)[0]
    last = torch.sigmoid(z)
    g.params(p)
    g.params({"x": x, "y": y, "z": z0, "direction": direction, "target": target,
              "E": e, "dy": dy, "Hv": hv, "y_K": last})
    g.grads(((last - target) ** 2).sum(), dict(p, z=z0))
    g.write()


# ---- losses of training methods on label sets ----

EMPTY = 1e-6  # of soft F1: two empty sets are equal
STREAM_SAMPLE = 4000  # model/view.h


def philox(counter, key):
    """Philox 4x32-10 (Salmon et al. 2011)."""
    c, (k0, k1), mask = list(counter), key, 0xffffffff
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [p1 >> 32 ^ c[1] ^ k0, p1 & mask, p0 >> 32 ^ c[3] ^ k1, p0 & mask]
        k0, k1 = k0 + 0x9E3779B9 & mask, k1 + 0xBB67AE85 & mask
    return c


def word(element, seed=17, step=1, stream=STREAM_SAMPLE):
    return philox((element // 4, stream, step, 0), (seed, 0))[element % 4]


def uniform(*shape):
    n = torch.Size(shape).numel()
    return torch.tensor([(word(i) >> 8) * 2.0 ** -24 for i in range(n)]).reshape(shape)


def normal(*shape):
    """Box-Muller: elements 2i and 2i + 1 are the cosine and the sine from words 2i and 2i + 1."""
    n = torch.Size(shape).numel()
    even = [i // 2 * 2 for i in range(n)]
    u = torch.tensor([((word(i) >> 8) + 1) * 2.0 ** -24 for i in even])
    v = torch.tensor([(word(i + 1) >> 8) * 2.0 ** -24 for i in even])
    quarter = torch.tensor([i % 2 * 0.25 for i in range(n)])
    return (torch.sqrt(-2 * torch.log(u)) * torch.cos(2 * torch.pi * (v - quarter))).reshape(shape)


class LabelSets:
    """A net and an energy over label sets; outputs y are [rows, K, labels]."""

    def __init__(self, B=3, D=3, L=4, W=2, H=3):
        self.B, self.L = B, L
        self.x, self.gold = tensor(B, D), (torch.rand(B, L) < 0.5).double()
        self.gold[1] = 0
        self.truth = self.gold.unsqueeze(1)
        self.net = {"net/T/0/W": leaf(D, W, scale=0.7), "net/T/0/b": leaf(W, scale=0.3),
                    "net/labels/W": leaf(W, L, scale=0.7),
                    "net/cost/out/W": leaf(2 * L, L, scale=0.5),
                    "net/cost/out/b": leaf(L, scale=0.2)}
        self.energy = {"energy/T/0/W": leaf(D, W, scale=0.7), "energy/T/0/b": leaf(W, scale=0.3),
                       "energy/labels/W": leaf(W, L, scale=0.7),
                       "energy/M/W": leaf(L, H, scale=0.8), "energy/M/b": leaf(H, scale=0.3),
                       "energy/v": leaf(H, 1)}

    def mlp(self, p, name):
        t = F.softplus(self.x @ p[name + "/T/0/W"] + p[name + "/T/0/b"], threshold=1e9)
        return (t @ p[name + "/labels/W"]).unsqueeze(1)

    def logits(self):
        return self.mlp(self.net, "net")

    def score(self, y):
        """-E: [rows, K]"""
        e = self.energy
        h = F.softplus(y @ e["energy/M/W"] + e["energy/M/b"], threshold=1e9)
        return (y * self.mlp(e, "energy")).sum(-1) + (h @ e["energy/v"]).squeeze(-1)

    def f1(self, y):
        low, high = torch.minimum(y, self.truth).sum(-1), torch.maximum(y, self.truth).sum(-1)
        return (2 * low + EMPTY) / (low + high + EMPTY)

    def cost(self, kind, y):
        if kind == "f1":
            return 1 - self.f1(y)
        return (y - self.truth).abs().sum(-1)

    def margin(self, kind, y):
        """cost(y') - E(y') + E(y), before the hinge"""
        return self.cost(kind, y) + self.score(y) - self.score(self.truth)

    def regression(self, y):
        return F.binary_cross_entropy_with_logits(self.score(y), self.f1(y).detach())

    def contrast(self, correct, K=3):
        z = self.logits().detach()
        p = torch.sigmoid(z)
        u = uniform(self.B, K, self.L)
        # the gradient by the net is not wanted; a sample on the edge could fall either way
        assert (u - p).abs().min() > 1e-4
        all_y = torch.cat([self.truth, (u < p).double()], 1)
        s = self.score(all_y)
        if correct:
            s = s + F.binary_cross_entropy(p.expand_as(all_y), all_y, reduction="none").sum(-1)
        return -F.log_softmax(s, 1)[:, 0].mean()

    def augmented(self):
        """Stacked on the net's output, which is a constant for it."""
        below = torch.sigmoid(self.logits()).detach()
        both = torch.cat([below, self.truth], -1)
        return torch.sigmoid(both @ self.net["net/cost/out/W"] + self.net["net/cost/out/b"])

    def search(self, objective, steps, rate):
        """Adam from zeros, projected; the best iterate of each row, the last one included."""
        y = torch.zeros(self.B, 1, self.L, requires_grad=True)
        opt = torch.optim.Adam([y], lr=rate)
        best, lowest = None, torch.full((self.B, 1), float("inf"))
        for _ in range(steps + 1):
            value = objective(y)
            better = (value.detach() < lowest).unsqueeze(-1)
            best = y.detach().clone() if best is None else torch.where(better, y.detach(), best)
            lowest = torch.minimum(value.detach(), lowest)
            y.grad = torch.autograd.grad(value.sum(), y)[0]
            opt.step()
            y.data.clamp_(0, 1)
        return best

    def value_error(self, y):
        return F.binary_cross_entropy_with_logits(self.score(y), self.f1(y).detach(),
                                                  reduction="none")

    def refined(self, steps, rate):
        y = torch.sigmoid(self.logits()).detach()
        for _ in range(steps):
            y.requires_grad_()
            d = torch.autograd.grad(torch.sigmoid(self.score(y)).sum(), y)[0]
            y = (y + rate * d / d.norm(dim=-1, keepdim=True)).clamp(0, 1).detach()
        return y

    def unrolled(self, steps, rate, momentum):
        """Momentum on logits from the net's output; energy minus entropy is descended."""
        z, m = self.logits().detach().requires_grad_(), 0
        for _ in range(steps):
            y = torch.sigmoid(z)
            entropy = -(y * torch.log(y) + (1 - y) * torch.log(1 - y)).sum()
            d = torch.autograd.grad(-self.score(y).sum() - entropy, z, create_graph=True)[0]
            m = momentum * m + d
            z = z - rate * m
        return F.binary_cross_entropy_with_logits(z, self.truth, reduction="sum") / self.B

    def alen(self, y, weight):
        v = torch.sigmoid(self.score(y))
        return weight / 2 * ((v - self.f1(y).detach()) ** 2).mean()


def put_losses(g, m, table, wrt):
    """Each loss, and its gradient by all of wrt, flat and in order."""
    g.params(m.net)
    g.params(m.energy)
    g.params({"x": m.x, "gold": m.gold})
    for name, loss in table.items():
        got = torch.autograd.grad(loss, list(wrt.values()), retain_graph=True, allow_unused=True)
        flat = [torch.zeros_like(w) if d is None else d for w, d in zip(wrt.values(), got)]
        g.put(name, loss)
        g.put("d:" + name, torch.cat([d.reshape(-1) for d in flat]))
    g.write()


def make_energy_losses():
    g = Golden("loss_energy", "losses of the energy, and their gradients by its parameters",
               double=1e-10, single=2e-5)
    m = LabelSets()
    out = torch.sigmoid(m.logits()).detach()
    noisy = torch.sigmoid(torch.cat([m.logits(), m.logits() + 1.5 * normal(m.B, 3, m.L)], 1))
    wrong = m.augmented().detach()
    hinges = torch.cat([m.margin("l1", out), m.margin("f1", out), m.margin("l1", wrong),
                        m.score(out) - m.score(m.truth)])
    assert hinges.abs().min() > 1e-3 and hinges.min() < 0 < hinges.max(), hinges
    at_truth = ((torch.sigmoid(m.score(m.truth)) - 1) ** 2).mean() / 2
    found = m.search(lambda y: -m.score(y), 4, 0.3)
    worst = m.search(lambda y: -m.value_error(y), 4, 0.3)
    squares = (m.score(torch.cat([m.truth, out], 1)) ** 2).mean()
    put_losses(g, m, {
        "nce": m.contrast(True),
        "ranking": m.contrast(False),
        "regression": m.regression(out),
        "regression_s": m.regression(noisy.detach()),
        "regression_quiet": m.regression(out.expand(-1, 4, -1)),
        "margin_l1": F.relu(m.margin("l1", out)).mean(),
        "margin_f1": F.relu(m.margin("f1", out)).mean() + 0.25 * squares,
        "compound": F.relu(m.margin("l1", wrong)).mean()
        + 0.5 * F.relu(m.score(out) - m.score(m.truth)).mean(),
        "adversarial": at_truth + m.alen(out, 0.75),
        "least_squares": at_truth + m.alen(out, 0.75) + m.alen(m.refined(3, 0.25), 0.5),
        "dvn": m.regression(torch.cat([found, worst, m.truth], 1)),
        "unrolled": m.unrolled(4, 0.5, 0.5),
    }, m.energy)


def make_net_losses():
    g = Golden("loss_net", "losses of the net, and their gradients by its parameters; the soft F1 "
               "of its output", double=1e-10, single=2e-5)
    m = LabelSets()
    z = m.logits()
    out = torch.sigmoid(z)
    ce = F.binary_cross_entropy_with_logits(z, m.truth, reduction="sum") / m.B
    wrong = m.augmented()
    squares = ((torch.sigmoid(m.score(out)) - 1) ** 2).mean() / 2
    put_losses(g, m, {
        "ce": ce,
        "energy": 0.5 * ce - 2 * m.score(out).mean(),
        "value": ce - 2 * torch.sigmoid(m.score(out)).mean(),
        "alen": ce + 2 * squares,
        "infnet": -2 * (m.cost("l1", wrong) + m.score(wrong)).mean()
        - m.score(out).mean() + 0.5 * ce,
        "score": m.f1(out).mean(),
    }, m.net)


# ---- gradient-based inference: outputs after 1, 2, ... steps ----

def make_gbi():
    B, L, steps = 3, 4, 6
    g = Golden("gbi", "steps of torch.optim on (y - c)' A (y - c) / 2 from one start: Adam and SGD "
               "with momentum 0.5, on logits and projected to [0,1]", single=2e-5)
    root = tensor(L, L, scale=0.6)
    A = root @ root.t() + torch.eye(L)
    c = tensor(B, 1, L, scale=0.7) + 0.5
    start = torch.round(torch.rand(B, 1, L) * 48 + 8) / 64
    rates = {"adam": 0.125, "momentum": 0.25}
    g.params({"A": A, "c": c, "start": start})
    for rule, rate in rates.items():
        for space in ("logits", "projected"):
            y = torch.logit(start) if space == "logits" else start.clone()
            y.requires_grad_()
            opt = (torch.optim.Adam([y], lr=rate) if rule == "adam"
                   else torch.optim.SGD([y], lr=rate, momentum=0.5))
            for t in range(1, steps + 1):
                d = (torch.sigmoid(y) if space == "logits" else y) - c
                y.grad = torch.autograd.grad((d * (d @ A)).sum() / 2, y)[0]
                opt.step()
                if space == "projected":
                    y.data.clamp_(0, 1)
                g.put("%s:%s:%d" % (rule, space, t), torch.sigmoid(y) if space == "logits" else y)
    g.write()


# ---- taggers: d:NAME are gradients of the mean loss of the sentences ----

def tagger_net(prefix, words, D, H, N):
    """A table, torch's own bidirectional LSTM and a linear layer, and their names here."""
    table = torch.nn.Embedding(words, D)
    lstm = torch.nn.LSTM(D, H, bidirectional=True)
    head = torch.nn.Linear(2 * H, N)
    for w in [*table.parameters(), *lstm.parameters(), *head.parameters()]:
        w.data = tensor(*w.shape, scale=0.6)
    names = {prefix + "words/W": (table.weight, False), prefix + "tags/W": (head.weight, True),
             prefix + "tags/b": (head.bias, False)}
    for side, tail in (("forward", "_l0"), ("backward", "_l0_reverse")):
        names["%sT/0/%s/Wx" % (prefix, side)] = (getattr(lstm, "weight_ih" + tail), True)
        names["%sT/0/%s/Wh" % (prefix, side)] = (getattr(lstm, "weight_hh" + tail), True)
        getattr(lstm, "bias_hh" + tail).data.zero_()
        names["%sT/0/%s/b" % (prefix, side)] = (getattr(lstm, "bias_ih" + tail), False)

    def scores(word, length):
        packed = torch.nn.utils.rnn.pack_padded_sequence(table(word), length, enforce_sorted=False)
        h, _ = torch.nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], total_length=len(word))
        return head(h).transpose(0, 1)  # [B, T, N]
    return names, scores


def put_tagger(g, names, loss):
    loss.backward()
    g.put("loss", loss)
    for name, (w, turned) in names.items():
        g.put(name, w.t() if turned else w)
        g.put("d:" + name, w.grad.t() if turned else w.grad)


def tagged_batch(g, words, N):
    """Three sentences of 5, 2 and 4 words; padding has word 0 and no tag."""
    T, length = 5, torch.tensor([5, 2, 4])
    word, tag = torch.randint(words, (T, 3)), torch.randint(N, (3, T))
    mask = (torch.arange(T) < length[:, None])
    word[~mask.t()] = 0
    gold = F.one_hot(tag, N) * mask[:, :, None]
    g.params({"word": word, "len": length, "ended": length + 1, "mask": mask,
              "gold": gold.reshape(3, T * N)})
    return word, length, tag, mask


def make_tagger():
    g = Golden("tagger", "embedding, bidirectional LSTM, softmax: mean cross-entropy of sentences")
    names, scores = tagger_net("net/", 6, 3, 2, 3)
    word, length, tag, mask = tagged_batch(g, 6, 3)
    z = scores(word, length)
    g.put("y", (torch.softmax(z, -1) * mask[:, :, None]).reshape(3, 1, -1))
    loss = F.cross_entropy(z.transpose(1, 2), tag, reduction="none")
    put_tagger(g, names, (loss * mask).sum() / 3)
    g.write()


def make_tagger_crf():
    g = Golden("tagger_crf", "embedding, bidirectional LSTM, chain with start and end: mean "
               "negative log-likelihood of sentences")
    N = 3
    names, scores = tagger_net("energy/", 6, 3, 2, N)
    word, length, tag, mask = tagged_batch(g, 6, N)
    W = leaf(N + 1, N + 1)
    names["energy/W"] = (W, False)
    z = scores(word, length)
    z.retain_grad()
    log_z, energy = [], []
    for b in range(3):
        n, t = int(length[b]), tag[b]
        alpha = z[b, 0] + W[N, :N]
        score = z[b, 0, t[0]] + W[N, t[0]] + W[t[n - 1], N]
        for k in range(1, n):
            alpha = torch.logsumexp(alpha[:, None] + W[:N, :N], 0) + z[b, k]
            score = score + z[b, k, t[k]] + W[t[k - 1], t[k]]
        log_z.append(torch.logsumexp(alpha + W[:N, N], 0))
        energy.append(-score)
    log_z, energy = torch.stack(log_z), torch.stack(energy)
    marginals = torch.autograd.grad(log_z.sum(), z, retain_graph=True)[0]
    g.params({"log_z": log_z.reshape(3, 1, 1), "E": energy.reshape(3, 1, 1),
              "marginals": marginals.reshape(3, 1, -1)})
    put_tagger(g, names, (log_z + energy).mean())
    g.write()


# ---- encoders of text: documents of 4 and 2 pieces and one row of none ----

WIDTH, HEADS, INNER, PIECES, PLACES = 4, 2, 6, 7, 6


def encoder_params():
    p = {"word": leaf(PIECES, WIDTH), "position": leaf(PLACES, WIDTH), "type": leaf(2, WIDTH)}
    p["norm/gain"], p["norm/bias"] = leaf(WIDTH), leaf(WIDTH, scale=0.5)
    for i in range(2):
        for part, shape in (("qkv", (WIDTH, 3 * WIDTH)), ("mix", (WIDTH, WIDTH)),
                            ("up", (WIDTH, INNER)), ("down", (INNER, WIDTH))):
            p["%d/%s/W" % (i, part)] = leaf(*shape, scale=0.6)
            p["%d/%s/b" % (i, part)] = leaf(shape[1], scale=0.2)
        for part in ("mix", "down"):
            p["%d/%s/gain" % (i, part)] = leaf(WIDTH)
            p["%d/%s/bias" % (i, part)] = leaf(WIDTH, scale=0.5)
    p["pooler/W"], p["pooler/b"] = leaf(WIDTH, WIDTH, scale=0.6), leaf(WIDTH, scale=0.2)
    return p


def encode(p, piece, position, eps):
    """What the top layer gives for one document."""
    def line(x, name):
        return F.linear(x, p[name + "/W"].t(), p[name + "/b"])

    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), p[name + "/gain"], p[name + "/bias"], eps)

    x = norm(p["word"][piece] + p["position"][position] + p["type"][0], "norm")
    for i in range(2):
        n, name = len(piece), "%d/" % i
        q, k, v = (t.reshape(n, HEADS, -1).transpose(0, 1)
                   for t in line(x, name + "qkv").split(WIDTH, -1))
        weight = F.softmax(q @ k.transpose(1, 2) / math.sqrt(WIDTH // HEADS), dim=-1)
        mixed = (weight @ v).transpose(0, 1).reshape(n, WIDTH)
        x = norm(x + line(mixed, name + "mix"), name + "mix")
        x = norm(x + line(F.gelu(line(x, name + "up")), name + "down"), name + "down")
    return x


def make_transformer():
    g = Golden("transformer", "two layers over two documents of 4 and 2 pieces, first pieces "
               "pooled; loss = <pooled, c> + <hidden, e>", double=1e-11)
    p = encoder_params()
    piece = torch.tensor([[3, 0, 6, 3, 1, 5, -1]])
    position = torch.tensor([[2, 3, 4, 5, 2, 3, -1]])
    hidden = torch.cat([encode(p, piece[0, a:b], position[0, a:b], 1e-3)
                        for a, b in ((0, 4), (4, 6))])
    first = torch.zeros(2, 7)
    first[0, 0] = first[1, 4] = 1
    pooled = torch.tanh(first[:, :6] @ hidden @ p["pooler/W"] + p["pooler/b"])
    c, e = tensor(*pooled.shape), tensor(7, WIDTH, scale=0.5)
    e[6] = 0
    inside = torch.ones(7, 1)
    inside[6] = 0
    g.params({"net/encoder/" + name: x for name, x in p.items()})
    g.params({"piece": piece, "position": position, "start": torch.tensor([[0, 4, 6]]),
              "first": first, "inside": inside, "c": c, "e": e, "pooled": pooled,
              "hidden": torch.cat([hidden, torch.zeros(1, WIDTH)])})
    loss = (pooled * c).sum() + (hidden * e[:6]).sum()
    g.grads(loss, {"net/encoder/" + name: x for name, x in p.items()})
    g.write()


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    for seed, make in enumerate((make_mlp, make_mlp_csr, make_bilstm, make_conv, make_embedding,
                                 make_norm, make_losses, make_optimisers, make_spen,
                                 make_energy_losses, make_net_losses, make_gbi, make_tagger,
                                 make_tagger_crf, make_transformer)):
        torch.manual_seed(100 + seed)
        make()


if __name__ == "__main__":
    main()
