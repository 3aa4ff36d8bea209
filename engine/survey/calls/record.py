"""Runs the tests of a project, and prints which of its functions they call, and with what.

    python3 record.py -m pytest -q
"""
import contextlib
import functools
import inspect
import json
import os
import re
import runpy
import signal
import sys
import threading
import time

import work

TREE = os.path.realpath(os.getcwd())
MARK = "ATOLL_CALLS "
MOST_CALLS = 30  # of one function
MOST_LOOKS = 100 * MOST_CALLS  # at what one function is called with
MOST_STEPS = 30  # calls of methods of one object
MOST_BYTES = 300000
SECONDS = 120


PLACES = {}
UNITTEST = re.compile(r"^(?:import|from) unittest\b.*^class \w+\([^)]*\bTestCase\b", re.M | re.S)


def tests(path):
    """Whether a file holds tests of the standard library, whatever its name."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return UNITTEST.search(f.read()) is not None
    except OSError:
        return False


def place(filename):
    """source, test or "" for what lies elsewhere."""
    if filename not in PLACES:
        path = os.path.realpath(filename)
        parts = os.path.relpath(path, TREE).split(os.sep)
        inside = path.startswith(TREE + os.sep) and not filename.startswith("<") and not any(p in ("site-packages", "node_modules", ".venv", "venv") for p in parts)
        test = any(p in ("test", "tests", "testing") for p in parts[:-1]) or parts[-1].startswith("test") or parts[-1].endswith("_test.py") or parts[-1] in ("conftest.py", "setup.py") or parts[0] in ("doc", "docs", "examples")
        PLACES[filename] = ("test" if test or tests(path) else "source") if inside else ""
    return PLACES[filename]


def folders(paths):
    """Those of the tree from which modules are imported, relative to its top."""
    found = []
    for p in paths:
        p = os.path.realpath(p)
        if os.path.isdir(p) and place(os.path.join(p, "module.py")):
            found.append(os.path.relpath(p, TREE))
    return list(dict.fromkeys(found))


def unwrapped(value):
    try:
        return inspect.unwrap(value)
    except Exception:
        return None


def tested(frame):
    """Whether tests call the function of a frame, by what lies elsewhere or at once."""
    back = frame.f_back
    while back is not None and not place(back.f_code.co_filename):
        back = back.f_back
    return back is None or place(back.f_code.co_filename) == "test"


def public(kind):
    """Whether a name leads to a class that is no test's."""
    return not any(part.startswith("_") for part in kind.__qualname__.split(".")) and work.known(kind) and kind.__module__ != "builtins"


def label(frame):
    """What people call the function of a frame."""
    code, first = frame.f_code, frame.f_code.co_varnames[:1]
    name = getattr(code, "co_qualname", code.co_name)
    if name == code.co_name and first in (("self",), ("cls",)) and first[0] in frame.f_locals:
        owner = frame.f_locals[first[0]]
        name = (owner if isinstance(owner, type) else type(owner)).__name__ + "." + name
    return "%s:%s" % (frame.f_globals.get("__name__", ""), name)


def given(frame, drop):
    """What the function of a frame is called with, without its first argument where drop says so."""
    code, values = frame.f_code, frame.f_locals
    names, at = code.co_varnames, code.co_argcount + code.co_kwonlyargcount
    args = [values[n] for n in names[: code.co_argcount]]
    kwargs = {n: values[n] for n in names[code.co_argcount : at]}
    if code.co_flags & inspect.CO_VARARGS:
        args += values[names[at]]
        at += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(values[names[at]])
    return {"args": work.text(tuple(args[1:] if drop else args)), "kwargs": work.text(kwargs)}


def spread(calls):
    """Up to MOST_CALLS of some, from all over them, none twice."""
    once = [c for i, c in enumerate(calls) if c not in calls[:i]]
    n = min(len(once), MOST_CALLS)
    return [once[i * len(once) // n] for i in range(n)]


class Recorder:
    def __init__(self):
        self.known, self.found, self.size, self.busy = {}, {}, 0, threading.local()
        self.spent = {}  # seconds by what the tests call, with all that it calls
        self.lives, self.births = {}, {}  # of objects by address until another is made there; how many by class
        self.path, self.paths = [], []  # sys.path as it was last, and all that was ever on it

    def name(self, frame):
        """Where a caller finds the function of a frame; None where no name leads to it."""
        code = frame.f_code
        module = sys.modules.get(frame.f_globals.get("__name__", ""))
        if module is None or module.__name__ == "__main__":
            return None
        for name, value in list(vars(module).items()):
            if not name.startswith("_") and callable(value) and getattr(unwrapped(value), "__code__", None) is code:
                return module.__name__ + ":" + name
        return None

    def wraps(self, frame):
        """Where a caller finds what a function that a decorator made stands for, such as that of functools.wraps: of it there are many
        with one code, which tell themselves apart by what they hold. None for any other."""
        for held in frame.f_code.co_freevars:
            f = frame.f_locals.get(held)
            name, module = getattr(f, "__qualname__", ""), sys.modules.get(getattr(f, "__module__", None) or "")
            found = vars(module).get(name) if module and inspect.isfunction(f) and not name.startswith("_") else None
            if found is not None and getattr(found, "__code__", None) is frame.f_code and getattr(found, "__wrapped__", None) is f:
                return module.__name__ + ":" + name
        return None

    def bound(self, frame):
        """Where a caller finds the constructor, class method or static method of a frame; None where no name leads
        to it. Whether its first argument is what it is bound to."""
        code, module = frame.f_code, sys.modules.get(frame.f_globals.get("__name__", ""))
        name = code.co_name
        if name != "__init__" and name.startswith("_"):
            return None, False
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        owner = first if isinstance(first, type) else type(first)
        if public(owner):
            found = inspect.getattr_static(owner, name, None)
            if name == "__init__" and owner.__new__ is object.__new__ and not isinstance(first, type) and getattr(found, "__code__", None) is code:
                return "%s:%s" % (owner.__module__, owner.__qualname__), True
            if isinstance(found, classmethod) and isinstance(first, type) and getattr(found.__func__, "__code__", None) is code:
                return "%s:%s.%s" % (owner.__module__, owner.__qualname__, name), True
        for owner in [v for v in list(vars(module).values()) if isinstance(v, type) and public(v)]:
            found = vars(owner).get(name)
            if isinstance(found, staticmethod) and getattr(found.__func__, "__code__", None) is code:
                return "%s:%s.%s" % (owner.__module__, owner.__qualname__, name), False
        return None, False

    def trace(self, frame, event, _):
        """A function for sys.settrace, which is told of calls alone: sys.setprofile would be of those of C as well, and take twice as long."""
        busy, code = self.busy, frame.f_code
        if PLACES.get(code.co_filename, "source") != "source" or place(code.co_filename) != "source":
            return None
        known = self.known.get(id(code))
        if known is None:  # a generator comes back to later places
            known = self.known[id(code)] = (self.name(frame), frame.f_lasti, code)
        if getattr(busy, "now", False) or code.co_name == "<module>":
            return None
        busy.now, busy.ends, by_tests = True, None, tested(frame)
        name = known[0]
        try:
            if by_tests or code.co_name == "__init__":
                name = self.look(name, frame, known[1] == frame.f_lasti, by_tests)
        except Exception:
            pass  # what cannot be looked at is not recorded
        finally:
            busy.now = False
        if by_tests and getattr(busy, "outer", None) is None:
            busy.outer, busy.name, busy.ended, busy.failed, busy.began = frame, name or label(frame), busy.ends, False, time.thread_time()
            frame.f_trace_lines = False
            return self.returned
        if busy.ends:
            busy.ends(False)
        return None

    def returned(self, frame, event, value):
        """Is told what happens in the frame of what a test calls, but for its lines. What gives nothing once an exception
        was there is taken for one that raises."""
        busy = self.busy
        if getattr(busy, "outer", None) is not frame:
            return self.returned
        if event == "exception":
            busy.failed = True
        elif event == "return":
            self.spent[busy.name] = self.spent.get(busy.name, 0) + time.thread_time() - busy.began
            busy.outer = None
            if busy.ended:
                busy.ended(busy.failed and value is None)
        return self.returned

    def look(self, name, frame, entered, by_tests):
        """Records what the function of a frame is called with; the name by which its time goes, None for its own."""
        drop, name = False, name or self.wraps(frame)
        if name is None:
            name, drop = self.bound(frame)
        if name is None and by_tests:
            return self.step(frame, entered)
        if name is None or not entered or frame.f_code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return name
        if drop and frame.f_code.co_name == "__init__":
            self.born(name, frame, by_tests)
        else:
            entry = self.entry(name)
            entry["count"] += 1
            if entry["count"] <= MOST_LOOKS and self.size <= MOST_BYTES:
                self.busy.ends = functools.partial(self.keep, entry, given(frame, drop))
        return name

    def keep(self, entry, call, raised):
        """Has a call be one of its function: of those that return up to twice MOST_CALLS, spread over all of them."""
        key = call["args"], call["kwargs"]
        if key in entry["seen"]:
            return
        entry["seen"].add(key)
        if raised:
            if len(entry["raised"]) < MOST_CALLS:
                entry["raised"].append(call)
            return
        entry["returned"] += 1
        if (entry["returned"] - 1) % entry["step"]:
            return
        calls = entry["calls"]
        self.add(calls, call)
        if len(calls) == 2 * MOST_CALLS:
            self.size -= sum(len(c["args"]) + len(c["kwargs"]) for c in calls[1::2])
            del calls[1::2]
            entry["step"] *= 2

    def born(self, name, frame, by_tests):
        """Notes how an object is made. What tests make counts at once, what the project itself makes when tests call it."""
        first = frame.f_locals[frame.f_code.co_varnames[0]]
        self.lives.pop(id(first), None)
        self.births[name] = self.births.get(name, 0) + 1
        if by_tests:
            self.entry(name)["count"] += 1
        if self.births[name] <= MOST_LOOKS and self.size <= MOST_BYTES:
            life = self.lives[id(first)] = {"name": name, "call": given(frame, True), "counted": by_tests, "over": False}
            if by_tests:
                self.have(life)
                self.busy.ends = functools.partial(self.made, self.entry(name), life["call"])

    def made(self, entry, call, raised):
        """An object is made, or its constructor raised: then that call is none to make again."""
        at = [i for i, c in enumerate(entry["calls"]) if c is call]
        if raised and at:
            entry["raised"].append(entry["calls"].pop(at[0]))

    def have(self, life):
        """Has a life be one of the calls of its class."""
        entry = self.entry(life["name"])
        entry["count"] += not life["counted"]
        life["counted"], calls = True, entry["calls"]
        if len(calls) < 2 * MOST_CALLS and self.size <= MOST_BYTES:  # some come out alike
            self.add(calls, life["call"])

    def step(self, frame, entered):
        """Notes that tests call a method of an object; the name of its class where that can be made again.

        What cannot be made again may change the object, so nothing behind it is recorded of that one."""
        code = frame.f_code
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        kind, name = type(first), code.co_name
        if not public(kind) or getattr(unwrapped(inspect.getattr_static(kind, name, None)), "__code__", None) is not code:
            return None
        known = "%s:%s" % (kind.__module__, kind.__qualname__)
        life = self.lives.get(id(first))
        if entered and kind.__init__ is object.__init__ and kind.__new__ is object.__new__ and not vars(first):  # as new
            life = self.lives[id(first)] = {"name": known, "call": {"args": "()", "kwargs": "{}"}, "counted": False, "over": False}
        if life is None or life["name"] != known or life["over"]:
            return None
        steps = life["call"].setdefault("then", [])
        if not entered or len(steps) == MOST_STEPS or self.size > MOST_BYTES:
            return known
        special = name.startswith("__") and name.endswith("__")
        life["over"] = not special  # unless it can be written down
        if name.startswith("_") and not special or code.co_flags & inspect.CO_COROUTINE:
            return None
        self.add(steps, dict(given(frame, True), method=name))
        life["over"] = False
        if not life["counted"]:
            self.have(life)
        return known

    def entry(self, name):
        return self.found.setdefault(name, {"name": name, "count": 0, "calls": [], "raised": [], "seen": set(), "returned": 0, "step": 1})

    def add(self, calls, call):
        if sys.path != self.path:  # a runner of tests may take back what it adds
            self.path = list(sys.path)
            self.paths = self.path + [p for p in self.paths if p not in self.path]
        calls.append(call)
        self.size += len(call["args"]) + len(call["kwargs"])

    def say(self, out):
        files = {getattr(m, "__file__", None) for m in list(sys.modules.values())}
        files = sorted(os.path.relpath(os.path.realpath(f), TREE) for f in files if f and f.endswith(".py") and place(f) == "source")
        found = [{"name": e["name"], "count": e["count"], "calls": spread(e["calls"] or e["raised"])} for e in self.found.values() if e["calls"] or e["raised"]]
        out.write("\n" + MARK + json.dumps({"files": files, "functions": found, "spent": self.spent, "paths": folders(self.paths)}) + "\n")
        out.flush()


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    r = Recorder()

    def late(*_):
        sys.settrace(None)
        r.say(out)
        os._exit(0)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    words = sys.argv[1:]
    sys.path[:1] = [p for p in (os.path.join(TREE, "src"), TREE) if os.path.isdir(p)]
    sys.argv = words[1:] if words[0] == "-m" else words
    sys.settrace(r.trace)
    threading.settrace(r.trace)
    with contextlib.suppress(SystemExit):
        if words[0] == "-m":
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(words[0], run_name="__main__")
    late()


if __name__ == "__main__":
    main()
