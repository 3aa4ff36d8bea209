"""A small ledger."""
import re


class Ledger:
    def __init__(self, limit=100):
        self.limit = limit
        self._entries = []

    def add(self, name, amount):
        if amount > self.limit:
            raise ValueError("over the limit")
        self._entries.append((name, amount))
        return len(self._entries)

    def total(self, name=None):
        return sum(a for n, a in self._entries if name is None or n == name)

    def names(self):
        return sorted({n for n, _ in self._entries})


def slug(text, sep="-"):
    text = re.sub(r"[^a-z0-9]+", sep, text.lower())
    return text.strip(sep)


def chunks(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]


def parse(line):
    key, found, value = line.partition("=")
    if not found:
        raise ValueError("no = in " + repr(line))
    return {key.strip(): value.strip()}


def mean(values):
    return sum(values) / len(values) if values else 0.0


def dedupe(items):
    seen = set()
    out = []
    for item in items:
        if item not in seen:
            seen.add(item)
            out.append(item)
    return out


def grade(points: int) -> str:
    if points >= 90:
        return "A"
    if points >= 50:
        return "B"
    return "C"
