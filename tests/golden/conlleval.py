#!/usr/bin/env python3
"""Writes tests/conlleval_cases.h: what the evaluation program of the CoNLL shared tasks
(version of 2004-01-26) prints for random tags. Run by hand:

    tests/golden/conlleval.py path/to/conlleval.pl > tests/conlleval_cases.h
"""
import random
import subprocess
import sys

KINDS = [
    # letters, types, options of the program
    (["B", "I"], ["PER", "LOC"], []),
    (["B", "I"], ["A-B", "A"], []),
    (["I", "E"], ["X", "Y"], []),
    (["B", "I", "E", "S"], ["X", "Y"], []),
    (["B", "I", "E", "S"], ["X"], []),
    (["B", "I", "L", "U"], ["X", "Y"], []),
    (["B", "I"], [""], []),
    (["B", "I", "E"], ["", "X", "0"], []),
    (["[", "]", "B", "I", "."], ["X", "Y"], []),
    (["BB", "B", "I", ""], ["X", "Y"], []),
    ([], ["NN", "VB", "B-X", "0"], ["-r"]),
]


def quoted(text):
    """A C string, cut into lines of at most 80 characters."""
    parts = [text[i:i + 80] for i in range(0, len(text), 80)]
    return "\n     ".join('"' + part.replace("\n", "\\n") + '"' for part in parts)


def main():
    random.seed(2024)
    print("/* conlleval_cases.h -- made by golden/conlleval.py; not edited by hand. */")
    print("static const struct {\n    const char *gold, *guess;\n    bool        raw;\n"
          "    const char *text;\n} conlleval_case[] = {")
    for letters, types, options in KINDS:
        tags = ["O"]
        for letter in letters:
            tags += [letter + "-" + t if t else letter for t in types]
        if not letters:
            tags += types
        lines, gold, guess = [], [], []
        for sentence in range(8):
            if sentence:
                gold.append("|")
                guess.append("|")
            for _ in range(random.randint(1, 6)):
                g = random.choice(tags)
                p = g if random.random() < 0.7 else random.choice(tags)
                lines.append("w %s %s" % (g, p))
                gold.append(g)
                guess.append(p)
            lines.append("")
        done = subprocess.run(["perl", sys.argv[1]] + options, input="\n".join(lines) + "\n",
                              capture_output=True, text=True, check=True)
        print("    {%s,\n     %s,\n     %s," %
              (quoted(" ".join(gold)), quoted(" ".join(guess)), "true" if options else "false"))
        rows = done.stdout.splitlines(keepends=True)
        print("\n".join("     " + quoted(row) for row in rows) + "},")
    print("};")


main()
