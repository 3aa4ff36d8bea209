"""Parts of a text between brackets or quotes: code that looks for one may take the first, the last or all of them, and a text with one
does not tell.

Standard library only.
"""
import re

ENCLOSED = re.compile(r"""\([^()]+\)|\[[^\[\]]+\]|\{[^{}]+\}|<[^<>]+>|"[^"]+"|(?<!\w)'[^']+'(?!\w)|`[^`]+`""")
WORD = re.compile(r"\w+")
MOST_EDGES = 4  # of one text


def parts(s):
    return list(ENCLOSED.finditer(s))


def of_word(part, word):
    """A part as one that is there, of another word."""
    return part.group()[0] + word + part.group()[-1]


def with_another(s, found, d):
    """A text with one more part such as one of those that were found, behind it, behind another word, or at the end."""
    part = d.pick(found)
    more = of_word(part, d.pick(WORD.findall(s) or ["a"]))
    at = d.pick([part.end(), len(s), *(m.end() for m in WORD.finditer(s) if not part.start() < m.end() < part.end())])
    return s[:at] + " " * d.n(2) + more + s[at:]


def edges(s):
    """Texts with one part more, of each other word."""
    for part in parts(s)[:1]:
        words = [w for w in dict.fromkeys(WORD.findall(s)) if w not in part.group()]
        yield from (s[: part.end()] + " " + of_word(part, w) + s[part.end() :] for w in words[:MOST_EDGES])
