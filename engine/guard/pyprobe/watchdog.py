"""Ends a process in a case that takes too long, by the clock and by what the processor gave it.

Standard library only.
"""
import contextlib
import json
import mmap
import os
import select
import signal
import struct
import time

from atoll_guard_reach import watched

SHORTEST = 1  # seconds that a case may take in any event
SLACK = 4  # times its processor time that something may take by the clock


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
