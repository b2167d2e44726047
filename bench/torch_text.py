#!/usr/bin/env python3
"""The encoder of bench_text.c in PyTorch, with random weights: forward, or a training step.

    bench/torch_text.py --what forward --batch 32 --length 64 --threads 2
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

LABELS, WIDTH, HEADS, INNER, PIECES, PLACES = 28, 384, 12, 1536, 30522, 512


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.mix = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.ModuleList(nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (t.reshape(B, T, HEADS, -1).transpose(1, 2) for t in self.qkv(x).split(WIDTH, -1))
        weight = F.softmax(q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5, dim=-1)
        mixed = (weight @ v).transpose(1, 2).reshape(B, T, WIDTH)
        x = self.norm[0](x + self.drop(self.mix(mixed)))
        return self.norm[1](x + self.drop(self.down(F.gelu(self.up(x)))))


class Net(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.word, self.place = nn.Embedding(PIECES, WIDTH), nn.Embedding(PLACES, WIDTH)
        self.norm, self.drop = nn.LayerNorm(WIDTH, eps=1e-12), nn.Dropout(0.1)
        self.layers = nn.Sequential(*(Layer() for _ in range(layers)))
        self.labels = nn.Linear(WIDTH, LABELS)

    def forward(self, piece):
        x = self.word(piece) + self.place.weight[:piece.shape[1]]
        return self.labels(self.layers(self.drop(self.norm(x))).mean(1))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--what", default="forward")
    a.add_argument("--workload")
    for name, default in (("batch", 32), ("length", 64), ("threads", 2), ("repeats", 5),
                          ("seconds", 6), ("layers", 6)):
        a.add_argument("--" + name, type=int, default=default)
    a = a.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)
    net, training = Net(a.layers), a.what == "train"
    net.train(training)
    piece = torch.randint(PIECES, (a.batch, a.length))
    gold = (torch.rand(a.batch, LABELS) < 0.05).float()
    optim = torch.optim.AdamW(net.parameters(), lr=5e-5)

    def step():
        if not training:
            with torch.no_grad():
                net(piece)
            return
        optim.zero_grad()
        F.binary_cross_entropy_with_logits(net(piece), gold).backward()
        optim.step()

    step()
    rates = []
    for _ in range(a.repeats):
        start, n = time.perf_counter(), 0
        while time.perf_counter() - start < a.seconds:
            step()
            n += a.batch
        rates.append(n / (time.perf_counter() - start))
    print(json.dumps({"peer": "torch " + torch.__version__, "workload": "minilm-%d" % a.length,
                      "method": a.what, "batch": a.batch, "threads": a.threads,
                      "measure": "train", "unit": "documents/s",
                      "median": statistics.median(rates), "min": min(rates), "max": max(rates)}))


if __name__ == "__main__":
    main()
