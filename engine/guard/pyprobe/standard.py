"""Other values of types of the standard library, beside those that are read from a text.

Standard library only.
"""
import collections
import datetime
import decimal
import fractions
import pathlib
import uuid

STEPS = [datetime.timedelta(**{unit: n}) for unit in ("microseconds", "seconds", "minutes", "hours", "days") for n in (1, -1)] + [datetime.timedelta(days=n) for n in (7, 31, -31, 365, -366)]
ZONES = [None, datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=5, minutes=30)), datetime.timezone(-datetime.timedelta(hours=3))]
NUMBERS = ["0", "-1", "1", "0.1", "10", "1000000", "2.5"]
TIMES = {"year": (1, 1900, 1970, 2000, 2023, 2024, 9999), "month": (1, 2, 12), "day": (1, 28, 29, 31), "hour": (0, 12, 23), "minute": (0, 59), "second": (0, 59), "microsecond": (0, 1, 999999)}


def of_time(v, d):
    """A day or a time beside one: a part of it another, or a step away."""
    k = d.n(3)
    try:
        if k == 0 and not isinstance(v, datetime.time):
            return v + d.pick(STEPS[8:] if type(v) is datetime.date else STEPS)
        if k == 1 and not type(v) is datetime.date:
            return v.replace(tzinfo=d.pick(ZONES))
        part = d.pick([p for p in TIMES if hasattr(v, p)])
        return v.replace(**{part: d.pick(TIMES[part])})
    except (ValueError, OverflowError):
        return v


def of_number(v, d):
    """A number beside one of many digits, and at times one that is none."""
    kind = type(v)
    if kind is decimal.Decimal and d.n(8) == 7:
        return d.pick([decimal.Decimal(t) for t in ("NaN", "Infinity", "-Infinity", "-0", "1E+3", "1.50")])
    try:
        return d.pick([-v, v + 1, v - 1, v * 2, v / 2, v * 10, kind(int(v))]) if d.n(3) else kind(d.pick(NUMBERS))
    except (ArithmeticError, ValueError):
        return v


def of_slice(v, d):
    """A slice of which one part is another."""
    parts = [v.start, v.stop, v.step]
    at = d.n(3)
    parts[at] = d.pick([None, 0, 1, 2, -1, *[p for p in parts if p is not None]])
    return slice(*parts)


def of_range(v, d):
    """A range with another end or step."""
    start, stop, step = v.start, v.stop, v.step
    return d.pick([range(start, stop + 1, step), range(start, stop - 1, step), range(start + 1, stop, step), range(start, stop, 2 * step), range(stop, start, -step), range(0)])


def other(v, d, rest):
    """Another value of the type of v, and itself for one of a type that is none of these; rest makes another text, list or table."""
    kind = type(v)
    if kind in (datetime.datetime, datetime.date, datetime.time):
        return of_time(v, d)
    if kind is datetime.timedelta:
        return d.pick([-v, v * 2, v / 2, datetime.timedelta()]) if d.n(2) else v + d.pick(STEPS[:10])
    if kind in (decimal.Decimal, fractions.Fraction):
        return of_number(v, d)
    if kind is slice:
        return of_slice(v, d)
    if kind is range:
        return of_range(v, d)
    if kind is bytearray:
        return bytearray(rest(bytes(v)))
    if kind is collections.deque:
        return collections.deque(rest(list(v)), v.maxlen)
    if kind in (collections.OrderedDict, collections.Counter):
        return kind(rest(dict(v)))
    if kind is uuid.UUID:
        return uuid.UUID(int=d.pick([0, 1, (1 << 128) - 1, v.int ^ 1, v.int >> 64, v.int ^ (1 << 127)]))
    if isinstance(v, pathlib.PurePath) and kind.__module__ == "pathlib":
        return kind(rest(str(v)).replace("\0", ""))
    return v
