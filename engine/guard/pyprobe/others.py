"""Other values for the parameters of recorded calls, by what is known of a parameter.

Standard library only.
"""
from atoll_guard_callables import FUNCTIONS
from atoll_guard_making import decode
from atoll_guard_offers import OTHER_KINDS, as_type, has_texts, with_list
from atoll_guard_protocols import SELDOM, promised
from atoll_guard_recorder import SETS
from atoll_guard_vary import NUMERIC, twin

PARTS = (int, float, str, bytes)
MOST_PARTS = 40
BY_PLACE = (".__getitem__", ".__delitem__")  # are given a slice as well where they are given a number
MOST_TAKEN = 3  # parts of a list or a table that stands for None


def parts_of(values, depth=0):
    """The numbers and texts that values hold, keys among them, each once."""
    out = []
    for v in values:
        if type(v) in PARTS:
            out.append(v)
        elif depth < 3 and type(v) in (list, tuple, dict, set, frozenset):
            held = sorted(v, key=repr) if type(v) in (set, frozenset) else list(v)[:MOST_PARTS]
            out += parts_of(held + ([v[k] for k in held] if type(v) is dict else []), depth + 1)
    return list(dict.fromkeys(out))[:MOST_PARTS]


def in_place(kind, vary):
    """A value of a kind in the place of None, made of parts of what else the call has."""
    d, parts = vary.d, parts_of(vary.around)

    def one():
        if not parts:
            return vary.text() if d.n(2) else vary.integer()
        v = d.pick(parts)
        return v if d.n(4) else vary.other(v)

    if kind == "function":
        return d.pick(FUNCTIONS)
    if kind == "list":
        return [one() for _ in range(1 + d.n(MOST_TAKEN))]
    if kind == "dict":
        return {one(): one() for _ in range(1 + d.n(MOST_TAKEN))}
    if kind == "str":
        texts = [v for v in parts if type(v) is str]
        return vary.other(d.pick(texts)) if texts and d.n(2) else vary.text()
    return {"int": vary.integer, "float": vary.number, "bool": lambda: bool(d.n(2))}[kind]()


class Others:
    """The part of a session that makes them."""

    def name_of(self, group, place):
        """The name of the parameter at a place, a number, or of a name; "" where there is none."""
        names = () if group in self.plays.chosen else self.kept["names"].get(group, ())
        return place if type(place) is str else names[place] if place < len(names) else ""

    def taken(self, group, place, vary):
        """What a function takes at a place in the place of None, mostly; None where that is not known."""
        takes = self.kept["takes"].get(group, {}).get(self.name_of(group, place))
        return in_place(vary.d.pick(takes), vary) if takes and vary.d.n(5) else None

    def another(self, v, group, place, vary):
        """Another value for the parameter at a place: one beside it, one of its name elsewhere, one of a type that it is asked for, or what is taken
        in the place of None."""
        d, name = vary.d, self.name_of(group, place)
        if d.aim and not d.forced:
            d.forced.append(0)
        kind, group = d.n(5), group.removesuffix(SETS)
        asked, pool = self.asked.get(group, {}).get(name, []), self.kept["pool"].get(name)
        asked = [k for k in asked if k != "text" or has_texts(v)]
        notes = self.kept["promised"].get(group, {}).get(name)
        if notes and d.n(SELDOM) == SELDOM - 1:
            made = promised(v, notes, d)
            return v if made is v else vary.stranger(made)
        if kind == 3 and type(v) is int and group.endswith(BY_PLACE):
            return vary.stranger(slice(d.pick((None, 0, 1)), d.pick((None, v, 2, -1))))
        if asked and kind > 2:
            return as_type(v, d.pick(asked), d)
        if asked and kind == 2 and type(v) in NUMERIC:
            return twin(v)  # equal to what is allowed, and of another type
        if group in self.caught and kind == 0:
            return with_list(v, d)
        if kind == 1 and name in self.kinds.get(group, ()):
            return vary.stranger(as_type(v, d.pick(OTHER_KINDS), d))
        if kind == 2 and name in self.looked_up.get(group, ()):
            self.misused = True
            return as_type(v, d.pick(("list", "dict")), d)
        if kind == 2 and self.looked_up and group in self.plays.chosen:
            self.misused = True
            return with_list(v, d)
        inner = self.inner.get(group)
        if inner and kind == 2:
            return as_type(v, d.pick(inner), d)
        if pool and kind == 4:
            return decode(d.pick(pool))
        takes = self.kept["takes"].get(group, {}).get(name)
        if v is None and takes and kind > 0:
            return in_place(d.pick(takes), vary)
        return vary.other(v)
