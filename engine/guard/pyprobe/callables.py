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
    return len(v) if hasattr(v, "__len__") else v if isinstance(v, (int, float)) and v == v else 0


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


FUNCTIONS = [first, as_text, size, in_lower_case, zero, truth, order, last, nothing, untruth, empty_text, fails]
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
    return any(v is f for f in FUNCTIONS)
