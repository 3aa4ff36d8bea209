"""How much of an argument a function reads before what it yields begins: a caller who reads on
demand, or without end, sees it.

Standard library only.
"""
import atoll_guard_sharing as sharing

LONGEST = 2000  # of a list that is read on demand
TIMES = 8  # that list behind itself: reading ahead by some items is no reading to the end


class Reader:
    """Items that are read on demand, and whether the end was."""

    def __init__(self, items):
        self.items, self.ended = iter(items), False

    def __iter__(self):
        return self

    def __next__(self):
        for x in self.items:
            return x
        self.ended = True
        raise StopIteration


def listed(args):
    """The first argument that is a list, with its place, before anybody changed it; None where there is none."""
    for at, a in enumerate(args):
        if type(a) in (list, tuple) and 0 < len(a) < LONGEST:
            return at, list(a)
    return None


def told(f, args, kwargs, of):
    """Whether all of an argument is read before the first item is given, in words; empty for no."""
    if of is None:
        return ""
    at, items = of
    reader = Reader(items * TIMES)
    try:
        for _ in f(*args[:at], reader, *args[at + 1 :], **kwargs):
            break
        else:
            return ""
    except (Exception, SystemExit):  # it wants a list
        return ""
    return "%s; argument %d is read to its end before the first item is given%s" % (sharing.MARK, at + 1, sharing.MARK) if reader.ended else ""
