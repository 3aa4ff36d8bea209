"""What it may cost to look at the calls of tests: time of the processor, beside what the tests take themselves; and what the cases of
a function may.

Standard library only.
"""
from time import process_time  # tests put clocks of their own in the place of that of the module

GRACE = 5  # seconds that it may take whatever the tests take
TIMES = 2  # and so many times what they take, which is longer than without anyone who looks on


class Purse:
    """The time that went into it. It fills while tests run: who finds it empty comes again."""

    def __init__(self):
        self.began, self.spent, self.since = process_time(), 0.0, 0.0

    def open(self):
        self.since = process_time()

    def close(self):
        self.spent += process_time() - self.since

    def beside(self):
        """The time that did not go into it, while it is closed: it stands still where the machine does something else."""
        return process_time() - self.spent

    def empty(self):
        """Whether no more may go into it for now, at the time when it was opened."""
        return self.spent > GRACE + TIMES * (self.since - self.began - self.spent)


CLOSE_FACTOR = 3  # times as much for a function that is close to the change
LOOKS = 16  # cases between two looks at the clock


class Share:
    """The time that the cases of a function may take, where all of them are drawn: what is dear is asked less. q is the request."""

    def __init__(self, q, group):
        share = (q.get("group_ms") or 0) / 1000 * (CLOSE_FACTOR if group in (q.get("close") or []) else 1)
        self.until, self.seen = process_time() + share if share and q.get("drawn") else None, 0

    def over(self):
        """Whether it is over, asked before each case."""
        self.seen += 1
        return self.until is not None and self.seen % LOOKS == 0 and process_time() > self.until
