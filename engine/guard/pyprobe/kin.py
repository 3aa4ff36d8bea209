"""Objects of one class that calls of the tests made, wherever: one stands in the place of another among the items of a list.

Standard library only.
"""
import pickle

from atoll_guard_making import ROWS

MOST = 60  # recipes of one class
MOST_CALLS = 60  # of one function


class Kin:
    """The recipes by their class, of all recorded calls; they are looked for once they are needed."""

    def __init__(self, recorded):
        self.recorded, self.by_class = recorded, None

    def of(self, recipe):
        """Recipes of the class of one, itself mostly among them."""
        if recipe[0] != "made":
            return []
        if self.by_class is None:
            self.by_class = {}
            for calls in self.recorded.values():
                for call in calls[:: max(1, len(calls) // MOST_CALLS)]:
                    _, own, args, kwargs = pickle.loads(call)
                    self.note([own, *args, *kwargs.values()])
        return list(self.by_class.get(recipe[1:3], {}).values())

    def note(self, recipes):
        for r in recipes:
            if r is None:
                continue
            if r[0] == "made":
                known = self.by_class.setdefault(r[1:3], {})
                if len(known) < MOST:
                    known.setdefault(repr(r), r)
                self.note([*r[3][0], *r[3][1].values()])
            elif r[0] == "part":
                self.note([r[1]])
            elif r[0] in ROWS:
                self.note(r[1])
