"""Values of types that callers have and tests seldom give, in the place of those of the tests: of what one version alone asks a value for.

Standard library only.
"""
import array
import collections
import contextlib
import copy
import datetime
import decimal
import enum
import fractions
import importlib
import io
import pathlib
import sys
import types

import atoll_guard_callables as callables
from atoll_guard_asking import EXACTLY, HAS, IS
from atoll_guard_kinds import Once, Pair, Row, Table, Text

STANDARD = getattr(sys, "stdlib_module_names", {"abc", "array", "builtins", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "io", "numbers", "os", "pathlib", "types", "typing"})
GIVEN = (type(None), bool, int, float, str, bytes, list, tuple, dict, set, frozenset)  # in the place of which another may stand
WHOLE = (list, tuple, dict, set, frozenset)
SELDOM = 6  # one value in so many
MOST_ITEMS = 20


class Word(str, enum.Enum):
    ONE = "one"
    TWO = "a b"


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 2


class Mark(enum.Enum):
    ONE = "one"
    TWO = 2


class Count(int):
    pass


class Amount(float):
    pass


def items_of(v, d):
    """What a value holds, as a list: of a table its rows or its keys, of a text itself or its words, and of another one itself."""
    if isinstance(v, dict):
        return list(v.items() if d.n(2) else v)[:MOST_ITEMS]
    if isinstance(v, WHOLE):
        return list(v)[:MOST_ITEMS]
    return [] if v is None else v.split()[:MOST_ITEMS] if isinstance(v, str) and " " in v and d.n(2) else [v]


def hashed(items):
    """The items that have a hash: those whose order no seed of it changes, or one."""
    out = []
    for x in items:
        with contextlib.suppress(TypeError):
            hash(x)
            out.append(x)
    return out if all(type(x) is int for x in out) else out[:1]


def table_of(v, d):
    return dict(v) if isinstance(v, dict) else dict.fromkeys(hashed(items_of(v, d)), None if isinstance(v, WHOLE) else v)


def text_of(v, d):
    return v if isinstance(v, str) else v.decode("latin-1") if isinstance(v, bytes) else callables.words(v)


def bytes_of(v, d):
    return v if isinstance(v, bytes) else text_of(v, d).encode("utf-8", "surrogateescape")


def number_of(v, d):
    return v if isinstance(v, (int, float)) and v == v and abs(v) < 1e15 else d.n(4)


def of(read, make):
    return lambda v, d: make(read(v, d))


# Types of values with what makes one of what stands in its place.
MAKERS = [
    *[(kind, of(items_of, make)) for kind, make in (
        (list, list), (tuple, tuple), (Row, Row), (Pair, Pair), (collections.deque, collections.deque), (collections.UserList, collections.UserList), (Once, Once),
        (set, lambda x: set(hashed(x))), (frozenset, lambda x: frozenset(hashed(x))), (range, lambda x: range(len(x))),
        (type({}.values()), lambda x: dict(enumerate(x)).values()), (array.array, lambda x: array.array("q", range(len(x)))))],
    *[(kind, of(table_of, make)) for kind, make in (
        (dict, dict), (Table, Table), (collections.OrderedDict, collections.OrderedDict), (collections.UserDict, collections.UserDict),
        (types.MappingProxyType, types.MappingProxyType), (collections.ChainMap, collections.ChainMap), (type({}.keys()), dict.keys), (type({}.items()), dict.items))],
    *[(kind, of(text_of, make)) for kind, make in (
        (str, str), (Text, Text), (collections.UserString, collections.UserString), (pathlib.PurePosixPath, lambda t: pathlib.PurePosixPath(t.replace("\0", ""))), (io.StringIO, io.StringIO))],
    *[(kind, of(bytes_of, make)) for kind, make in ((bytes, bytes), (bytearray, bytearray), (memoryview, memoryview), (io.BytesIO, io.BytesIO))],
    *[(kind, of(number_of, make)) for kind, make in (
        (bool, bool), (int, int), (float, float), (complex, complex), (Count, Count), (Amount, Amount), (decimal.Decimal, decimal.Decimal), (fractions.Fraction, fractions.Fraction))],
    *[(kind, of(lambda v, d, kind=kind: d.pick(list(kind)), lambda v: v)) for kind in (Word, Level, Mark)],
    (datetime.date, lambda v, d: datetime.date(2024, 2, 29)),
    (datetime.datetime, lambda v, d: datetime.datetime(2024, 2, 29, 12, 30)),
    (type(None), lambda v, d: None),
    (types.FunctionType, lambda v, d: d.pick(callables.FUNCTIONS)),
]
SCALAR = (bool, int, float, complex, Count, Amount, decimal.Decimal, fractions.Fraction, Word, Level, Mark, datetime.date, datetime.datetime)


KEEPING = (list, tuple, collections.deque, Once, set, frozenset, collections.UserList, type({}.values()))  # of the items that are given
TABLES = (collections.OrderedDict, collections.UserDict, types.MappingProxyType, collections.ChainMap)


def promised(v, names, d):
    """A value of what a note says of a parameter, in the place of a list or a table; as it is where it says nothing of those."""
    kinds = TABLES if isinstance(v, dict) else KEEPING if isinstance(v, WHOLE) else ()
    may = [(kind, make) for kind, make in MAKERS if kind in kinds and kind is not type(v) and any(answers((IS, name), kind) for name in names)]
    return d.pick(may)[1](v, d) if may else v


def found(name):
    """A type of the standard library by its name with that of its module; None for another one."""
    module, _, last = name.rpartition(".")
    if name == "builtins.NoneType":
        return type(None)
    if module.split(".")[0] in STANDARD:
        with contextlib.suppress(Exception):
            return getattr(importlib.import_module(module), last)
    return None


def answers(question, kind):
    """Whether values of a type are what is asked for."""
    way, name = question
    if way == HAS:
        return hasattr(kind, name)
    t = found(name)
    with contextlib.suppress(TypeError):
        return kind is t if way == EXACTLY else issubclass(kind, t)
    return False


class Protocols:
    """Makes values that are of a type that one version alone asks for."""

    def __init__(self, asked):
        was, now = ([q for file in asked for q in file[k]] for k in ("was", "now"))
        self.names = {name for file in asked for name in file["reach"]}
        told = [(kind, make, [any(answers(q, kind) for q in side) for side in (was, now)]) for kind, make in MAKERS if was or now]
        apart = [(kind, make) for kind, make, (a, b) in told if a != b] or [(kind, make) for kind, make, sides in told if any(sides)]
        rest = [(kind, make) for kind, make, sides in told if not any(sides)] if apart and not (was and now) else []
        self.ways = [way for way in (apart, rest) if way]  # where one version asks for nothing what is of none of its types counts as much

    def reach(self, group):
        """Whether a function may come to what asks for them."""
        return not self.names.isdisjoint(group.partition(":")[2].split("."))

    def in_place(self, v, d):
        """A value in the place of one, now and then; as it is else."""
        if not self.ways or type(v) not in GIVEN or d.n(SELDOM) != SELDOM - 1:
            return v
        kind, make = d.pick(d.pick(self.ways))
        return v if kind in SCALAR and isinstance(v, WHOLE) or kind is type(v) else make(v, d)


def copied(v):
    """A copy of a value as deep as it can be copied: views of tables, and what no caller can change, are themselves."""
    try:
        return copy.deepcopy(v)
    except TypeError:
        if type(v) in (list, tuple):
            return type(v)(map(copied, v))
        return {k: copied(x) for k, x in v.items()} if type(v) is dict else v
