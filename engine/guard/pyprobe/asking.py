"""What two versions of a file ask of the types of values, and which of it one alone asks.

Standard library only; it reads the text of modules and runs nothing of them.
"""
import ast
import builtins
import collections
import contextlib
import re

IS, EXACTLY, HAS = "is", "exactly", "has"  # isinstance, a comparison of types, and an attribute
PATTERNS = {"MatchSequence": "collections.abc.Sequence", "MatchMapping": "collections.abc.Mapping"}
DEEPEST = 4  # names that stand for names


def dotted(node):
    """A name with those behind its dots; "" for another expression."""
    path = []
    while isinstance(node, ast.Attribute):
        path, node = [node.attr, *path], node.value
    return ".".join([node.id, *path]) if isinstance(node, ast.Name) else ""


def of_type(node):
    """Whether an expression is the type of something."""
    if isinstance(node, ast.Call):
        return dotted(node.func) == "type" and len(node.args) == 1
    return isinstance(node, ast.Attribute) and node.attr == "__class__"


class Names:
    """What the names of a module stand for where types are asked for."""

    def __init__(self, tree):
        self.imported, self.values = {}, {}
        self.own = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
        for n in ast.walk(tree):
            if isinstance(n, ast.Import):
                self.imported.update((a.asname or a.name.split(".")[0], a.name if a.asname else a.name.split(".")[0]) for a in n.names)
            elif isinstance(n, ast.ImportFrom) and n.module and not n.level:
                self.imported.update((a.asname or a.name, n.module + "." + a.name) for a in n.names)
        for n in tree.body:
            if isinstance(n, ast.Assign):
                self.values.update((t.id, n.value) for t in n.targets if isinstance(t, ast.Name))

    def types(self, node, depth=0):
        """The types that an expression says, each with the module that has it."""
        rest = lambda nodes: [t for e in nodes if e for t in self.types(e, depth + 1)]
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return rest(node.elts)
        if isinstance(node, ast.Dict):
            return rest(node.keys)
        if isinstance(node, ast.Starred):
            return rest([node.value])
        if isinstance(node, ast.BinOp):
            return rest([node.left, node.right])
        if isinstance(node, ast.Constant) and node.value is None or dotted(node) == "types.NoneType":
            return ["builtins.NoneType"]
        if isinstance(node, ast.Call):
            if of_type(node):
                return ["builtins." + type(node.args[0].value).__name__] if isinstance(node.args[0], ast.Constant) else []
            return rest(node.args) if dotted(node.func) in ("tuple", "set", "frozenset", "dict") else []
        first, _, behind = dotted(node).partition(".")
        if not first or first in self.own or depth > DEEPEST:
            return []
        if first in self.values and not behind:
            return rest([self.values[first]])
        if first in self.imported:
            return [self.imported[first] + ("." + behind if behind else "")]
        return ["builtins." + first] if not behind and isinstance(getattr(builtins, first, None), type) else []


def asked_at(n, names, typed):
    """What a node asks of a type, each as a way and a name; typed are names that stand for the type of something."""
    kind = lambda e: of_type(e) or isinstance(e, ast.Name) and e.id in typed
    if isinstance(n, ast.Call):
        called = dotted(n.func)
        if called in ("isinstance", "issubclass") and len(n.args) == 2:
            return [(IS, t) for t in names.types(n.args[1])]
        if called == "callable":
            return [(IS, "collections.abc.Callable")]
        if called in ("hasattr", "getattr") and len(n.args) == (2 if called == "hasattr" else 3) and isinstance(n.args[1], ast.Constant):
            return [(HAS, n.args[1].value)]
        if called.endswith(".get") and n.args and kind(n.args[0]):
            return [(EXACTLY, t) for t in names.types(n.func.value)]
    elif isinstance(n, ast.Subscript) and kind(n.slice):
        return [(EXACTLY, t) for t in names.types(n.value)]
    elif isinstance(n, ast.Compare):
        sides = [n.left, *n.comparators]
        if any(map(kind, sides)):
            return [(EXACTLY, t) for side in sides if not kind(side) or isinstance(side, ast.Call) for t in names.types(side)]
    elif type(n).__name__ == "MatchClass":
        return [(IS, t) for t in names.types(n.cls)]
    elif type(n).__name__ in PATTERNS:
        return [(IS, PATTERNS[type(n).__name__])]
    elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [(IS, t) for d in n.decorator_list for t in registered(d, n, names)]
    return []


def registered(decorator, function, names):
    """The types that a function is registered for, with functools.singledispatch."""
    if isinstance(decorator, ast.Call) and dotted(decorator.func).endswith(".register"):
        return names.types(ast.Tuple(elts=decorator.args))
    if dotted(decorator).endswith(".register") and function.args.args:
        return names.types(function.args.args[0].annotation)
    return []


def questions(tree):
    """How often each function of a module, by its name, asks what of the types of values; what stands in none has no name."""
    names, out = Names(tree), {}
    typed = {t.id for n in ast.walk(tree) if isinstance(n, ast.Assign) and of_type(n.value) for t in n.targets if isinstance(t, ast.Name)}

    def visit(node, function):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = function or node.name
        out.setdefault(function, collections.Counter()).update(asked_at(node, names, typed))
        for n in ast.iter_child_nodes(node):
            visit(n, function)

    visit(tree, "")
    return out


def asked_by_one(was, now):
    """What each of two versions of a module asks of types oftener than the other, and the functions that ask for it in one of them."""
    a, b = questions(was), questions(now)
    whole = [sum(q.values(), collections.Counter()) for q in (a, b)]
    only = [whole[0] - whole[1], whole[1] - whole[0]]
    other = lambda name: (a.get(name, collections.Counter()) - b.get(name, collections.Counter())) + (b.get(name, collections.Counter()) - a.get(name, collections.Counter()))
    names = sorted(name for name in {*a, *b} if name and any(q in only[0] or q in only[1] for q in other(name)))
    return {"was": sorted(only[0]), "now": sorted(only[1]), "functions": names}


# ---- notes --------------------------------------------------------------------


PROMISES = {*("Iterable Iterator Generator Reversible Collection Container Sequence MutableSequence Set AbstractSet MutableSet Mapping MutableMapping".split())}
WORD = re.compile(r"\w+")
AROUND = {"Optional", "Union", "Annotated", "Final"}


def promised_by(note, names):
    """The abstract types of what holds others that the note of a parameter says."""
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        with contextlib.suppress(SyntaxError, ValueError):
            return promised_by(ast.parse(note.value, mode="eval").body, names)
    if isinstance(note, ast.BinOp):
        return promised_by(note.left, names) + promised_by(note.right, names)
    if isinstance(note, ast.Subscript):
        if dotted(note.value).rpartition(".")[2] not in AROUND:
            return promised_by(note.value, names)
        inner = getattr(note.slice, "value", note.slice) if type(note.slice).__name__ == "Index" else note.slice
        return [t for n in (inner.elts if isinstance(inner, ast.Tuple) else [inner]) for t in promised_by(n, names)]
    of_library = [t for t in names.types(note) if t.split(".")[0] in ("typing", "collections")] if note else []
    return [t for t in of_library if t.rpartition(".")[2] in PROMISES]


def promises(functions, tree):
    """The parameters of some functions, each with its name, of which a note says what may be gone over or looked into, with the types of it."""
    of = lambda f: [p for p in f.args.posonlyargs + f.args.args + f.args.kwonlyargs if p.annotation and PROMISES & set(WORD.findall(ast.dump(p.annotation)))]
    noted = [(group, parameters) for group, f in functions for parameters in [of(f)] if parameters]
    names, out = Names(tree) if noted else None, {}
    for group, parameters in noted:
        told = {p.arg: t for p in parameters for t in [promised_by(p.annotation, names)] if t}
        if told:
            out[group] = told
    return out
