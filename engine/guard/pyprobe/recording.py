"""Runs the tests of a tree, and what measures it, while a recorder looks on.

Standard library only.
"""
import contextlib
import gc
import io
import os
import pickle
import runpy
import signal
import sys
import threading

import atoll_guard_turns as turns
from atoll_guard_lines import Lines
from atoll_guard_recorder import Recorder
from atoll_guard_room import bounded
from atoll_guard_watchdog import SLACK

SCRIPT_SECONDS = 20


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
            sys.argv = words[1:] + (["-p", turns.NAME] if words[1] == "pytest" else [])
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


def keep_up(recorder):
    """Has a recorder watch on where Python took its function away, as it does where code runs out of stack, or where it had seen enough of a
    test: at the beginning of the next one, and the former whenever garbage is collected. It returns what ends that."""
    turns.of_unittest()
    turns.before.append(recorder.turn)

    def lost(*_):
        if not recorder.saw_enough():
            recorder.watch()

    gc.callbacks.append(lost)

    def done():
        turns.before.remove(recorder.turn)
        gc.callbacks.remove(lost)

    return done


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


def run_all(q, between=lambda: None):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run_tests(q.get("tests") or [])
        between()
        run_scripts(q.get("scripts") or [])


def count(q):
    """Tells which lines of the changed files the tests run."""
    lines = Lines(q["changed"])
    back = ended_by_tests(lines.stop)
    lines.start()
    try:
        run_all(q)
    finally:
        back()
        lines.stop()


def record(q):
    """Keeps the calls that the tests make."""
    r, place = Recorder(), os.environ["ATOLL_GUARD_RECORDING"]

    def save():
        sys.settrace(None)
        with open(place, "wb") as f:
            pickle.dump(bounded(r.saved()), f, 4)

    done = keep_up(r)
    back = ended_by_tests(save)
    sys.settrace(r.trace)
    threading.settrace(r.trace)
    try:
        run_all(q, r.more)
    finally:
        back()
        done()
    save()
