"""Values of derived types: what asks for a type by isinstance takes them, and what compares types does not.

Standard library only.
"""


class Text(str):
    pass


class Row(list):
    pass


class Table(dict):
    pass


class Pair(tuple):
    __slots__ = ()


class Once:
    """What gives its items once, as an iterator does; a copy gives those that are left."""

    def __init__(self, items):
        self.items, self.at = list(items), 0

    def __repr__(self):
        return "<iterator>"

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]


KINDS = {str: Text, list: Row, dict: Table, tuple: Pair}
DERIVED = tuple(KINDS.values())


def derived(v):
    """The value as one of a type that is derived from its own; itself where there is none."""
    kind = KINDS.get(type(v))
    return kind(v) if kind else v


def plain(v):
    """A value of a derived type as one of the type that it is derived from, with the name of its own."""
    return type(v).__mro__[1](v), type(v).__name__


def is_text(v):
    """Whether a value is of a type that is derived from a text."""
    return isinstance(v, str) and type(v) is not str


def with_text(v, text):
    """A value of the type of one, with another text and all else that it has."""
    out = str.__new__(type(v), text)
    if hasattr(v, "__dict__"):
        out.__dict__.update(v.__dict__)
    return out
