"""Values other than those that were recorded.

Standard library only.
"""
import contextlib
import enum
import inspect
import io
import math
import re

import atoll_guard_enclosed as enclosed
import atoll_guard_matches as matches
import atoll_guard_records as records
import atoll_guard_standard as standard
from atoll_guard_callables import FUNCTIONS, NAMED
from atoll_guard_chains import inserted
from atoll_guard_files import FILES, other_lines, text_of
from atoll_guard_kinds import KINDS, derived
from atoll_guard_making import decode, member
from atoll_guard_patterns import LOOKS_LIKE, repatterned
from atoll_guard_nesting import within_itself, wrapped
from atoll_guard_places import Places, as_bytes

ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "AZaz", "0123456789", " \t\n-_./,:;", "\"'`\\()[]{}<>#@!?*+=|&%$^~", "éßİıØΣς世界\u0301😀\u00a0"]


NUMERIC = (bool, int, float)


def twin(v):
    """A number that is equal, or almost, and of another type: to a table all values are alike."""
    return int(v) if type(v) is bool or type(v) is float and math.isfinite(v) else float(v) if abs(v) < 1 << 53 else v


HEX = "0123456789abcdefABCDEF"
NUMBERS = re.compile(r"[0-9]+")
WRITTEN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
WAYS = ["-{n}", "+{n}", "{n}e5", "{w}E5", "{w}e-3", "{w}E+2", ".{w}", "{w}.", "{w}.0", "{n}0", "0{n}", "00{w}", "{w}_000", "{w},000", "0x{x}", "0X{x}", "0xA", "0o7", "0b1", "{w}j", " {n} ",
        "inf", "-Infinity", "NaN", "1/{w}", "{w}%", "({w})"]
BETWEEN = [", ", ",", ";", "|", "&", " ", "\n", ".", "/", ":"]  # items of a list in a text
NAMED_VALUE = re.compile(r"(\w+)\s*[=:]\s*(.*)", re.DOTALL)
PARTS = re.compile(r"\W?\w+")


def near(edges, v):
    """Edges in the place of a value; of a file those of its content."""
    held = FILES.of(v)
    return edges.near(text_of(held.content) if held else v)


def rolled(s, runs, at, up):
    """A text in which all numbers behind one are 0, and that one is the next where it goes up: where a version, or a time, begins anew."""
    out, end = s[: runs[at].start()], runs[at].start()
    for i, run in enumerate(runs[at:]):
        n = run.group()
        out += s[end : run.start()] + (str(int(n[:18]) + up).zfill(len(n)) if i == 0 else "0" * len(n))
        end = run.end()
    return out + s[end:]


class Vary:
    """Makes values other than those that were recorded."""

    def __init__(self, d, lits, edges, known=None, methods=None, givers=(), taken=None, pool=None, protocols=None, tables=None, kin=None):
        self.givers = givers  # functions that the change asks for, such as those that give objects of the tree
        self.d, self.lits, self.edges, self.known, self.methods = d, lits, edges, known or {}, methods
        self.places, self.varied, self.as_it_was = Places(d.put, FILES), None, False
        self.taken = taken  # makes what the function of a group takes at a place in the place of None
        self.pool = pool or {}  # recorded values by the name of their parameter
        self.tables = tables  # what stands in those of tests
        self.protocols = protocols  # makes values of types that one version alone asks for
        self.around = []  # the arguments of the call
        self.asking = None  # the method of an object that is asked for, with the recipes of its arguments
        self.guessed = False  # whether a value is a guess: see guess
        self.foreign = False  # whether one is of a type that the tests do not give: see stranger
        self.kin = kin  # objects of the classes of others
        self.own = 0  # how often the making of the object is varied, where the call has nothing to vary

    def once(self, make):
        """What make gives, an object of which one part of its making is varied."""
        was, self.own = self.own, 1
        try:
            return make()
        finally:
            self.own = was

    def options(self, args, kwargs, group=""):
        """Arguments of a constructor, now and then one of them another: a switch that is turned."""
        args, kwargs = list(args), dict(kwargs)
        self.around = [*self.around, *args, *kwargs.values()]
        places = list(range(len(args))) + list(kwargs)
        for _ in range((self.own or int(self.d.chance(4))) if places else 0):
            switches = [p for p in places if type(args[p] if type(p) is int else kwargs[p]) is bool]
            self.change(args, kwargs, self.d.pick(switches if switches and self.d.n(2) else places), group)
        return args, kwargs

    def change(self, args, kwargs, place, group):
        """Puts another value for the argument at a place, a number, or of a name; group is the function that they are given to, "" where none is known."""
        held = args if type(place) is int else kwargs
        made = self.taken(group, place, self) if held[place] is None and group and self.taken else None
        held[place] = self.other(held[place]) if made is None else made

    def with_step(self, module, owner, history):
        """The calls that an object had, at times with one more that its class was seen to have."""
        if self.d.put is None and not self.own or self.methods is None or self.d.n(4) < 3:
            return history
        calls = self.methods(module, owner)
        if not calls:
            return history
        k = self.d.n(3)
        if self.asking and k == 0:  # what it keeps of a call is seen by the same one behind another
            return [*history, self.asking, self.d.pick(calls)]
        if self.asking and k == 1:
            return [*history, self.asking]
        at = self.d.n(len(history) + 1)
        return inserted(history, at, self.d.pick(calls))

    def with_kin(self, recipes):
        """Recipes of the items of a list, at times one of them, or one more, of another object of its class."""
        if self.kin is None or self.d.n(3) == 0:
            return recipes
        at = self.d.n(len(recipes))
        others = self.kin.of(recipes[at])
        if not others:
            return recipes
        return [*recipes[:at], self.d.pick(others), *recipes[at + self.d.n(2) :]]

    def ask(self, me):
        """Makes the call that is asked for, as it was, and gives it in words."""
        method, args, kwargs = self.asking
        with contextlib.suppress(Exception, SystemExit):
            result = member(me, method)
            if callable(result):
                result(*map(decode, args), **{k: decode(v) for k, v in kwargs.items()})
        return "." + method + "(...)"

    def choose_step(self, n):
        """Which of the n calls that an object had gets another argument: one now and then, and mostly where the call itself is as it was."""
        self.varied = None
        if n and (self.d.put is not None or self.own) and self.d.n(4) >= (1 if self.as_it_was or self.own else 3):
            self.varied = self.d.n(n)

    def step(self, at, args, kwargs, group):
        """The arguments of a call that the object had."""
        if at == self.varied and (args or kwargs):
            self.change(args, kwargs, self.d.pick([*range(len(args)), *kwargs]), group)
        return self.places.through(args), self.places.through(kwargs)

    def settings(self, settings):
        """The options of an object, at times with some of them turned or changed."""
        out = dict(settings)
        if out and self.d.chance(3):
            for _ in range(1 + self.d.n(2)):
                switches = [k for k in out if type(out[k]) is bool or out[k] in (0, 1)]
                k = self.d.pick(switches if switches and self.d.n(3) else list(out))
                out[k] = (self.d.n(4) if type(out[k]) is int and out[k] in (0, 1) else not out[k]) if k in switches else self.other(out[k])
        return out

    def text(self):
        edge = self.d.edge("text", self.edges.texts)
        if edge:
            return edge[0]
        if self.lits["strings"] and self.d.n(3):
            return self.d.pick(self.lits["strings"])
        return "".join(self.d.pick(self.d.pick(ALPHABETS)) for _ in range(self.d.n(8)))

    def integer(self):
        edge = self.d.edge("int", self.edges.ints)
        if edge:
            return edge[0]
        k = self.d.n(6)
        if k == 0:
            return self.d.n(4)
        if k == 1 and self.lits["ints"]:
            return self.d.pick(self.lits["ints"])
        if k == 2 and self.lits["ints"]:
            return self.d.pick(self.lits["ints"]) + self.d.n(3) - 1
        if k == 3:
            return -self.d.n(20)
        return self.d.n(200)

    def number(self):
        edge = self.d.edge("float", self.edges.floats)
        if edge:
            return edge[0]
        k = self.d.n(6)
        if k == 0:
            return float(self.d.n(4))
        if k == 1 and self.lits["floats"]:
            return self.d.pick(self.lits["floats"])
        if k == 2:
            return -self.d.n(1000) / 8
        return self.d.n(100000) / 64

    def literal(self, kind, v):
        values = self.lits[kind]
        return values[self.d.n(len(values))] if values else v

    def anything(self, depth=0):
        k = self.d.n(8 if depth < 2 else 5)
        if k == 0:
            return None
        if k == 1:
            return self.integer()
        if k == 2:
            return self.text()
        if k == 3:
            return self.number()
        if k == 4:
            return bool(self.d.n(2))
        if k == 5:
            return [self.integer() for _ in range(self.d.n(6))]
        if k == 6:
            return [self.text() for _ in range(self.d.n(5))]
        return {self.text(): self.anything(depth + 1) for _ in range(self.d.n(4))}

    def other_file(self, v, held):
        """A file with another content, or for its path, now and then, one where nothing is."""
        d = self.d
        edge = d.edge("other", lambda: near(self.edges, v))
        if edge:
            return FILES.like(v, edge[0])
        if d.n(20) == 19 and not isinstance(v, io.IOBase):
            return type(v)(str(v) + ".not")
        text = text_of(held.content)
        for _ in range(1 + d.n(3)):
            word = d.pick(self.edges.strs) if self.edges.strs and d.n(2) else self.text()
            text = other_lines(text, d, word) if d.n(4) else self.other_text(text)
        return FILES.like(v, text)

    def other(self, v, depth=0):
        d = self.d
        held = FILES.of(v) if FILES.held else None
        if held:
            return self.other_file(v, held)
        if self.edges.nests and not depth and d.n(8) == 7:
            return self.stranger(wrapped(v, d))
        edge = d.edge("other", lambda: self.edges.near(v))
        if edge:
            other = edge[0]
            return self.guess(other) if v is None or type(v) in (list, tuple, dict) and not v else self.stranger(other) if other is None else other
        made = self.protocols.in_place(v, d) if self.protocols else v
        if made is not v:
            return self.stranger(made)
        if isinstance(v, enum.Enum):
            return d.pick(list(type(v)))
        if isinstance(v, NAMED):
            return d.pick(self.givers if self.givers and d.n(3) == 2 else FUNCTIONS)
        if v is None:
            return self.guess(d.pick([None, 0, "", 1]))
        if matches.is_match(v):
            return matches.other(v, d, self.other_text)
        if type(v) in KINDS and d.n(16) == 15:
            return derived(v)
        if isinstance(v, bool):
            return not v
        if type(v) is int:
            return d.pick([v, 0, 1, -1, v + 1, v - 1, -v, v * 2, self.integer(), self.integer(), self.literal("ints", v), self.literal("ints", v), self.literal("ints", v)])
        if type(v) is float:
            return d.pick([v, 0.0, 1.0, -v, v + 1, v / 2, v * 1.001, self.number(), self.number(), self.literal("floats", v), self.literal("floats", v)])
        if type(v) is complex:
            return d.pick([v, 0j, v.conjugate(), -v])
        if type(v) is str:
            return self.other_text(v)
        if type(v) is bytes:
            return as_bytes(self.other_text(v.decode("latin-1")))[:1000]
        if self.edges.nests and type(v) in (list, tuple, dict) and v and d.n(6) == 5:
            return within_itself(v, d)
        if type(v) in (list, tuple):
            return type(v)(self.other_list(list(v), depth))
        if type(v) is dict and depth < 4:
            return self.other_dict(v, depth)
        if records.is_record(v):
            return records.other(v, d, lambda x: self.other(x, depth + 1))
        if type(v) in (set, frozenset):
            return type(v)(self.other_list(sorted(v, key=repr), depth))
        return standard.other(v, d, lambda x: self.other(x, depth + 1))

    def guess(self, v):
        """A value in the place of what tells nothing of its kind: code that cannot do with it promises nothing of it."""
        self.guessed = self.guessed or v is not None
        return v

    def stranger(self, v):
        """A value of a type that the tests do not give: whatever error of the interpreter it leads to, that promises nothing."""
        self.foreign = self.guessed = True
        return v

    def void(self, misused):
        """What marks an answer that promises nothing: of a call that the code cannot do with, as the kind of a value is a guess."""
        return {"void": True} if misused and (self.guessed or self.places.guessed) else {}

    def other_text(self, s):
        d = self.d
        if self.lits["strings"] and d.n(3) == 2:
            s = d.pick(self.lits["strings"])
        if LOOKS_LIKE.search(s) and d.n(3) == 2:
            return repatterned(s, d)
        at = d.n(len(s) + 1)
        k = d.n(28)
        if k > 25:
            return self.replaced(s)
        if k > 23:
            return self.rewritten(s)
        if k > 19 and self.edges.bits:
            bit = d.pick(self.edges.bits)
            return d.pick([s + bit, s[:at] + bit + s[at:], bit + s, s[:at] + bit + d.pick(self.edges.bits) + s[at:]])
        if k > 17:
            return self.reparted(s)
        if k > 13:
            return self.renumbered(self.renumbered(s) if k == 14 else s)
        if k == 0:
            return s[:at]
        if k > 11:
            return d.pick([" " + s, s + " ", s + "\n", "\t" + s])
        if k == 1:
            return s[at:]
        if k == 2:
            return s[:at] + s[at + 1 :]
        if k == 3:
            return s[:at] + s[at : at + 1].swapcase() + s[at + 1 :]
        if k == 4:
            return s[:at] + s[at : at + 3] + s[at:]
        if k == 5:
            return self.text()
        if k == 6:
            return s + self.text()
        if k > 8:
            return d.pick([s.upper(), s.lower(), s.title(), s.swapcase()])
        return s[:at] + d.pick(d.pick(ALPHABETS)) + s[at:]

    def replaced(self, s):
        """One character for another: the next or the last before it, one of its kind, or one of the text."""
        d = self.d
        if not s:
            return s
        at, k = d.n(len(s)), d.n(4)
        c = s[at]
        if k == 0:
            c = chr(min(max(ord(c) + d.pick([1, -1]), 0), 0x10FFFF))
        elif k == 1:
            c = d.pick(s)
        else:
            c = d.pick(HEX if c in HEX and d.n(2) else next((a for a in ALPHABETS if c in a), d.pick(ALPHABETS)))
        return s[:at] + c + s[at + 1 :]

    def rewritten(self, s):
        """A number of a text in another way of writing."""
        d = self.d
        runs = list(WRITTEN.finditer(s))
        n = d.pick(runs).group() if runs else str(self.integer())
        at, end = next(((m.start(), m.end()) for m in runs if m.group() == n), (len(s), len(s)))
        whole = n.split(".")[0][:18]
        return s[:at] + d.pick(WAYS).format(n=n, w=whole, x="%x" % int(whole)) + s[end:]

    def renumbered(self, s):
        """Another number in the place of one, also with a fraction or of many digits."""
        d = self.d
        runs = list(NUMBERS.finditer(s))
        if not runs:
            return s + str(d.n(10))
        if len(runs) > 1 and d.n(4) == 3:
            return rolled(s, runs, d.n(len(runs) - 1), d.n(2))
        run = d.pick(runs)
        n = run.group()
        k = d.n(7)
        if k == 0:
            n = str(d.n(4))
        elif k == 1:
            n = str(d.n(100))
        elif k == 2:
            n = str(int(n[:18]) + 1)
        elif k == 3:
            n += "." + str(d.n(10))
        elif k == 4:
            n += str(d.n(10))
        elif k == 5:
            n = "".join(str(d.n(10)) for _ in range(1 + d.n(d.pick([6, 20]))))
        elif self.lits["ints"]:
            n = str(abs(self.d.pick(self.lits["ints"]) + d.n(3) - 1))
        return s[: run.start()] + n + s[run.end() :]

    def reparted(self, s):
        """A part, a word or a number with what stands before it, more or less."""
        d = self.d
        at = list(PARTS.finditer(s))
        if not at:
            return s
        way, found = d.n(4), enclosed.parts(s)
        if way == 3:
            return self.listed(s)
        if way == 2 and found:
            return enclosed.with_another(s, found, d)
        part = d.pick(at)
        k = d.n(3)
        if k == 0:
            return s[: part.start()] + s[part.end() :]
        if k == 1:
            return s[: part.end()] + d.pick(at).group() + s[part.end() :]
        other = PARTS.findall(d.pick(self.lits["strings"])) if self.lits["strings"] else []
        return s[: part.end()] + d.pick(other or [part.group()]) + s[part.end() :]

    def listed(self, s):
        """A list that is written in a text with one of its items once more, or another place."""
        d = self.d
        between = d.pick([b for b in BETWEEN if b in s] or BETWEEN[:1])
        items = s.split(between)
        item = d.pick(items)
        items.insert(d.n(len(items) + 1), self.beside_it(item, 0) if d.n(2) else item)
        return between.join(items)

    def beside_it(self, v, depth):
        """What may stand beside a value as one more of its name: with another value, the name in another case, or an equal number of another type."""
        d = self.d
        if type(v) in (list, tuple) and v:
            at = d.pick([0, len(v) - 1])
            return type(v)([*v[:at], self.beside_it(v[at], depth + 1) if at == 0 else self.other(v[at], depth + 1), *v[at + 1 :]])
        if type(v) is dict and v:
            key = d.pick(list(v))
            return {**v, key: self.other(v[key], depth + 1)}
        if type(v) is not str:
            return twin(v) if type(v) in NUMERIC and d.n(2) else self.other(v, depth + 1)
        named = NAMED_VALUE.search(v)
        if named and d.n(3):
            return v[: named.start(2)] + (self.other_text(named.group(2)) if d.n(2) else d.pick(["", "1", "x", named.group(2) * 2])) + v[named.end(2) :]
        name = v[: named.end(1)] if named else v
        return d.pick([name.swapcase(), name.title(), name.upper(), name.lower()]) + v[len(name) :]

    def other_list(self, v, depth):
        d = self.d
        if not v:
            return self.guess([self.anything(2)]) if d.n(2) else v
        at, k = d.n(len(v)), d.n(8)
        if k == 7:
            to = d.n(len(v) + 1)
            out = [*v[:to], self.beside_it(v[at], depth), *v[to:]]
            return [*out, v[at]] if d.n(3) == 2 else out  # which of three counts, the first or the last, none of two tells
        if k == 0:
            return v[:at] + v[at + 1 :]
        if k == 1:
            return v[:at]
        if k == 2:
            return v[::-1]
        if k == 3:
            return v[: at + 1] + v[at:]
        if k == 4:
            to = d.n(len(v))
            v[at], v[to] = v[to], v[at]
            return v
        if depth > 4:
            return v
        v[at] = twin(v[at]) if type(v[at]) in NUMERIC and d.n(6) == 5 else self.other(v[at], depth + 1)
        return v

    def other_dict(self, v, depth):
        d = self.d
        if not v:
            return self.guess({self.text(): self.anything(2)})
        if self.tables and d.n(6) == 5:
            return self.tables.joined(v, d, depth)
        key = d.pick(list(v))
        k = d.n(5)
        out = dict(v)
        if k == 4 and type(key) is str:
            out[self.beside_it(key, depth)] = self.other(v[key], depth + 1)
            return out
        if k == 0:
            del out[key]
        elif k == 1:
            out[self.other(key, depth + 1) if isinstance(key, (str, int)) else key] = v[key]
        elif type(v[key]) in NUMERIC and d.n(6) == 5:
            out[key] = twin(v[key])
        else:
            out[key] = self.other(v[key], depth + 1)
        return out

    def like(self, parameter):
        """A value for a parameter that no test gave one."""
        note = parameter.annotation
        text = note if isinstance(note, str) else getattr(note, "__name__", "") if isinstance(note, type) else str(note)
        text = text.replace("typing.", "").lower()
        if parameter.default not in (inspect.Parameter.empty, None) and not text.strip("_empty"):
            return self.other(parameter.default)
        for word, make in (("list[int", lambda: [self.integer() for _ in range(self.d.n(8))]), ("list[float", lambda: [self.number() for _ in range(self.d.n(8))]),
                           ("list[str", lambda: [self.text() for _ in range(self.d.n(6))]), ("dict", lambda: {self.text(): self.anything(1) for _ in range(self.d.n(4))}),
                           ("list", lambda: [self.anything(1) for _ in range(self.d.n(6))]), ("bool", lambda: bool(self.d.n(2))), ("int", self.integer),
                           ("float", self.number), ("bytes", lambda: self.text().encode()), ("str", self.text)):
            if word in text:
                return make()
        return self.anything()
