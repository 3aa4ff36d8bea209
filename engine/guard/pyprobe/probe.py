"""The half of the guard that runs inside a Python tree.

It records the calls that the tests make, and gives the same calls, as they were
and varied, to whichever tree it stands in. A case is a list of choices: the same
choices make the same call in every tree, and smaller ones a simpler call. The
protocol is that of the Go probe: one JSON request, one JSON answer a line.

Standard library only.
"""
import ast
import asyncio
import collections.abc
import contextlib
import dataclasses
import enum
import fcntl
import functools
import gc
import hashlib
import importlib
import inspect
import io
import json
import linecache
import math
import mmap
import os
import pickle
import random
import re
import runpy
import select
import signal
import struct
import sys
import threading
import time
import types

import atoll_guard_matches as matches
import atoll_guard_records as records
import atoll_guard_sharing as sharing
import atoll_guard_standard as standard
from atoll_guard_beyond import of_change
from atoll_guard_callables import FUNCTIONS, NAMED, Calls, answers, can_be_named, giver, made_by, place_of, stands_in
from atoll_guard_chains import Chains, flat, inserted
from atoll_guard_clock import Clock
from atoll_guard_edges import Edges, constants_of_change, in_turn, is_large
from atoll_guard_explorer import Explorer, Kept, beside, simpler
from atoll_guard_files import PLACE, Files, Origin, is_path, other_lines, text_of
from atoll_guard_internals import Internals
from atoll_guard_kinds import DERIVED, KINDS, derived, plain
from atoll_guard_offers import CHANGING, OPERATORS, SIMPLE, as_type, asked_by, classes_asked_for, has_texts, module_of, offers, only_one_asks, public_names, rest_of
from atoll_guard_places import Places, as_bytes, spelled, unspelled
from atoll_guard_room import bounded, sprawls
from atoll_guard_watch import Watch, hidden, plan

TREE = os.path.realpath(os.getcwd())
MASK = (1 << 64) - 1
FLOAT_MARK = "\x01"
MOST_RECORDED = 200
MOST_TRIED = 3000
MOST_OF_SCRIPTS = 20  # calls of a function, besides those of the tests
SCRIPT_SECONDS = 20
SHORTEST = 1  # seconds that a case may take in any event
SLACK = 4  # times its processor time that something may take by the clock
MOST_TOLD = 1 << 20  # characters of inputs and outcomes in one answer
MOST_SURVEYED = 7 << 20  # characters of an answer about all cases: one that is larger than the guard takes is none
OF_CASE = 120  # characters about one case, besides the name of its group
EDGE_SHARE = 2  # one edge at most for so many cases that are drawn
LONGEST = 64 << 10
LARGEST = 2 << 20  # bytes of one call of a script
MOST_LARGE = 3  # of those of a function
ALL_LARGE = 12 << 20  # bytes of all of them
LARGE_SHARE = 40  # one case in so many is a large call
MOST_POOLED = 60  # values of one parameter
MOST_HISTORY = 12  # calls that an object had
MOST_PARTIAL = 20  # calls of one method on objects of which some calls are not known
MOST_STEPS = 8  # calls of one method that an object may have had before, too
MOST_DRAINED = 200  # of what an iterator yields
FAR = 763  # the result is open at no number that code is likely to close, given one for a file
MISUSE = (AttributeError, TypeError)  # what the interpreter makes of a value of a wrong type: which of them depends on how it was asked
COVER_FILE = "atoll_guard_cover.out"
FILES = Files()


# ---- time -------------------------------------------------------------------


def clocks(process, tasks):
    """The time, what a process has used of the processor, and how long its threads, of which the folder of its tasks tells, waited for it."""
    queued = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for task in os.listdir(tasks):
            with open("%s/%s/schedstat" % (tasks, task)) as f:
                queued += int(f.read().split()[1])
    return time.monotonic(), time.clock_gettime(~process << 3 | 2), queued / 1e9


def too_long(first, now, limit):
    """Judges a case as the Go probe does."""
    took, used, queued = (b - a for a, b in zip(first, now))
    return took > SLACK * limit or took > limit and used > limit or took - used - queued > max(limit / 4, SHORTEST)


class Watchdog:
    """Ends this process in a case that takes too long. It is a process of its own, for an operation on
    numbers of millions of digits lets no thread of this one run, and no child of this one, for code may
    wait for its children. It ends with this process."""

    CASE = struct.Struct("=dq")  # when the case began, 0 where none is under way, and its position

    def __init__(self, limit, out):
        self.limit, self.out, self.case = limit, out, mmap.mmap(-1, self.CASE.size)
        watched = os.getpid(), os.path.realpath("/proc/self/task")
        ended, self.alive = os.pipe()  # it has an end when this process has
        child = os.fork()
        if child:
            os.close(ended)
            os.waitpid(child, 0)
            return
        try:
            if not os.fork():
                for fd in (0, 1, 2, self.alive):  # who waits for their end does not wait for this process
                    with contextlib.suppress(OSError):
                        os.close(fd)
                self.watch(ended, *watched)
        finally:
            os._exit(0)

    def begin(self, position):
        self.CASE.pack_into(self.case, 0, time.monotonic(), position)

    def end(self):
        self.CASE.pack_into(self.case, 0, 0.0, 0)

    def watch(self, ended, process, tasks):
        at, first = 0.0, (0.0, 0.0, 0.0)
        while not select.select([ended], [], [], 0.05)[0]:
            began, position = self.CASE.unpack_from(self.case)
            if not began:
                continue
            if at != began:  # it was not seen before
                at, first = began, clocks(process, tasks)
            if time.monotonic() - first[0] > min(self.limit, SHORTEST) and too_long(first, clocks(process, tasks), self.limit):
                if self.CASE.unpack_from(self.case)[0] == began:
                    os.write(self.out, (json.dumps({"k": "stuck", "p": position}) + "\n").encode())
                    os.kill(process, signal.SIGKILL)
                return


# ---- choices ----------------------------------------------------------------


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
    of the call; where it is None the case is none of those that are looked for, and nothing is put in or varied beside its own arguments."""

    def __init__(self, seed=None, given=None, aim=None, put=None):
        if given is not None:
            put, given = unspelled(given)
        self.put, self.state, self.given, self.used = put, seed, given, []
        self.aim, self.places, self.forced = aim, {}, []

    def n(self, k):
        at = len(self.used)
        if k <= 1 or at >= 1024:
            return 0
        if self.forced:
            v = self.forced.pop(0) % k
        elif self.given is not None and at < len(self.given):
            v = self.given[at] % k
        elif self.state is None:
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


# ---- recording --------------------------------------------------------------


def in_tree(path):
    if path.startswith("<"):  # frozen into the interpreter, or made by a library
        return False
    path = os.path.realpath(path)
    return path.startswith(TREE + os.sep) and "site-packages" not in path


@functools.lru_cache(1000)
def file_in_tree(path):
    """in_tree of the file of a module, which is asked for each value that is told."""
    return in_tree(path)


def is_test(path):
    parts = os.path.relpath(os.path.realpath(path), TREE).split(os.sep)
    base = parts[-1]
    return any(p in ("test", "tests", "testing") for p in parts[:-1]) or base.startswith("test_") or base.endswith("_test.py") or base in ("conftest.py", "setup.py", "tests.py")


def of_tree(cls):
    """Whether the tree has a class."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return bool(file) and file_in_tree(file)


class Unrecordable(Exception):
    """A value that cannot be kept."""


class Recorder:
    """Keeps the arguments of calls, before the callee can change them."""

    def __init__(self):
        self.known = {}  # code -> (module, name) or None
        self.calls = {}  # (module, name) -> {pickle: recipe}
        self.tried = {}
        self.objects = {}  # id -> [object, class, init recipe, history or None, whether calls are missing in it]
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
        self.chains = Chains()
        self.began = float(int(time.time()))

    def more(self):
        """Makes room for the calls of scripts behind those of the tests."""
        self.tried, self.most = {}, MOST_RECORDED + MOST_OF_SCRIPTS
        self.longest, self.room = LARGEST, ALL_LARGE

    def resolve(self, frame):
        code = frame.f_code
        if code in self.known:
            return self.known[code]
        found = None
        module = sys.modules.get(frame.f_globals.get("__name__", ""))
        if module is not None and module.__name__ != "__main__" and in_tree(code.co_filename) and not is_test(code.co_filename):
            found = self.search(module, code)
        self.known[code] = found
        return found

    @staticmethod
    def search(module, code):
        def codes(f):
            f = getattr(f, "__func__", f)
            if isinstance(f, property):
                f = f.fget
            seen = 0
            while f is not None and seen < 10:
                if getattr(f, "__code__", None) is code:
                    return True
                f, seen = getattr(f, "__wrapped__", None), seen + 1
            return False

        for name, value in list(vars(module).items()):
            if isinstance(value, type):
                if value.__module__ != module.__name__:
                    continue
                for attr, member in list(vars(value).items()):
                    if codes(member):
                        return module.__name__, value.__qualname__ + "." + attr
            elif codes(value):
                return module.__name__, name
        return None

    def encode(self, value, depth=0):
        """A recipe for a value: pickled, or how to make it again."""
        if depth > 6:
            raise Unrecordable
        if type(value) is object:
            return ("global", *self.mark(value))
        kept = self.objects.get(id(value))
        if kept is not None and kept[0] is value:
            if kept[3] is None:
                raise Unrecordable
            return ("made", kept[1].__module__, kept[1].__qualname__, kept[2], flat(kept[3]), self.settings(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type) and of_tree(type(value)):
            fields = {f.name: self.encode(getattr(value, f.name), depth + 1) for f in dataclasses.fields(value) if f.init}
            return ("made", type(value).__module__, type(value).__qualname__, ((), fields), (), {})
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
        try:
            data = pickle.dumps(value, 4)
        except Exception:
            if records.is_record(value):
                return ("record", *self.mark(type(value)), [self.encode(v, depth + 1) for v in value])
            if isinstance(value, NAMED) or callable(value) and not isinstance(value, type) and not of_tree(type(value)):  # such as a mock
                return ("function", place_of(value))
            raise Unrecordable from None
        if len(data) > self.longest or b"__main__" in data:
            raise Unrecordable
        return ("value", data)

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

    def profile(self, frame, event, arg):
        if event == "return" and frame in self.chains.waiting:
            self.chains.returned(frame, arg, lambda v: self.objects.get(id(v), (self,))[0] is v)
        if event != "call" or getattr(self.busy, "now", False):
            return
        key = self.resolve(frame)
        if key is None:
            return
        self.busy.now = True
        try:
            self.call(frame, key)
        except Unrecordable:
            pass
        except Exception:
            pass  # what cannot be looked at is not recorded
        finally:
            self.busy.now = False

    def call(self, frame, key):
        name = key[1].rsplit(".", 1)[-1]
        args, kwargs = self.arguments(frame)
        bound = "." in key[1]
        if key not in self.names:
            code = frame.f_code
            self.names[key] = code.co_varnames[: code.co_argcount]
            if code.co_flags & inspect.CO_VARKEYWORDS:
                self.open.add(key[0] + ":" + key[1])
        me = args[0] if bound and args else None
        kept = self.objects.get(id(me)) if me is not None else None
        if bound and name == "__init__":
            if kept is None and len(self.objects) < 20000:
                entry = [me, type(me), None, None, False]
                self.objects[id(me)] = entry
                entry[2] = (tuple(self.encode(a) for a in args[1:]), {k: self.encode(v) for k, v in kwargs.items()})
                entry[3] = []
                self.keep((key[0], key[1]), ("call", None, *entry[2]))
            return
        public = not name.startswith("_") or name.startswith("__") and name.endswith("__")
        private = any(p.startswith("_") for p in key[1].split(".")[:-1])
        if private and public and bound and self.offered(type(me)):
            key, private = (type(me).__module__, type(me).__name__ + "." + name), False
            self.names.setdefault(key, frame.f_code.co_varnames[: frame.f_code.co_argcount])
            self.inherited.add(key)
        tries = self.tried.get(key, 0)
        self.tried[key] = tries + 1
        outer = kept is not None and kept[3] is not None and self.from_outside(frame, me)
        if not outer and (tries > MOST_TRIED or len(self.calls.get(key, ())) >= self.most):
            return
        try:
            rest = args[1:] if bound and not isinstance(me, type) else args
            if bound and isinstance(me, type):
                rest = args[1:]
            recipe = (tuple(self.encode(a) for a in rest), {k: self.encode(v) for k, v in kwargs.items()})
            if public and not private and not self.internals.has(key, frame) and not (outer and kept[4] and len(self.calls.get(key, ())) >= MOST_PARTIAL):
                own = self.encode(me) if bound and not isinstance(me, type) and not self.static(frame, key) else None
                if bound and self.static(frame, key):
                    recipe = (tuple(self.encode(a) for a in args), recipe[1])
                self.keep(key, ("call", own, *recipe))
        except Unrecordable:
            if outer:
                kept[4] = True
            raise
        if outer:
            steps = [self.append(kept, (name, *recipe))]
            steps += [self.append(owner, (name, *recipe, step)) for owner, step in self.chains.behind(me, frame)]
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
        data = pickle.dumps(recipe, 4)
        if sprawls(recipe, data):
            return
        if len(data) <= LONGEST:
            calls.setdefault(data, recipe)
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
        return {"calls": out, "large": large, "paths": folders_of_tree(), "now": self.began, "pool": self.pool(), "names": self.parameters(), "open": sorted(self.open), "inherited": sorted(m + ":" + n for m, n in self.inherited), **self.offers}

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


def folders_of_tree():
    """The folders of the tree in which Python looks for modules, as those who found its tests left them: what tests gave may be of a module of theirs."""
    return [os.path.relpath(os.path.realpath(p), TREE) for p in sys.path if p and in_tree(os.path.join(p, "_"))]


def options_of(value, known):
    """The values of an object's options, of which known has the names by class."""
    held = getattr(value, "__dict__", {})
    return {a: held[a] for c in type(value).__mro__ for a in known.get((c.__module__, c.__qualname__), ()) if type(held.get(a, held)) in SIMPLE}


def run_tests(words):
    """Runs the tests as the words say, or as they are found."""
    attempts = [words] if words else []
    if not attempts:
        try:
            import pytest  # noqa: F401

            attempts.append(["-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider"])
        except ImportError:
            attempts.append(["-m", "unittest", "discover", "-q"])
            for d in ("tests", "test"):
                if os.path.isdir(d):
                    attempts.append(["-m", "unittest", "discover", "-q", "-s", d] + (["-t", "."] if os.path.exists(os.path.join(d, "__init__.py")) else []))
    for words in attempts:
        if words[:1] == ["-m"]:
            sys.argv = words[1:]
            run = lambda w=words: runpy.run_module(w[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(words)
            run = lambda w=words: runpy.run_path(w[0], run_name="__main__")
        try:
            run()
        except SystemExit:
            pass


class Enough(BaseException):
    """A script took its time."""


def run_scripts(scripts):
    """Runs what measures, for some seconds of the processor each: its calls are what counts."""

    def enough(*_):
        raise Enough

    os.environ.setdefault("ATOLL_RESULT", os.devnull)
    timers = (signal.SIGPROF, signal.ITIMER_PROF, SCRIPT_SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, SLACK * SCRIPT_SECONDS)
    for words in scripts:
        sys.argv = list(words)
        for which, timer, seconds in timers:
            signal.signal(which, enough)
            signal.setitimer(timer, seconds)
        try:
            runpy.run_path(words[0], run_name="__main__")
        except (Exception, SystemExit, Enough):
            pass
        finally:
            for _, timer, _ in timers:
                signal.setitimer(timer, 0)


def sources_of_tree():
    """The Python files of the tree but its tests."""
    out = []
    for folder, dirs, files in os.walk("."):
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d not in ("node_modules", "site-packages"))
        names = (os.path.relpath(os.path.join(folder, f)) for f in files if f.endswith(".py"))
        out += [n for n in names if not is_test(n)]
    return out


def keep_up(profile):
    """Puts a profile function back that Python took away, as it does where code runs out of stack: before the next test of unittest, and
    whenever garbage is collected."""
    import unittest

    def back(*_):
        if sys.getprofile() is None:
            sys.setprofile(profile)

    run = unittest.TestCase.run

    def with_profile(self, result=None):
        back()
        return run(self, result)

    unittest.TestCase.run = with_profile
    gc.callbacks.append(back)
    return lambda: gc.callbacks.remove(back)


def ended_by_tests(save):
    """Keeps what was recorded where the tests end the process at once, and ends what they forked before it goes on in their place."""
    own, leave = os.getpid(), os._exit

    def at_once(status=0):
        try:
            if os.getpid() == own:
                save()
        finally:
            leave(status)

    def back():
        os._exit = leave
        if os.getpid() != own:
            leave(0)

    os._exit = at_once
    return back


def record(q):
    r, place = Recorder(), os.environ["ATOLL_GUARD_RECORDING"]
    lines = Lines(q.get("changed") or [])

    def save():
        sys.setprofile(None)
        lines.stop()
        with open(place, "wb") as f:
            pickle.dump(bounded(r.saved()), f, 4)

    done = keep_up(r.profile)
    back = ended_by_tests(save)
    sys.setprofile(r.profile)
    threading.setprofile(r.profile)
    lines.start()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run_tests(q.get("tests") or [])
            r.more()
            run_scripts(q.get("scripts") or [])
    except BaseException:
        lines.stop()  # which lines ran is known
        raise
    finally:
        back()
        done()
    save()


# ---- lines ------------------------------------------------------------------


class Lines:
    """Which lines of some files run."""

    def __init__(self, files):
        self.files = {os.path.realpath(f): f for f in files}
        self.names = {}  # of those by the file of a code, None for another one
        self.hit = set()

    def trace(self, frame, event, _arg):
        file = frame.f_code.co_filename
        if file not in self.names:
            self.names[file] = self.files.get(os.path.realpath(file))
        name = self.names[file]
        if name is None:
            return None

        def inside(frame, event, _arg):
            if event == "line":
                self.hit.add((name, frame.f_lineno))
            return inside

        self.hit.add((name, frame.f_lineno))
        return inside

    def start(self):
        if self.files:
            sys.settrace(self.trace)
            threading.settrace(self.trace)

    def stop(self):
        if not self.files:
            return
        sys.settrace(None)
        try:
            with open(os.path.join(TREE, COVER_FILE), "w", encoding="utf-8") as f:
                for name in self.files.values():
                    for line in sorted(code_lines(name)):
                        f.write(f"{name}:{line}.0,{line}.0 1 {int((name, line) in self.hit)}\n")
        except OSError:
            pass


def code_lines(name):
    try:
        with open(name, encoding="utf-8") as f:
            top = compile(f.read(), name, "exec")
    except (OSError, SyntaxError, ValueError):
        return set()
    out, todo = set(), [top]
    while todo:
        code = todo.pop()
        out.update(line for _, _, line in code.co_lines() if line)
        todo += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return out


# ---- what a change can reach -------------------------------------------------


def declarations(source):
    """Names of functions, methods, classes and module values with what they mention."""
    out = {}

    def add(key, node, without=()):
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        text = ast.dump(strip(node))
        old = out.get(key)
        out[key] = (text + (old[0] if old else ""), names | (old[1] if old else set()))

    def strip(node):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant) and isinstance(body[0].value.value, str):
            node.body = body[1:] or [ast.Pass()]
        return node

    def visit(body, prefix):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                add(prefix + node.name, node)
            elif isinstance(node, ast.ClassDef):
                rest = ast.ClassDef(name=node.name, bases=node.bases, keywords=node.keywords, decorator_list=node.decorator_list, body=[ast.Pass()])
                add(prefix + node.name, rest)
                visit(node.body, prefix + node.name + ".")
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for a in node.names:
                    add(prefix + (a.asname or a.name.split(".")[0]), node)
            elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                for part in ("body", "orelse", "finalbody"):
                    visit(getattr(node, part, []), prefix)
                for h in getattr(node, "handlers", []):
                    visit(h.body, prefix)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for t in targets:
                    for n in ast.walk(t):
                        if isinstance(n, ast.Name):
                            add(prefix + n.id, node)
            elif not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
                add(prefix + "<top>", node)

    try:
        visit(ast.parse(source).body, "")
    except (SyntaxError, ValueError):
        return None
    return out


def affected(q):
    """Names that a change can reach, by the names that sources mention."""
    was, now = {}, {}
    for name in sources_of_tree():
        with contextlib.suppress(OSError, UnicodeDecodeError), open(name, encoding="utf-8") as h:
            was[name] = declarations(h.read())
    now.update(was)
    for name, source in (q.get("sources") or {}).items():
        now[name] = declarations(source)
    names, all_decls = set(), []
    for name in set(was) | set(now):
        a, b = was.get(name) or {}, now.get(name) or {}
        for key in set(a) | set(b):
            all_decls.append((key, (a.get(key, ("", set()))[1]) | (b.get(key, ("", set()))[1])))
            if a.get(key, ("",))[0] != b.get(key, ("",))[0]:
                names.add(key)
    reach = set()

    def mark(key):
        parts = key.split(".")
        reach.add(parts[-1])
        if parts[-1] in records.COPYING:
            reach.update(records.COPIERS)
        elif len(parts) > 1 and parts[-1].startswith("__"):
            reach.add(parts[-2])  # called without its name

    whole = any(k.endswith("<top>") for k in names)
    for k in names:
        mark(k)
    grown = bool(names)
    while grown:
        grown = False
        for key, mentioned in all_decls:
            if key.split(".")[-1] not in reach and mentioned & reach:
                mark(key)
                grown = True
    return {"names": sorted(reach), "whole": whole, "changed": sorted(names), "readers": sorted(readers(q, was, now, names)), "watch": watched(q, was, now, names)}


def readers(q, was, now, names):
    """The methods that read what a changed one may write and no caller sees: they alone tell what it did."""
    out = set()
    for name, source in (q.get("sources") or {}).items():
        with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError, ValueError), open(name, encoding="utf-8") as f:
            for text in (f.read(), source):
                for owner, fields in hidden(text, names).items():
                    every = list((was.get(name) or {}).items()) + list((now.get(name) or {}).items())
                    out |= {key for key, (_, mentioned) in every if key.startswith(owner + ".") and mentioned & fields}
    return out - names


def watched(q, was, now, names):
    """What to watch in the files that changed."""
    out = {}
    for name, source in (q.get("sources") or {}).items():
        tables = [{k: mentioned for k, (_, mentioned) in (version.get(name) or {}).items()} for version in (was, now)]
        with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError, ValueError), open(name, encoding="utf-8") as f:
            text = f.read()
            out[name] = plan(text, source, tables, names & (set(tables[0]) | set(tables[1])))
            out[name]["asked"] = asked_by(name, ast.parse(source))
            out[name]["classes"] = classes_asked_for(name, [text, source])
            out[name]["inner"] = only_one_asks(name, text, source)
    return out


# ---- values -----------------------------------------------------------------


def decode(recipe):
    kind = recipe[0]
    if kind == "value":
        return pickle.loads(recipe[1])
    if kind == "global":
        return find(*recipe[1:])
    if kind == "file":
        return FILES.make(*recipe[1:])
    if kind == "function":
        return FUNCTIONS[recipe[1]]
    if kind == "match":
        return matches.made(decode(recipe[1]), decode(recipe[2]), *recipe[3:])
    if kind in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[kind](decode(r) for r in recipe[1])
    if kind == "record":
        return find(*recipe[1:3])._make(decode(r) for r in recipe[3])
    if kind == "dict":
        return {decode(k): decode(v) for k, v in recipe[1]}
    return made(recipe)[0]


def made(recipe, vary=None):
    """An object made again, at times with other options, and how in words."""
    _, module, name, (args, kwargs), history, settings = recipe
    cls = find(module, name)
    args, kwargs = [decode(a) for a in args], {k: decode(v) for k, v in kwargs.items()}
    if vary:
        args, kwargs = vary.options(args, kwargs)
        args, kwargs = vary.places.through(args), vary.places.through(kwargs)
        history = vary.with_step(module, name, history)
        vary.choose_step(len(history))
    words = name + call_text(args, kwargs)
    try:
        me = cls(*args, **kwargs)
    except (Exception, SystemExit) as e:
        raise NotMade(words, failure(e)) from None
    given = []  # by the steps
    for at, (method, margs, mkwargs, *of) in enumerate(history):
        margs, mkwargs = [decode(a) for a in margs], {k: decode(v) for k, v in mkwargs.items()}
        if vary:
            margs, mkwargs = vary.step(at, margs, mkwargs)
        words += ("->" if of else ".") + method + call_text(margs, mkwargs)
        given.append(None)
        with contextlib.suppress(Exception, SystemExit):
            result = given[at] = getattr(given[of[0]] if of else me, method)
            if callable(result):
                result = given[at] = result(*margs, **mkwargs)
            if inspect.isgenerator(result):
                list(zip(range(MOST_DRAINED), result))
    if vary:
        settings = vary.places.through(vary.settings(settings or options_of(me, vary.known)))
    for attribute, value in settings.items():
        if getattr(me, attribute, me) is not me and getattr(me, attribute) != value:
            words += " with %s = %s" % (attribute, show(value, live=True))
            with contextlib.suppress(Exception, SystemExit):
                setattr(me, attribute, value)
    return me, words


class NotMade(Exception):
    """A constructor failed: how it was called, and how it failed."""


def call_text(args, kwargs):
    return "(" + ", ".join([show(a, live=True) for a in args] + [k + "=" + show(v, live=True) for k, v in kwargs.items()]) + ")"


def find(module, name):
    value = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value


ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "AZaz", "0123456789", " \t\n-_./,:;", "\"'`\\()[]{}<>#@!?*+=|&%$^~", "éßİıØΣς世界\u0301😀\u00a0"]


def twin(v):
    """A number that is equal, or almost, and of another type: to a table all values are alike."""
    return int(v) if type(v) is bool or type(v) is float and math.isfinite(v) else float(v) if abs(v) < 1 << 53 else v


HEX = "0123456789abcdefABCDEF"
NUMBERS = re.compile(r"[0-9]+")
WRITTEN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
WAYS = ["-{n}", "+{n}", "{n}e5", "{w}E5", "{w}e-3", "{w}E+2", ".{w}", "{w}.", "{w}.0", "{n}0", "0{n}", "00{w}", "{w}_000", "{w},000", "0x{x}", "0X{x}", "0xA", "0o7", "0b1", "{w}j", " {n} ",
        "inf", "-Infinity", "NaN", "1/{w}", "{w}%", "({w})"]
PARTS = re.compile(r"\W?\w+")


def near(edges, v):
    """Edges in the place of a value; of a file those of its content."""
    held = FILES.of(v)
    return edges.near(text_of(held.content) if held else v)


class Vary:
    """Makes values other than those that were recorded."""

    def __init__(self, d, lits, edges, known=None, methods=None, givers=()):
        self.givers = givers  # functions that give objects of the tree
        self.d, self.lits, self.edges, self.known, self.methods = d, lits, edges, known or {}, methods
        self.places, self.varied, self.as_it_was = Places(d.put, FILES), None, False
        self.own = 0  # how often the making of the object is varied, where the call has nothing to vary
        self.bits = [s for s in edges.strs if 0 < len(s) <= 3] + edges.marks + edges.matched + [s for s in lits["strings"] if 0 < len(s) <= 2]

    def options(self, args, kwargs):
        """Arguments of a constructor, now and then one of them another: a switch that is turned."""
        args, kwargs = list(args), dict(kwargs)
        places = list(range(len(args))) + list(kwargs)
        for _ in range((self.own or int(self.d.chance(4))) if places else 0):
            switches = [p for p in places if type(args[p] if type(p) is int else kwargs[p]) is bool]
            p = self.d.pick(switches if switches and self.d.n(2) else places)
            held = args if type(p) is int else kwargs
            held[p] = self.other(held[p])
        return args, kwargs

    def with_step(self, module, owner, history):
        """The calls that an object had, at times with one more that its class was seen to have."""
        if self.d.put is None and not self.own or self.methods is None or self.d.n(4) < 3:
            return history
        calls = self.methods(module, owner)
        if not calls:
            return history
        at = self.d.n(len(history) + 1)
        return inserted(history, at, self.d.pick(calls))

    def choose_step(self, n):
        """Which of the n calls that an object had gets another argument: one now and then, and mostly where the call itself is as it was."""
        if n and (self.d.put is not None or self.own) and self.d.n(4) >= (1 if self.as_it_was or self.own else 3):
            self.varied = self.d.n(n)

    def step(self, at, args, kwargs):
        """The arguments of a call that the object had."""
        if at == self.varied and (args or kwargs):
            place = self.d.pick([*range(len(args)), *kwargs])
            held = args if type(place) is int else kwargs
            held[place] = self.other(held[place])
        return self.places.through(args), self.places.through(kwargs)

    def settings(self, settings):
        """The options of an object, at times with some of them turned or changed."""
        out = dict(settings)
        if out and self.d.chance(3):
            for _ in range(1 + self.d.n(2)):
                switches = [k for k in out if type(out[k]) is bool or out[k] in (0, 1)]
                k = self.d.pick(switches if switches and self.d.n(3) else list(out))
                out[k] = (self.d.n(4) if type(out[k]) is int and out[k] in (0, 1) else not out[k]) if k in switches else self.other(out[k])
        return out

    def text(self):
        edge = self.d.edge("text", self.edges.texts)
        if edge:
            return edge[0]
        if self.lits["strings"] and self.d.n(3):
            return self.d.pick(self.lits["strings"])
        return "".join(self.d.pick(self.d.pick(ALPHABETS)) for _ in range(self.d.n(8)))

    def integer(self):
        edge = self.d.edge("int", self.edges.ints)
        if edge:
            return edge[0]
        k = self.d.n(6)
        if k == 0:
            return self.d.n(4)
        if k == 1 and self.lits["ints"]:
            return self.d.pick(self.lits["ints"])
        if k == 2 and self.lits["ints"]:
            return self.d.pick(self.lits["ints"]) + self.d.n(3) - 1
        if k == 3:
            return -self.d.n(20)
        return self.d.n(200)

    def number(self):
        edge = self.d.edge("float", self.edges.floats)
        if edge:
            return edge[0]
        k = self.d.n(6)
        if k == 0:
            return float(self.d.n(4))
        if k == 1 and self.lits["floats"]:
            return self.d.pick(self.lits["floats"])
        if k == 2:
            return -self.d.n(1000) / 8
        return self.d.n(100000) / 64

    def literal(self, kind, v):
        values = self.lits[kind]
        return values[self.d.n(len(values))] if values else v

    def anything(self, depth=0):
        k = self.d.n(8 if depth < 2 else 5)
        if k == 0:
            return None
        if k == 1:
            return self.integer()
        if k == 2:
            return self.text()
        if k == 3:
            return self.number()
        if k == 4:
            return bool(self.d.n(2))
        if k == 5:
            return [self.integer() for _ in range(self.d.n(6))]
        if k == 6:
            return [self.text() for _ in range(self.d.n(5))]
        return {self.text(): self.anything(depth + 1) for _ in range(self.d.n(4))}

    def other_file(self, v, held):
        """A file with another content, or for its path, now and then, one where nothing is."""
        d = self.d
        edge = d.edge("other", lambda: near(self.edges, v))
        if edge:
            return FILES.like(v, edge[0])
        if d.n(20) == 19 and not isinstance(v, io.IOBase):
            return type(v)(str(v) + ".not")
        text = text_of(held.content)
        for _ in range(1 + d.n(3)):
            word = d.pick(self.edges.strs) if self.edges.strs and d.n(2) else self.text()
            text = other_lines(text, d, word) if d.n(4) else self.other_text(text)
        return FILES.like(v, text)

    def other(self, v, depth=0):
        d = self.d
        held = FILES.of(v) if FILES.held else None
        if held:
            return self.other_file(v, held)
        edge = d.edge("other", lambda: self.edges.near(v))
        if edge:
            return edge[0]
        if isinstance(v, enum.Enum):
            return d.pick(list(type(v)))
        if isinstance(v, NAMED):
            return d.pick(self.givers if self.givers and d.n(3) == 2 else FUNCTIONS)
        if v is None:
            return d.pick([None, 0, "", 1])
        if matches.is_match(v):
            return matches.other(v, d, self.other_text)
        if type(v) in KINDS and d.n(16) == 15:
            return derived(v)
        if isinstance(v, bool):
            return not v
        if type(v) is int:
            return d.pick([v, 0, 1, -1, v + 1, v - 1, -v, v * 2, self.integer(), self.integer(), self.literal("ints", v), self.literal("ints", v), self.literal("ints", v)])
        if type(v) is float:
            return d.pick([v, 0.0, 1.0, -v, v + 1, v / 2, v * 1.001, self.number(), self.number(), self.literal("floats", v), self.literal("floats", v)])
        if type(v) is complex:
            return d.pick([v, 0j, v.conjugate(), -v])
        if type(v) is str:
            return self.other_text(v)
        if type(v) is bytes:
            return as_bytes(self.other_text(v.decode("latin-1")))[:1000]
        if type(v) in (list, tuple):
            return type(v)(self.other_list(list(v), depth))
        if type(v) is dict and depth < 4:
            return self.other_dict(v, depth)
        if records.is_record(v):
            return records.other(v, d, lambda x: self.other(x, depth + 1))
        if type(v) in (set, frozenset):
            return type(v)(self.other_list(sorted(v, key=repr), depth))
        return standard.other(v, d, lambda x: self.other(x, depth + 1))

    def other_text(self, s):
        d = self.d
        if self.lits["strings"] and d.n(3) == 2:
            s = d.pick(self.lits["strings"])
        at = d.n(len(s) + 1)
        k = d.n(28)
        if k > 25:
            return self.replaced(s)
        if k > 23:
            return self.rewritten(s)
        if k > 19 and self.bits:
            bit = d.pick(self.bits)
            return d.pick([s + bit, s[:at] + bit + s[at:], bit + s, s[:at] + bit + d.pick(self.bits) + s[at:]])
        if k > 17:
            return self.reparted(s)
        if k > 13:
            return self.renumbered(self.renumbered(s) if k == 14 else s)
        if k == 0:
            return s[:at]
        if k > 11:
            return d.pick([" " + s, s + " ", s + "\n", "\t" + s])
        if k == 1:
            return s[at:]
        if k == 2:
            return s[:at] + s[at + 1 :]
        if k == 3:
            return s[:at] + s[at : at + 1].swapcase() + s[at + 1 :]
        if k == 4:
            return s[:at] + s[at : at + 3] + s[at:]
        if k == 5:
            return self.text()
        if k == 6:
            return s + self.text()
        if k > 8:
            return d.pick([s.upper(), s.lower(), s.title(), s.swapcase()])
        return s[:at] + d.pick(d.pick(ALPHABETS)) + s[at:]

    def replaced(self, s):
        """One character for another: the next or the last before it, one of its kind, or one of the text."""
        d = self.d
        if not s:
            return s
        at, k = d.n(len(s)), d.n(4)
        c = s[at]
        if k == 0:
            c = chr(min(max(ord(c) + d.pick([1, -1]), 0), 0x10FFFF))
        elif k == 1:
            c = d.pick(s)
        else:
            c = d.pick(HEX if c in HEX and d.n(2) else next((a for a in ALPHABETS if c in a), d.pick(ALPHABETS)))
        return s[:at] + c + s[at + 1 :]

    def rewritten(self, s):
        """A number of a text in another way of writing."""
        d = self.d
        runs = list(WRITTEN.finditer(s))
        n = d.pick(runs).group() if runs else str(self.integer())
        at, end = next(((m.start(), m.end()) for m in runs if m.group() == n), (len(s), len(s)))
        whole = n.split(".")[0][:18]
        return s[:at] + d.pick(WAYS).format(n=n, w=whole, x="%x" % int(whole)) + s[end:]

    def renumbered(self, s):
        """Another number in the place of one, also with a fraction or of many digits."""
        d = self.d
        runs = list(NUMBERS.finditer(s))
        if not runs:
            return s + str(d.n(10))
        run = d.pick(runs)
        n = run.group()
        k = d.n(7)
        if k == 0:
            n = str(d.n(4))
        elif k == 1:
            n = str(d.n(100))
        elif k == 2:
            n = str(int(n[:18]) + 1)
        elif k == 3:
            n += "." + str(d.n(10))
        elif k == 4:
            n += str(d.n(10))
        elif k == 5:
            n = "".join(str(d.n(10)) for _ in range(1 + d.n(20)))
        elif self.lits["ints"]:
            n = str(abs(self.d.pick(self.lits["ints"]) + d.n(3) - 1))
        return s[: run.start()] + n + s[run.end() :]

    def reparted(self, s):
        """A part, a word or a number with what stands before it, more or less."""
        d = self.d
        at = list(PARTS.finditer(s))
        if not at:
            return s
        part = d.pick(at)
        k = d.n(3)
        if k == 0:
            return s[: part.start()] + s[part.end() :]
        if k == 1:
            return s[: part.end()] + d.pick(at).group() + s[part.end() :]
        other = PARTS.findall(d.pick(self.lits["strings"])) if self.lits["strings"] else []
        return s[: part.end()] + d.pick(other or [part.group()]) + s[part.end() :]

    def other_list(self, v, depth):
        d = self.d
        if not v:
            return [self.anything(2)] if d.n(2) else v
        at, k = d.n(len(v)), d.n(7)
        if k == 0:
            return v[:at] + v[at + 1 :]
        if k == 1:
            return v[:at]
        if k == 2:
            return v[::-1]
        if k == 3:
            return v[: at + 1] + v[at:]
        if k == 4:
            to = d.n(len(v))
            v[at], v[to] = v[to], v[at]
            return v
        if depth > 4:
            return v
        v[at] = self.other(v[at], depth + 1)
        return v

    def other_dict(self, v, depth):
        d = self.d
        if not v:
            return {self.text(): self.anything(2)}
        key = d.pick(list(v))
        k = d.n(4)
        out = dict(v)
        if k == 0:
            del out[key]
        elif k == 1:
            out[self.other(key, depth + 1) if isinstance(key, (str, int)) else key] = v[key]
        elif type(v[key]) in (bool, int, float) and d.n(6) == 5:
            out[key] = twin(v[key])
        else:
            out[key] = self.other(v[key], depth + 1)
        return out

    def like(self, parameter):
        """A value for a parameter that no test gave one."""
        note = parameter.annotation
        text = note if isinstance(note, str) else getattr(note, "__name__", "") if isinstance(note, type) else str(note)
        text = text.replace("typing.", "").lower()
        if parameter.default not in (inspect.Parameter.empty, None) and not text.strip("_empty"):
            return self.other(parameter.default)
        for word, make in (("list[int", lambda: [self.integer() for _ in range(self.d.n(8))]), ("list[float", lambda: [self.number() for _ in range(self.d.n(8))]),
                           ("list[str", lambda: [self.text() for _ in range(self.d.n(6))]), ("dict", lambda: {self.text(): self.anything(1) for _ in range(self.d.n(4))}),
                           ("list", lambda: [self.anything(1) for _ in range(self.d.n(6))]), ("bool", lambda: bool(self.d.n(2))), ("int", self.integer),
                           ("float", self.number), ("bytes", lambda: self.text().encode()), ("str", self.text)):
            if word in text:
                return make()
        return self.anything()


# ---- outcomes ---------------------------------------------------------------

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def drained(v, rest):
    """What an iterator yields, to a bound, and how it fails."""
    out = []
    try:
        for x in zip(range(MOST_DRAINED), v):
            out.append(rest(x[1]))
    except (Exception, SystemExit) as e:
        out.append(failure(e))
    return "yields [" + ", ".join(out) + "]"


def is_drained(v):
    """Whether a value is an iterator that is no object of the tree: what it yields is all there is of it."""
    return hasattr(v, "__next__") and not isinstance(v, type) and not of_tree(type(v)) and not rest_of(v)


def pairs_of(table):
    """The keys of a table with what it gives for them."""
    for k in table:
        yield k, table[k]


VALUES = {int: int.__int__, float: float.__float__, str: str.__str__, bytes: lambda v: bytes(memoryview(v))}  # of a type that is derived from one of these


def fields_of(v, depth):
    """The public attributes of an object, with what its properties give."""
    fields = {k: x for k, x in getattr(v, "__dict__", {}).items() if not k.startswith("_")}
    for k, computed in public_of(type(v)):
        if not computed and hasattr(v, k):
            fields[k] = getattr(v, k)
        elif computed and depth < 3:
            with contextlib.suppress(Exception, SystemExit):
                fields[k] = getattr(v, k)
    return sorted(fields.items())


@functools.lru_cache(1000)
def public_of(cls):
    """The public places of the objects of a class, and its properties, which are computed."""
    out = []
    for c in cls.__mro__:
        slots = getattr(c, "__slots__", ())
        out += [(k, False) for k in (slots if not isinstance(slots, str) else ()) if not k.startswith("_")]
        out += [(k, True) for k, p in vars(c).items() if isinstance(p, property) and not k.startswith("_")]
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


def show(v, depth=0, seen=(), live=False):
    """What a caller can see of a value, and nothing of how it is kept. What is live
    is still to be used, and nothing is taken out of it."""
    if id(v) in seen:
        return "..."
    if live and FILES.held and FILES.of(v):
        return FILES.words(v)
    if v is None or isinstance(v, (bool, int, str, bytes)) and type(v) in (type(None), bool, int, str, bytes):
        return repr(v)
    if live and type(v) in DERIVED:
        v, name = plain(v)
        return name + "(" + show(v, depth, seen, live) + ")"
    if type(v) is float:
        if v != v or v in (float("inf"), float("-inf")):
            return repr(v)
        return FLOAT_MARK + repr(v if v else 0.0)
    if type(v) is complex:
        return show(v.real) + "+j*" + show(v.imag)
    if depth > 7:
        return "..."
    seen = seen + (id(v),)
    rest = lambda x: show(x, depth + 1, seen, live)
    own = of_tree(type(v))
    if rest_of(v):
        return rest_of(v)
    if isinstance(v, enum.Enum):
        return type(v).__name__ + "." + v.name
    kind = kind_of(v, depth, rest) if own and isinstance(v, (list, tuple, set, frozenset, dict)) else ""
    if isinstance(v, (list, tuple)) and type(v).__repr__ in (list.__repr__, tuple.__repr__) or isinstance(v, tuple) and hasattr(v, "_fields"):
        inner = ", ".join(rest(x) for x in v[:2000])
        return kind + ("[%s]" if isinstance(v, list) else "(%s)") % inner
    if isinstance(v, (set, frozenset)):
        return kind + "{" + ", ".join(sorted(rest(x) for x in v)) + "}"
    if isinstance(v, dict):
        return kind + "{" + ", ".join(rest(k) + ": " + rest(x) for k, x in list(v.items())[:2000]) + "}"
    if isinstance(v, BaseException):
        return type(v).__name__ + "(" + repr(words_of(v)) + ")"
    if isinstance(v, type):
        return "class " + v.__name__
    if is_drained(v) or type(v) is range:
        return type(v).__name__ if live and type(v) is not range else drained(v, rest)
    if callable(v) and hasattr(v, "__name__"):
        return v.__name__ if live and stands_in(v) else "function"
    if hasattr(v, "tolist") and callable(v.tolist):
        return rest(v.tolist())
    if own:
        text = type(v).__name__ + "{" + ", ".join(k + "=" + rest(x) for k, x in fields_of(v, depth)) + "}"
        for base in VALUES:
            if isinstance(v, base):
                text += " of " + rest(VALUES[base](v))
        text += said_by(v, depth, ("__str__", "__len__", "__bool__"))
        if not live and depth < 3 and hasattr(type(v), "__iter__"):
            text += " " + drained(pairs_of(v) if isinstance(v, collections.abc.Mapping) else v, rest)
        return text
    try:
        return ADDRESS.sub("", repr(v))[:LONGEST]
    except (Exception, SystemExit) as e:
        return "repr fails with " + type(e).__name__


def words_of(e):
    """What an exception says; nothing where it cannot."""
    try:
        return str(e)
    except Exception:
        return ""


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
        if said and own or not of_file and (said or not own):
            fields = fields_of(e, 3) if of_tree(type(e)) else []
            held = " with " + ", ".join(k + "=" + show(x, 5) for k, x in fields) if fields else ""
            return "raises " + type(e).__name__ + ": " + ADDRESS.sub("", words_of(e)) + held
    if of_file:  # whoever of the standard library asked for it
        return "raises " + type(e).__name__ + " for " + repr(str(e.filename))
    if type(e) in MISUSE:
        return "raises " + " or ".join(sorted(c.__name__ for c in MISUSE))
    return "raises " + type(e).__name__


# ---- answering --------------------------------------------------------------


class Session:
    def __init__(self, q, out):
        self.q, self.out = q, out
        self.dog = Watchdog((q.get("case_ms") or 5000) / 1000, out)
        with open(os.environ["ATOLL_GUARD_RECORDING"], "rb") as f:
            self.kept = pickle.load(f)
        self.clock = Clock(self.kept["now"])
        self.clock.install()
        sys.path += [p for p in (os.path.join(TREE, rest) for rest in self.kept["paths"]) if p not in sys.path]
        self.recorded, self.large = self.kept["calls"], self.kept["large"]
        for group in self.large:
            self.recorded.setdefault(group, [])
        lits = q.get("literals") or {}
        self.lits = {k: lits.get(k) or [] for k in ("strings", "ints", "floats")}
        self.edges = Edges(lits.get("edges") or [], self.lits["strings"])
        self.aims, self.made, self.called, self.near_to, self.values = {}, {}, {}, {}, []
        self.position, self.watch = 0, self.watched()
        self.asked = self.asked_types()
        self.givers = [giver(find, name) for file in self.files.values() for name in file.get("classes", [])]
        self.inner = {group: kinds for file in self.files.values() for group, kinds in file.get("inner", {}).items()}
        self.groups = list(self.recorded)
        for name in q.get("extra") or []:
            if name not in self.recorded:
                self.groups.append(name)

    def write(self, **a):
        os.write(self.out, (json.dumps(a) + "\n").encode())

    def asked_types(self):
        """The types that functions ask their parameters for, by group and name; where they changed, in both versions."""
        out = {group: {k: list(types) for k, types in asked.items()} for group, asked in self.kept["asked"].items()}
        for file in self.files.values():
            for group, asked in file.get("asked", {}).items():
                for name, types in asked.items():
                    known = out.setdefault(group, {}).setdefault(name, [])
                    known += [kind for kind in types if kind not in known]
        return out

    def watched(self):
        """The marks in what changed, where inputs are looked for or made of those that were found; None for no marks."""
        self.files = {}
        with contextlib.suppress(KeyError), open(os.environ["ATOLL_GUARD_WATCH"], encoding="utf-8") as f:
            self.files = json.load(f)
        if self.q["mode"] != "explore" and not (self.q["mode"] == "survey" and self.q.get("around")):
            return None
        watch = Watch(self.files)
        watch.install(self.q["mode"] == "explore")
        return watch

    def seed(self, group, index):
        return fnv("%x" % (self.q.get("seed") or 0), group, str(index))

    def cases(self):
        """How many cases a group has: those that are drawn, and edges on top of them, as far as one answer can tell of them. Each
        tree counts the same, also where one has other edges."""
        count = self.q.get("count") or 0
        room = MOST_SURVEYED // sum(len(g) + OF_CASE for g in self.q.get("groups") or ["all"])
        return min(count + count // EDGE_SHARE, room)

    def corpus(self, group):
        return (self.q.get("corpus") or {}).get(group) or []

    def vary(self, d):
        return Vary(d, self.lits, self.edges, self.kept["options"], self.methods, self.givers)

    def methods(self, module, owner):
        """The calls of the methods of a class that were recorded, by name and arguments."""
        if (module, owner) not in self.called:
            out = []
            for g, calls in self.recorded.items():
                name = g.removeprefix(module + ":" + owner + ".")
                if name != g and "." not in name and name not in OPERATORS - CHANGING:
                    out += [(name, *pickle.loads(data)[2:]) for data in calls[:MOST_STEPS]]
            self.called[module, owner] = out
        return self.called[module, owner]

    def beside(self, group, kept, index):
        """A case beside one of some."""
        d = Draws(seed=self.seed(group, index))

        def other(v, d):
            vary = self.vary(d)
            k = d.n(6) if type(v) is str and v else 0
            return vary.rewritten(v) if k == 5 and WRITTEN.search(v) else vary.replaced(v) if k > 3 else vary.other(v)

        return Draws(seed=d.n(MASK), given=beside(kept, d, other))

    def around(self, group, index):
        """A case of the corpus, and then one beside some of it, of which each is made once to know its values."""
        corpus = self.corpus(group)
        if index < len(corpus):
            return Draws(given=corpus[index])
        if group not in self.near_to:
            self.near_to[group] = []
            for choices in corpus:
                self.one(self.position, group, Draws(given=choices), made=True)
                self.near_to[group].append(Kept(choices, self.values))
        return self.beside(group, self.near_to[group], index)

    def draws(self, group, index):
        """The choices of a case: first edges, whatever the seed, then what is drawn, and
        last the edges that may end the process. Where cases are made of the corpus, one of those."""
        if self.q.get("around"):
            return self.around(group, index)
        early, late = self.aims_of(group)
        aims, at = early, index
        if index >= len(early):
            aims, at = late, index - self.cases() + len(late)
        if 0 <= at < len(aims):
            d = Draws(seed=fnv("edge", group, str(index)), aim=aims[at][1])
            d.forced = list(aims[at][0])
            return d
        return Draws(seed=self.seed(group, index - len(early)))

    def aims_of(self, group):
        """Choices and aims of the edges of a group, the most telling first."""
        if group in self.aims:
            return self.aims[group]
        most = min((self.q.get("count") or 0) // EDGE_SHARE, self.cases() // (EDGE_SHARE + 1))
        lists = []
        calls = self.recorded.get(group)
        if calls:
            # The shortest call, one in the middle and the longest, for calls are in that order.
            for base in dict.fromkeys([0, len(calls) // 2, len(calls) - 1, len(calls) // 4]):
                _, _, args, kwargs = pickle.loads(calls[base])
                for at, recipe in enumerate(list(args) + list(kwargs.values())):
                    try:
                        values = near(self.edges, decode(recipe))
                    except (Exception, SystemExit):  # what cannot be made again has no edges
                        continue
                    lists.append([([base, 1, at, 0], ("other", 0, i), is_large(e), len(calls), len(args) + len(kwargs)) for i, e in enumerate(values)])
        else:
            module, name = group.split(":")
            with contextlib.suppress(Exception, SystemExit):
                places = min(3, len(inspect.signature(find(module, name.removesuffix(".__init__"))).parameters))
                for place in range(places):
                    lists += [[([], (kind, place, i), is_large(e), 0, 0) for i, e in enumerate(values)] for kind, values in (("int", self.edges.ints), ("text", self.edges.texts), ("float", self.edges.floats))]
        early, late = [], []
        for choices, aim, large, n_calls, n_args in list(in_turn(*lists))[:most]:
            # A choice of one is none: it is not drawn.
            kept = [c for c, n in zip(choices, (n_calls, 4, n_args, 5)) if n > 1]
            if self.large.get(group):
                kept.insert(0, 0)
            (late if large else early).append((kept, aim))
        large = self.large.get(group) or []
        early[:0] = [([LARGE_SHARE - 1] + [i] * (len(large) > 1), None) for i in range(len(large))]
        self.aims[group] = early, late
        return self.aims[group]

    def one(self, position, group, d, made=False):
        """A case: its call and what came of it in words, and its choices. made: it is not called."""
        random.seed(7)
        self.position = position
        self.dog.begin(position)
        try:
            FILES.clear()
            Calls.begin()
            self.clock.begin()
            if self.watch:
                self.watch.begin()
            shown, outcome, used = self.run(group, d, made)
            shown, outcome = ADDRESS.sub("", shown), ADDRESS.sub("", outcome)  # also of texts that the code makes, such as those of repr
            if FILES.held:  # where they lie is nothing that a tree says
                shown, outcome = PLACE.sub("", shown), PLACE.sub("", outcome)
            return shown, outcome, used
        finally:
            self.dog.end()

    def run(self, group, d, made):
        module, name = group.split(":")
        vary = self.vary(d)
        self.values = vary.places.values
        printed = io.StringIO()
        shown, args, kwargs, me, words = group, [], {}, None, ""
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            try:
                me, words, args, kwargs = self.arguments(group, d, vary)
            except NotMade as e:
                return e.args[0].replace(FLOAT_MARK, ""), e.args[1], d.choices()
            except (Exception, SystemExit) as e:
                return "no input", failure(e), d.choices()
            if made:
                return "", "", d.choices()
            called = module.rsplit(".", 1)[-1] + "." + name.removesuffix(".__init__")
            copies = me is not None and name.rsplit(".", 1)[-1] in records.COPYING
            if copies:
                called, args, kwargs = "copy of " + words, [], {}
            elif me is not None:
                called = words + "." + name.rsplit(".", 1)[-1]
            shown = (called + ("" if copies else call_text(args, kwargs))).replace(FLOAT_MARK, "")
            try:
                if copies:
                    f = functools.partial(records.copied, me)
                elif me is not None:
                    f = inspect.getattr_static(type(me), name.rsplit(".", 1)[-1], None)
                    f = getattr(me, name.rsplit(".", 1)[-1]) if not isinstance(f, property) else (lambda: getattr(me, name.rsplit(".", 1)[-1]))
                else:
                    f = find(module, name.removesuffix(".__init__"))
                result = f(*args, **kwargs)
                if inspect.iscoroutine(result):
                    result = asyncio.run(result)
                given = list(args) + list(kwargs.values())
                taken = sharing.Taken(result) if is_drained(result) else None
                shares = "" if taken else sharing.told(result, result if name.endswith("__init__") else me, given, of_tree)
                outcome = answers(result, in_tree, show, failure) if made_by(result, in_tree) else show(taken or result)
                outcome += sharing.told(taken.items, me, given, of_tree) if taken else shares
            except (Exception, SystemExit) as e:
                outcome = failure(e)
            after = [show(a) for a in list(args) + list(kwargs.values()) if isinstance(a, (list, dict, set, bytearray)) or rest_of(a)]
            if after:
                outcome += "; arguments after it " + ", ".join(after)
            if me is not None:
                outcome += "; self after it " + show(me)
            if FILES.held:
                outcome += FILES.after(list(args) + list(kwargs.values()))
        if printed.getvalue():
            outcome += "; printed " + repr(printed.getvalue()[:LONGEST])
        return shown, outcome[: 2 * LONGEST], d.choices()

    def arguments(self, group, d, vary):
        calls, large = self.recorded.get(group), self.large.get(group)
        if large and d.n(LARGE_SHARE) == LARGE_SHARE - 1:  # as it was: one that is varied takes long
            _, own, args, kwargs = pickle.loads(large[d.n(len(large))])
            return *self.object_of(own, None), [decode(a) for a in args], {k: decode(v) for k, v in kwargs.items()}
        if not calls:
            return self.invented(group, d, vary)
        _, own, args, kwargs = pickle.loads(calls[d.n(len(calls))])
        args, kwargs = [decode(a) for a in args], {k: decode(v) for k, v in kwargs.items()}
        names = self.kept["names"].get(group, [])
        times = d.n(4)
        vary.as_it_was, vary.own = not times, 0 if args or kwargs else times
        for _ in range(times if args or kwargs else 0):
            at = d.n(len(args) + len(kwargs))
            if at < len(args):
                args[at] = self.another(args[at], group, names[at] if at < len(names) else "", vary)
            else:
                k = list(kwargs)[at - len(args)]
                kwargs[k] = self.another(kwargs[k], group, k, vary)
        self.keyword(group, names, kwargs, vary)
        args, kwargs = vary.places.through(args, len(names)), vary.places.through(kwargs)
        return *self.object_of(own, vary), args, kwargs

    def another(self, v, group, name, vary):
        """Another value for a parameter: one beside it, one of its name elsewhere, or one of a type that it is asked for."""
        d = vary.d
        if d.aim and not d.forced:
            d.forced.append(0)
        kind = d.n(5)
        asked, pool = self.asked.get(group, {}).get(name, []), self.kept["pool"].get(name)
        asked = [k for k in asked if k != "text" or has_texts(v)]
        if asked and kind > 2:
            return as_type(v, d.pick(asked), d)
        inner = self.inner.get(group)
        if inner and kind == 2:
            return as_type(v, d.pick(inner), d)
        if pool and kind == 4:
            return decode(d.pick(pool))
        return vary.other(v)

    def keyword(self, group, names, kwargs, vary):
        """One more keyword for what takes any: one that its module knows."""
        module = group.split(":")[0]
        known = {k: v for k, v in self.kept["keywords"].get(module, {}).items() if k not in names}
        if group in self.kept["open"] and known and vary.d.chance(2):
            for _ in range(1 + vary.d.n(3)):
                k = vary.d.pick(list(known))
                pool = self.kept["pool"].get(k)
                kwargs[k] = decode(vary.d.pick(pool)) if pool and type(known[k]) is not bool and vary.d.n(2) else vary.other(known[k])

    def object_of(self, own, vary):
        """The object of a call and how it is made in words."""
        if own is None:
            return None, ""
        if own[0] == "made":
            return made(own, vary)
        me = decode(own)
        if vary and records.is_record(me):
            for _ in range(vary.own or int(vary.d.chance(4))):
                me = vary.other(me)
            me = records.through(me, lambda x: vary.places.value(x, 0))
        return me, show(me, live=True)

    def makers(self, group):
        """How objects of the class of a method were made in any call."""
        module, name = group.split(":")
        owner = name.rpartition(".")[0]
        if (module, owner) not in self.made:
            out = {}
            for g, calls in self.recorded.items():
                if g.startswith(module + ":" + owner + "."):
                    for data in calls:
                        _, own, args, kwargs = pickle.loads(data)
                        recipe = ("made", module, owner, (args, kwargs), (), {}) if g.endswith("__init__") else own
                        out[repr(recipe)] = recipe
            self.made[module, owner] = [out[k] for k in sorted(out, key=lambda k: (len(k), k)) if out[k] is not None]
        return self.made[module, owner]

    def invented(self, group, d, vary):
        """A call of what no test calls: arguments by the names and notes of its parameters."""
        module, name = group.split(":")
        owner, _, method = name.rpartition(".")
        f = find(module, name.removesuffix(".__init__"))
        if not owner or method == "__init__" or not inspect.isroutine(f) and not isinstance(f, property):
            return None, "", *self.invented_arguments(f, vary, group)
        held = inspect.getattr_static(find(module, owner), method)
        if isinstance(held, (staticmethod, classmethod)):
            return None, "", *self.invented_arguments(f, vary, group)
        recipes = self.makers(group)
        if recipes:
            me, words = self.object_of(d.pick(recipes), vary)
        else:
            args, kwargs = self.invented_arguments(find(module, owner), vary, module + ":" + owner + ".__init__")
            words = owner + call_text(args, kwargs)
            try:
                me = find(module, owner)(*args, **kwargs)
            except (Exception, SystemExit) as e:
                raise NotMade(words, failure(e)) from None
        return me, words, *(([], {}) if isinstance(held, property) else self.invented_arguments(f, vary, group, 1))

    def invented_arguments(self, f, vary, group, skip=0):
        d, args, kwargs = vary.d, [], {}
        asked = self.asked.get(group, {})
        for p in list(inspect.signature(f).parameters.values())[skip:]:
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                if p.default is not p.empty and d.n(3) == 0:
                    break
                args.append(self.value_for(p, vary, asked))
            elif p.kind is p.VAR_POSITIONAL:
                args += [vary.anything() for _ in range(d.n(4))]
            elif p.kind is p.KEYWORD_ONLY and (p.default is p.empty or d.n(2)):
                kwargs[p.name] = self.value_for(p, vary, asked)
        return vary.places.through(args), vary.places.through(kwargs)

    def value_for(self, p, vary, asked):
        if "function" in asked.get(p.name, ()) and vary.d.n(4):
            return vary.d.pick(FUNCTIONS)
        pool = self.kept["pool"].get(p.name)
        if pool and not vary.d.chance(3):
            v = decode(vary.d.pick(pool))
            return vary.other(v) if vary.d.n(2) else v
        if p.annotation is p.empty and p.default in (p.empty, None):  # most often a text
            kinds = [vary.text, vary.integer, vary.number, vary.anything, vary.text, vary.text]
            if vary.d.aim:
                vary.d.forced.insert(0, {"text": 0, "int": 1, "float": 2}.get(vary.d.aim[0], 3))
            return vary.d.pick(kinds)()
        return vary.like(p)

    def exists(self, group):
        module, name = group.split(":")
        try:
            f = find(module, name.removesuffix(".__init__"))
        except (ImportError, AttributeError):
            return None
        if name.rsplit(".", 1)[-1] in OPERATORS - {"__init__", "__call__"}:
            return ""  # nobody names their parameters
        try:
            return "(" + ", ".join(p.name + ("=" if p.default is not p.empty else "") for p in inspect.signature(f).parameters.values()) + ")"
        except (TypeError, ValueError):
            return ""

    def survey(self):
        q = self.q
        groups = [g for g in self.groups if not q.get("groups") or g in q["groups"]]
        if not q.get("from"):
            for g in self.groups:
                signature = self.exists(g)
                if signature is not None:
                    self.write(k="group", g=g, sig="def", late=g in self.kept["inherited"])
        if q.get("backwards"):
            groups.reverse()
        omit, skip = set(q.get("omit") or []), set(q.get("skip") or [])
        position = 0
        for g in groups:
            started = False
            for i in range(self.cases()):
                position += 1
                if position <= (q.get("from") or 0) or g in skip:
                    continue
                if not started:
                    started = True
                    self.write(k="start", g=g, i=i, p=position)
                if position in omit:
                    continue
                shown, out, _ = self.one(position, g, self.draws(g, i))
                way = {"path": "%x" % self.watch.way()} if self.watch else {}
                self.write(k="case", g=g, i=i, p=position, **{"in": short(shown), "out": short(out)}, **way)

    def explore(self):
        """Answers with the cases that are worth doing again, the groups in the order of the request."""
        q, position = self.q, 0
        for g in [g for g in q["groups"] if g in self.groups]:
            x, started = Explorer(), False
            for i in range(len(self.recorded.get(g) or []) + self.cases()):
                position += 1
                if position <= (q.get("from") or 0) or g in (q.get("skip") or []) or x.full():
                    continue
                if not started:
                    started = True
                    self.write(k="start", g=g, i=i, p=position)
                d = self.next_of(g, i, x)
                _, _, used = self.one(position, g, d)
                if self.watch.direct and not x.reaching:
                    x.reaching = True
                    self.write(k="reach", g=g)
                if x.learn(Kept(used, self.values), self.watch.ran, self.watch.pairs):
                    self.write(k="keep", g=g, i=i, p=position, c=used)

    def next_of(self, group, index, x):
        """The next case of a search: first the recorded calls as they were, then one that it asks for, or a new one."""
        calls = self.recorded.get(group) or []
        if index < len(calls):
            # A choice of one is none: it is not drawn.
            return Draws(given=spelled({}) + [0] * bool(self.large.get(group)) + [index] * (len(calls) > 1))
        index -= len(calls)
        choices = x.next(index, self.corpus(group))
        if choices is not None:
            return Draws(given=choices)
        if x.kept and index % 4:
            return self.beside(group, x.kept, -1 - index)
        d = self.draws(group, index)
        d.put = {}
        return d

    def full(self, cases):
        told = 0
        for n, (g, d) in enumerate(cases):
            if told > MOST_TOLD:
                return
            if n < (self.q.get("from") or 0):
                continue
            self.write(k="start", g=g, i=n, p=n + 1)
            shown, out, used = self.one(n + 1, g, d)
            self.write(k="case", g=g, i=n, p=n + 1, out=out, c=used, **{"in": shown})
            told += len(shown) + len(out) + 3 * len(used)

    def answer(self):
        q = self.q
        cases = q.get("cases") or []
        if q["mode"] == "survey":
            self.survey()
        elif q["mode"] == "explore":
            self.explore()
        elif q["mode"] == "detail":
            self.full([(c["group"], Draws(given=c["choices"]) if c.get("choices") else self.draws(c["group"], c["index"])) for c in cases])
        elif q["mode"] == "shrink":
            c = cases[0]
            self.full([(c["group"], Draws(given=v)) for v in [c["choices"]] + simpler(c["choices"], variants)])
        self.write(k="end")


def literals(files):
    out = {"strings": [], "ints": [], "floats": []}
    for name in files:
        try:
            with open(name, encoding="utf-8") as f:
                tree = ast.parse(f.read())
        except (OSError, SyntaxError, ValueError):
            continue
        for n in ast.walk(tree):
            if isinstance(n, ast.Constant):
                kind = {str: "strings", int: "ints", float: "floats"}.get(type(n.value))
                if kind == "ints" and abs(n.value) >= 1 << 63 or kind == "floats" and abs(n.value) == float("inf"):
                    continue
                if kind and len(out[kind]) < 300 and n.value not in out[kind] and (kind != "strings" or len(n.value) < 2000):
                    out[kind].append(n.value)
    return out


def main():
    sys.path[:0] = [TREE] + ([os.path.join(TREE, "src")] if os.path.isdir("src") else [])
    sys.setrecursionlimit(2000)
    with open(os.environ["ATOLL_GUARD_REQUEST"], encoding="utf-8") as f:
        q = json.load(f)
    mode = q["mode"]
    if mode == "record":
        record(q)
        return
    if mode == "affected":
        result = affected(q)
        sources = q.get("files") or []
        result["literals"] = literals((q.get("testfiles") or []) + sources)
        result["literals"]["edges"] = constants_of_change(q.get("sources") or {})
        result["extra"] = public_names(sources)
        result["beyond"] = of_change(q.get("sources") or {})
        with open(os.environ["ATOLL_GUARD_RESULT"], "w", encoding="utf-8") as f:
            json.dump(result, f)
        return
    with contextlib.suppress(Exception):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    first = os.open(os.environ["ATOLL_GUARD_RESULT"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    out = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, FAR)
    os.close(first)
    lines = Lines(q.get("changed") or [])
    session = Session(q, out)
    lines.start()
    try:
        session.answer()
    finally:
        lines.stop()


if __name__ == "__main__":
    main()
