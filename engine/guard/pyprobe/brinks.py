"""The numbers at which an answer changes.

A number of a case goes over orders of magnitude, and between two that are answered differently the one in the middle is
asked until they stand beside each other (boundary value exploration: Dobslaw, Feldt and de Oliveira Neto 2023). A
threshold that no comparison of the code holds, such as one of seconds // 3600 // 24, is nowhere else to be seen, and
one that moved a little is found at it. A number in the digits of a text is one, too.

Standard library only.
"""
import math
import re

from atoll_guard_places import MOST_PUT, can_be_spelled, spelled, unspelled

MOST_TAKEN = 8  # places of one group
MOST_GAPS = 8  # of one place
NEAR_FRACTION = 1 << 18  # part of a fraction that two beside each other differ by: rounding alone moves no further
DIGITS = re.compile("[0-9]{1,15}")
TEN = [10**n for n in range(16)]  # below what is the largest that is made


class Number:
    """A number in a place: value is what it is, of makes the value of the place with another one."""

    def __init__(self, at, value, of):
        self.at, self.value, self.of, self.whole = at, value, of, type(value) is int

    def rungs(self):
        """Values of all orders of magnitude that the place may have."""
        out = [0] + [m * n for n in TEN for m in (1, 3)] + [-n for n in TEN[::2]]
        if not self.whole:
            out += [1 / n for n in TEN[1:7]]
        return [v for v in out if (w := self.of(v)) is not None and can_be_spelled(w)]

    def beside(self, low, high):
        if self.whole:
            return high - low <= 1
        return not high - low > max(abs(low), abs(high), 1.0) / NEAR_FRACTION

    def middle(self, low, high):
        return (low + high) // 2 if self.whole else low + (high - low) / 2


def number_of(at, v):
    """The number of a place; None where it has none."""
    if type(v) is int or type(v) is float and math.isfinite(v):
        return Number(at, v, type(v))
    run = DIGITS.search(v) if type(v) is str else None
    if run is None:
        return None
    head, tail = v[: run.start()], v[run.end() :]
    return Number(at, int(run.group()), lambda n: head + str(n) + tail if n >= 0 else None)


class Brinks:
    """The search of one group."""

    def __init__(self):
        self.taken = set()
        self.steps = None  # of the number that is looked at
        self.waits = None  # the value to ask for, and whether its case is to be kept
        self.asked = None  # the same of the case that runs

    def take(self, case, answer):
        """Begins with a number of a case, where nothing else is looked at."""
        put, base = unspelled(case.choices)
        if self.waits or put is None or len(self.taken) >= MOST_TAKEN:
            return
        for at, v in enumerate(case.values):
            number = number_of(at, v) if at not in self.taken and (at in put or len(put) < MOST_PUT) else None
            if number is not None:
                self.taken.add(at)
                self.number, self.put, self.base = number, put, base
                self.steps = self.search(answer)
                self.waits = next(self.steps)
                return

    def search(self, answer):
        """Yields values and whether their cases are to be kept, and gets their answers."""
        points = {self.number.value: answer}
        for v in self.number.rungs():
            if v not in points:
                points[v] = yield v, False
        order = sorted(points)
        gaps = [(low, high) for low, high in zip(order, order[1:]) if points[low] != points[high]]
        gaps.sort(key=lambda gap: (as_words(points[gap[0]]) == as_words(points[gap[1]]), -max(gap[1], -gap[0])))
        for low, high in gaps[:MOST_GAPS]:
            below = points[low]
            while not self.number.beside(low, high):
                middle = self.number.middle(low, high)
                if (yield middle, False) == below:
                    low = middle
                else:
                    high = middle
            yield low, True
            yield high, True

    def next(self):
        """The choices of the next case; None where there is none."""
        if self.waits is None:
            return None
        self.asked = self.waits
        return spelled({**self.put, self.number.at: self.number.of(self.asked[0])}) + self.base

    def saw(self, answer):
        """Takes the answer of a case, and tells whether it stands where the answer changes."""
        if self.asked is None:
            return False
        keep, self.asked = self.asked[1], None
        try:
            self.waits = self.steps.send(answer)
        except StopIteration:
            self.waits = None
        return keep


def as_words(answer):
    """An answer without its numbers."""
    return DIGITS.sub("0", answer)
