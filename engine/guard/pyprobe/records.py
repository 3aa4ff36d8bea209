"""Tuples whose parts have names, as collections.namedtuple makes them, and what has a copy of an object.

Standard library only.
"""
import pickle

# What Python calls to copy an object: what they give is nothing to a caller, the copy is.
COPYING = {"__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__", "__setstate__"}
COPIERS = {"copy", "deepcopy", "dumps", "dump"}  # who calls them


def is_record(v):
    return isinstance(v, tuple) and hasattr(type(v), "_make") and hasattr(type(v), "_fields")


def through(v, change):
    """A record of the same type with each of its parts as change gives it."""
    return type(v)._make(change(x) for x in v)


def other(v, d, change):
    """A record of which one part is another."""
    if not v:
        return v
    at = d.n(len(v))
    return type(v)._make(change(x) if i == at else x for i, x in enumerate(v))


def copied(v):
    """A copy as pickle makes it, and copy where the type says nothing else."""
    return pickle.loads(pickle.dumps(v, 4))
