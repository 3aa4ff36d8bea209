"""Choices that make a case: drawn from a seed, or given; the same choices make the same case in every tree.

Standard library only.
"""
import hashlib

from atoll_guard_places import spelled, unspelled

MASK = (1 << 64) - 1


def fnv(*texts):
    h = 14695981039346656037
    for t in texts:
        for b in t.encode("utf-8", "surrogatepass") + b"\xff":
            h = ((h ^ b) * 1099511628211) & MASK
    return h


def short(text):
    """What stands for a text in an answer."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Draws:
    """Choices from a list, and then from a seeded generator or zeros. put has values that stand at places
    of the call; where it is None the case is none of those that are looked for, and nothing is put in or varied beside its own arguments.
    forced come first; where calm is set nothing is drawn but what stands at the aim."""

    def __init__(self, seed=None, given=None, aim=None, put=None, forced=(), calm=False):
        if given is not None:
            put, given = unspelled(given)
        self.put, self.state, self.given, self.used = put, seed, given, []
        self.aim, self.places, self.forced, self.calm = aim, {}, list(forced), calm

    def n(self, k):
        at = len(self.used)
        if k <= 1 or at >= 1024:
            return 0
        if self.forced:
            v = self.forced.pop(0) % k
        elif self.given is not None and at < len(self.given):
            v = self.given[at] % k
        elif self.state is None or self.calm:
            v = 0
        else:
            self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
            z = self.state
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            v = (z ^ (z >> 31)) % k
        self.used.append(v)
        return v

    def choices(self):
        """What makes the same case again."""
        return spelled(self.put) + self.used

    def pick(self, values):
        return values[self.n(len(values))]

    def chance(self, k):
        """Once in k times; never where an edge is to stand."""
        if self.aim:
            self.forced.insert(0, 0)
        return self.n(k) == k - 1

    def edge(self, kind, values):
        """Stands an edge here where the aim says so, and beside one by chance; None for no."""
        here = self.places.get(kind, 0)
        self.places[kind] = here + 1
        if self.aim and self.aim[0] == kind and self.aim[1] == here:
            self.forced += [15, self.aim[2]]
        elif not self.aim and self.given is None:
            self.forced.append(0)
        if self.n(16) < 15:
            return None
        values = values() if callable(values) else values
        return (self.pick(values),) if values else None


def variants(c, limit=400):
    out = []
    n = len(c) // 2
    while n > 0:
        out.append(c[: len(c) - n])
        n //= 2
    for size in (16, 8, 4, 3, 2, 1):
        for i in range(0, len(c) - size + 1, max(1, size // 2)):
            out.append(c[:i] + c[i + size :])
    for i, v in enumerate(c):
        for smaller in {0, v // 2, v - 1}:
            if 0 <= smaller < v:
                out.append(c[:i] + [smaller] + c[i + 1 :])
    return out[:limit]
