"""Calls that an object has of a list, a table or a set that its class is derived from: nothing of the tree runs when they are made, so
no recording has them, and what the object keeps of what it held is wrong behind them.

Standard library only.
"""
import collections
import collections.abc as abc
import contextlib
import functools

from atoll_guard_outcomes import settled, show
from atoll_guard_tree import of_tree

# By type, the methods that change it and what each is given: i an item, l some of them, n a number, k a key, v a value, t a table.
LIST = {"append": "i", "insert": "ni", "extend": "l", "remove": "i", "pop": "", "reverse": "", "clear": "", "sort": "", "__setitem__": "ni", "__delitem__": "n", "__iadd__": "l"}
CHANGING = (
    ((collections.deque,), {**LIST, "appendleft": "i", "popleft": "", "rotate": "n"}),
    ((list, abc.MutableSequence), LIST),
    ((dict, abc.MutableMapping), {"pop": "k", "popitem": "", "clear": "", "update": "t", "setdefault": "kv", "__setitem__": "kv", "__delitem__": "k"}),
    ((set, abc.MutableSet), {"add": "i", "discard": "i", "remove": "i", "clear": "", "update": "l", "difference_update": "l"}),
)
MOST_HELD = 20  # items that are looked at
MOST_SORTED = 1000  # items of a set, whose own order hangs on hashes


@functools.lru_cache(1000)
def changing(cls):
    """What changes an object of a class that is derived from a list, a table or a set, by name with what it is given."""
    return next((methods for types, methods in CHANGING if issubclass(cls, types)), {})


@functools.lru_cache(1000)
def inherited(cls):
    """What changes an object of a class of the tree and is none of the tree's own, by name with what it is given."""
    if not of_tree(cls):
        return {}
    defines = lambda name: next((c for c in cls.__mro__ if name in vars(c)), None)
    return {name: given for name, given in changing(cls).items() if defines(name) and not of_tree(defines(name))}


def held(me):
    """The first of what an object holds; of a table its pairs."""
    if isinstance(me, dict):
        return list(dict.items(me))[:MOST_HELD]
    if isinstance(me, abc.Mapping):
        return [(k, me[k]) for k in list(me)[:MOST_HELD]]
    if isinstance(me, abc.Set):
        return sorted(me, key=lambda x: settled(repr(x)))[:MOST_HELD] if len(me) <= MOST_SORTED else []
    return [x for _, x in zip(range(MOST_HELD), me)]


def arguments(given, me, vary, items):
    """Arguments of such a method: of some items, such as those that the object holds, or beside them."""
    d = vary.d
    table = isinstance(me, abc.Mapping)

    def one(part=None):
        v = d.pick(items) if items else ("a", 1) if table else "a"
        v = v if part is None else v[part]
        return v if d.n(2) else vary.other(v)

    make = {"i": one, "l": lambda: [one() for _ in range(1 + d.n(2))], "n": lambda: d.n(3), "k": lambda: one(0), "v": lambda: one(1), "t": lambda: {one(0): one(1)}}
    return [make[kind]() for kind in given]


def taken(me, vary):
    """Calls of such methods, now and then, some behind the call that is asked for: what that one keeps is wrong behind them. In words."""
    d, known = vary.d, inherited(type(me))
    if not known or d.put is None and not vary.own or d.n(3):
        return ""
    words = vary.ask(me) if vary.asking and d.n(2) else ""
    for _ in range(1 + d.n(2)):
        name = d.pick(list(known))
        with contextlib.suppress(Exception, SystemExit):
            args = arguments(known[name], me, vary, held(me))
            words += "." + name + "(" + ", ".join(show(a, live=True) for a in args) + ")"
            getattr(me, name)(*args)
    return words
