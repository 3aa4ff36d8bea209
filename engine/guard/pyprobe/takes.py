"""What functions take for parameters that are None where a call gives nothing: no value of a test says it.

Standard library only; it reads the text of modules and runs nothing of them.
"""
import ast
import contextlib

NOTES = {"list": "list", "tuple": "list", "set": "list", "frozenset": "list", "Sequence": "list", "Iterable": "list", "Collection": "list", "Container": "list", "List": "list", "Tuple": "list", "Set": "list",
         "dict": "dict", "Dict": "dict", "Mapping": "dict", "MutableMapping": "dict", "str": "str", "int": "int", "float": "float", "bool": "bool", "Callable": "function"}
METHODS = {**dict.fromkeys(("items", "keys", "values", "get"), "dict"), **dict.fromkeys(("index", "count", "copy"), "list"),
           **dict.fromkeys(("lower", "upper", "strip", "lstrip", "rstrip", "split", "splitlines", "startswith", "endswith", "join", "replace", "find", "partition", "format"), "str")}
OVER = {"enumerate", "sorted", "list", "set", "tuple", "frozenset", "any", "all", "reversed", "zip", "len"}  # they go over what they are given
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def missing(function):
    """The parameters that are None by default, by name."""
    a = function.args
    pairs = list(zip((a.posonlyargs + a.args)[len(a.posonlyargs + a.args) - len(a.defaults) :], a.defaults)) + list(zip(a.kwonlyargs, a.kw_defaults))
    return {p.arg: p for p, default in pairs if is_none(default)}


def said(note):
    """The kinds that an annotation names, but for those within others: list for Optional[List[str]]."""
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        with contextlib.suppress(SyntaxError, ValueError):
            note = ast.parse(note.value, mode="eval").body
    if isinstance(note, ast.BinOp):
        return said(note.left) + said(note.right)
    if isinstance(note, ast.Subscript):
        name = getattr(note.value, "attr", getattr(note.value, "id", ""))
        inner = note.slice.elts if isinstance(note.slice, ast.Tuple) else [note.slice]
        return [k for x in inner for k in said(x)] if name in ("Optional", "Union") else said(note.value)
    kind = NOTES.get(getattr(note, "attr", getattr(note, "id", "")))
    return [kind] if kind else []


def uses(n):
    """What a node uses as what: pairs of a node and a kind."""
    if isinstance(n, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield n.iter, "list"
    elif isinstance(n, ast.Compare):
        for op, left, right in zip(n.ops, [n.left, *n.comparators], n.comparators):
            if isinstance(op, (ast.In, ast.NotIn)):
                yield right, "list"
            elif isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                yield from ((left, "int"), (right, "int"))
    elif isinstance(n, ast.Attribute) and n.attr in METHODS:
        yield n.value, METHODS[n.attr]
    elif isinstance(n, ast.Subscript):
        yield n.value, "dict" if isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str) else "list"
    elif isinstance(n, ast.Starred):
        yield n.value, "list"
    elif isinstance(n, ast.Slice):
        yield from ((end, "int") for end in (n.lower, n.upper, n.step) if end is not None)
    elif isinstance(n, ast.Call):
        yield n.func, "function"
        yield from ((a, "list") for a in n.args if getattr(n.func, "id", "") in OVER)
        yield from ((k.value, "dict") for k in n.keywords if k.arg is None)
        yield from ((a, "int") for a in n.args if getattr(n.func, "id", "") == "range")


def kept_as(function):
    """The parameters of a constructor by the attributes of the object that keep them."""
    pairs = [(t, n.value) for n in ast.walk(function) if isinstance(n, (ast.Assign, ast.AnnAssign)) for top in (n.targets if isinstance(n, ast.Assign) else [n.target]) for t in ast.walk(top)]
    return {t.attr: v.id for t, v in pairs if isinstance(v, ast.Name) and of_self(t)} | {t.attr: v.id for t, value in pairs if isinstance(value, ast.Tuple) and of_self(t) for v in value.elts if getattr(v, "id", "") == t.attr.lstrip("_")}


def of_self(node):
    return isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"


def taken_as(function, owner=None):
    """The kinds of values that a function takes for parameters that are None by default: those that it says, or uses them as. owner is
    the class that the function makes objects of, whose methods use what these keep."""
    known = missing(function)
    kept = kept_as(function) if owner and known else {}
    out = {name: said(p.annotation) for name, p in known.items()}
    for n in ast.walk(owner or function) if known else ():
        for used, kind in uses(n):
            name = kept.get(used.attr) if of_self(used) else getattr(used, "id", "")
            if name in known and known[name].annotation is None and kind not in out[name]:
                out[name].append(kind)
    return {name: kinds for name, kinds in out.items() if kinds}


def taken_by(module, tree):
    """The same of the functions of a module, by group."""
    out = {}
    for n in tree.body:
        if isinstance(n, FUNCTIONS):
            out[module + ":" + n.name] = taken_as(n)
        for f in n.body if isinstance(n, ast.ClassDef) else ():
            if isinstance(f, FUNCTIONS):
                out[module + ":" + n.name + "." + f.name] = taken_as(f, n if f.name == "__init__" else None)
    return {group: kinds for group, kinds in out.items() if kinds}
