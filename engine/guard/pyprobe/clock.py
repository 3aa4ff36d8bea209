"""The time as code under test has it: it stands still at one moment, so that the same call has the same answer.

Counted clocks (monotonic, perf_counter) go on; who waits by this one sees it move after a while.

Standard library only.
"""
import contextlib
import datetime
import gc
import threading
import time

REAL = time.time, time.sleep, time.localtime, time.gmtime, time.strftime, time.ctime, time.asctime
PATIENCE = 1000  # times that one case is told the same time
STEP = 0.125  # seconds, from then on


class Clock:
    def __init__(self, at):
        self.start = at
        self.begin()

    def begin(self):
        self.at, self.asked = self.start, 0

    def now(self):
        self.asked += 1
        if self.asked > PATIENCE:
            self.at += STEP
        return self.at

    def sleep(self, seconds):
        """Lets the time pass, and others run."""
        if not seconds >= 0 or threading.active_count() > 1:
            REAL[1](min(seconds, 0))
        self.at += seconds

    def install(self):
        """Has all code that asks for the time from now on be told this one's."""
        real_time, _, localtime, gmtime, strftime, ctime, asctime = REAL
        time.time, time.sleep = self.now, self.sleep
        time.time_ns = lambda: int(self.now() * 1e9)
        time.localtime = lambda seconds=None: localtime(self.now() if seconds is None else seconds)
        time.gmtime = lambda seconds=None: gmtime(self.now() if seconds is None else seconds)
        time.ctime = lambda seconds=None: ctime(self.now() if seconds is None else seconds)
        time.strftime = lambda form, *t: strftime(form, *(t or (time.localtime(),)))
        time.asctime = lambda *t: asctime(*(t or (time.localtime(),)))
        with contextlib.suppress(Exception):  # where an interpreter does not let go of its types, days and times go on
            self.days()

    def days(self):
        """Replaces what datetime tells of now, in its types themselves: others in their place would not be the types of what there is."""
        import ctypes

        def now(cls, tz=None):
            return cls.fromtimestamp(self.now(), tz)

        def utcnow(cls):
            return cls.fromtimestamp(self.now(), datetime.timezone.utc).replace(tzinfo=None)

        def today(cls):
            return cls.fromtimestamp(self.now())

        for kind, replaced in ((datetime.datetime, (now, utcnow, today)), (datetime.date, (today,))):
            members = gc.get_referents(kind.__dict__)[0]
            for f in replaced:
                members[f.__name__] = classmethod(f)
            ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
