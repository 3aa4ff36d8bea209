"""Tables that tests give, by what stands in them: an option of one and an option of another may be given together, and no test says so.

Standard library only.
"""
import contextlib
import pickle

from atoll_guard_making import decode

MOST_TABLES = 400
MOST_ITEMS = 30  # of one table
LONGEST_ITEM = 2000  # bytes


def tables_of(calls):
    """The tables with words for keys that calls hold, at any depth of an argument, each as its depth and its items, which are a word and a recipe: of
    those with the same words the one that is met first."""
    out = {}

    def call(own, args, kwargs):
        if own is not None:
            look(own, 0)
        for v in [*args, *kwargs.values()]:
            look(v, 0)

    def look(recipe, depth):
        kind = recipe[0]
        if len(out) >= MOST_TABLES:
            return
        if kind == "part":
            look(recipe[1], depth)
        elif kind == "made":
            _, _, _, given, history, _ = recipe
            for args, kwargs in [given, *((step[1], step[2]) for step in history)]:
                call(None, args, kwargs)
        elif kind == "value":
            held(pickle.loads(recipe[1]), depth)
        elif kind == "dict":
            note(depth, [(decode(k), v) for k, v in recipe[1] if k[0] == "value"])
            for _, v in recipe[1]:
                look(v, depth + 1)
        elif kind in ("list", "tuple"):
            for v in recipe[1]:
                look(v, depth + 1)

    def held(v, depth):
        if type(v) is dict:
            note(depth, [(k, ("value", pickle.dumps(x, 4))) for k, x in v.items()])
        for x in v.values() if type(v) is dict else v if type(v) in (list, tuple) else ():
            held(x, depth + 1)

    def note(depth, items):
        if 0 < len(items) <= MOST_ITEMS and len(out) < MOST_TABLES and all(type(k) is str for k, _ in items):
            short = [(k, v) for k, v in items if len(pickle.dumps(v, 4)) <= LONGEST_ITEM]
            if short:
                out.setdefault((depth, tuple(k for k, _ in short)), short)

    for _, own, args, kwargs in calls:
        with contextlib.suppress(Exception):  # of a value of the tree that cannot be made again
            call(own, args, kwargs)
    return [(depth, items) for (depth, _), items in out.items()]


class Tables:
    """Those of a recording."""

    def __init__(self, tables):
        self.at, self.by_word = {}, {}
        for depth, items in tables:
            self.at.setdefault(depth, []).append(items)
            for k, _ in items:
                self.by_word.setdefault(k, []).append(items)

    def joined(self, v, d, depth):
        """A table with an item that stands in another one: in one that shares a word with it, or in one as deep in a call."""
        word = d.pick(sorted(k for k in v if type(k) is str) or [""])
        alike = self.by_word.get(word) if d.n(2) else self.at.get(depth)
        more = [(k, recipe) for k, recipe in d.pick(alike) if k not in v] if alike else []
        if not more:
            return v
        k, recipe = d.pick(more)
        return {**v, k: decode(recipe)}
