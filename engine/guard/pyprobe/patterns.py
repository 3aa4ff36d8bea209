"""Texts that the regular expressions of code match.

Standard library only; the same expression gives the same texts in every process.
"""
import random
import re
import warnings

try:
    from re import _constants as codes, _parser as parser
except ImportError:  # before Python 3.11
    import sre_constants as codes
    import sre_parse as parser

MOST_PATTERNS = 12
MOST_TEXTS = 8  # of one expression
LONGEST_MATCH = 120
LOOKS_LIKE = re.compile(r"\\[dDsSwWbB]|\[[^\]]+\]|\(\?")  # what a text hardly has that is no expression
OF_CATEGORY = {"DIGIT": "07", "SPACE": " \n", "WORD": "a_", "NOT_DIGIT": "a ", "NOT_SPACE": "a-", "NOT_WORD": " -"}
ANY = "a0 -_éA\n"
REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, getattr(codes, "POSSESSIVE_REPEAT", None)}


class Unknown(Exception):
    """A part of an expression that is not made."""


class Match:
    """One text that an expression may match: of each choice the first, the last or one between them, and of further texts one of these by chance."""

    def __init__(self, which):
        self.which, self.groups, self.chance = which, {}, random.Random(which)

    def pick(self, values):
        if self.which > 2:
            return values[self.chance.choice((0, len(values) - 1, len(values) // 2))]
        return values[(0, len(values) - 1, len(values) // 2)[self.which]]

    def of(self, parsed):
        return "".join(self.part(op, av) for op, av in parsed)

    def part(self, op, av):
        if op is codes.LITERAL:
            return chr(av)
        if op is codes.NOT_LITERAL:
            return next(c for c in ANY if ord(c) != av)
        if op is codes.ANY:
            return "a"
        if op is codes.IN:
            return self.one_in(av)
        if op is codes.BRANCH:
            return self.of(self.pick(av[1]))
        if op is codes.SUBPATTERN:
            text = self.of(av[-1])
            self.groups[av[0]] = text
            return text
        if op in REPEATS:
            least, most, inner = av
            times = [least, max(least, min(1, most)), min(most, least + 3)]
            return "".join(self.of(inner) for _ in range(self.pick(list(dict.fromkeys(times)) if self.which > 2 else times)))
        if op is codes.GROUPREF:
            return self.groups.get(av, "")
        if op is getattr(codes, "ATOMIC_GROUP", None):
            return self.of(av)
        if op in (codes.AT, codes.ASSERT_NOT):
            return ""
        raise Unknown

    def one_in(self, items):
        if items[0][0] is codes.NEGATE:
            held = {c for c in ANY for op, av in items[1:] if op is codes.LITERAL and ord(c) == av or op is codes.RANGE and av[0] <= ord(c) <= av[1]}
            return next((c for c in ANY if c not in held), "~")
        op, av = self.pick(items)
        if op is codes.CATEGORY:
            return self.pick(OF_CATEGORY.get(str(av).removeprefix("CATEGORY_"), "a"))
        return chr(self.pick(range(av[0], av[1] + 1))) if op is codes.RANGE else chr(av)


def matched(texts, known=None):
    """Texts that the expressions among some texts match; all are expressions where their flags are known."""
    out = []
    for text in [t for t in texts if len(t) < 1000 and (known is not None or LOOKS_LIKE.search(t))][:MOST_PATTERNS]:
        flags = known if known is not None else re.VERBOSE if "\n" in text else 0
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made, expression = parser.parse(text, flags), re.compile(text, flags)
            found = [Match(which).of(made) for which in range(MOST_TEXTS)]
        except (re.error, Unknown, StopIteration, OverflowError, RecursionError, ValueError):
            continue
        out += [m for m in dict.fromkeys(found) if m and m != text and len(m) <= LONGEST_MATCH and expression.search(m)]
    return out


def repatterned(s, d):
    """A text that looks like a regular expression, as another that is near: it may match nothing, less or more, at one end or at both."""
    return d.pick([
        s + "*", s + "?", s.replace("+", "*", 1), s.replace("*", "+", 1), s.removesuffix("$"), s.removeprefix("^"), s.removesuffix("$") + "$",
        s.removesuffix("$") + "|a", "(?i)" + s, "(" + s + ")",
    ])
