"""Matches of regular expressions as inputs: a test gives none by itself, and what parses is given them.

Standard library only.
"""
import re

from atoll_guard_patterns import matched

WAYS = ("match", "fullmatch", "search")


def recipe(m, encode):
    """How a match is made again: its expression, its text, where it was looked for and how. None for one that is not found again."""
    spots = [(how, m.pos, m.endpos) for how in WAYS] + [("match", m.start(), m.endpos)]
    for how, pos, endpos in spots:
        found = getattr(m.re, how)(m.string, pos, endpos)
        if found and found.regs == m.regs:
            return ("match", encode(m.re), encode(m.string), pos, min(endpos, len(m.string)), how)
    return None


def made(expression, text, pos, endpos, how):
    found = getattr(expression, how)(text, pos, endpos)
    if found is None:
        raise ValueError("the expression does not match any more")
    return found


def other(m, d, other_text):
    """Another match of the expression: another text in the place of the one that it found, or that one made by the expression."""
    start, end = m.span()
    held, found = m.group(), None
    text = held.decode("latin-1") if isinstance(held, bytes) else held
    of_it = matched([m.re.pattern], m.re.flags) if isinstance(m.re.pattern, str) else []
    for _ in range(6):
        new = d.pick(of_it) if of_it and d.n(4) == 3 else other_text(text)
        new = new.encode("latin-1", "replace") if isinstance(held, bytes) else new
        found = m.re.match(m.string[:start] + new + m.string[end:], start)
        if found and found.group() != held:
            return found
    return m


def is_match(v):
    return isinstance(v, re.Match)
