"""What a change can reach, by the names that sources mention, and the constants of sources.

Standard library only; it reads the text of modules and runs nothing of them.
"""
import ast
import contextlib

import atoll_guard_records as records
from atoll_guard_asking import asked_by_one
from atoll_guard_environment import asked_for
from atoll_guard_filling import FUNCTIONS
from atoll_guard_offers import EXIT, NO_HASH, asked_by, caught, classes_asked_for, asked_otherwise, looked_up, only_one_asks
from atoll_guard_tree import sources_of_tree
from atoll_guard_watch import hidden, plan


def registered_with(node):
    """The functions that call this one for some types of values: `@shown.register`, as functools.singledispatch has it."""
    calls = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return {c.value.id for c in calls if isinstance(c, ast.Attribute) and c.attr == "register" and isinstance(c.value, ast.Name)} - {node.name}


def calls_itself(node):
    """Whether a function calls itself, under its name or that of the one that calls it, or as a method of its object."""
    own = {node.name} | registered_with(node)
    calls = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(isinstance(f, ast.Name) and f.id in own or isinstance(f, ast.Attribute) and f.attr in own and getattr(f.value, "id", "") in ("self", "cls") for f in calls)


def in_circles(names, tables):
    """Whether one of some functions comes back to itself through others that it mentions, as code does that goes into what values hold."""
    for start in names:
        out, grown = {start}, True
        while grown:
            more = {n for table in tables for n in out for n in table.get(n, ()) if n in table} - out
            if any(start in table.get(n, ()) for table in tables for n in more):
                return True
            out, grown = out | more, bool(more)
    return False


def globals_set_in(node):
    """The names of the module that a function sets, with the assignments that do so."""
    names = {name for n in ast.walk(node) if isinstance(n, ast.Global) for name in n.names}
    for n in ast.walk(node) if names else ():
        for t in n.targets if isinstance(n, ast.Assign) else [n.target] if isinstance(n, (ast.AnnAssign, ast.AugAssign)) else ():
            yield from ((x.id, n) for x in ast.walk(t) if isinstance(x, ast.Name) and x.id in names)


def declarations(source):
    """Names of functions, methods, classes and module values with what they mention."""
    out = {}

    def add(key, node, without=()):
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        text = ast.dump(strip(node))
        old = out.get(key)
        out[key] = (text + (old[0] if old else ""), names | (old[1] if old else set()))

    def strip(node):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant) and isinstance(body[0].value.value, str):
            node.body = body[1:] or [ast.Pass()]
        return node

    def visit(body, prefix):
        for node in body:
            if isinstance(node, FUNCTIONS):
                add(prefix + node.name, node)
                for other in registered_with(node):
                    add(prefix + other, node)
                for name, assignment in globals_set_in(node):
                    add(name, assignment)
            elif isinstance(node, ast.ClassDef):
                rest = ast.ClassDef(name=node.name, bases=node.bases, keywords=node.keywords, decorator_list=node.decorator_list, body=[ast.Pass()])
                add(prefix + node.name, rest)
                visit(node.body, prefix + node.name + ".")
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for a in node.names:
                    add(prefix + (a.asname or a.name.split(".")[0]), node)
            elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                for part in ("body", "orelse", "finalbody"):
                    visit(getattr(node, part, []), prefix)
                for h in getattr(node, "handlers", []):
                    visit(h.body, prefix)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for t in targets:
                    for n in ast.walk(t):
                        if isinstance(n, ast.Name):
                            add(prefix + n.id, node)
            elif not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
                add(prefix + "<top>", node)

    try:
        visit(ast.parse(source).body, "")
    except (SyntaxError, ValueError):
        return None
    return out


def affected(q):
    """Names that a change can reach, by the names that sources mention."""
    was, now = {}, {}
    for name in sources_of_tree():
        with contextlib.suppress(OSError, UnicodeDecodeError), open(name, encoding="utf-8") as h:
            was[name] = declarations(h.read())
    now.update(was)
    for name, source in (q.get("sources") or {}).items():
        now[name] = declarations(source)
    names, all_decls = set(), []
    for name in set(was) | set(now):
        a, b = was.get(name) or {}, now.get(name) or {}
        for key in set(a) | set(b):
            all_decls.append((key, (a.get(key, ("", set()))[1]) | (b.get(key, ("", set()))[1])))
            if a.get(key, ("",))[0] != b.get(key, ("",))[0]:
                names.add(key)
    reach = set()

    def mark(key):
        parts = key.split(".")
        reach.add(parts[-1])
        if parts[-1] in records.COPYING:
            reach.update(records.COPIERS)
        elif len(parts) > 1 and parts[-1].startswith("__"):
            reach.add(parts[-2])  # called without its name

    whole = any(k.endswith("<top>") for k in names)
    named = set().union(*(mentioned for _, mentioned in all_decls))
    for k in names:
        mark(k)
        parts = k.split(".")
        if len(parts) > 1 and parts[-1].startswith("_") and parts[-1] not in named:
            reach.add(parts[-2])  # nobody names it: it is called by a name that is put together, or by a table
    grown = bool(names)
    while grown:
        grown = False
        for key, mentioned in all_decls:
            if key.split(".")[-1] not in reach and mentioned & reach:
                mark(key)
                grown = True
    return {"names": sorted(reach), "whole": whole, "changed": sorted(names), "readers": sorted(readers(q, was, now, names)), "watch": watched(q, was, now, names)}


def askers(names, versions):
    """The declarations of a file that changed, and those that ask them by names with a leading underscore, which only they know."""
    out, grown = set(names), True
    while grown:
        private = {n for n in (key.rsplit(".", 1)[-1] for key in out) if n.startswith("_") and not n.startswith("__")}
        more = {key for version in versions for key, (_, mentioned) in version.items() if mentioned & private} - out
        out, grown = out | more, bool(more)
    return out


def reaching(names, was, now):
    """The names of functions that may come to call some, by the names that sources mention."""
    every = [(key.split("."), mentioned) for version in (was, now) for file in version.values() for key, (_, mentioned) in (file or {}).items()]
    out, grown = set(names), bool(names)
    while grown:
        more = {path[-1] if not path[-1].startswith("__") else path[-2] for path, mentioned in every if mentioned & out and len(path) > path[-1].startswith("__")} - out
        more |= {path[-2] for path, _ in every if len(path) > 1 and path[-1] in out and path[-1].startswith("__")} - out
        out, grown = out | more, bool(more)
    return out


def readers(q, was, now, names):
    """The methods that read what a changed one, or one that asks it, may write and no caller sees: they alone tell what it did."""
    out = set()
    for name, source in (q.get("sources") or {}).items():
        changed = askers(names, [version.get(name) or {} for version in (was, now)])
        with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError, ValueError), open(name, encoding="utf-8") as f:
            for text in (f.read(), source):
                for owner, fields in hidden(text, changed).items():
                    every = list((was.get(name) or {}).items()) + list((now.get(name) or {}).items())
                    out |= {key for key, (_, mentioned) in every if key.startswith(owner + ".") and mentioned & fields}
    return out - names


def watched(q, was, now, names):
    """What to watch in the files that changed."""
    out = {}
    for name, source in (q.get("sources") or {}).items():
        tables = [{k: mentioned for k, (_, mentioned) in (version.get(name) or {}).items()} for version in (was, now)]
        with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError, ValueError), open(name, encoding="utf-8") as f:
            text = f.read()
            out[name] = plan(text, source, tables, names & (set(tables[0]) | set(tables[1])))
            old, new = ast.parse(text), ast.parse(source)
            out[name]["asked"] = asked_by(name, new)
            out[name]["classes"] = classes_asked_for(name, old, new)
            out[name]["types"] = asked_by_one(old, new)
            out[name]["types"]["reach"] = sorted(reaching(out[name]["types"]["functions"], was, now))
            out[name]["inner"] = only_one_asks(name, old, new)
            out[name]["kinds"] = asked_otherwise(name, old, new)
            out[name]["caught"] = caught(name, old, new, NO_HASH)
            out[name]["environ"] = asked_for(old, new)
            out[name]["exits"] = caught(name, old, new, EXIT)
            out[name]["looked_up"] = looked_up(name, old, new)
            out[name]["nests"] = in_circles(names, tables) or any(calls_itself(f) for tree in (old, new) for f in ast.walk(tree) if isinstance(f, FUNCTIONS) and f.name in {k.rsplit(".", 1)[-1] for k in names})
    return out


def literals(files):
    out = {"strings": [], "ints": [], "floats": []}
    for name in files:
        try:
            with open(name, encoding="utf-8") as f:
                tree = ast.parse(f.read())
        except (OSError, SyntaxError, ValueError):
            continue
        for n in ast.walk(tree):
            if isinstance(n, ast.Constant):
                kind = {str: "strings", int: "ints", float: "floats"}.get(type(n.value))
                if kind == "ints" and abs(n.value) >= 1 << 63 or kind == "floats" and abs(n.value) == float("inf"):
                    continue
                if kind and len(out[kind]) < 300 and n.value not in out[kind] and (kind != "strings" or len(n.value) < 2000):
                    out[kind].append(n.value)
    return out
