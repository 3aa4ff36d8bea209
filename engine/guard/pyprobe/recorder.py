"""Keeps calls while tests run, each as a recipe that makes it again.

Standard library only.
"""
import dataclasses
import inspect
import pickle
import re
import sys
import threading
import time
import types

import atoll_guard_matches as matches
import atoll_guard_moments as moments
import atoll_guard_records as records
from atoll_guard_callables import NAMED, can_be_named, place_of
from atoll_guard_chains import Chains, flat
from atoll_guard_computed import getter
from atoll_guard_files import Origin
from atoll_guard_filling import Filling
from atoll_guard_holding import Holding
from atoll_guard_internals import Internals
from atoll_guard_offers import SIMPLE, module_of, offers
from atoll_guard_purse import Purse
from atoll_guard_room import LONGEST, sprawls
from atoll_guard_scenarios import Ran
from atoll_guard_tree import TREE, folders_of_tree, held_by, in_tree, is_test, named_base, of_tree, sources_of_tree

SETS = "="  # behind the name of a property: what sets it
MOST_RECORDED = 200
MOST_TRIED = 3000
COST_OF_LARGE = 50  # tries that one counts for which was too large: to find that out takes long
MOST_FOLLOWED = 10_000  # tries behind which no object hears any more of a function that was called on it
PARTS_OF_TRY = 30  # of arguments: one that has more counts for more tries
BYTES_OF_PART = 32
SHORTEST_PART = 16  # bytes: no part of an argument is written in less
PLAIN = (int, float, bool, type(None))
TEXTS = (str, bytes)
MOST_OF_SCRIPTS = 20  # calls of a function, besides those of the tests
LARGEST = 2 << 20  # bytes of one call of a script
MOST_LARGE = 3  # of those of a function
ALL_LARGE = 12 << 20  # bytes of all of them
MOST_POOLED = 60  # values of one parameter
MOST_HISTORY = 12  # calls that an object had
MOST_PLAIN = 50  # values of a list or table that is an option
MOST_PARTIAL = 20  # calls of one method on objects of which some calls are not known
MOST_IDLE = 100_000  # calls that a test makes behind the last one that was kept: the rest of it runs unwatched


class Unrecordable(Exception):
    """A value that cannot be kept."""


class TooLarge(Unrecordable):
    """A value that has more parts than there is room for, or a recipe that is longer."""


class Bounded:
    """Takes down what is written as long as there is room."""

    def __init__(self, room):
        self.parts, self.room = [], room

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise TooLarge
        self.parts.append(bytes(data))

    def whole(self):
        return b"".join(self.parts)


def first_of(frame):
    """The object that a method is called on."""
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    return frame.f_locals[names[0]] if names else None


class Recorder:
    """Keeps the arguments of calls, before the callee can change them."""

    def __init__(self):
        self.known = {}  # id of a code -> the code, and the (module, name) of its function or None
        self.skipped = {}  # id -> a code that nobody asks about
        self.calls = {}  # (module, name) -> {pickle: recipe}
        self.tried = {}
        self.objects = {}  # id -> [object, class, init recipe, history or None, whether calls are missing in it, identities of the objects in it, what it was given too early, what made it but its class or None]
        self.marks = {}  # id -> (object, (module, name))
        self.expressions = {}  # their recipes
        self.busy = threading.local()
        self.stack = []
        self.most, self.longest = MOST_RECORDED, LONGEST
        self.large, self.room = {}, 0  # calls of scripts above LONGEST, and bytes for more
        self.names, self.open = {}, set()  # of parameters, by group; groups that take any keyword
        self.inherited = set()  # of a private class by a public one
        self.offers = offers(sources_of_tree())
        self.origin = Origin(TREE)
        self.internals = Internals(in_tree, is_test)
        self.chains, self.holding, self.filling = Chains(), Holding(), Filling(self.offers.pop("filling"))
        self.purse = Purse()
        self.tests = Ran(self.purse.beside)
        self.began = float(int(time.time()))
        self.parts = 0  # of the lists and tables of the call that is looked at
        self.seen = 0  # parts of all calls
        self.used = set()  # identities of the objects in the recipes of what is looked at
        self.idle, self.patience = 0, None  # calls since one was kept, and how many may be; None: any number

    def more(self):
        """Makes room for the calls of scripts behind those of the tests, however long they do the same."""
        self.turn()
        self.patience = None
        self.tried, self.most = {}, MOST_RECORDED + MOST_OF_SCRIPTS
        self.longest, self.room = LARGEST, ALL_LARGE

    def resolve(self, frame):
        code = frame.f_code
        if id(code) in self.known:
            return self.known[id(code)][1]
        found = None
        module = sys.modules.get(frame.f_globals.get("__name__", ""))
        if module is not None and module.__name__ != "__main__" and in_tree(code.co_filename):
            if is_test(code.co_filename):
                self.tests.know(code)
            else:
                found = self.search(module, code)
        self.known[id(code)] = code, found
        return found

    @staticmethod
    def search(module, code):
        def codes(f):
            f = getattr(f, "__func__", f)
            f = getter(f) or f
            seen = 0
            while f is not None and seen < 10:
                if getattr(f, "__code__", None) is code:
                    return True
                f, seen = getattr(f, "__wrapped__", None), seen + 1
            return False

        for name, value in sorted(vars(module).items(), key=lambda e: e[0].startswith("_")):  # what has two names goes by that for others
            if isinstance(value, type):
                if value.__module__ != module.__name__:
                    continue
                for attr, member in list(vars(value).items()):
                    if codes(member):
                        return module.__name__, value.__qualname__ + "." + attr
                    if isinstance(member, property) and codes(member.fset):
                        return module.__name__, value.__qualname__ + "." + attr + SETS
            elif codes(value):
                return module.__name__, name
        return None

    def encode(self, value, depth=0):
        """A recipe for a value: pickled, or how to make it again."""
        if depth > 6:
            raise Unrecordable
        self.seen += 1
        if type(value) in PLAIN:
            return ("value", pickle.dumps(value, 4))
        if type(value) in TEXTS:
            return self.text(value)
        if type(value) is object:
            return ("global", *self.mark(value))
        kept = self.objects.get(id(value))
        if kept is not None and kept[0] is value:
            if kept[3] is None:
                raise Unrecordable
            if kept[6] and not self.holding.early(kept[6][0]):
                given, kept[6] = kept[6], None
                kept[2] = self.given(*given)
            self.used |= {id(value)} | kept[5]
            part = self.holding.part(value)
            if part:
                return ("part", self.encode(part[0], depth + 1), part[1])
            cls = named_base(kept[1])
            if cls is None:
                raise Unrecordable
            return ("made", *(kept[7] or (cls.__module__, cls.__qualname__)), kept[2], flat(kept[3]), self.settings(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and of_tree(type(value)):
            fields = {f.name: self.encode(getattr(value, f.name), depth + 1) for f in dataclasses.fields(value) if f.init}
            return ("made", type(value).__module__, type(value).__qualname__, ((), fields), (), {})
        if type(value) is types.ModuleType and sys.modules.get(value.__name__) is value:
            return ("module", value.__name__)
        if type(value) in (list, tuple, set, dict):
            self.parts += len(value)
            if self.parts * SHORTEST_PART > self.longest:
                raise TooLarge
        if type(value) in (list, tuple, set):
            return (type(value).__name__, [self.encode(v, depth + 1) for v in value])
        if type(value) is dict:
            return ("dict", [(self.encode(k, depth + 1), self.encode(v, depth + 1)) for k, v in value.items()])
        file = self.origin.recipe(value)
        if file:
            return file
        if isinstance(value, re.Pattern):
            return self.expression(value)
        if matches.is_match(value):
            found = matches.recipe(value, self.encode)
            if found is None:
                raise Unrecordable
            return found
        if isinstance(value, NAMED) and not can_be_named(value, TREE, module_of):
            return ("function", place_of(value))
        out = Bounded(self.longest)
        try:
            moments.dump(value, out)
        except TooLarge:
            raise
        except Exception:
            if records.is_record(value):
                return ("record", *self.mark(type(value)), [self.encode(v, depth + 1) for v in value])
            if isinstance(value, NAMED) or callable(value) and not isinstance(value, type) and not of_tree(type(value)):  # such as a mock
                return ("function", place_of(value))
            raise Unrecordable from None
        self.seen += (self.longest - out.room) // BYTES_OF_PART
        if b"__main__" in out.whole():
            raise Unrecordable
        return ("value", out.whole())

    def text(self, value):
        """A recipe for a text; for the path of a file that tests wrote, of that file."""
        if len(value) > self.longest:
            raise TooLarge
        self.seen += len(value) // BYTES_OF_PART
        return self.origin.recipe(value) or ("value", pickle.dumps(value, 4))

    def given(self, args, kwargs):
        return tuple(self.encode(a) for a in args), {k: self.encode(v) for k, v in kwargs.items()}

    def mark(self, value):
        """The module and the name of what code knows by its identity alone, such as a mark of an argument that was not given."""
        known = self.marks.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) and module.__name__ != "__main__" and any(v is value for v in list(vars(module).values())) and in_tree(module.__file__):
                name = next(k for k, v in list(vars(module).items()) if v is value)
                self.marks[id(value)] = value, (module.__name__, name)
                return module.__name__, name
        raise Unrecordable

    def expression(self, value):
        """A regular expression by the name that the tree has for it, for a candidate may have another there."""
        if value not in self.expressions:
            try:
                self.expressions[value] = ("global", *self.mark(value))
            except Unrecordable:
                self.expressions[value] = ("value", pickle.dumps(value, 4))
        return self.expressions[value]

    def settings(self, value):
        """The options that an object has, by the names of attributes."""
        return options_of(value, self.offers["options"])

    def arguments(self, frame):
        code = frame.f_code
        names = code.co_varnames
        positional = names[: code.co_argcount]
        at = code.co_argcount + code.co_kwonlyargcount
        values = frame.f_locals
        args = [values[n] for n in positional]
        kwargs = {n: values[n] for n in names[code.co_argcount : at]}
        if code.co_flags & inspect.CO_VARARGS:
            args += list(values[names[at]])
            at += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            kwargs.update(values[names[at]])
        return args, kwargs

    def watch(self):
        """Watches the calls of this thread, again where Python ceased to."""
        if sys.gettrace() is None:
            sys.settrace(self.trace)

    def turn(self):
        """Begins another test: what the one before it did is known."""
        self.tests.left()
        self.idle, self.patience = 0, MOST_IDLE
        self.watch()

    def saw_enough(self):
        """Whether a test goes on for so long without anything new that the rest of it is not watched."""
        return self.patience is not None and self.idle > self.patience

    def trace(self, frame, event, arg):
        """A function for sys.settrace. It is told of all calls, and of the returns that something waits for: sys.setprofile would tell of
        those of C as well, which takes twice as long."""
        self.idle += 1
        if self.saw_enough():
            sys.settrace(None)
            return None
        code = frame.f_code
        if id(code) in self.skipped or getattr(self.busy, "now", False):
            return None
        key = self.resolve(frame)
        if key is not None:
            self.called(frame, key)
            return self.to_return(frame) if frame in self.chains.waiting or frame in self.filling.open else None
        if code in self.tests.begun:
            self.tests.begin(code)
            return self.to_return(frame)
        self.skipped[id(code)] = code
        return None

    def to_return(self, frame):
        """Has a frame tell when it returns, and not of its lines."""
        frame.f_trace_lines = False
        return self.returned

    def returned(self, frame, event, arg):
        if event == "return":
            if frame in self.chains.waiting:
                self.chains.returned(frame, arg, lambda v: self.objects.get(id(v), (self,))[0] is v)
            self.filling.returned(frame, arg, self.objects)
            if frame.f_code in self.tests.begun:
                self.tests.end(frame.f_code)
        return self.returned

    def called(self, frame, key):
        self.tests.now.add((key[0], key[1].removesuffix(SETS)))
        self.busy.now, self.parts, self.used = True, 0, set()
        self.purse.open()
        try:
            self.filling.begin(frame, key, self)
            self.call(frame, key)
        except Unrecordable:
            pass
        except Exception:
            pass  # what cannot be looked at is not recorded
        finally:
            self.purse.close()
            self.busy.now = False

    def name(self, key, code):
        self.names[key] = code.co_varnames[: code.co_argcount]
        if code.co_flags & inspect.CO_VARKEYWORDS:
            self.open.add(key[0] + ":" + key[1])

    def enough(self, key):
        """Whether nothing more is taken down of a function."""
        return self.tried.get(key, 0) > MOST_TRIED or len(self.calls.get(key, ())) >= self.most

    def call(self, frame, key):
        name = key[1].rsplit(".", 1)[-1]
        bound = "." in key[1]
        me = first_of(frame) if bound else None
        kept = self.objects.get(id(me)) if me is not None else None
        outer = kept is not None and kept[3] is not None and self.from_outside(frame, me)
        if outer and (self.tried.get(key, 0) > MOST_FOLLOWED or self.purse.empty()):
            outer, kept[4] = False, True
        if self.purse.empty() or self.enough(key) and not outer and name != "__init__":
            return
        args, kwargs = self.arguments(frame)
        if key not in self.names:
            self.name(key, frame.f_code)
        if bound and name == "__init__":
            if kept is None and len(self.objects) < 20000:
                entry = [me, type(me), None, None, False, set(), None, None]
                self.objects[id(me)] = entry
                self.filling.made(me)
                self.holding.made(me, [*args[1:], *kwargs.values()], frame, self.objects)
                self.used = entry[5]
                entry[2] = self.given(args[1:], kwargs)
                entry[3] = []
                if self.holding.early(args[1:]):
                    entry[6] = args[1:], kwargs
                self.keep((key[0], key[1]), ("call", None, *entry[2]))
            return
        public = not name.startswith("_") or name.startswith("__") and name.endswith("__")
        private = any(p.startswith("_") for p in key[1].split(".")[:-1])
        if private and public and bound and self.offered(type(me)):
            key, private = (type(me).__module__, type(me).__name__ + "." + name), False
            self.names.setdefault(key, frame.f_code.co_varnames[: frame.f_code.co_argcount])
            self.inherited.add(key)
        if self.enough(key) and not outer:
            return
        known = outer and kept[4] and len(self.calls.get(key, ())) >= MOST_PARTIAL
        wanted = public and not private and not known and not self.internals.has(key, frame)
        if not wanted and not outer:
            return
        seen = self.seen
        try:
            mine = bound and not (wanted and self.static(frame, key))
            of = self.encode(me) if wanted and mine and not isinstance(me, type) else None
            self.used = used = set()
            recipe = self.given(args[1:] if mine else args, kwargs)
            if wanted:
                self.keep(key, ("call", of, *recipe))
        except Unrecordable as e:
            if isinstance(e, TooLarge):
                self.seen += COST_OF_LARGE * PARTS_OF_TRY
            if outer:
                kept[4] = True
            raise
        finally:
            self.tried[key] = self.tried.get(key, 0) + 1 + (self.seen - seen) // PARTS_OF_TRY
        if outer:
            steps = [self.append(kept, (name, *recipe))]
            steps += [self.append(owner, (name, *recipe, step)) for owner, step in self.chains.behind(me, frame)]
            for owner, path in self.holding.behind(me, frame):
                if id(owner[0]) in used:  # it would be made again for each step that it is given to
                    owner[4] = True
                else:
                    steps.append(self.append(owner, (path + name, *recipe)))
            for owner, _ in steps:
                owner[5] |= used
            self.chains.called(frame, steps)

    @staticmethod
    def append(kept, step):
        """Adds a step to the history of an object."""
        if len(kept[3]) >= MOST_HISTORY:  # what was done first and last with an object that many tests have, such as one of a module
            del kept[3][MOST_HISTORY // 2]
            kept[4] = True
        kept[3].append(step)
        return kept, step

    @staticmethod
    def offered(cls):
        """Whether a class is one that callers name: what it has of a private one is its own."""
        public = cls.__qualname__.isidentifier() and not cls.__name__.startswith("_") and cls.__module__ != "__main__"
        return public and not issubclass(cls, type) and of_tree(cls) and not is_test(sys.modules[cls.__module__].__file__)

    @staticmethod
    def static(frame, key):
        module = sys.modules.get(key[0])
        owner, _, name = key[1].rpartition(".")
        cls = module
        for part in owner.split("."):
            cls = getattr(cls, part, None)
        return isinstance(inspect.getattr_static(cls, name, None), staticmethod)

    @staticmethod
    def from_outside(frame, me):
        back = frame.f_back
        while back is not None and not in_tree(back.f_code.co_filename):
            back = back.f_back
        if back is None or back.f_code.co_argcount == 0:
            return True
        return back.f_locals.get(back.f_code.co_varnames[0]) is not me

    def keep(self, key, recipe):
        calls = self.calls.setdefault(key, {})
        if len(calls) >= self.most:
            return
        out = Bounded(max(LONGEST, self.room))
        pickle.dump(recipe, out, 4)
        data = out.whole()
        if data in calls:
            return
        self.idle = 0
        if sprawls(recipe, data):
            raise TooLarge
        if len(data) <= LONGEST:
            calls[data] = recipe
        elif len(data) <= self.room:
            large = self.large.setdefault(key, {})
            if len(large) < MOST_LARGE and data not in large:
                large[data] = recipe
                self.room -= len(data)

    def saved(self):
        out = {}
        for (module, name), calls in sorted(self.calls.items()):
            out[module + ":" + name] = sorted(calls, key=lambda d: (len(d), d))
        large = {module + ":" + name: list(calls) for (module, name), calls in sorted(self.large.items())}
        return {"calls": out, "large": large, "paths": folders_of_tree(), "now": self.began, "pool": self.pool(), "names": self.parameters(), "open": sorted(self.open), "inherited": sorted(m + ":" + n for m, n in self.inherited), "scenarios": self.tests.saved(), **self.offers}

    def parameters(self):
        """Names of the arguments that a call holds in order, without the object."""
        return {m + ":" + n: list(names[1:] if "." in n and names[:1] in (("self",), ("cls",)) else names) for (m, n), names in sorted(self.names.items())}

    def pool(self):
        """Values of arguments by the name of their parameter, short ones first."""
        out, names = {}, self.parameters()
        for (module, name), calls in sorted(self.calls.items()):
            for _, _, args, kwargs in calls.values() if (module, name) not in self.inherited else ():
                for k, recipe in list(zip(names.get(module + ":" + name, []), args)) + list(kwargs.items()):
                    out.setdefault(k, {})[repr(recipe)] = recipe
        return {k: [v[r] for r in sorted(v, key=lambda r: (len(r), r))[:MOST_POOLED]] for k, v in sorted(out.items())}


def options_of(value, known):
    """The values of an object's options, of which known has the names by class."""
    held = held_by(value)
    return {a: held[a] for c in type(value).__mro__ for a in known.get((c.__module__, c.__qualname__), ()) if a in held and is_plain(held[a])}


def is_plain(v, depth=0):
    """Whether a value is a number, a text, or a small list or table of such."""
    if type(v) is dict:
        return depth < 4 and len(v) <= MOST_PLAIN and all(type(k) in SIMPLE and is_plain(x, depth + 1) for k, x in v.items())
    if type(v) in (list, tuple):
        return depth < 4 and len(v) <= MOST_PLAIN and all(is_plain(x, depth + 1) for x in v)
    return type(v) in SIMPLE
