"""Which lines of some files run.

Standard library only.
"""
import os
import sys
import threading
import types

from atoll_guard_tree import TREE

COVER_FILE = "atoll_guard_cover.out"
MOST_COUNTED = 200  # cases of a process: to count takes more time than most cases do
SHARE = 8  # and one of so many behind them


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

    def of_case(self, position):
        """Counts the lines of the first cases, and of some behind them."""
        if self.files:
            sys.settrace(self.trace if position <= MOST_COUNTED or position % SHARE == 0 else None)

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
