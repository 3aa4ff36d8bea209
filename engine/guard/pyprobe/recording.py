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
from atoll_guard_tables import tables_of
from atoll_guard_tree import tests_of_tree
from atoll_guard_watchdog import SLACK

SCRIPT_SECONDS = 20
SHARE_OF_TESTS = 0.8  # of what a recording may take: what is left is for keeping it
MOST_FILES = 50  # of tests that are named
EVERY_TEST = ["-p", turns.NAME, "--continue-on-collection-errors", "--maxfail=0"]  # for pytest: one that fails costs no other its calls


def run_tests(words):
    """Runs the tests as the words say, or as they are found. Where a framework finds none, it is given the files that hold some by their names."""
    began = []
    turns.before.append(lambda: began or began.append(True))
    for attempt in [words] if words else ways():
        run(attempt)
    if not began and words[:1] in ([], ["-m"]):
        run([*(words or ways()[0])[:2], "-q", *tests_of_tree()[:MOST_FILES]])


def ways():
    """How tests are run that nobody has said how to run, as words after the interpreter."""
    try:
        import pytest  # noqa: F401

        return [["-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]]
    except ImportError:
        out = [["-m", "unittest", "discover", "-q"]]
        for d in ("tests", "test"):
            if os.path.isdir(d):
                out.append(["-m", "unittest", "discover", "-q", "-s", d] + (["-t", "."] if os.path.exists(os.path.join(d, "__init__.py")) else []))
        return out


def run(words):
    """Runs a module or a file as a program of its own."""
    with contextlib.suppress(SystemExit):
        if words[:1] == ["-m"]:
            sys.argv = words[1:] + (EVERY_TEST if words[1] == "pytest" else [])
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(words)
            runpy.run_path(words[0], run_name="__main__")


TIMERS = (signal.SIGPROF, signal.ITIMER_PROF, 1), (signal.SIGALRM, signal.ITIMER_REAL, SLACK)


def alarm(seconds, handler):
    """Has a handler of signals called once this process has used so much of the processor, or some times as much has passed by the clock."""
    for which, timer, times in TIMERS:
        signal.signal(which, handler)
        signal.setitimer(timer, times * seconds)


def no_alarm():
    for _, timer, _ in TIMERS:
        signal.setitimer(timer, 0)


def end_in_time(seconds):
    """Ends this process in the midst of tests, or before one where those that it waited for used the time."""

    def turn():
        if sum(os.times()[:4]) > seconds:
            os._exit(0)

    turns.before.append(turn)
    alarm(seconds, lambda *_: os._exit(0))


class Enough(BaseException):
    """A script took its time."""


def run_scripts(scripts):
    """Runs what measures, for some seconds of the processor each: its calls are what counts."""

    def enough(*_):
        raise Enough

    os.environ.setdefault("ATOLL_RESULT", os.devnull)
    for words in scripts:
        sys.argv = list(words)
        alarm(SCRIPT_SECONDS, enough)
        try:
            runpy.run_path(words[0], run_name="__main__")
        except (Exception, SystemExit, Enough):
            pass
        finally:
            no_alarm()


def keep_up(recorder):
    """Has a recorder watch on where Python took its function away, as it does where code runs out of stack, or where it had seen enough of a
    test: at the beginning of the next one, and the former whenever garbage is collected. It returns what ends that."""
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
    turns.of_unittest()
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
    """Keeps the calls that the tests make, in the time that there is for it: those that they have made by then."""
    r, place = Recorder(), os.environ["ATOLL_GUARD_RECORDING"]

    def save():
        sys.settrace(None)
        tables = tables_of(recipe for calls in r.calls.values() for recipe in calls.values())
        with open(place, "wb") as f:
            pickle.dump({**bounded(r.saved()), "tables": tables}, f, 4)

    done = keep_up(r)
    back = ended_by_tests(save)
    if q.get("seconds"):
        end_in_time(max(SHARE_OF_TESTS * q["seconds"] - SCRIPT_SECONDS * len(q.get("scripts") or []), q["seconds"] / 2))

    def scripts():
        no_alarm()
        r.more()

    sys.settrace(r.trace)
    threading.settrace(r.trace)
    try:
        run_all(q, scripts)
    finally:
        back()
        done()
    save()
