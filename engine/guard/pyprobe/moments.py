"""Days, times and spans as whole numbers, which stand in a case for them and may be compared with other numbers.

Standard library only.
"""
import contextlib
import datetime

SECOND, DAY = datetime.timedelta(seconds=1), datetime.timedelta(days=1)


def seconds(v):
    return (v.replace(tzinfo=None) - datetime.datetime.min) // SECOND


# By type: what gives a whole number of a value, and what makes the value of another one. A time has its day and its second.
PLACES = {
    datetime.date: [(datetime.date.toordinal, lambda v, n: datetime.date.fromordinal(n))],
    datetime.datetime: [(datetime.datetime.toordinal, lambda v, n: v + DAY * (n - v.toordinal())), (seconds, lambda v, n: v + SECOND * (n - seconds(v)))],
    datetime.timedelta: [(lambda v: v // DAY, lambda v, n: v + DAY * (n - v // DAY)), (lambda v: v // SECOND, lambda v, n: v + SECOND * (n - v // SECOND))],
}


def through(v, number):
    """The value with each of its numbers as number gives it; itself where there is no such value."""
    for read, made in PLACES[type(v)]:
        was = read(v)
        now = number(was)
        if now != was:
            with contextlib.suppress(ArithmeticError, ValueError):
                v = made(v, now)
    return v
