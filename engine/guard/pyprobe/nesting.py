"""Values within values, for code that calls itself on what they hold.

Standard library only.
"""


def within_itself(v, d):
    """A list or a table that has itself, or a part of itself, in the place of an item or beside those that it has."""
    if type(v) is dict:
        return {**v, d.pick(list(v)): dict(v)}
    at = d.n(len(v) + 1)
    inner = type(v)(v[at:] if d.n(2) else v)
    return type(v)([*v[:at], inner, *v[at + d.n(2) :]])


def wrapped(v, d):
    """A list with a value, or a table that has it for a value or, where it can, for a key."""
    way = d.n(3)
    if way == 0:
        return [v]
    if way == 1:
        return {"a": v}
    try:
        return {v: 1}
    except TypeError:
        return (v,)
