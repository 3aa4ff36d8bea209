"""The half of the guard that runs inside a Python tree.

It records the calls that the tests make, and gives the same calls, as they were
and varied, to whichever tree it stands in. A case is a list of choices: the same
choices make the same call in every tree, and smaller ones a simpler call. The
protocol is that of the Go probe: one JSON request, one JSON answer a line.

Standard library only.
"""
import contextlib
import fcntl
import json
import os
import sys

from atoll_guard_beyond import of_change
from atoll_guard_edges import constants_of_change
from atoll_guard_lines import Lines
from atoll_guard_offers import public_names
from atoll_guard_reach import affected, literals
from atoll_guard_recording import count, record
from atoll_guard_session import Session
from atoll_guard_tree import TREE

FAR = 763  # the result is open at no number that code is likely to close, given one for a file


def main():
    sys.path[:0] = [TREE] + ([os.path.join(TREE, "src")] if os.path.isdir("src") else [])
    sys.setrecursionlimit(2000)
    with open(os.environ["ATOLL_GUARD_REQUEST"], encoding="utf-8") as f:
        q = json.load(f)
    mode = q["mode"]
    if mode in ("record", "count"):
        (record if mode == "record" else count)(q)
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
    session = Session(q, out, lines)
    lines.start()
    try:
        session.answer()
    finally:
        lines.stop()


if __name__ == "__main__":
    main()
