#!/usr/bin/python3
"""Reuters-21578 as rows of JSON: the ModApte split with the 90 categories that both parts have.

    bench/reuters.py reuters21578.tar.xz FOLDER

writes train.jsonl (6993 documents), valid.jsonl (777, a tenth drawn with seed 1) and test.jsonl (3019):
title and body with white space joined.
"""

import html
import json
import random
import re
import sys
import tarfile


def inner(tag, text):
    found = re.search(rf"<{tag}[^>]*>(.*?)(</{tag}>|$)", text, re.S)
    return found.group(1) if found else ""


def documents(path):
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda m: m.name):
            if not member.name.endswith(".sgm"):
                continue
            text = archive.extractfile(member).read().decode("latin-1")
            yield from re.findall(r"<REUTERS(.*?)</REUTERS>", text, re.S)


def text_of(document):
    text = re.search(r"<TEXT.*?>(.*)</TEXT>", document, re.S).group(1)
    text = re.sub(r"<DATELINE>.*?</DATELINE>", " ", text, flags=re.S)
    if "<BODY>" in text:
        text = inner("TITLE", text) + " " + inner("BODY", text)
    else:
        text = re.sub(r"<.*?>", " ", text)
    text = html.unescape(html.unescape(text)).replace("\x03", " ")
    text = re.sub(r"\s+", " ", text).strip()
    return "".join(c for c in text if c >= " ")


def main(path, folder):
    parts = {"TRAIN": [], "TEST": []}
    for document in documents(path):
        head = document.split(">", 1)[0]
        part = re.search(r'LEWISSPLIT="(.*?)"', head).group(1)
        if 'TOPICS="YES"' in head and part in parts:
            topics = re.findall(r"<D>(.*?)</D>", inner("TOPICS", document))
            number = re.search(r'NEWID="(\d+)"', head).group(1)
            parts[part].append({"id": number, "text": text_of(document), "labels": topics})
    both = set.intersection(*({t for d in p for t in d["labels"]} for p in parts.values()))
    for part, rows in parts.items():
        for row in rows:
            row["labels"] = [t for t in row["labels"] if t in both]
        parts[part] = [row for row in rows if row["labels"]]
    train, test = parts["TRAIN"], parts["TEST"]
    random.seed(1)
    random.shuffle(train)
    cut = len(train) // 10
    for name, rows in ("valid", train[:cut]), ("train", train[cut:]), ("test", test):
        with open(f"{folder}/{name}.jsonl", "w", encoding="utf-8") as f:
            for row in rows:
                print(json.dumps(row), file=f)


if __name__ == "__main__":
    main(*sys.argv[1:])
