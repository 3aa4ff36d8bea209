"""Calls on what an object gave, as calls of that object: a scheduler has the jobs that its callers made with what every() gave them.

A step of a history is the name of a method and its arguments; one on what another step gave has that one's place, too.

Standard library only.
"""
MOST_FRAMES = 30  # that are looked at for who calls
MOST_WAITING = 1000


class Chains:
    """Tells of which objects' steps the objects of a recording came. An owner is what a recorder knows of an object: the object is its
    first part, its history the fourth."""

    def __init__(self):
        self.waiting = {}  # by frame, the steps that its call is, with their owners
        self.given = {}  # by identity, an object and the steps that gave it

    def called(self, frame, steps):
        if len(self.waiting) < MOST_WAITING:
            self.waiting[frame] = steps

    def returned(self, frame, value, is_known):
        """Takes down that a call gave an object, the first time that one did."""
        steps = self.waiting.pop(frame, ())
        if steps and is_known(value) and id(value) not in self.given and all(owner[0] is not value for owner, _ in steps):
            self.given[id(value)] = value, steps

    def behind(self, me, frame):
        """The steps that gave an object, where none of their owners is what calls it now: that would call it again by itself."""
        value, steps = self.given.get(id(me), (None, ()))
        if value is not me:
            return []
        callers, back = [], frame.f_back
        while back is not None and len(callers) < MOST_FRAMES:
            if back.f_code.co_argcount:
                callers.append(back.f_locals.get(back.f_code.co_varnames[0]))
            back = back.f_back
        return [(owner, step) for owner, step in steps if owner[3] is not None and all(c is not owner[0] for c in callers)]


def flat(history):
    """A history with places for the steps that others are on; without those whose step is gone."""
    at, out = {}, []
    for step in history:
        if len(step) == 3:
            at[id(step)] = len(out)
            out.append(step)
        elif id(step[3]) in at:
            at[id(step)] = len(out)
            out.append((*step[:3], at[id(step[3])]))
    return tuple(out)


def inserted(history, at, step):
    """A history with one step more."""
    return [*history[:at], step, *((*s[:3], s[3] + (s[3] >= at)) if len(s) > 3 else s for s in history[at:])]
