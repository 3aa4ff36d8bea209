"""The search for inputs that do something of their own in the watched code.

Cases are kept that did there what none did before, and others are made beside them (greybox fuzzing: Zalewski, "american
fuzzy lop"), above all cases in which the two sides of a comparison meet, and those at which the answer changes.

Standard library only.
"""
from atoll_guard_brinks import Brinks
from atoll_guard_places import MOST_PUT, Meetings, can_be_spelled, spelled, unspelled

MOST_KEPT = 150  # cases of one group
MOST_EMPTIED = 12  # of them
MOST_FILLED = 12  # of them


class Kept:
    """A case that is worth doing again: its choices, the values of its places, whether its object was filled by its caller, and whether
    it ran what changed."""

    def __init__(self, choices, values, filled=False, direct=False):
        self.choices, self.values, self.filled, self.direct = choices, values, filled, direct


class Explorer:
    """The search of one group."""

    def __init__(self):
        self.seen, self.kept, self.direct, self.meetings, self.brinks, self.reaching = set(), [], [], Meetings(), Brinks(), False
        self.emptied = 0  # cases with None in the place of something: what is None and what is not there go one way, and end in two
        self.filled = 0  # cases whose object was filled: no way through the code tells what it kept before

    def full(self):
        return len(self.kept) >= MOST_KEPT

    def next(self, index, corpus):
        """The choices of the next case: one of the corpus, then one at which the answer may change or in which two sides may
        meet; none for another one."""
        if index < len(corpus):
            return corpus[index]
        return (self.brinks.next() if index % 3 == 1 else None) or (self.meetings.next() if index % 3 > 0 else None)

    def beside(self, index):
        """The cases of which another one is made: of four times, three of which ask for it, twice those that ran what changed, and once all."""
        return self.direct if self.direct and index % 4 > 1 else self.kept

    def learn(self, case, answer, ran, pairs):
        """Whether a case is worth doing again, by its answer, the marks that it passed, and how comparisons stood."""
        brink = self.brinks.saw(answer)
        self.brinks.take(case, answer)
        found = not ran <= self.seen
        self.seen |= ran
        closer = self.meetings.add(pairs, case.values, case.choices, found)
        emptied = self.emptied < MOST_EMPTIED and None in (unspelled(case.choices)[0] or {}).values()
        self.emptied += emptied
        filled = self.filled < MOST_FILLED and case.filled
        self.filled += filled
        if found or closer or emptied or filled or brink:
            self.kept.append(case)
            if case.direct:
                self.direct.append(case)
        return found or closer or emptied or filled or brink


def likened(w, values, d):
    """A value that is to stand in the place of another one of its case. Of a text, at times, one that begins with it or that it begins with:
    code that compares texts in the place of their parts takes one for the other."""
    k = d.n(6) if type(w) is str else 0
    if k < 3:
        return w
    if k == 3:
        return w + d.pick("abz019_")
    if k == 4:
        return w[: -1 - d.n(3)]
    piece = d.pick([x for x in values if type(x) is str])
    return w + piece[d.n(len(piece) + 1) :]


def beside(kept, d, other):
    """Choices beside those of one of some cases: a value drawn anew or likened to another, or choices exchanged whatever
    they are for. d draws, and other(v, d) makes another value of one."""
    case = kept[d.n(len(kept))]
    put, base = unspelled(case.choices)
    kind = d.n(8)
    if case.values and kind > 1:
        for _ in range(1 + (d.n(4) == 0)):
            at = d.n(len(case.values))
            v = case.values[at]
            w = case.values[d.n(len(case.values))] if kind < 4 else v
            alike = type(w) is type(v)
            w = likened(w, case.values, d) if kind == 2 and alike else other(w if alike else v, d)
            if can_be_spelled(w) and (at in put or len(put) < MOST_PUT):
                put = {**put, at: w}
        return spelled(put) + base
    base = list(base)
    for _ in range(1 + d.n(2)):
        if not base:
            break
        at = d.n(len(base))
        k = d.n(6)
        if k == 0:
            del base[at]
        elif k == 1:
            elsewhere = unspelled(kept[d.n(len(kept))].choices)[1]
            base = base[:at] + list(elsewhere[at:])
        else:
            base[at] = d.n(1 << 30)
    return spelled(put) + base


def simpler(choices, variants):
    """Simpler choices: fewer values put in, shorter ones, and then simpler choices behind them."""
    put, base = unspelled(choices)
    if put is None:
        return variants(choices)
    out = [spelled({k: v for k, v in put.items() if k != at}) + base for at in put]
    for at, v in put.items():
        if type(v) in (str, bytes, list, tuple):
            n = len(v)
            cut = [v[: n // 2], v[n // 2 :]] + [v[:i] + v[i + size :] for size in (n // 4, 4, 1) if size for i in range(0, min(n, 60), size)]
            out += [spelled({**put, at: w}) + base for w in cut if len(w) < n]
        elif type(v) is int and v:
            out += [spelled({**put, at: w}) + base for w in (0, 1, v // 2)]
    return out[:200] + [spelled(put) + c for c in variants(list(base))]
