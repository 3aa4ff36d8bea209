"""Values at which code is likely to turn: at and beside its constants.

Standard library only; the order of everything is fixed, what only one version of
the code has comes first.
"""
import ast
import contextlib
import datetime
import math
import re

import atoll_guard_enclosed as enclosed
from atoll_guard_patterns import matched
from atoll_guard_places import as_bytes
from atoll_guard_renaming import WORD

MOST_CONSTANTS = 120
MOST_EDGES = 700
MOST_PAIRED = 24
LONGEST = 1100
LARGEST_SIZE = 300
LARGEST_MADE = 1 << 53  # of numbers that are no constant: beyond, floats round
BOUNDS = [0, 1, -1, 127, 255, 256, 65535, 2, 128, -128, 10, 100, 1000, 32767, -32768, 65536, 2**31 - 1, 2**31, -(2**31), 2**32]
ENDS = ["", " ", "\x00", "é", "世界", "\u0301", "😀", "\ufeff", "\udcff", "\r\n", "\u2028", "İ", "ß", "ǆ", "٣", "²", "\x1c", "\t", "\n"]
AFTER = ["\udcff", "\x00", "é", "世", "\n", " ", "a", "A", "0", "\u0301"]


def in_turn(*lists):
    for i in range(max(map(len, lists), default=0)):
        for each in lists:
            if i < len(each):
                yield each[i]


def distinct(values, most=MOST_EDGES):
    seen, out = set(), []
    for v in values:
        key = (type(v), repr(v))
        if key not in seen and len(out) < most:
            seen.add(key)
            out.append(v)
    return out


# What tells a method of a text from others that do almost the same.
TELLING = {"splitlines": ["\n", "\r", "\x0b", "\u2028"], **dict.fromkeys(("split", "rsplit", "strip", "lstrip", "rstrip", "isspace"), ["\t", "\n", "\u00a0", "  "]),
           **dict.fromkeys(("lower", "upper", "casefold", "swapcase"), ["\u00df", "\u0130", "\u03c2"]), **dict.fromkeys(("title", "capitalize"), ["'", "\u01c6", "1a"]),
           **dict.fromkeys(("isdigit", "isdecimal", "isnumeric", "isalnum", "int"), ["\u00b2", "\u0663", "\u00bd", "_"]), **dict.fromkeys(("isalpha", "isidentifier"), ["\u00e9", "_", "\u2160"])}


# ---- constants ----------------------------------------------------------------


def constants(node):
    """The numbers and texts below a node; the text of a docstring is none."""
    docs = set()
    for n in ast.walk(node):
        body = getattr(n, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            docs.add(id(body[0].value))
    out = []
    for n in ast.walk(node):
        if isinstance(n, ast.Constant) and id(n) not in docs:
            v = n.value
            if type(v) is bytes:
                v = v.decode("latin-1")
            if type(v) is int and abs(v) < 1 << 63 or type(v) is float and math.isfinite(v) or type(v) is str and len(v) < 2000:
                out.append(v)
    return out


def top(source):
    """The declarations of a module by name; methods by theirs and that of their class."""
    out = {}

    def visit(body, prefix):
        for n in body:
            if isinstance(n, ast.ClassDef):
                visit(n.body, prefix + n.name + ".")
            elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
                out.setdefault(prefix + n.name, []).append(n)
            elif isinstance(n, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                for t in n.targets if isinstance(n, ast.Assign) else [n.target]:
                    for name in ast.walk(t):
                        if isinstance(name, ast.Name):
                            out.setdefault(prefix + name.id, []).append(n)
            elif not isinstance(n, (ast.Import, ast.ImportFrom)):
                out.setdefault(prefix + "<top>", []).append(n)

    with contextlib.suppress(SyntaxError, ValueError):
        visit(ast.parse(source).body, "")
    return out


def called_in(node):
    """The names of what is called below a node, methods by theirs."""
    return {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in ast.walk(node) if isinstance(n, ast.Call)}


def coded(values):
    """The characters that have some numbers, and those beside them."""
    codes = [c for v in values if type(v) is int for c in (v, v - 1, v + 1)]
    return distinct([chr(c) for c in codes if 0 <= c <= 0x10FFFF and not 0xD800 <= c <= 0xDFFF], 24)


def constants_of_change(sources):
    """Constants of changed declarations and of what they name, as the request has them."""
    only, near, named, telling = [], [], [], []
    for name, text in sorted(sources.items()):
        old = ""
        with contextlib.suppress(OSError, UnicodeDecodeError), open(name, encoding="utf-8") as f:
            old = f.read()
        was, now = top(old), top(text)
        dump = lambda nodes: [ast.dump(n) for n in nodes]
        changed = [k for k in sorted(set(was) | set(now)) if dump(was.get(k, [])) != dump(now.get(k, []))]
        mentioned = set()
        for k in changed:
            a = [c for n in was.get(k, []) for c in constants(n)]
            b = [c for n in now.get(k, []) for c in constants(n)]
            for v in distinct(a + b):
                same = lambda c, v=v: type(c) is type(v) and c == v
                if sum(map(same, a)) != sum(map(same, b)):
                    only.append(v)
            near += a + b
            asked = [{m for n in version.get(k, []) for m in called_in(n)} for version in (was, now)]
            telling += [v for m in sorted(asked[0] ^ asked[1]) for v in TELLING.get(m, ())]
            if (asked[0] | asked[1]) & {"ord", "chr"}:
                telling += coded(a + b)
            for n in was.get(k, []) + now.get(k, []):
                mentioned |= {x.id for x in ast.walk(n) if isinstance(x, ast.Name)} | {x.attr for x in ast.walk(n) if isinstance(x, ast.Attribute)}
        for k in sorted(set(now) - set(changed), key=lambda k: (isinstance(now[k][0], (ast.FunctionDef, ast.AsyncFunctionDef)), k)):
            if k.split(".")[-1] in mentioned:
                named += [c for n in now[k] for c in constants(n)]
    only.sort(key=lambda v: (isinstance(v, str), len(str(v))))
    inside = [int(d) for v in only if isinstance(v, str) and len(v) < 200 for d in re.findall("[0-9]{1,9}", v)[:8]]
    kinds = {int: "i", float: "f", str: "s"}
    return [{kinds[type(v)]: v} for v in distinct(only + telling + inside + near + named, MOST_CONSTANTS)]


def is_large(v):
    """A number that may take much time or memory."""
    return type(v) in (int, float) and not -(1 << 20) <= v <= 1 << 20


# ---- values -------------------------------------------------------------------


def moderate(values):
    """Without what lies near the ends of what a machine holds: there any two ways to add differ."""
    return [v for v in values if abs(v) <= LARGEST_MADE]


def numbers(consts):
    at = [v for c in consts for v in (c, c + 1, c - 1, -c)]
    joined, few = [], consts[:MOST_PAIRED]
    for i, a in enumerate(few):
        for b in few[i:]:
            joined += [a + b, a - b, b - a, a * b, 2 * a + b, a + 2 * b, 3 * a + b, a + 3 * b, a * b + 1, a * b - 1]
    powers = [v for bits in range(2, 33) for v in (1 << bits, (1 << bits) - 1)] + [10**k for k in range(3, 16)]
    return distinct(in_turn(at, moderate(joined), BOUNDS + powers))


def real_numbers(ints, floats):
    every = floats + [float(c) for c in ints]
    at, joined = [], []
    for c in every:
        step = 1e-6 * max(1.0, abs(c))
        at += [c, c + step, c - step, -c, c + 0.5, c - 0.5, c + 0.1, c - 0.1, c + 1, c - 1, c / 2]
        joined += [2 * c, c * c, 10 * c, 100 * c]
    few = every[:MOST_PAIRED]
    for i, a in enumerate(few):
        for b in few[i:]:
            joined += [a + b, a - b, a * b] + ([a / b] if b else [])
    bounds = [0.0, -0.0, 1.0, 0.5, -0.5, 255.0, 2.0**31, 2.0**32, 1e-7, 0.1, 1.5, 2.5, 1e6, 1e9]
    return distinct(in_turn(at, moderate(joined), bounds))


def marks_of(strs, ints):
    out = [c for s in strs for c in s if not c.isalnum() or ord(c) > 127]
    out += [chr(c) for c in ints if 32 <= c <= 0x10FFFF and not 0xD800 <= c <= 0xDFFF and not chr(c).isalnum()]
    return distinct(out, 20)


def to_length(s, n):
    return (s * (n // len(s) + 1))[:n]


def nested(strs):
    """Texts in which one that code looks for stands within itself, alone or with what ends it, and with another in what is left:
    what takes it out once leaves another. Long ones come first: short ones stand in anything."""
    few = sorted((s for s in strs if 0 < len(s) <= 12), key=len, reverse=True)[:MOST_PAIRED]
    for s in few:
        begin, rest = s[: len(s) // 2], s[len(s) // 2 :]
        if not begin:
            continue
        yield begin + s + rest
        for end in few:
            if end != s:
                yield begin + s + "x" + end + rest + "y" + end
                yield from (begin + s + "x" + end + rest + "y" + left + end for left in few if left not in (s, end))


class Edges:
    """The edges of the constants that a request names."""

    def __init__(self, constants, recorded):
        self.consts = {k: distinct([c[k] for c in constants if k in c]) for k in ("i", "f", "s")}
        ints, self.strs = self.consts["i"], self.consts["s"]
        self.ints = numbers(ints)
        self.floats = real_numbers(ints, self.consts["f"])
        self.sizes = [n for n in self.ints if 0 <= n <= LARGEST_SIZE]
        self.marks, self.matched = marks_of(self.strs, ints), matched(self.strs)
        self.lengths = distinct([n for c in ints for n in (c, c + 1, c - 1) if 0 < n <= LONGEST] + [n for n in self.ints[:200] if 0 < n <= LONGEST])
        self.bits = [s for s in self.strs if 0 < len(s) <= 3] + self.marks + self.matched + [s for s in recorded if 0 < len(s) <= 2]
        self.cache = {}
        self.nests = False  # a changed function calls itself: values lie within values
        self.words = distinct([s for s in [*self.strs, *recorded] if WORD.fullmatch(s)], 60)
        words = []
        for s in recorded:
            if s and len(s) < 200 and len(words) < 4 and len(s) not in map(len, words):
                words.append(s)
        self.texts = self.texts_near(words)

    def texts_near(self, words):
        variants = []
        for s in self.strs:
            if s and len(s) <= 300:
                variants.append([s, s + "x", "x" + s, "x" + s + "x", s + s, s[1:], s[:-1], s.upper(), s.lower(), s.title(), " " + s, s + " ", s + "\n", s + "\x00", s + "1", s * 3]
                                + [v for w in words[:2] for v in (w + s, s + w, w + s + w)])
        variants += [[m, m + m, "x" + m + "x"] + [w[: len(w) // 2] + m + w[len(w) // 2 :] for w in words[:2]] for m in self.matched]
        marked = []
        for m in self.marks:
            marked.append([m, m + m, "a" + m, m + "a", "a" + m + "b", m * 3] + [v for w in words[:2] for v in (w + m, m + w, w[: len(w) // 2] + m + w[len(w) // 2 :])]
                          + [v for a in AFTER for v in (m + a, "a" + m + a + "b")])
        bases = ["a", "".join(self.marks) or "a b", "a ", "é"] + words[:2]
        of_length = [to_length(b, n) for n in self.lengths for b in bases]
        runs = [v for n in self.lengths[:40] for m in self.marks[:4] for v in ("a" + m * n + "b", to_length("a" + m, n * 2), to_length("a" + m, n * 2 + 1))]
        places = [v for n in self.lengths[:20] if n <= LARGEST_SIZE for m in self.marks[:3] for v in ("a" * n + m + "aaa",)]
        written = []
        for i, n in enumerate(self.ints[:80]):
            written.append(str(n))
            if i < 40:
                written += [re.sub("[0-9]+", str(n), w, count=1) for w in words if re.search("[0-9]", w)]
            if i < 10:
                written += ["0%d" % n, "+%d" % n, "%d.5" % n, "%dx" % n, " %d" % n]
        pairs = [v for a in self.marks[:12] for b in self.marks[:12] for v in (a + b, "x" + a + b + "y")]
        return distinct(in_turn(ENDS, list(in_turn(*variants)), list(in_turn(*marked)), of_length, runs, places, written + [repr(f) for f in self.floats[:30]], pairs, list(nested(self.strs))))

    def near(self, v):
        """Edges in the place of a recorded value, made of it where it has a size."""
        key = (type(v), repr(v)[:500]) if type(v) in (int, float, str, bytes) else None
        if key is not None and key in self.cache:
            return self.cache[key]
        made = self.make(v)
        if key is not None:
            self.cache[key] = made
        return made

    def make(self, v):
        if type(v) is int:
            return self.ints
        if type(v) is float:
            return self.floats
        if type(v) is str:
            return distinct(in_turn(self.texts, self.of_text(v)))
        if type(v) is bytes:
            return distinct(in_turn([t.encode("utf-8", "surrogateescape") for t in self.texts], [as_bytes(t) for t in self.of_text(v.decode("latin-1"))]))
        if type(v) is datetime.timedelta:
            return distinct(self.spans())
        if type(v) in (list, tuple, dict):
            return self.of_container(v)
        return []

    def of_text(self, s):
        out = list(enclosed.edges(s))
        out += [to_length(s, n) for n in self.lengths] if s else []
        out += [t for m in self.matched for t in (s[: len(s) // 2] + m + s[len(s) // 2 :], s + m, m + s)]
        out += [t for m in self.marks for t in (s + m, m + s, s[: len(s) // 2] + m + s[len(s) // 2 :], m.join(s), s + m + "\udcff", s[:1] + m + s[1:])]
        out += [t for m in self.marks[:4] for n in self.lengths[:10] for t in (m.join([s or "a"] * min(n, 100)), s + m * n + s)]
        return out

    def spans(self):
        for c in [0, 1] + self.consts["i"][:MOST_PAIRED]:
            for unit in ("seconds", "minutes", "hours", "days", "milliseconds", "microseconds"):
                with contextlib.suppress(OverflowError):
                    d = datetime.timedelta(**{unit: c})
                    yield from (d, d + datetime.timedelta(microseconds=1), d - datetime.timedelta(microseconds=1), -d)

    def of_container(self, v):
        """The container with other sizes, and with an edge in the place of an element."""
        items = list(v.items()) if type(v) is dict else list(v)
        sized, inner = [], []
        if items and type(v) is not dict:
            sized = [to_length(v, n) if n else type(v)() for n in self.sizes[:60]]
        elif items and all(type(k) in (str, int) for k, _ in items):
            for n in self.sizes[:60]:
                sized.append({(k if i < len(items) else k + i if type(k) is int else k + str(i)): x for i, (k, x) in ((i, items[i % len(items)]) for i in range(n))})
        for at in range(min(len(items), 3)):
            x = items[at][1] if type(v) is dict else items[at]
            if type(x) in (list, tuple, dict):
                continue
            values = []
            for e in self.near(x)[:120]:
                if type(v) is dict:
                    values.append({**v, items[at][0]: e})
                else:
                    values.append(type(v)(items[:at] + [e] + items[at + 1 :]) if type(v) in (list, tuple) else v)
            inner.append(values)
        return list(in_turn(sized, *inner))[:MOST_EDGES]
