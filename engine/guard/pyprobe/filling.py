"""Functions that make an object and fill it themselves, such as a second constructor: made again by its class alone, it would be empty.

    @classmethod
    def of_row(cls, row):
        made = cls()
        made._cells = list(row)
        return made

Standard library only.
"""
import ast
import contextlib

from atoll_guard_keeping import changes_first, inside

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST_OPEN = 100  # calls under way


def of_class(function):
    """Whether a method is one of its class."""
    return any(getattr(d, "id", "") == "classmethod" for d in function.decorator_list)


def fills(function):
    """Whether a function gives an object of which it wrote attributes, under a name of its own."""
    nodes = list(inside(function))
    given = {n.value.id for n in nodes if isinstance(n, ast.Return) and isinstance(n.value, ast.Name)} - {a.arg for a in function.args.args + function.args.kwonlyargs}
    return any(of_attribute(n, name) for name in given for n in nodes if changes_first(n, name))


def of_attribute(node, name):
    """Whether what a node changes is an attribute of what has a name, or in one."""
    e = node.value if isinstance(node.ctx, ast.Load) else node
    while isinstance(e, (ast.Attribute, ast.Subscript)):
        if isinstance(e, ast.Attribute) and getattr(e.value, "id", None) == name:
            return True
        e = e.value
    return False


def filling(body):
    """The public functions and methods of classes of a module that do, by name."""
    out = [f.name for f in body if isinstance(f, FUNCTIONS) and fills(f)]
    for c in body:
        if isinstance(c, ast.ClassDef):
            out += [c.name + "." + f.name for f in c.body if isinstance(f, FUNCTIONS) and of_class(f) and fills(f)]
    return [name for name in out if not any(part.startswith("_") for part in name.split("."))]


class Filling:
    """Tells which of the objects of a recording such functions made; known are their names by module."""

    def __init__(self, known):
        self.known = {(module, name) for module, names in known.items() for name in names}
        self.open = {}  # by frame, the name of the function, what it was given, and the identities of what was made since

    def begin(self, frame, key, recorder):
        """Takes down what such a function is given, where it is one: key is its module and its name."""
        if key not in self.known or recorder.purse.empty() or len(self.open) >= MOST_OPEN:
            return
        args, kwargs = recorder.arguments(frame)
        if "." in key[1]:
            cls = args.pop(0)
            key = cls.__module__, cls.__qualname__ + "." + key[1].rpartition(".")[2]
        used = recorder.used = set()
        with contextlib.suppress(Exception):  # what cannot be kept
            self.open[frame] = key, recorder.given(args, kwargs), used, set()
        recorder.parts = 0

    def made(self, me):
        for _, _, _, new in self.open.values():
            new.add(id(me))

    def returned(self, frame, value, objects):
        """Takes down that an object is to be made by the function that gives it, without what that did with it."""
        maker, given, used, new = self.open.pop(frame, (None, None, None, ()))
        kept = objects.get(id(value)) if id(value) in new else None
        if kept is not None and kept[0] is value and kept[3] is not None:
            kept[2], kept[3], kept[6], kept[7] = given, [], None, maker
            kept[5] |= used
