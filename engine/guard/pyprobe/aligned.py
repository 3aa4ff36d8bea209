"""Texts of which one says how another is read, such as the format of a time and the time: what stands between their marks is
moved in both at once, as an order that no test has is met by no change of one of them.

Standard library only.
"""
import re

from atoll_guard_renaming import texts, turned

MARKS = re.compile(r"((?:[^\w%]|_)+)")
MOST_FIELDS = 12
LONGEST = 500
SELDOM = 6  # one case in so many, where a call has such texts


def alike(texts):
    """The marks of texts between whose fields the same ones stand, where several texts have them, in the order of the first."""
    lots = {}
    for text in texts:
        marks = tuple(MARKS.findall(text[:LONGEST]))
        if 0 < len(marks) < MOST_FIELDS and len(text) <= LONGEST:
            lots.setdefault(marks, set()).add(text)
    return [marks for marks, some in lots.items() if len(some) > 1]


def together(args, kwargs, d):
    """Moves what stands between the marks of such texts of a call, at times, and reports whether it did: their fields stand in
    another order, or one of them is left out."""
    values = [*args, *kwargs.values()]
    lots = alike([text for v in values for text, key in texts(v) if not key])
    if not lots or d.put is not None or not d.chance(SELDOM):
        return False
    f = moved(d.pick(lots), d)
    args[:] = [turned(v, f) for v in args]
    for k, v in kwargs.items():
        kwargs[k] = turned(v, f)
    return True


def moved(marks, d):
    """A function that gives a text with these marks its fields in another order, or without one of them, and any other as it is."""
    order = list(range(len(marks) + 1))
    field = order.pop(d.n(len(order)))
    if d.n(3):
        order.insert(d.n(len(order) + 1), field)

    def f(text):
        parts = MARKS.split(text)
        if tuple(parts[1::2]) != marks:
            return text
        fields = [parts[2 * n] for n in order]
        return fields[0] + "".join(mark + field for mark, field in zip(marks, fields[1:]))

    return f
