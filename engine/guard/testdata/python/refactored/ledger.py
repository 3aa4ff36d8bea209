"""A small ledger."""
import re

_NOT_WORD = re.compile("[^a-z0-9]+")


class Ledger:
    def __init__(self, limit=100):
        self.limit = limit
        self._names, self._amounts = [], []
        self._sums = {}

    def add(self, name, amount):
        if not amount <= self.limit:
            raise ValueError("over the limit")
        self._names.append(name)
        self._amounts.append(amount)
        self._sums[name] = self._sums.get(name, 0) + amount
        return len(self._names)

    def total(self, name=None):
        if name is None:
            return sum(self._amounts)
        return self._sums.get(name, 0)

    def names(self):
        return sorted(self._sums)


def slug(text, sep="-"):
    return _NOT_WORD.sub(sep, text.lower()).strip(sep)


def chunks(items, size):
    yield from (items[start : start + size] for start in range(0, len(items), size))


def parse(line):
    if "=" not in line:
        raise ValueError("no = in " + repr(line))
    at = line.index("=")
    return {line[:at].strip(): line[at + 1 :].strip()}


def mean(values):
    if not values:
        return 0.0
    total = 0
    for v in values:
        total += v
    return total / len(values)


def dedupe(items):
    return list(dict.fromkeys(items))


def grade(points: int) -> str:
    for least, name in ((90, "A"), (50, "B")):
        if points >= least:
            return name
    return "C"
