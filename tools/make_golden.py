#!/usr/bin/python3
"""Writes tests/golden/*.txt: what PyTorch computes, for tests/test_golden.c to agree with.

Run by hand in the repository, with PyTorch 1.13 or newer:  /usr/bin/python3 tools/make_golden.py

A file is plain text. Its first line is a comment with the tolerances of the double and the float
build (norm of the difference by norm of the value); then follow tensors:

    NAME d0 d1 d2 d3
    numbers, row-major

Inputs and weights are multiples of 1/64, so they are exact in float. Names of parameters are
those of the library, weights lie input by output. "d:NAME" is the gradient of the tensor "loss" by
NAME. Everything is computed in double precision and printed with 17 digits.
"""
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


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    os.makedirs(FOLDER, exist_ok=True)
    for seed, make in enumerate((make_mlp, make_mlp_csr, make_bilstm, make_conv, make_embedding,
                                 make_norm, make_losses, make_optimisers, make_spen)):
        torch.manual_seed(100 + seed)
        make()


if __name__ == "__main__":
    main()
