"""What a caller can see of a value, or of a failure, in words.

Standard library only.
"""
import collections.abc
import contextlib
import enum
import functools
import linecache
import re
import types

from atoll_guard_callables import stands_in
from atoll_guard_computed import getter, glance
from atoll_guard_files import FILES, is_path
from atoll_guard_kinds import DERIVED, Once, plain
from atoll_guard_offers import rest_of
from atoll_guard_orders import ORDERS
from atoll_guard_room import LONGEST
from atoll_guard_tree import has, held_by, in_tree, of_tree

FLOAT_MARK = "\x01"
DEPTH_OF_USED = 5  # where the parts of a value begin that is used further on: a test looks at it later, and its type is its own
MOST_DRAINED = 200  # of what an iterator yields
MOST_SORTED = 10_000  # of what has no order, of which those that come first are told
MOST_SHOWN = 2000  # parts of a list or a table
FEWEST_KNOWN = 50  # texts whose words are kept
PLAIN = {type(None), bool, int, str, bytes}  # repr says all of them
BRACKETS = {list: "[%s]", tuple: "(%s)", set: "{%s}", frozenset: "{%s}"}
MISUSE = (AttributeError, TypeError)  # what the interpreter makes of a value of a wrong type: which of them depends on how it was asked
MISUSED = "raises " + " or ".join(sorted(c.__name__ for c in MISUSE))
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+|\b0x(?:7[ef]|5[56])[0-9a-f]{10}\b")  # also where the code itself writes hex(id(self))
FRAMES = re.compile(r'(?: *File "[^"]*", line \d+(?:, in .*?)?(?:\\n|\n)(?: {4}.*?(?:\\n|\n))?(?: *[~^]+ *(?:\\n|\n))?)+')  # of a traceback, also within what repr shows


def set_within(v):
    """Whether an object is a set that keeps what it has in one of the language, whose order hangs on hashes."""
    return isinstance(v, collections.abc.Set) and any(isinstance(x, (set, frozenset)) and len(x) == len(v) for x in held_by(v).values())


def drained(v, rest, sort=False, holder=""):
    """What an iterator yields, to a bound, and how it fails. What has no order of its own is sorted."""
    out = []
    try:
        for x in zip(range(MOST_SORTED if sort or holder else MOST_DRAINED), v):
            out.append(x[1] if sort else rest(x[1]))
        if sort and len(out) > FEWEST_KNOWN and set(map(type, out)) == {str}:
            return "yields [" + first_of_texts(frozenset(out)) + "]"
    except (Exception, SystemExit) as e:
        fails = failure(e)
    else:
        fails = ""
    if sort:
        out = sorted(map(rest, out))
    return "yields [" + ", ".join([*ORDERS.told(holder, out)[:MOST_DRAINED], *([fails] if fails else [])]) + "]"


@functools.lru_cache(64)
def first_of_texts(texts):
    """The words of the texts of a set that come first in order: of a large one that a library has, most objects show the same."""
    return ", ".join(sorted(map(repr, texts))[:MOST_DRAINED])


def is_drained(v):
    """Whether a value is an iterator that is no object of the tree: what it yields is all there is of it."""
    return not isinstance(v, type) and not of_tree(type(v)) and has(v, "__next__") and not rest_of(v)


def pairs_of(table):
    """The keys of a table with what it gives for them."""
    for k in table:
        yield k, table[k]


WRAPPED = (collections.UserDict, collections.UserList, collections.UserString)  # which say of themselves what they hold alone
VALUES = {int: int.__int__, float: float.__float__, str: str.__str__, bytes: lambda v: bytes(memoryview(v))}  # of a type that is derived from one of these


def fields_of(v, depth):
    """The public attributes of an object, with what its properties give."""
    fields = {k: x for k, x in held_by(v).items() if not k.startswith("_")}
    for k, computed in public_of(type(v)):
        if not computed and has(v, k):
            fields[k] = getattr(v, k)
        elif computed and depth < 3:
            with contextlib.suppress(Exception, SystemExit):
                fields[k] = glance(v, k)
    return sorted(fields.items())


@functools.lru_cache(1000)
def public_of(cls):
    """The public places of the objects of a class, and what it computes."""
    out = []
    for c in cls.__mro__:
        slots = getattr(c, "__slots__", ())
        out += [(k, False) for k in (slots if not isinstance(slots, str) else ()) if not k.startswith("_")]
        out += [(k, True) for k, held in vars(c).items() if not k.startswith("_") and getter(held)]
    return out


@functools.lru_cache(1000)
def has_of_tree(cls, name):
    """Whether a class has a method that the tree defines."""
    defines = next((c for c in cls.__mro__ if name in vars(c)), object)
    return defines is not object and of_tree(defines)


def said_by(v, depth, names):
    """What methods of the tree that Python asks an object for give."""
    text = ""
    for name in names:
        if depth < 3 and has_of_tree(type(v), name):
            with contextlib.suppress(Exception, SystemExit):
                text += " " + name + "=" + repr(getattr(v, name)())
    return text


def kind_of(v, depth, rest):
    """What a list, a table or the like has of its own by being of a type of the tree."""
    fields = fields_of(v, depth)
    return type(v).__name__ + ("{" + ", ".join(k + "=" + rest(x) for k, x in fields) + "}" if fields else "") + said_by(v, depth, ("__bool__",))


@functools.lru_cache(64)
def words_of_texts(texts):
    """The words of many texts: of a large table that a library has, most objects show the same."""
    return ", ".join(map(repr, texts) if type(texts) is tuple else sorted(map(repr, texts)))


def words_of_plain(v):
    """The words of what a list, a tuple or a set holds, where repr says all of each; None for another one."""
    kinds = set(map(type, v)) if type(v) in (list, tuple, set, frozenset) else {None}
    if not kinds <= PLAIN:
        return None
    ordered = type(v) in (list, tuple)
    if kinds == {str} and len(v) > FEWEST_KNOWN:
        return words_of_texts(tuple(v[:MOST_SHOWN]) if ordered else frozenset(v))
    return ", ".join(map(repr, v[:MOST_SHOWN]) if ordered else sorted(map(repr, v)))


def show(v, depth=0, seen=(), live=False, holder=""):
    """What a caller can see of a value, and nothing of how it is kept. What is live
    is still to be used, and nothing is taken out of it. holder is what has the value, as ORDERS knows it."""
    held = live and FILES.held
    if type(v) in PLAIN and not (held and FILES.of(v)):
        return repr(v)
    if id(v) in seen:
        return "..."
    if held and FILES.of(v):
        return FILES.words(v)
    if live and type(v) in DERIVED:
        v, name = plain(v)
        words = show(v, depth, seen, live)
        return words if depth >= DEPTH_OF_USED else name + "(" + words + ")"
    if live and type(v) in WRAPPED:
        return type(v).__name__ + "(" + show(v.data, depth + 1, seen + (id(v),), live) + ")"
    if type(v) is float:
        if v != v or v in (float("inf"), float("-inf")):
            return repr(v)
        return FLOAT_MARK + repr(v if v else 0.0)
    if type(v) is complex:
        return show(v.real) + "+j*" + show(v.imag)
    if depth > 7:
        return "..."
    seen = seen + (id(v),)
    if ORDERS.active and not holder and of_tree(type(v)):
        holder = ORDERS.of(type(v).__name__)
    rest = lambda x, holder=holder and holder + "[]": show(x, depth + 1, seen, live, holder)
    plain_words = None if held or holder and type(v) in (list, tuple) else words_of_plain(v)
    if plain_words is not None:
        return BRACKETS[type(v)] % plain_words
    own = of_tree(type(v))
    if rest_of(v):
        return rest_of(v)
    if isinstance(v, enum.Enum):
        return type(v).__name__ + "." + v.name
    kind = kind_of(v, depth, rest) if own and isinstance(v, (list, tuple, set, frozenset, dict)) else ""
    if isinstance(v, (list, tuple)) and type(v).__repr__ in (list.__repr__, tuple.__repr__) or isinstance(v, tuple) and has(v, "_fields"):
        inner = ", ".join(ORDERS.told(holder, [rest(x) for x in v[: MOST_SORTED if holder else MOST_SHOWN]])[:MOST_SHOWN])
        return kind + ("[%s]" if isinstance(v, list) else "(%s)") % inner
    if isinstance(v, (set, frozenset)):
        return kind + "{" + ", ".join(sorted(rest(x) for x in v)) + "}"
    if isinstance(v, dict):
        inner = [rest(k) + ": " + rest(x) for k, x in list(v.items())[: MOST_SORTED if holder else MOST_SHOWN]]
        return kind + "{" + ", ".join(ORDERS.told(holder, inner)[:MOST_SHOWN]) + "}"
    if isinstance(v, BaseException):
        return type(v).__name__ + "(" + repr(words_of(v)) + ")"
    if isinstance(v, type):
        return "class " + v.__name__
    if type(v) is types.ModuleType:
        return "module " + v.__name__
    if type(v) is Once:
        return "iter(" + rest(v.items) + ")"  # how far it was read is nothing that it says of itself
    if is_drained(v) or type(v) is range:
        return type(v).__name__ if live and type(v) is not range else drained(v, rest, holder=holder)
    if callable(v) and has(v, "__name__"):
        return v.__name__ if live and stands_in(v) else "function"
    if has(v, "tolist") and callable(v.tolist):
        return type(v).__name__ + "(" + rest(v.tolist()) + ")" if live else rest(v.tolist())
    if own:
        text = type(v).__name__ + "{" + ", ".join(k + "=" + rest(x, ORDERS.of(type(v).__name__, k)) for k, x in fields_of(v, depth)) + "}"
        for base in VALUES:
            if isinstance(v, base):
                text += " of " + rest(VALUES[base](v))
        text += said_by(v, depth, ("__str__", "__len__", "__bool__"))
        if not live and depth < 3 and hasattr(type(v), "__iter__"):
            text += " " + drained(pairs_of(v) if isinstance(v, collections.abc.Mapping) else v, rest, set_within(v), ORDERS.of(type(v).__name__))
        return text
    try:
        return ADDRESS.sub("", repr(v))[:LONGEST]
    except (Exception, SystemExit) as e:
        return "repr fails with " + type(e).__name__


def settled(text):
    """Words without what is the code's own affair: where its objects lie, and through which of its lines an error came."""
    text = ADDRESS.sub("", text)
    return FRAMES.sub("...", text) if ", line " in text else text


def words_of(e):
    """What an exception says; nothing where it cannot."""
    try:
        return str(e)
    except Exception:
        return ""


def is_bare(outcome):
    """Whether an outcome is an exception that the interpreter raised."""
    return outcome.startswith("raises ") and ": " not in outcome.partition(";")[0]


def failure(e):
    """An exception: what the code says by raising it, and the kind alone where
    the interpreter raised it."""
    if isinstance(e, (RecursionError, MemoryError)):  # its words tell what was under way, which is nothing to a caller
        return "raises " + type(e).__name__
    tb = e.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    of_file = isinstance(e, OSError) and (type(e.filename) is str or is_path(e.filename))
    if tb is not None:
        said = re.search(r"\braise\b", linecache.getline(tb.tb_frame.f_code.co_filename, tb.tb_lineno))
        own = in_tree(tb.tb_frame.f_code.co_filename)
        if said and own or not of_file and (said or not own and type(e) not in MISUSE):
            fields = fields_of(e, 3) if of_tree(type(e)) else []
            held = " with " + ", ".join(k + "=" + show(x, 5) for k, x in fields) if fields else ""
            return "raises " + type(e).__name__ + ": " + settled(words_of(e)) + held
    if of_file:  # whoever of the standard library asked for it
        return "raises " + type(e).__name__ + " for " + repr(str(e.filename))
    if type(e) in MISUSE:
        return MISUSED
    return "raises " + type(e).__name__
