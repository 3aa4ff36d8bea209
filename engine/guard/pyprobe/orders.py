"""The order of lists and tables, by what holds them: where it hangs on the hashes of a process, as that of what is made of a set does,
they are told without it.

Standard library only.
"""
import zlib


def running(words, before):
    """A number that stands for words behind others."""
    return zlib.crc32("\n".join(words).encode("utf-8", "surrogatepass"), before)


class Orders:
    """What is known of orders. A holder is a class with one of its attributes, a type of the tree that is a list or a table itself, or
    a function with what it gives; within it "[]" stands for its items."""

    def __init__(self):
        self.none, self.seen, self.active, self.result = frozenset(), None, False, ""

    def begin(self, none, learns):
        """Before the cases of a request: the holders without an order, and whether all are looked at."""
        self.none, self.seen = frozenset(none), {} if learns else None
        self.active = bool(none) or learns

    def of(self, *names):
        """The name of a holder; "" where nobody asks for it."""
        return ".".join(names) if self.active else ""

    def told(self, holder, words):
        """The words of the items of a holder, sorted where they have no order."""
        if self.seen is not None and holder:
            one, other = self.seen.get(holder, (0, 0))
            self.seen[holder] = running(words, one), running(sorted(words), other)
        return sorted(words) if holder in self.none else words

    def taken(self):
        """What was seen since it was asked for last: of each holder a number of its items in their order, and one of the same sorted."""
        out = self.seen
        self.seen = {} if out is not None else None
        return out or {}


ORDERS = Orders()
