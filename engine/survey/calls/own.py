"""Runs the tests of a project, and prints how much processor time they spend in the files of the tree, and elsewhere (with no name), in ms.

    python3 own.py -m pytest -q
"""
import collections
import contextlib
import json
import os
import runpy
import signal
import sys

TREE = os.path.realpath(os.getcwd()) + os.sep
MARK = "ATOLL_OWN "
SECONDS = 120
EACH = 0.001  # s of processor time between two looks

SPENT = collections.Counter()
PLACES = {}


def place(filename):
    """A file relative to the tree; "" for what lies elsewhere."""
    if filename not in PLACES:
        path = os.path.realpath(filename)
        inside = path.startswith(TREE) and not filename.startswith("<") and "site-packages" not in path
        PLACES[filename] = path[len(TREE) :] if inside else ""
    return PLACES[filename]


def look(_, frame):
    """Counts a look for the innermost file of the tree: what that calls elsewhere is its own time."""
    while frame is not None and not place(frame.f_code.co_filename):
        frame = frame.f_back
    SPENT[place(frame.f_code.co_filename) if frame else ""] += 1


def main():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def late(*_):
        signal.setitimer(signal.ITIMER_PROF, 0)
        looks = sum(SPENT.values())
        user, system, *started = os.times()[:4]
        each = 1000 * (user + system) / max(1, looks)
        seen = {} if sum(started) > user + system else {file: n * each for file, n in SPENT.items()}  # what is started is not looked into
        out.write("\n" + MARK + json.dumps(seen) + "\n")
        out.flush()
        os._exit(0)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    words = sys.argv[1:]
    sys.path[:1] = [p for p in (TREE + "src", TREE[:-1]) if os.path.isdir(p)]
    sys.argv = words[1:] if words[0] == "-m" else words
    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, EACH, EACH)
    with contextlib.suppress(SystemExit):
        if words[0] == "-m":
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(words[0], run_name="__main__")
    late()


if __name__ == "__main__":
    main()
