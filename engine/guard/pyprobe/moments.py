"""Days, times and spans as whole numbers, which stand in a case for them and may be compared with other numbers.

Standard library only.
"""
import contextlib
import datetime
import pickle

SECOND, DAY = datetime.timedelta(seconds=1), datetime.timedelta(days=1)
DATE, TIME = datetime.date, datetime.datetime  # those of the library, whatever tests put in their place


class Plain(pickle.Pickler):
    """Pickles days and times as those of the library: while another type stands in its place pickle finds neither."""

    def reducer_override(self, v):
        if type(v) in (TIME, datetime.datetime):
            return of_time, (v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond, v.tzinfo, v.fold)
        if type(v) in (DATE, datetime.date):
            return of_day, (v.toordinal(),)
        return NotImplemented


def of_time(*parts):
    return TIME(*parts[:-1], fold=parts[-1])


def of_day(n):
    return DATE.fromordinal(n)


def dump(v, out):
    """Writes the pickle of a value."""
    if datetime.date is DATE and datetime.datetime is TIME:
        pickle.dump(v, out, 4)
    else:
        Plain(out, 4).dump(v)


def seconds(v):
    return (v.replace(tzinfo=None) - TIME.min) // SECOND


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
