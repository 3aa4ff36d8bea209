"""Texts of the code among the words of a longer one.

Standard library only.
"""
import re

WORD = re.compile(r"\w+")
LONGEST = 40  # of what is put among others
FIRST = 4  # what only one version has comes first
BESIDE = (" ", "", "\n")  # what stands between a text and the word that it is put before


def short(texts):
    """Those that may stand among words."""
    return [t for t in texts if 0 < len(t) <= LONGEST]


def among(s, texts, d):
    """A text with one of some in the place of a word, before or behind one, or between two in the place of what parts them."""
    words = list(WORD.finditer(s))
    t = d.pick(texts[:FIRST] if d.n(2) else texts)
    if not words:
        return s + t
    at = d.n(len(words))
    start, end = words[at].span()
    k = d.n(4)
    if k == 0:
        return s[:start] + t + s[end:]
    if k == 1:
        return s[:start] + t + d.pick(BESIDE) + s[start:]
    if k == 2:
        return s[:end] + d.pick(BESIDE) + t + s[end:]
    following = words[at + 1].start() if at + 1 < len(words) else len(s)
    return s[:end] + t + s[following:]
