"""What of an answer, or of an object, is a list, a table or a set that the caller gave or the object has: who
writes to one of them changes the other.

Standard library only.
"""
import collections.abc
import gc

from atoll_guard_tree import held_by

MARK = "\x03"  # before and behind what is told: sharing less than the root is no difference
ROOMS = (list, dict, set, bytearray, collections.deque)
VIEWS = (collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)
DULL = {type(None), bool, int, float, str, bytes}  # nobody writes to them, nor to what they hold
MOST = 2000  # values that are looked at
DEEPEST = 5


def rooms(v, own, hidden):
    """What can be written to of a value, by its identity, with the name under which an object of the tree has it, "" for none that callers know;
    hidden: also what objects of the tree keep behind names with a leading underscore."""
    out, todo, seen = {}, [(v, 0, "")], set()
    while todo and len(seen) < MOST:
        v, depth, name = todo.pop()
        if id(v) in seen or depth > DEEPEST:
            continue
        seen.add(id(v))
        if isinstance(v, ROOMS):
            out[id(v)] = name
        if isinstance(v, dict):
            todo += [(x, depth + 1, name) for x in list(dict.values(v)) if type(x) not in DULL]
        elif isinstance(v, (list, tuple, set, frozenset, collections.deque)):
            todo += [(x, depth + 1, name) for x in v if type(x) not in DULL] if type(v).__iter__ in ITERATORS else []
        if isinstance(v, VIEWS):  # changes with what it is a view of
            todo += [(x, depth + 1, name) for x in gc.get_referents(v) if isinstance(x, dict) or own(type(x))]
        if own(type(v)):
            todo += [(x, depth + 1, name or k * (k[:1] != "_")) for k, x in list(held_by(v).items()) if hidden or not k.startswith("_")]
    return out


ITERATORS = [t.__iter__ for t in (list, tuple, set, frozenset, collections.deque)]


class Taken:
    """What an iterator yields, kept."""

    def __init__(self, iterator):
        self.iterator, self.items = iterator, []

    def __iter__(self):
        return self

    def __next__(self):
        self.items.append(next(self.iterator))
        return self.items[-1]


def told(result, me, args, own):
    """What the result shares with arguments and with the object that was asked, and that with the arguments, in words; empty for nothing."""
    of_result, of_object = rooms(result, own, False), rooms(me, own, True)
    out = []
    for n, a in enumerate(args):
        of_argument = rooms(a, own, True)
        out += shared("the result", result, of_result, "argument %d" % (n + 1), of_argument)
        out += shared("argument %d" % (n + 1), a, of_argument, "the object", of_object)
    if me is not None:
        out += shared("the result", result, of_result, "the object", of_object)
    return "".join(MARK + "; " + one + MARK for one in out)


def kept(result, again, others, own):
    """Whether two results of one call share what none of the others has, in words; empty for no."""
    common = rooms(result, own, False).keys() & rooms(again, own, False).keys()
    for v in others:
        common -= rooms(v, own, True).keys()
    return MARK + "; the next call gives the same result, or a part of it, and not a new one" + MARK if common else ""


def shared(one, whole, of_one, other, of_other):
    if id(whole) in of_one and id(whole) in of_other:
        return [one + " is of " + other]
    common = of_one.keys() & of_other.keys()
    said = "a part of " + one + " is of " + other
    names = {of_other[i] or of_one[i] for i in common} - {""}
    return [said] * bool(common) + [said + ", as " + name for name in sorted(names)]
