"""The places of the values of a call, and other values put into them.

A case is a list of choices; one with values put in begins with them, spelled out, so that the same choices
make the same call in every tree.

Standard library only.
"""
import ast
import contextlib
import math
import re

import atoll_guard_moments as moments
from atoll_guard_records import is_record, through

MARK = 0x61746F6C6C  # begins choices that put values in; no choice is as large
MOST_PLACES = 80  # of one call
MOST_PUT = 8
LONGEST_SPELLED = 3000  # characters of one value
LARGEST_MADE = 1 << 53
MOST_RUNS = 6  # numbers, or words of one length, of a text
DIGITS = re.compile("[0-9]{1,15}")
WORDS = re.compile(r"\w+(?:\.\w+)*")
PIECES = re.compile(r"[^\s,;:=&]+")
SIMPLE = (int, float, str, bytes)


# ---- spelling -----------------------------------------------------------------


def spelled(put):
    """Values by place as choices; None for a case that has no places."""
    if put is None:
        return []
    out = [MARK, len(put)]
    for at, v in sorted(put.items()):
        text = repr(v)
        out += [at, len(text), *map(ord, text)]
    return out


def unspelled(choices):
    """The values by place that choices begin with, or None, and the choices behind them."""
    if len(choices) < 2 or choices[0] != MARK:
        return None, choices
    put, at = {}, 2
    for _ in range(min(choices[1], MOST_PUT)):
        if at + 2 > len(choices):
            break
        place, n = choices[at : at + 2]
        with contextlib.suppress(ValueError, OverflowError, SyntaxError, MemoryError, RecursionError):
            put[place] = ast.literal_eval("".join(map(chr, choices[at + 2 : at + 2 + n])))
        at += 2 + n
    return put, choices[at:]


def can_be_spelled(v):
    if type(v) is float and not math.isfinite(v) or type(v) in (str, bytes, list, tuple, dict) and len(v) > LONGEST_SPELLED:
        return False
    text = repr(v)
    if len(text) > LONGEST_SPELLED:
        return False
    with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        return type(v) in (type(None), bool, *SIMPLE) or ast.literal_eval(text) == v
    return False


# ---- places -------------------------------------------------------------------


def fits(v, other):
    """Whether a value may stand in the place of one: of its type, another number, or where one of them is None. The same choices may
    make another call, whose places are not those that the values were made for."""
    numbers = (bool, int, float)
    return type(v) is type(other) or v is None or other is None or type(v) in numbers and type(other) in numbers


class Places:
    """The places of the values of a call in their order, as its parts are made."""

    def __init__(self, put, files):
        self.put, self.files, self.values = put, files, []
        self.guessed = False  # whether a value stands in the place of what tells nothing of its kind

    def through(self, holder, named=MOST_PLACES):
        """Notes the values of arguments, a list or a table, and puts others in. Of a list those behind so many are, as a list, one value, too."""
        if self.put is None:
            return holder
        for key in list(range(min(len(holder), named)) if type(holder) is list else holder):
            holder[key] = self.value(holder[key], 0)
        if type(holder) is list and len(holder) > named:
            holder[named:] = self.value(holder[named:], 0)
        return holder

    def value(self, v, depth):
        if is_record(v) and depth < 4:
            return through(v, lambda x: self.value(x, depth + 1))
        if type(v) in moments.PLACES:
            return moments.through(v, lambda n: self.value(n, depth + 1))
        held = self.files.of(v) if self.files.held else None
        at = len(self.values)
        whole = type(v) in (list, tuple, dict)
        if at >= MOST_PLACES or depth > 4 or not (held or whole or type(v) in (type(None), bool, *SIMPLE)):
            return v
        self.values.append(self.files.text(v) if held else v)
        if at in self.put and (held or fits(v, self.put[at])):
            other = self.values[at] = self.put[at]
            self.guessed = self.guessed or (other is None) != (v is None) or other is not None and whole and not v
            return v if held and type(other) is not str else self.files.like(v, other) if held else other
        if type(v) is dict:
            return {k: self.value(x, depth + 1) for k, x in v.items()}
        return type(v)(self.value(x, depth + 1) for x in v) if whole else v


# ---- meetings -----------------------------------------------------------------


def as_bytes(text):
    """Bytes of which each was a character; of a text with others those of UTF-8."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")


def besides(v):
    return [v, v + 1, v - 1]


def beside_text(s):
    """A text that begins with one, and one that it begins with: parted into words they have the same number of them."""
    return [s + "a", s[:-1]]


def to_length(s, n):
    return (s * (n // len(s) + 1))[:n] if s else s


def wholes(v, a, b):
    """Whole numbers that stand to v as b stands to a."""
    if v == a:
        return besides(b), []
    guesses = list(dict.fromkeys((v + b - a, v + a - b)))
    if a and v:
        guesses += besides(round(b * v / a))
    return [], guesses


def again(s, b):
    """Texts that hold b once more than s: beside the first, with a letter between them behind the last, and at the end."""
    first, behind = s.find(b), s.rfind(b) + len(b)
    return [s[:first] + b + s[first:], s[:behind] + "a" + b + s[behind:], s + b]


def characters(s, a, b):
    """Texts that have the character of the code b, or one beside it, where s has that of a."""
    at = s.find(chr(a)) if 0 <= a <= 0x10FFFF else -1
    return [s[:at] + chr(n) + s[at + 1 :] for n in besides(b) if 0 <= n <= 0x10FFFF and not 0xD800 <= n <= 0xDFFF] if at >= 0 else []


def in_runs(s, a, b):
    """Texts that hold b, or one beside it, where a longer run of digits holds a in as many digits: the day of 20240229."""
    out = []
    for width in (2, 3, 4):
        was = "%0*d" % (width, a)
        for run in list(DIGITS.finditer(s))[:MOST_RUNS] if len(was) == width else ():
            at = s.rfind(was, run.start(), run.end())
            if at >= 0 and run.end() - run.start() > width:
                out += [s[:at] + "%0*d" % (width, n) + s[at + width :] for n in besides(b) if 0 <= n < 10**width]
    return out


def in_hexadecimal(s, a, b):
    """Texts that hold b, or one beside it, where s holds a in hexadecimal digits, in as many of them: an escape such as \\u00e9, a part of a colour."""
    low = s.lower()
    if not 0 <= a < LARGEST_MADE or len(low) != len(s):
        return []
    out = []
    for width in dict.fromkeys((8, 6, 4, 2, len("%x" % a))):
        was = "%0*x" % (width, a)
        at = low.find(was) if len(was) == width > 1 else -1
        if at >= 0:
            form = "%0*X" if s[at : at + width].isupper() else "%0*x"
            out += [s[:at] + form % (width, n) + s[at + width :] for n in besides(b) if 0 <= n < 16**width]
    return out


def texts(s, a, b):
    """Texts that hold b where s holds a: as it is or in another case, as a number in digits, as a length, as a character."""
    if type(a) is str:
        if type(b) is not str:
            return [], []
        out = []
        for find in dict.fromkeys((a, a.strip())):
            at = s.lower().find(find.lower()) if find and len(s.lower()) == len(s) else s.find(find) if find else -1
            if at >= 0:
                last = s.lower().rfind(find.lower()) if len(s.lower()) == len(s) else s.rfind(find)
                out += [s[:i] + b + s[i + len(find) :] for i in dict.fromkeys((at, last))]
        if len(a) <= len(b) < 40:  # what is asked for at a place may stand anywhere, and more than once
            return out + (again(s, b) if b and not a and b in s else []), [b + s, s + b, s[: len(s) // 2] + b + s[len(s) // 2 :]]
        return out, []
    if type(a) is not int or type(b) is not int:
        return [], []
    out, guesses = characters(s, a, b), []
    runs = sorted(DIGITS.finditer(s), key=lambda run: int(run.group()) != a)
    for run in runs[:MOST_RUNS]:
        held, near = wholes(int(run.group()), a, b)
        out += [s[: run.start()] + str(n) + s[run.end() :] for n in held if n >= 0]
        guesses += [s[: run.start()] + str(n) + s[run.end() :] for n in near if n >= 0]
    out += in_runs(s, a, b) + in_hexadecimal(s, a, b)
    if 0 <= b <= LONGEST_SPELLED:
        words = [m.span() for m in WORDS.finditer(s) if m.end() - m.start() == a]
        for start, end in dict.fromkeys([(0, len(s))] + words[:MOST_RUNS]):
            if end - start == a:
                out += [s[:start] + to_length(s[start:end], n) + s[end:] for n in besides(b) if n >= 0]
        pieces = [m.span() for m in PIECES.finditer(s) if m.end() - m.start() == a and m.span() not in words]
        out += [s[: start + n - 1] + s[end - 1 :] for start, end in pieces[:MOST_RUNS] for n in besides(b) if 0 < n < a]
    if abs(b - a) <= 40 and s:  # the length of something that the text was cut into
        guesses += [to_length(s, n) for n in {len(s) + b - a} if 0 < n <= LONGEST_SPELLED]
    return out, guesses


def packed(v, a, b):
    """Bytes that hold b where v holds a, as a number of eight bytes, of four, of two or of one."""
    out = []
    for size in (8, 4, 2, 1):
        for order in ("big", "little"):
            with contextlib.suppress(OverflowError):
                at = v.find(a.to_bytes(size, order, signed=a < 0))
                for n in besides(b) if at >= 0 else ():
                    with contextlib.suppress(OverflowError):
                        out.append(v[:at] + n.to_bytes(size, order, signed=n < 0) + v[at + size :])
    return out


def meet(v, a, b, exact):
    """Values in the place of v that may bring one side of a comparison, which was a, to the other, b: those where v is
    the side or holds it, and guesses (Aschermann et al. 2019, "REDQUEEN: Fuzzing with Input-to-State Correspondence").
    exact: also numbers that are not whole."""
    if a is None or b is None:
        return ([b] if type(v) is type(a) and v == a else []), []
    if type(v) is int and type(a) is int and type(b) is int:
        return wholes(v, a, b)
    if type(v) is int and type(a) is int and type(b) is float and abs(b) < LARGEST_MADE:
        return [], [v + math.floor(b) - a, v + math.ceil(b) - a]
    if type(v) is float and type(a) in (int, float) and type(b) in (int, float) and math.isfinite(b) and math.isfinite(a):
        off = 1e-6 * max(1.0, abs(b))
        at = v + b - a
        return ([float(b)] if v == a and exact else []) + ([b + off, b - off] if v == a else []), [at] if exact else [at + off, at - off]
    if type(v) is int and type(a) is float and type(b) is float and abs(b - a) < LARGEST_MADE:
        return [], [v + math.floor(b - a), v + math.ceil(b - a)]
    if type(v) is str:
        return texts(v, *(x.decode("latin-1") if type(x) is bytes else x for x in (a, b)))
    if type(v) is bytes:
        out, guesses = ([as_bytes(t) for t in part] for part in meet(v.decode("latin-1"), a, b, exact))
        return out + (packed(v, a, b) if type(a) is int and type(b) is int else []), guesses
    if type(v) in (list, tuple) and v and type(a) is int and type(b) is int and abs(b) <= 300:
        sizes = [n for n in besides(b) if 0 <= n] if len(v) == a else []
        return [(v * (n // len(v) + 1))[:n] for n in sizes], [(v * ((len(v) + b - a) // len(v) + 1))[: len(v) + b - a]] if 0 <= len(v) + b - a <= 300 else []
    return [], []


class Meetings:
    """Cases in which two sides of a comparison of one that was run may meet, each asked for once."""

    MOST, WAITING, EQUAL = 3000, 400, 12  # MOST of comparisons that did not change, and as many again of those that did

    def __init__(self):
        self.tried, self.queues, self.closest, self.equal, self.turn = set(), ([], [], [], []), {}, {}, 0

    def waiting(self):
        """How many cases wait in which a changed comparison may meet."""
        return len(self.queues[0]) + len(self.queues[1])

    def add(self, pairs, values, choices, follow):
        """Looks at a case, and tells whether two sides of a changed comparison are closer than ever, or equal at another value."""
        closer = False
        put, base = unspelled(choices)
        for n, changed, a, b in sorted(pairs, key=lambda p: not p[1]):
            if changed and self.nearer(n, a, b):
                closer = True
            if (not follow and (not changed or self.waiting() > self.WAITING)) or self.full(changed) or len(put) >= MOST_PUT:
                continue
            sides, apart = [(a, b), (b, a)], []
            if changed and type(a) is str and type(b) is str:
                apart = [(x, y) for x, other in sides for y in beside_text(other) if min(len(a), len(b)) > 1]
                sides += [(x, y) for x, other in sides for y in (other.lower(), other.upper()) if y != other]
            for at, v in enumerate(values):
                for one, other in sides:
                    for rank, made in enumerate(meet(v, one, other, changed)):
                        for w in made:
                            self.put(rank if changed else rank + 2, n, at, v, w, put, base)
                for one, other in apart:
                    if v == one:
                        self.put(0, n, at, v, other, put, base)
        return closer

    def full(self, changed):
        return len(self.tried) >= self.MOST * (1 + changed)

    def nearer(self, n, a, b):
        if type(a) is type(b) and a == b:
            seen = self.equal.setdefault(n, set())
            if a in seen or len(seen) >= self.EQUAL:
                return False
            seen.add(a)
            return True
        d = distance(a, b)
        if d is None or d >= self.closest.get(n, d + 1):
            return False
        self.closest[n] = d
        return True

    def put(self, rank, n, at, v, w, put, base):
        if type(w) in (int, float) and abs(w) > LARGEST_MADE or type(w) is type(v) and w == v or not can_be_spelled(w):
            return
        key = (n, at, repr(w))
        if key not in self.tried and not self.full(rank < 2):
            self.tried.add(key)
            self.queues[rank].append(spelled({**put, at: w}) + base)

    def next(self):
        """The case that waits longest, where the comparison changed first and guesses last, but for every third, which is a guess where
        it changed, and every fifth, where it did not: what the other version asks has its turn; None where none does."""
        self.turn += 1
        order = self.queues[1::-1] + self.queues[2:] if self.turn % 3 == 0 else self.queues[2:] + self.queues[:2] if self.turn % 5 == 0 else self.queues
        for queue in order:
            if queue:
                return queue.pop(0)
        return None


def distance(a, b):
    """How far two sides are from each other, as its number of bits; None where it cannot be told."""
    if type(a) in (int, float) and type(b) in (int, float):
        d = abs(a - b)
        return int(d * (1 if type(d) is int else 1024)).bit_length() if d < 1e300 else None
    if type(a) is type(b):
        same = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        return max(len(a), len(b)) - same
    return None
