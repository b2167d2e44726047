"""The mutations of tools/mutate: what is put in the place of what, and which are chosen.

Made by rules (rules_of) in every .c file of src/ and tool/, as many in each folder as it has lines.
The choice depends on the seed and the text of a line alone: what others change elsewhere does not
change it. Those of mutations.txt, which the tests once missed, are always chosen.
"""
import hashlib
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Lines in which a change is no fault: speed, room, words for people, checks by the compiler.
IDLE = re.compile(r"prefetch|reserve|bs_log_|bs_progress_|_Static_assert|\bassert\(|va_(start|end)\(|"
                  r"\b(BUFFER|BLOCK|CHUNK|MOST|ROOM|GRAIN|PANEL|LANES)\w* = |\(void\)|bs_buf_init\(")
SKIPPED = {"src/device/cpu/choice.c"}  # which of two equal ways is the quicker
SWAP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
        "*": "/", "/": "*", "%": "/", "&&": "||", "||": "&&", "&": "|", "|": "&", "<<": ">>",
        ">>": "<<", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "*=": "/=", "/=": "*=",
        "fmin": "fmax", "fmax": "fmin", "true": "false", "false": "true"}
OPERATORS = (("comparison", r"(?<= )(<=|>=|<|>|==|!=)(?= )"),
             ("arithmetic", r"(?<=[\w)\]] )([-+*/%]|[-+*/]=)(?= )|\bfmin\b|\bfmax\b"),
             ("logic", r"(?<=[\w)\]] )(&&|\|\|)(?= )"),
             ("bits", r"(?<=[\w)\]] )(&|\||<<|>>|\|=|&=)(?= )"),
             ("constant", r"\b(true|false)\b"))
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+)(f?)(?![\w.])")
CALL = re.compile(r"\s+(?!(?:return|if|while|for|switch|else)\b)[a-zA-Z_]\w*\(.*\);")
ASSIGNMENT = re.compile(r"\s+[\w.>\[\]*-]+ (?:[-+*/|&]|<<|>>)?= .*;")
JUMP = re.compile(r"\s+(break|continue);")
STATUS = re.compile(r"\s+return (s|status|rc);")
CONDITION = re.compile(r"\b(?:if|while) (?=\()")
PAIR = re.compile(r"\b(?!if|while|for|switch|return|sizeof)\w+\(([^(),]+), ([^(),]+)(?=[,)])")
EQUAL = re.compile(r"\w+cmp\([^()]+\) [!=]= 0")  # asks the same in either order
ARRAY = re.compile(r"\s*(static |const )*\w+ +\**\w+(\[\w+\])+;|.*= \{0\}")  # sizes, cleared structs


def files_of(*ends):
    """Files of the working tree that git does not ignore."""
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True,
                         stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return sorted(f for f in out if f.endswith(ends) and os.path.isfile(os.path.join(TOP, f)))


def text_of(path):
    with open(os.path.join(TOP, path)) as f:
        return f.read()


def masked(text):
    """The text with comments, strings and directives blank, every other byte in its place."""
    def blank(m):
        keep = "\n\"'" if m.group()[0] in "\"'" else "\n"
        return "".join(c if c in keep else " " for c in m.group())
    text = re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)
    text = re.sub(r"^ *# *define +\w+(\([^)]*\))?", blank, text, flags=re.M)  # bodies stay
    return re.sub(r"^ *#.*(\\\n.*)*", blank, text, flags=re.M)


def closing(line, at):
    """Behind the parenthesis that closes the one at `at`; 0 when that is on another line."""
    depth = 0
    for i in range(at, len(line)):
        depth += (line[i] == "(") - (line[i] == ")")
        if depth == 0:
            return i + 1
    return 0


def rules_of(clean, line):
    """Each mutation of a line, whose masked form is clean: kind, first column, column behind, text."""
    if IDLE.search(clean):
        return
    start, end = len(clean) - len(clean.lstrip()), len(clean)
    if CALL.fullmatch(clean) and clean.count("(") == clean.count(")"):
        yield "call dropped", start, end, ";"
    if ASSIGNMENT.fullmatch(clean):
        yield "assignment dropped", start, end, ";"
    if JUMP.fullmatch(clean):
        yield "jump dropped", start, end, ";"
    if STATUS.fullmatch(clean):
        yield "error forgotten", start, end, "return 0;"
    if "bs_fail" in clean or "snprintf(" in clean:  # what follows would be about numbers in messages
        return
    for kind, pattern in OPERATORS:
        for m in re.finditer(pattern, clean):
            yield kind, m.start(), m.end(), SWAP[m.group()]
    for m in CONDITION.finditer(clean):
        a, b = m.end(), closing(clean, m.end())
        if b:
            yield "condition negated", a, b, "(!" + line[a:b] + ")"
    for m in PAIR.finditer(clean if clean[:1] == " " else ""):
        (a, b), (c, d) = m.span(1), m.span(2)
        if line[a:b] != line[c:d] and not EQUAL.match(clean, m.start()):
            yield "arguments swapped", a, d, line[c:d] + ", " + line[a:b]
    for m in NUMBER.finditer(clean if not ARRAY.match(clean) else ""):
        text = m.group()
        yield "constant", m.start(), m.end(), \
            str(int(text) + 1) if text.isdigit() else "(%s * 2 + 1)" % text


class Mutation:
    """In the file at path, from the byte `at` on, new instead of old."""

    def __init__(self, path, line, at, kind, old, new, ident):
        self.path, self.line, self.at, self.kind, self.id = path, line, at, kind, ident
        self.old, self.new = old, new
        self.folder = "named" if kind == "named" else folder_of(path)

    def text(self):
        text = text_of(self.path)
        return text[:self.at] + self.new + text[self.at + len(self.old):]


def folder_of(path):
    folder = os.path.dirname(path)
    return folder


def mutations_of(path):
    text, at, seen = text_of(path), 0, {}
    for i, (clean, line) in enumerate(zip(masked(text).split("\n"), text.split("\n"))):
        for kind, a, b, new in rules_of(clean.rstrip(), line):
            new = line[:a] + new + line[b:]
            key = "|".join((path, kind, line.strip(), new.strip()))
            seen[key] = seen.get(key, 0) + 1  # the same line, further down
            ident = hashlib.sha1(("%s|%d" % (key, seen[key])).encode()).hexdigest()[:8]
            yield Mutation(path, i + 1, at, kind, line, new, ident)
        at += len(line) + 1


def named():
    """Those of mutations.txt: "name: file", then lines "- old" and "+ new"."""
    for block in text_of("tools/mutations.txt").split("\n\n"):
        lines = [x for x in block.split("\n") if x and x[0] != "#"]
        if not lines:
            continue
        name, path = lines[0].split(": ")
        old = "\n".join(x[2:] for x in lines[1:] if x[0] == "-")
        new = "\n".join(x[2:] for x in lines[1:] if x[0] == "+")
        text = text_of(path)
        if text.count(old) != 1:
            sys.exit("tools/mutations.txt: '%s': its old text is %d times in %s, not once"
                     % (name, text.count(old), path))
        at = text.index(old)
        yield Mutation(path, text[:at].count("\n") + 1, at, "named", old, new,
                       name.replace(" ", "-"))


def chosen(count, seed):
    """For each folder: how many of it, and its mutations in the order in which they are tried."""
    folders = {}
    for path in files_of(".c"):
        if path.startswith(("src/", "tool/")) and path not in SKIPPED:
            folders.setdefault(folder_of(path), []).append(path)
    lines = {f: sum(text_of(p).count("\n") for p in paths) for f, paths in folders.items()}
    every = list(named())
    yield len(every), every
    for folder, paths in sorted(folders.items()):
        kinds = {}
        for m in (m for p in paths for m in mutations_of(p)):
            drawn = hashlib.sha1(("%d|%s" % (seed, m.id)).encode()).hexdigest()
            kinds.setdefault(m.kind, []).append((drawn, m))
        # The first of every kind, then the second of every kind; of a line only one.
        order = sorted((rank, drawn, m) for of in kinds.values()
                       for rank, (drawn, m) in enumerate(sorted(of, key=lambda x: x[0])))
        once = {(m.path, m.line): m for _, _, m in reversed(order)}
        yield (max(5, round(count * lines[folder] / sum(lines.values()))),
               [m for _, _, m in order if once[m.path, m.line] is m])
