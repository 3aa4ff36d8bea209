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


def unwrapped(value):
    try:
        return inspect.unwrap(value)
    except Exception:
        return None


class Recorder:
    def __init__(self):
        self.known, self.found, self.size, self.busy = {}, {}, 0, threading.local()

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

    def profile(self, frame, event, _):
        if event != "call":
            return
        code = frame.f_code
        if PLACES.get(code.co_filename, "source") != "source" or place(code.co_filename) != "source":
            return
        known = self.known.get(id(code))
        if known is None:  # a generator comes back to later places
            known = self.known[id(code)] = (self.name(frame), frame.f_lasti, code)
        if known[0] is None or known[1] != frame.f_lasti or getattr(self.busy, "now", False):
            return
        self.busy.now = True
        try:
            back = frame.f_back
            while back is not None and not place(back.f_code.co_filename):
                back = back.f_back
            if back is None or place(back.f_code.co_filename) == "test":
                self.keep(known[0], frame)
        except Exception:
            pass  # what cannot be looked at is not recorded
        finally:
            self.busy.now = False

    def keep(self, name, frame):
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
        call = {"args": work.text(tuple(args)), "kwargs": work.text(kwargs)}
        if call not in entry["calls"]:
            entry["calls"].append(call)
            self.size += len(call["args"]) + len(call["kwargs"])

    def say(self, out):
        files = {getattr(m, "__file__", None) for m in list(sys.modules.values())}
        files = sorted(os.path.relpath(os.path.realpath(f), TREE) for f in files if f and f.endswith(".py") and place(f) == "source")
        out.write("\n" + MARK + json.dumps({"files": files, "functions": [e for e in self.found.values() if e["calls"]]}) + "\n")
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
