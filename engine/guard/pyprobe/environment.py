"""Variables of the process's environment that changed code asks for: a caller may set them between two calls.

Standard library only.
"""
import ast
import contextlib
import os

ALWAYS = ("1", "0", "")  # values that any may have
MOST_VALUES = 12  # of one
SHARE = 8  # one case of so many sets one


def name_of(node):
    """The name of a variable that a node asks for; None where it asks for none, or for one that is not written out."""
    last = lambda n: n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "")
    key = None
    if isinstance(node, ast.Call) and node.args:
        f = node.func
        if last(f) == "getenv" or isinstance(f, ast.Attribute) and f.attr in ("get", "pop", "setdefault") and last(f.value) == "environ":
            key = node.args[0]
    elif isinstance(node, ast.Subscript) and last(node.value) == "environ":
        key = node.slice
    elif isinstance(node, ast.Compare) and any(last(c) == "environ" for c in node.comparators):
        key = node.left
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value else None


def asked_for(*versions):
    """The variables that some version of a file asks for, with values that tell them apart: the texts of those statements."""
    out = {}
    for tree in versions:
        if not any(name_of(n) for n in ast.walk(tree)):  # most files
            continue
        for statement in (n for n in ast.walk(tree) if isinstance(n, (ast.stmt, ast.expr))):
            names = [name for n in ast.walk(statement) for name in [name_of(n)] if name]
            if not names or isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            texts = [n.value for n in ast.walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value not in names]
            for name in names:
                out.setdefault(name, set()).update(texts)
    return {name: [*sorted(texts, key=lambda t: (len(t), t))[:MOST_VALUES], *(v for v in ALWAYS if v not in texts)] for name, texts in sorted(out.items())}


class Environment:
    """What a case sets, until restore."""

    def __init__(self, known):
        self.known, self.was = known, {}

    def set(self, d):
        """Sets a variable now and then; in words. It draws nothing where none is known."""
        if not self.known or d.n(SHARE) != SHARE - 1:
            return ""
        name = d.pick(list(self.known))
        value = d.pick(self.known[name])
        self.was[name] = os.environ.get(name)
        with contextlib.suppress(ValueError):  # a zero in it
            os.environ[name] = value
        return " with %s=%r in the environment" % (name, value)

    def restore(self):
        for name, value in self.was.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        self.was = {}
