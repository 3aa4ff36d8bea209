"""Values that are equal and of two types: a table takes them for one key, and so does what is kept by them between calls.

Standard library only; it reads the text of modules and runs nothing of them.
"""
import ast
import math

from atoll_guard_filling import FUNCTIONS
from atoll_guard_keeping import CACHES, binds, inside, last, root

WRITERS = {"setdefault", "update", "append", "add"}
EXACT = 1 << 53


def equals(v, floats):
    """The values of other types that are equal to a number: truths and whole numbers, and where code tells types apart floats as well."""
    if type(v) is bool:
        return [int(v)] + [float(v)] * floats
    if type(v) is int:
        return [float(v)] * (floats and abs(v) < EXACT) + [bool(v)] * (v in (0, 1))
    return [int(v)] if floats and type(v) is float and math.isfinite(v) and v.is_integer() else []


def keeps(node):
    """Whether a declaration keeps what it came to for its next calls: by a cache, or in something that is not made anew in each of them."""
    if any(isinstance(n, (ast.Name, ast.Attribute)) and last(n) in CACHES for n in ast.walk(node)):
        return True
    functions = [n for n in ast.walk(node) if isinstance(n, FUNCTIONS)]
    return any(writes(n, own) for f in functions for own in [made_anew(f)] for n in inside(f))


def made_anew(function):
    """The names of a function that are its own in each call, but for its object."""
    arguments = [a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)]
    return binds(inside(function)) | set(arguments) - {"self", "cls"}


def writes(n, own):
    """Whether a node writes into what is none of some names."""
    if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
        return root(n) not in own
    return isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in WRITERS and root(n.func) is not None and root(n.func) not in own


def kept_by(trees, tables, names):
    """What changed in two versions of a file, or mentions it there, and keeps something between calls: by its name, whether it tells types apart."""
    changed = {name.rsplit(".", 1)[-1] for name in names}
    near = names | {key for table in tables for key, mentioned in table.items() if mentioned & changed}
    out = {}
    for tree in trees:
        for key, node in declared(tree):
            if key in near and keeps(node):
                out[key] = out.get(key, False) or tells_types(node)
    return out


def tells_types(node):
    """Whether a declaration names what tells types apart."""
    return any(isinstance(n, ast.keyword) and n.arg == "typed" or isinstance(n, ast.Name) and n.id == "type" for n in ast.walk(node))


def declared(tree):
    """The declarations of a module by name; methods by theirs and that of their class."""
    for n in tree.body:
        if isinstance(n, ast.ClassDef):
            yield from ((n.name + "." + m.name, m) for m in n.body if isinstance(m, FUNCTIONS))
        elif isinstance(n, FUNCTIONS):
            yield n.name, n
        elif isinstance(n, ast.Assign):
            yield from ((t.id, n) for t in n.targets if isinstance(t, ast.Name))
