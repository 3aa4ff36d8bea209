"""Objects that another one made for itself and holds: what is done with them is done with that one, too.

A parser makes a registry in its constructor, and its callers write to `parser.registry`: made again without that, it knows nothing.
What was also given who made it (`Reader(self)`) is a part of that one: made by itself it would have another in its place.

Standard library only.
"""
from atoll_guard_tree import held_by

MOST_FRAMES = 30  # that are looked at for who makes an object, or calls it
DEEPEST = 3  # of objects that hold each other


def callers(frame, name=None):
    """The first arguments of the functions that are under way, or of those of a name: objects, where they are methods."""
    back, n = frame.f_back, 0
    while back is not None and n < MOST_FRAMES:
        if back.f_code.co_argcount and name in (None, back.f_code.co_name):
            yield back.f_locals.get(back.f_code.co_varnames[0])
        back, n = back.f_back, n + 1


def name_of(owner, value):
    """The public attribute in which an object holds another; None where there is none."""
    return next((k for k, v in held_by(owner).items() if v is value and not k.startswith("_")), None)


class Holding:
    """Tells who made the objects of a recording for itself. An owner is what a recorder knows of an object: the object is its first part, its history the fourth."""

    def __init__(self):
        self.owners = {}  # by identity, an object, its owner, and whether it was given that one

    def made(self, me, given, frame, objects):
        """Takes down in whose constructor an object is made, and what it is given there."""
        for other in callers(frame, "__init__"):
            owner = objects.get(id(other)) if other is not me else None
            if owner is not None and owner[0] is other:
                self.owners[id(me)] = me, owner, any(v is other for v in given)
                return

    def owner(self, me):
        value, owner, given = self.owners.get(id(me), (None, None, False))
        return (owner, given) if value is me else (None, False)

    def part(self, me):
        """The object that an object is a part of, and by which name; None for none."""
        owner, given = self.owner(me)
        name = name_of(owner[0], me) if given else None
        return (owner[0], name) if name else None

    def early(self, given):
        """Whether some of what is given is a part of an object that does not hold it yet."""
        return any(self.owner(v)[1] and self.part(v) is None for v in given)

    def behind(self, me, frame):
        """The owners of an object, each with the names that lead from it to that one, as far as none of them is what calls it now: that
        would call it again by itself."""
        out, path, of = [], "", me
        while len(out) < DEEPEST:
            owner, _ = self.owner(of)
            name = name_of(owner[0], of) if owner is not None and owner[3] is not None else None
            if name is None:
                break
            path, of = name + "." + path, owner[0]
            out.append((owner, path))
        calling = list(callers(frame)) if out else []
        inner = next((n for n, (owner, _) in enumerate(out) if any(v is owner[0] for v in calling)), len(out))
        return out[:inner]
