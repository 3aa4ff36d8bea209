"""What sources say of how they may be called, beyond the calls that tests make.

Standard library only; it reads the text of modules and runs nothing of them.
"""
import ast
import contextlib
import io

import atoll_guard_callables as callables
from atoll_guard_asking import promises
from atoll_guard_filling import FUNCTIONS, filling
from atoll_guard_internals import given_names
from atoll_guard_keeping import BEGINNING, changes_first
from atoll_guard_records import COPYING
from atoll_guard_takes import taken_by

MOST_FILES = 400
SIMPLE = (bool, int, float, str, type(None))
ASKED = {"str", "bytes", "list", "tuple", "dict", "int", "float", "bool"}
OTHER_KINDS = ["bytes", "str", "int", "list", "dict", "None"]
OF_TEXT = {"splitlines", "lower", "upper", "casefold", "swapcase", "startswith", "endswith", "strip", "lstrip", "rstrip", "isdigit", "isspace", "isalpha", "isalnum", "zfill"}
OPERATORS = {"__str__", "__repr__", "__len__", "__iter__", "__contains__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__getitem__",
             "__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__and__", "__or__", "__xor__", "__neg__", "__pos__", "__abs__",
             "__invert__", "__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__iadd__", "__isub__", "__ior__", "__iand__", "__ne__", "__int__", "__float__", "__index__",
             "__round__", "__reversed__", "__format__", "__setitem__", "__delitem__", "__missing__", "__call__", "__bool__", "__init__"} | COPYING
CHANGING = {"__setitem__", "__delitem__", "__iadd__", "__isub__", "__ior__", "__iand__", "__missing__"}  # of those


def module_of(name):
    """The module that a file is, by its path."""
    module = name.removesuffix(".py").replace("/", ".")
    return module.removeprefix("src.").removesuffix(".__init__")


def parsed(name):
    with contextlib.suppress(OSError, SyntaxError, ValueError), open(name, encoding="utf-8") as f:
        return ast.parse(f.read())
    return ast.Module(body=[], type_ignores=[])


def sets(function):
    """Whether a method is what sets a property."""
    return any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in function.decorator_list)


def public_names(files):
    """Functions of some files and methods of their classes that a caller may name, as groups."""
    out = []
    for name in files:
        given = given_names(name, parsed)
        for n in parsed(name).body:
            group = module_of(name) + ":" + getattr(n, "name", "_")
            if getattr(n, "name", "_").startswith("_") or given is not None and n.name not in given:
                continue
            if isinstance(n, FUNCTIONS):
                out.append(group)
            elif isinstance(n, ast.ClassDef):
                out += [group + "." + m.name + "=" * sets(m) for m in n.body if isinstance(m, FUNCTIONS) and (not m.name.startswith("_") or m.name in OPERATORS)]
    return list(dict.fromkeys(out))


def assigned(function):
    """The attributes of self that a method sets."""
    targets = []
    for n in ast.walk(function):
        targets += n.targets if isinstance(n, ast.Assign) else [n.target] if isinstance(n, (ast.AnnAssign, ast.AugAssign, ast.For)) else []
    return {t.attr for top in targets for t in ast.walk(top) if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == "self"}


def options(cls):
    """Public attributes that the constructor or the class sets to a constant or a parameter and no
    method changes: those that a caller may set."""
    given, changed = set(), set()
    for n in cls.body:
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant):
            given |= {t.id for t in n.targets if isinstance(t, ast.Name)}
        elif isinstance(n, FUNCTIONS) and n.name != "__init__":
            changed |= assigned(n)
        elif isinstance(n, FUNCTIONS):
            parameters = {a.arg for a in n.args.args + n.args.kwonlyargs}
            for s in ast.walk(n):
                if isinstance(s, ast.Assign) and (isinstance(s.value, ast.Constant) or isinstance(s.value, ast.Name) and s.value.id in parameters):
                    given |= {t.attr for t in s.targets if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == "self"}
    return sorted(n for n in given - changed if not n.startswith("_"))


def of_first(e, first):
    """The attribute of the first parameter that an expression is, or is a part of; None for all else."""
    while isinstance(e, (ast.Attribute, ast.Subscript)):
        if isinstance(e, ast.Attribute) and getattr(e.value, "id", None) == first:
            return e.attr
        e = e.value
    return None


def changed_by_methods(cls):
    """The attributes of its objects that the methods of a class change, or what these hold, once an object is made."""
    out = set()
    for f in cls.body:
        first = f.args.args[0].arg if isinstance(f, FUNCTIONS) and f.name not in BEGINNING and f.args.args else None
        out |= {of_first(n, first) for n in ast.walk(f) if changes_first(n, first)} if first else set()
    return sorted(out - {None})


def called(node):
    """The names that a node calls, or has called for each value of a list."""
    if not isinstance(node, ast.Call):
        return []
    f = getattr(node.func, "id", "")
    given = node.args[:1] if f in ("callable", "map", "filter") else []
    return [n.id for n in [node.func, *given, *(k.value for k in node.keywords if k.arg == "key")] if isinstance(n, ast.Name)]


def of_type(node):
    """Whether a node asks for the type of something."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type" and len(node.args) == 1


def asked_types(function, inner=False):
    """The types that a function asks its parameters for: it knows what to do with each. What it calls is a function, and what it calls a
    method of texts of may be one. inner: those that it asks other names for."""
    out = {}

    def kinds(node):
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return [k for e in node.elts for k in kinds(e)]
        if isinstance(node, ast.Name):
            return [node.id] if node.id in ASKED else []
        if of_type(node) and isinstance(node.args[0], ast.Constant):
            return [type(node.args[0].value).__name__]
        if isinstance(node, ast.Constant) and node.value is None:
            return ["None"]
        return []

    typed = {}  # names of what type gave for a parameter
    for n in ast.walk(function):
        if isinstance(n, ast.Assign) and of_type(n.value):
            typed.update((t.id, n.value.args[0]) for t in n.targets if isinstance(t, ast.Name))
    for n in ast.walk(function):
        for name in called(n):
            if "function" not in out.setdefault(name, []):
                out[name].append("function")
        if isinstance(n, ast.Attribute) and n.attr in OF_TEXT and isinstance(n.value, ast.Name) and "text" not in out.setdefault(n.value.id, []):
            out[n.value.id].append("text")
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "isinstance" and len(n.args) == 2:
            asked, types = n.args[0], n.args[1]
        elif isinstance(n, ast.Compare) and len(n.ops) == 1 and isinstance(n.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In)):
            asked, types = n.left, n.comparators[0]
            if of_type(asked):
                asked = asked.args[0]
            elif getattr(asked, "id", "") in typed:
                asked = typed[asked.id]
            elif not (isinstance(types, ast.Constant) and types.value is None):
                continue
        else:
            continue
        if isinstance(asked, ast.Name):
            out.setdefault(asked.id, []).extend(k for k in kinds(types) if k not in out[asked.id])
    names = {a.arg for a in function.args.args + function.args.kwonlyargs + function.args.posonlyargs}
    return {k: v for k, v in out.items() if (k in names) is not inner and v}


def keywords(function):
    """Parameters with a constant for a default."""
    a = function.args
    pairs = list(zip(a.args[len(a.args) - len(a.defaults) :], a.defaults)) + list(zip(a.kwonlyargs, a.kw_defaults))
    return {p.arg: d.value for p, d in pairs if isinstance(d, ast.Constant) and isinstance(d.value, SIMPLE)}


def looked_for(function):
    """The names that functions look for in the keywords that they take of any name, with a default where that is a constant."""
    out = {}
    for f in ast.walk(function):
        taken = f.args.kwarg.arg if isinstance(f, FUNCTIONS) and f.args.kwarg else None
        is_taken = lambda n, taken=taken: isinstance(n, ast.Name) and n.id == taken
        for n in ast.walk(f) if taken else ():
            key = default = None
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("get", "pop", "setdefault") and is_taken(n.func.value) and n.args:
                key, default = n.args[0], n.args[1] if len(n.args) > 1 else None
            elif isinstance(n, ast.Subscript) and is_taken(n.value):
                key = n.slice
            elif isinstance(n, ast.Compare) and any(map(is_taken, n.comparators)):
                key = n.left
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                known = isinstance(default, ast.Constant) and isinstance(default.value, SIMPLE)
                out.setdefault(key.value, default.value if known else True)
    return out


def members_of(n):
    """The functions that a declaration of a module is or has."""
    return [n] if isinstance(n, FUNCTIONS) else [m for m in getattr(n, "body", []) if isinstance(m, FUNCTIONS)] if isinstance(n, ast.ClassDef) else []


def groups_of(name, tree):
    """The functions of a file, with their groups."""
    return [(module_of(name) + ":" + (n.name + "." if f is not n else "") + f.name, f) for n in tree.body for f in members_of(n)]


def asked_by(name, tree):
    """The types that the functions of a file ask their parameters for, by group."""
    return {group: types for group, f in groups_of(name, tree) for types in [asked_types(f)] if types}


def only_one_asks(name, was, now):
    """The types that functions of one version of a file alone ask values for that are no parameters, by group."""
    asked = lambda f: {k for kinds in asked_types(f, inner=True).values() for k in kinds if k not in ("function", "None", "text")}
    a, b = ({group: asked(f) for group, f in groups_of(name, tree)} for tree in (was, now))
    return {group: sorted(kinds) for group in sorted({*a, *b}) for kinds in [a.get(group, set()) ^ b.get(group, set())] if kinds}


def tables_in(node):
    """How many sets and tables a node makes: what is looked for in one has a hash."""
    return sum(isinstance(n, (ast.Set, ast.SetComp, ast.Dict, ast.DictComp)) or getattr(getattr(n, "func", None), "id", "") in ("set", "frozenset", "dict") for n in ast.walk(node))


def tables_of(tree):
    """How many sets and tables the values of a module have, by name."""
    return {t.id: tables_in(n.value) for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}


def asked_otherwise(name, was, now):
    """The parameters that the two versions of a file ask for different types, by group: what is of none of them may be another thing."""
    a, b = (asked_by(name, tree) for tree in (was, now))
    plain = lambda kinds: {k for k in kinds if k in ASKED}
    out = {}
    for group in sorted({*a, *b}):
        one, other = a.get(group, {}), b.get(group, {})
        names = sorted(p for p in {*one, *other} if plain(one.get(p, ())) != plain(other.get(p, ())))
        if names:
            out[group] = names
    return out


def looked_up(name, was, now):
    """The parameters of functions of which one version alone may look for something in a set or a table, by group: a list is found in
    none, and in no list is it an error to look for one."""
    held, made = [tables_of(tree) for tree in (was, now)], [{group: tables_in(f) for group, f in groups_of(name, tree)} for tree in (was, now)]
    moved = {k for k in {*held[0], *held[1]} if held[0].get(k) != held[1].get(k)}
    out = {}
    for group, f in groups_of(name, now):
        if made[0].get(group) != made[1][group] or moved & {n.id for n in ast.walk(f) if isinstance(n, ast.Name)}:
            out[group] = sorted({p.arg for p in f.args.args + f.args.kwonlyargs if not said_scalar(p.annotation)} - {"self", "cls"})
    return out


SCALARS = {"int", "float", "complex", "str", "bool", "bytes", "None", "Optional", "Union"}


def said_scalar(note):
    """Whether an annotation says that only numbers or texts are given: no caller has a list for them."""
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        with contextlib.suppress(SyntaxError, ValueError):
            note = ast.parse(note.value, mode="eval").body
    names = {n.id for n in ast.walk(note) if isinstance(n, ast.Name)} if note else set()
    return bool(names) and names <= SCALARS


NO_HASH = {"TypeError", "Exception"}
EXIT = {"SystemExit", "BaseException"}


def caught(name, was, now, kinds):
    """The functions of which one version alone catches errors around the same statements, by group: NO_HASH is what a list in the place
    of a name leads to, EXIT what a function that ends the process does."""
    tries = lambda f: {ast.dump(n) for n in ast.walk(f) if isinstance(n, ast.Try) and any(h.type is None or kinds & {getattr(x, "id", "") for x in ast.walk(h.type)} for h in n.handlers)}
    a, b = ({group: tries(f) for group, f in groups_of(name, tree)} for tree in (was, now))
    return {group: True for group in sorted({*a, *b}) if a.get(group, set()) != b.get(group, set())}


def classes_asked_for(name, was, now):
    """The classes of a file that its functions ask values for, in one of its versions, or compare them with."""
    known = {n.name for tree in (was, now) for n in tree.body if isinstance(n, ast.ClassDef)}
    out = set()
    for n in (n for tree in (was, now) for n in ast.walk(tree)):
        asked = n.args[1:2] if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "isinstance" else [n.left, *n.comparators] if isinstance(n, ast.Compare) else []
        out |= {x.id for a in asked for x in ast.walk(a) if isinstance(x, ast.Name) and x.id in known}
    return sorted(module_of(name) + ":" + c for c in out)


def offers(files):
    """Of the modules of a tree: options by class, types asked for by group, what stands for None, keywords by module, those of its wrappers apart, and functions that fill what they make."""
    out = {"options": {}, "changing": {}, "asked": {}, "promised": {}, "takes": {}, "keywords": {}, "wrapping": {}, "filling": {}}
    for name in sorted(files)[:MOST_FILES]:
        module, known, wrapping, tree = module_of(name), {}, {}, parsed(name)
        out["asked"].update(asked_by(name, tree))
        out["promised"].update(promises(groups_of(name, tree), tree))
        out["filling"][module] = filling(tree.body)
        out["takes"].update(taken_by(module, tree))
        for n in tree.body:
            if isinstance(n, ast.ClassDef):
                out["options"][module, n.name] = options(n)
                out["changing"][module, n.name] = changed_by_methods(n)
            for f in members_of(n):
                wrapping.update(looked_for(f))
                if f is n or f.name == "__init__":
                    known.update(keywords(f))
        out["keywords"][module], out["wrapping"][module] = {**wrapping, **known}, wrapping
    return out


# ---- values -------------------------------------------------------------------


def has_texts(v):
    """Whether a value is a list of texts, such as lines, that a caller may give as one text."""
    return isinstance(v, (list, tuple)) and bool(v) and all(isinstance(x, str) for x in v)


def of_one_text(parts, d):
    """A text of lines or of words."""
    return d.pick([" ".join(parts), "\n".join(parts), "\n".join(parts) + "\n"])


def as_type(v, kind, d):
    """The value as one of another type that the code asks for."""
    if kind == "text":
        return of_one_text(v, d)
    parts = [callables.words(x) for x in v] if isinstance(v, (list, tuple)) else v.split() if isinstance(v, str) else [callables.words(v)]
    text = v if isinstance(v, str) else v.decode("latin-1") if isinstance(v, bytes) else d.pick(parts or [""]) if isinstance(v, (list, tuple)) and d.n(3) else of_one_text(parts, d)
    if kind == "function":
        return d.pick(callables.FUNCTIONS)
    if kind == "str":
        return text
    if kind == "bytes":
        return text.encode("utf-8", "surrogateescape")
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](v if isinstance(v, (list, tuple, set)) else parts if d.n(2) else [v])
    if kind == "dict":
        return v if isinstance(v, dict) else dict.fromkeys(parts, v if isinstance(v, SIMPLE) else None)
    if kind == "int" and type(v) is int and d.n(2):
        return bool(v & 1)  # a bool is an int to most that ask
    if kind in ("int", "float", "bool"):
        return {"int": int, "float": float, "bool": bool}[kind](v if isinstance(v, (int, float)) and v == v and abs(v) < 1e18 else len(parts))
    return None


def with_list(v, d):
    """The value with a list in the place of a part of it, or of itself: it has no hash."""
    if isinstance(v, dict) and v:
        key = d.pick(list(v))
        return {**v, key: with_list(v[key], d)}
    if isinstance(v, (list, tuple)) and v and d.n(4):
        at = d.n(len(v))
        return type(v)([*v[:at], with_list(v[at], d), *v[at + 1 :]])
    return [v]


def rest_of(stream):
    """What a stream in memory holds; None for another one."""
    if isinstance(stream, (io.StringIO, io.BytesIO)) and not stream.closed:
        return "%s(%r at %d)" % (type(stream).__name__, stream.getvalue(), stream.tell())
    return None
