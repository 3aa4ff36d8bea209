"""Functions in the place of those that cannot be named, such as a lambda of a test.

They take whatever they are given and give what follows from it alone, so that one stands for any
function of a recorded call, in both trees the same.

Standard library only.
"""
import functools
import os
import re
import sys
import types

from atoll_guard_kinds import Row, Table
from atoll_guard_tree import held_by

MOST_CALLS = 20_000  # of one case: code that waits for another answer ends
NAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType)


class Calls:
    """How often functions were called in a case."""

    made = 0

    @classmethod
    def begin(cls):
        cls.made = 0


def words(v):
    """The text of a value, without where it lies."""
    return re.sub(" at 0x[0-9a-fA-F]+", "", str(v))


def counted(f):
    @functools.wraps(f)
    def call(*args, **kwargs):
        Calls.made += 1
        if Calls.made > MOST_CALLS:
            raise ValueError("called too often")
        return f(args + tuple(kwargs.values()))

    return call


@counted
def first(given):
    return given[0] if given else None


@counted
def as_text(given):
    return words(given[0]) if given else ""


@counted
def in_lower_case(given):
    return words(given[0]).lower() if given else ""


@counted
def size(given):
    v = given[0] if given else 0
    return len(v) if hasattr(type(v), "__len__") else v if isinstance(v, (int, float)) and v == v else 0


@counted
def nothing(given):
    return None


@counted
def zero(given):
    return 0


@counted
def empty_text(given):
    return ""


@counted
def truth(given):
    return bool(given and given[0])


@counted
def untruth(given):
    return not (given and given[0])


@counted
def last(given):
    return given[-1] if given else None


@counted
def order(given):
    """Less, equal or more, of two."""
    a, b = (words(v) if not isinstance(v, (int, float)) else v for v in (*given, 0, 0)[:2])
    return (a > b) - (a < b) if isinstance(a, str) == isinstance(b, str) else isinstance(a, str) - isinstance(b, str)


@counted
def fails(given):
    raise ValueError("no value")


@counted
def lacks(given):
    raise KeyError("no such key")


@counted
def leaves(given):
    raise SystemExit(3)


@counted
def listed(given):
    return list(given)


@counted
def in_row(given):
    return Row(given)


@counted
def in_table(given):
    return Table({0: given[0] if given else None})


def giver(find, name):
    """A function that gives a new object of a class, if one can be made of nothing."""

    @counted
    def give(given):
        return find(*name.split(":"))()

    give.__name__ = "new_" + name.split(":")[1]
    return give


FUNCTIONS = [first, as_text, size, in_lower_case, zero, truth, order, last, nothing, untruth, empty_text, fails, listed, in_row, in_table, lacks]
OF_NONE, OF_ONE, OF_MORE = FUNCTIONS.index(empty_text), FUNCTIONS.index(first), FUNCTIONS.index(order)


def place_of(function):
    """The function that stands first for one, by how many arguments it needs."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        return OF_ONE
    needed = code.co_argcount - len(getattr(function, "__defaults__", None) or ()) - isinstance(function, types.MethodType)
    return OF_NONE if needed < 1 and not code.co_flags & 4 else OF_ONE if needed < 2 else OF_MORE


def can_be_named(function, tree, module_of):
    """Whether a process that runs no tests finds a function where it says that it is; module_of gives the module of a file."""
    name = getattr(function, "__module__", None) or getattr(getattr(function, "__self__", None), "__module__", None) or "builtins"
    file = getattr(sys.modules.get(name), "__file__", None)
    return not file or not file.startswith(tree + os.sep) or module_of(os.path.relpath(file, tree)) == name


def stands_in(v):
    """Whether a function is one of these."""
    return isinstance(v, types.FunctionType) and v.__code__ is zero.__code__


# ---- functions that are results -------------------------------------------------

GIVEN = fails, "12.5", 3, as_text  # to each parameter of a function that a call gave, and no two alike
MOST_GIVEN = 3
MOST_ASKED = 6  # attributes of one
MOST_CALLED = 150  # calls of all functions that one call gave
NESTED, ANY_NUMBER = 0x10, 0x04  # flags of code
MOST_DEEP = 2  # a decorator with arguments gives a function that gives one
OWN = (types.FunctionType, types.MethodType)  # functions that have code to be looked at


def made_by(v, in_tree):
    """Whether a value is a function that code of the tree made while it ran, which only its answers tell from another, or an object of
    the tree that is called in the place of a function, which it holds."""
    f = getattr(v, "__func__", v)
    if isinstance(f, types.FunctionType):
        return bool(f.__code__.co_flags & NESTED) and in_tree(f.__code__.co_filename)
    called = getattr(type(v), "__call__", None)
    return isinstance(called, types.FunctionType) and in_tree(called.__code__.co_filename) and any(isinstance(x, NAMED) for x in held_by(v).values())


def needs(f):
    """How many arguments a function is to be given, and at most MOST_GIVEN."""
    code, bound = f.__code__, isinstance(f, types.MethodType)
    n = code.co_argcount - bound - len(f.__defaults__ or ())
    return None if n > MOST_GIVEN or code.co_kwonlyargcount > len(f.__kwdefaults__ or ()) else n or int(bool(code.co_flags & ANY_NUMBER))


def asked(v, in_tree):
    """The public attributes of a function, or methods of an object, that are called with nothing and tell what it did, by name."""
    names = vars(v) if isinstance(v, types.FunctionType) else [] if isinstance(v, types.MethodType) else [k for c in type(v).__mro__ for k, f in vars(c).items() if isinstance(f, types.FunctionType)]
    known = {k: getattr(v, k) for k in sorted(names) if not k.startswith("_")}
    return {k: f for k, f in known.items() if isinstance(f, OWN) and in_tree(f.__code__.co_filename) and needs(f) == 0}


def answers(v, in_tree, show, failure, depth=0, left=None):
    """What a function that a call gave answers when it is called, in words, and what it tells of itself behind that, of which each has its
    turn to be asked first. A call is made twice: what it keeps is of it, too. Objects whose methods give more of them, as parsers that are
    put together do, are asked as long as calls are left."""
    left = left or iter(range(MOST_CALLED))
    function = isinstance(v, OWN)
    f = v if function else v.__call__
    n, tells = needs(f), list(asked(v, in_tree).items())[:MOST_ASKED]
    if n is None:
        return "function" if function else show(v)
    out = []

    def told(name, f, *args):
        if next(left, None) is None:
            return
        try:
            got = f(*args)
            out.append(name + (answers(got, in_tree, show, failure, depth + 1, left) if depth < MOST_DEEP and made_by(got, in_tree) else show(got)))
        except (Exception, SystemExit) as e:
            out.append(name + failure(e))

    for turn in range(max(len(GIVEN) if n else 1, len(tells))):
        for _ in range(2):
            told("", f, *(GIVEN[(turn + i) % len(GIVEN)] for i in range(n)))
        for i in range(len(tells)):
            name, tell = tells[(turn + i) % len(tells)]
            told(name + "() ", tell)
    return ("function" if function else show(v)) + ", called: " + ", ".join(out)
