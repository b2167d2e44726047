#!/usr/bin/python3
"""Folders of tiny pretrained encoders for the tests, and what an encoder computes.

Run by hand in the repository, with Debian's numpy:

    /usr/bin/python3 tools/make_encoders.py                  writes tests/golden/encoders
    /usr/bin/python3 tools/make_encoders.py FOLDER < IDS     hidden states, for tests/real

The second reads one list of ids per line, as JSON, and writes {"ids", "hidden", "pooled"} per line.
Everything is computed in double precision, by a forward pass of its own. The folders are bert (F32,
names of the first published checkpoints), distilbert (F16) and roberta (BF16): two layers, width 32,
weights that are multiples of 1/64 and so exact in all three types. Tokens that the official tokeniser
finds are written by tools/make_tokens.js.
"""
import json
import math
import os
import struct
import sys

import numpy as np

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "golden", "encoders")
WIDTH, INNER, HEADS, LAYERS, POSITIONS = 32, 64, 4, 2, 40


# ---- safetensors ----

def read_tensors(path):
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        head = json.loads(f.read(size))
        data = f.read()
    out = {}
    for name, t in head.items():
        if name == "__metadata__":
            continue
        a, b = t["data_offsets"]
        kind = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "I64": "<i8", "BF16": "<u2"}[t["dtype"]]
        x = np.frombuffer(data[a:b], kind)
        if t["dtype"] == "BF16":
            x = (x.astype("<u4") << 16).view("<f4")
        out[name] = x.reshape(t["shape"]).astype(np.float64 if t["dtype"] != "I64" else np.int64)
    return out


def write_tensors(path, tensors, dtype):
    head, data = {}, b""
    for name, x in tensors.items():
        if x.dtype == np.int64:
            kind, raw = "I64", x.astype("<i8").tobytes()
        elif dtype == "BF16":
            kind, raw = dtype, (x.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            kind, raw = dtype, x.astype({"F32": "<f4", "F16": "<f2"}[dtype]).tobytes()
        head[name] = {"dtype": kind, "shape": list(x.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


# ---- an encoder ----

def find(tensors, *names):
    """The tensor with one of these ends, whatever comes before."""
    for name, x in tensors.items():
        if any(name == n or name.endswith("." + n) for n in names):
            return x
    raise KeyError(names)


def norm(x, t, name, eps):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * find(t, name + ".weight", name + ".gamma") + find(
        t, name + ".bias", name + ".beta")


def linear(x, t, name):
    return x @ find(t, name + ".weight").T + find(t, name + ".bias")


def gate(x, kind):
    if kind == "gelu":
        return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
    if kind == "relu":
        return np.maximum(x, 0)
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2


def forward(config, t, ids):
    distil = config["model_type"] == "distilbert"
    eps = config.get("layer_norm_eps", 1e-12)
    heads = config["n_heads" if distil else "num_attention_heads"]
    layers = config["n_layers" if distil else "num_hidden_layers"]
    act = config["activation" if distil else "hidden_act"]
    first = config["pad_token_id"] + 1 if config["model_type"] == "roberta" else 0
    n = len(ids)
    x = find(t, "word_embeddings.weight")[ids] + find(t, "position_embeddings.weight")[first:first + n]
    if not distil:
        x = x + find(t, "token_type_embeddings.weight")[0]
    x = norm(x, t, "embeddings.LayerNorm", eps)
    for i in range(layers):
        if distil:
            at = "layer.%d." % i
            names = [at + "attention." + k + "_lin" for k in "qkv"]
            mix, mix_norm = at + "attention.out_lin", at + "sa_layer_norm"
            up, down, down_norm = at + "ffn.lin1", at + "ffn.lin2", at + "output_layer_norm"
        else:
            at = "encoder.layer.%d." % i
            names = [at + "attention.self." + k for k in ("query", "key", "value")]
            mix, mix_norm = at + "attention.output.dense", at + "attention.output.LayerNorm"
            up, down, down_norm = at + "intermediate.dense", at + "output.dense", at + "output.LayerNorm"
        q, k, v = (linear(x, t, name).reshape(n, heads, -1).transpose(1, 0, 2) for name in names)
        score = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        score = np.exp(score - score.max(-1, keepdims=True))
        score /= score.sum(-1, keepdims=True)
        joined = (score @ v).transpose(1, 0, 2).reshape(n, -1)
        x = norm(x + linear(joined, t, mix), t, mix_norm, eps)
        x = norm(x + linear(gate(linear(x, t, up), act), t, down), t, down_norm, eps)
    pooled = {"mean": x.mean(0), "cls": x[0], "max": x.max(0)}
    if any("pooler.dense" in name for name in t):
        pooled["pooler"] = np.tanh(linear(x[0], t, "pooler.dense"))
    return x, pooled


def write_hidden(out, config, tensors, ids):
    hidden, pooled = forward(config, tensors, ids)
    row = {"ids": ids, "hidden": hidden.tolist(), "pooled": {k: v.tolist() for k, v in pooled.items()}}
    out.write(json.dumps(row) + "\n")


# ---- tiny ones ----

def values(random, *shape, scale=0.25, mean=0.0):
    return np.clip(np.round((mean + random.standard_normal(shape) * scale) * 64), -127, 127) / 64


def layer_names(distil, gain, bias):
    if distil:
        linears = {"attention." + k + "_lin": (WIDTH, WIDTH) for k in ("q", "k", "v", "out")}
        linears.update({"ffn.lin1": (INNER, WIDTH), "ffn.lin2": (WIDTH, INNER)})
        return linears, ["sa_layer_norm", "output_layer_norm"]
    linears = {"attention.self." + k: (WIDTH, WIDTH) for k in ("query", "key", "value")}
    linears.update({"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (INNER, WIDTH),
                    "output.dense": (WIDTH, INNER)})
    return linears, ["attention.output.LayerNorm", "output.LayerNorm"]


def tiny(random, kind, vocabulary, types, gain="weight", bias="bias"):
    t = {}
    distil = kind == "distilbert"

    def add_norm(name):
        t[name + "." + gain] = values(random, WIDTH, mean=1.0)
        t[name + "." + bias] = values(random, WIDTH)

    def add_linear(name, shape):
        t[name + ".weight"] = values(random, *shape)
        t[name + ".bias"] = values(random, shape[0])

    top = kind + "."
    t[top + "embeddings.word_embeddings.weight"] = values(random, vocabulary, WIDTH)
    t[top + "embeddings.position_embeddings.weight"] = values(random, POSITIONS, WIDTH)
    if types:
        t[top + "embeddings.token_type_embeddings.weight"] = values(random, types, WIDTH)
    add_norm(top + "embeddings.LayerNorm")
    linears, norms = layer_names(distil, gain, bias)
    for i in range(LAYERS):
        at = top + ("transformer" if distil else "encoder") + ".layer.%d." % i
        for name, shape in linears.items():
            add_linear(at + name, shape)
        for name in norms:
            add_norm(at + name)
    return t


BERT_PIECES = (["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [chr(c) for c in range(97, 123)]
               + ["##" + chr(c) for c in range(97, 123)] + list("0123456789.,!?'-()") + ["##1", "##2"]
               + ["the", "of", "and", "hello", "world", "token", "un", "##ing", "##ed", "##able", "##iz",
                  "##ation", "##s", "\u4f60", "\u597d", "\u03c3", "##\u03c3", "\u1112", "##\u1161", "##\u11ab",
                  "\u00df", "caf", "nai"])
CASED_PIECES = ([p for p in BERT_PIECES if p != "\u03c3"][:77] + ["A", "##A", "B", "\u00e9", "##\u00e9", "\u0301", "\u00c9",
                "\u0130", "T", "he", "Hello", "World", "##orld", "\u00fc", "##\u00fc", "I", "'", "\u2019", "\u201c",
                "NA", "##SA", "the", "of"])
MERGES = ("\u0120 t|h e|\u0120t he|i n|\u0120 a|n d|\u0120a nd|e r|o n|r e|\u0120 w|o r|l d|\u0120w or|\u0120wor ld|h e|l l|he ll|"
          "hell o|\u0120 hello|' s|' t|\u0120 \u0120|\u0120\u0120 \u0120\u0120|1 2|\u00c3 \u00a9|a t|i on|at ion|t o|k en|to ken|e n|. .|.. .|in g|e d|"
          "s t|a a|aa aa").split("|")


def byte_letters():
    seen = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    return [chr(b) if b in seen else chr(256 + sum(c not in seen for c in range(b))) for b in range(256)]


def roberta_vocabulary():
    known = ["<s>", "<pad>", "</s>", "<unk>"] + byte_letters()
    merges = []
    for merge in MERGES:
        left, right = merge.split(" ")
        if left in known and right in known and merge not in merges:
            merges.append(merge)
            if left + right not in known:
                known.append(left + right)
    return known + ["<mask>"], merges


def save(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def special(pieces, names, left=()):
    return [{"id": pieces.index(n), "content": n, "single_word": False, "lstrip": n in left, "rstrip": False,
             "normalized": False, "special": True} for n in names]


def make_bert(folder, random):
    t = tiny(random, "bert", len(BERT_PIECES), 2, "gamma", "beta")
    t["bert.embeddings.position_ids"] = np.arange(POSITIONS, dtype=np.int64)[None]
    t["bert.pooler.dense.weight"] = values(random, WIDTH, WIDTH)
    t["bert.pooler.dense.bias"] = values(random, WIDTH)
    t["cls.predictions.bias"] = values(random, len(BERT_PIECES))
    write_tensors(os.path.join(folder, "model.safetensors"), t, "F32")
    config = {"architectures": ["BertForMaskedLM"], "model_type": "bert", "vocab_size": len(BERT_PIECES),
              "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
              "intermediate_size": INNER, "hidden_act": "gelu", "max_position_embeddings": POSITIONS,
              "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0}
    save(folder, "config.json", config)
    save(folder, "tokenizer.json", {
        "version": "1.0", "truncation": None,
        "padding": {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                    "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": special(BERT_PIECES, BERT_PIECES[:5]),
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {n: {"id": n, "ids": [BERT_PIECES.index(n)], "tokens": [n]}
                               for n in ("[CLS]", "[SEP]")}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {p: i for i, p in enumerate(BERT_PIECES)}}})
    save(folder, "modules.json", [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                                  {"idx": 1, "name": "1", "path": "1_Pooling",
                                   "type": "sentence_transformers.models.Pooling"}])
    os.makedirs(os.path.join(folder, "1_Pooling"), exist_ok=True)
    save(os.path.join(folder, "1_Pooling"), "config.json", {
        "word_embedding_dimension": WIDTH, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
        "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False})
    return config


def make_distilbert(folder, random):
    t = tiny(random, "distilbert", len(CASED_PIECES), 0)
    t["vocab_transform.weight"] = values(random, WIDTH, WIDTH)
    write_tensors(os.path.join(folder, "model.safetensors"), t, "F16")
    config = {"architectures": ["DistilBertForMaskedLM"], "model_type": "distilbert", "activation": "gelu",
              "vocab_size": len(CASED_PIECES), "dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS,
              "hidden_dim": INNER, "max_position_embeddings": POSITIONS, "sinusoidal_pos_embds": False,
              "pad_token_id": 0}
    save(folder, "config.json", config)
    save(folder, "vocab.txt", "".join(p + "\n" for p in CASED_PIECES))
    save(folder, "tokenizer_config.json", {"do_lower_case": False, "model_max_length": 32,
                                           "tokenizer_class": "DistilBertTokenizer"})
    return config


def make_roberta(folder, random):
    pieces, merges = roberta_vocabulary()
    t = tiny(random, "roberta", len(pieces), 1)
    t["lm_head.bias"] = values(random, len(pieces))
    write_tensors(os.path.join(folder, "model.safetensors"), t, "BF16")
    config = {"architectures": ["RobertaForMaskedLM"], "model_type": "roberta", "vocab_size": len(pieces),
              "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
              "intermediate_size": INNER, "hidden_act": "gelu_new", "max_position_embeddings": POSITIONS,
              "type_vocab_size": 1, "layer_norm_eps": 1e-05, "pad_token_id": 1, "bos_token_id": 0,
              "eos_token_id": 2}
    save(folder, "config.json", config)
    save(folder, "vocab.json", {p: i for i, p in enumerate(pieces)})
    save(folder, "merges.txt", "#version: 0.2\n" + "".join(m + "\n" for m in merges))
    return config


def main():
    if len(sys.argv) > 1:
        folder = sys.argv[1]
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            config = json.load(f)
        names = [n for n in sorted(os.listdir(folder)) if n.endswith(".safetensors")]
        tensors = read_tensors(os.path.join(folder, names[0]))
        for line in sys.stdin:
            write_hidden(sys.stdout, config, tensors, json.loads(line))
        return
    for seed, make in enumerate((make_bert, make_distilbert, make_roberta)):
        random = np.random.RandomState(seed + 1)
        name = make.__name__[5:]
        folder = os.path.join(GOLDEN, name)
        os.makedirs(folder, exist_ok=True)
        config = make(folder, random)
        tensors = read_tensors(os.path.join(folder, "model.safetensors"))
        with open(os.path.join(GOLDEN, name + ".jsonl"), "w", encoding="utf-8") as out:
            for n in (7, 3, 1):
                write_hidden(out, config, tensors, [int(i) for i in random.randint(0, config["vocab_size"], n)])


if __name__ == "__main__":
    main()
