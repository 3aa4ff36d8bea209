"""Runs the tests of a project, and prints which of its functions they call, and with what.

    python3 record.py -m pytest -q
"""
import contextlib
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


class Recorder:
    def __init__(self):
        self.known, self.found, self.size, self.busy = {}, {}, 0, threading.local()
        self.spent = {}  # seconds by what the tests call, with all that it calls
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

    def profile(self, frame, event, _):
        busy = self.busy
        if event == "return" and getattr(busy, "outer", None) is frame:
            self.spent[busy.name] = self.spent.get(busy.name, 0) + time.thread_time() - busy.began
            busy.outer = None
        if event != "call":
            return
        code = frame.f_code
        if PLACES.get(code.co_filename, "source") != "source" or place(code.co_filename) != "source":
            return
        known = self.known.get(id(code))
        if known is None:  # a generator comes back to later places
            known = self.known[id(code)] = (self.name(frame), frame.f_lasti, code)
        if getattr(busy, "now", False) or code.co_name == "<module>" or not tested(frame):
            return
        busy.now = True
        name, drop = known[0], False
        try:
            if name is None:
                name, drop = self.bound(frame)
            if name is not None and known[1] == frame.f_lasti:
                self.keep(name, frame, drop)
        except Exception:
            pass  # what cannot be looked at is not recorded
        finally:
            busy.now = False
        if getattr(busy, "outer", None) is None:
            busy.outer, busy.name, busy.began = frame, name or label(frame), time.thread_time()

    def keep(self, name, frame, drop):
        if sys.path != self.path:  # a runner of tests may take back what it adds
            self.path = list(sys.path)
            self.paths = self.path + [p for p in self.paths if p not in self.path]
        entry = self.found.setdefault(name, {"name": name, "count": 0, "calls": []})
        entry["count"] += 1
        if len(entry["calls"]) == MOST_CALLS or entry["count"] > 20 * MOST_CALLS or self.size > MOST_BYTES:
            return
        code, values = frame.f_code, frame.f_locals
        names, at = code.co_varnames, code.co_argcount + code.co_kwonlyargcount
        args = [values[n] for n in names[: code.co_argcount]]
        kwargs = {n: values[n] for n in names[code.co_argcount : at]}
        if code.co_flags & inspect.CO_VARARGS:
            args += values[names[at]]
            at += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            kwargs.update(values[names[at]])
        if drop:
            args = args[1:]
        call = {"args": work.text(tuple(args)), "kwargs": work.text(kwargs)}
        if call not in entry["calls"]:
            entry["calls"].append(call)
            self.size += len(call["args"]) + len(call["kwargs"])

    def say(self, out):
        files = {getattr(m, "__file__", None) for m in list(sys.modules.values())}
        files = sorted(os.path.relpath(os.path.realpath(f), TREE) for f in files if f and f.endswith(".py") and place(f) == "source")
        found = [e for e in self.found.values() if e["calls"]]
        out.write("\n" + MARK + json.dumps({"files": files, "functions": found, "spent": self.spent, "paths": folders(self.paths)}) + "\n")
        out.flush()


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    r = Recorder()

    def late(*_):
        sys.setprofile(None)
        r.say(out)
        os._exit(0)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    words = sys.argv[1:]
    sys.path[:1] = [p for p in (os.path.join(TREE, "src"), TREE) if os.path.isdir(p)]
    sys.argv = words[1:] if words[0] == "-m" else words
    sys.setprofile(r.profile)
    threading.setprofile(r.profile)
    with contextlib.suppress(SystemExit):
        if words[0] == "-m":
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(words[0], run_name="__main__")
    late()


if __name__ == "__main__":
    main()
