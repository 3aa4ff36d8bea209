"""What Python code does to the process that it runs in, beyond its answers.

A library that sets a function of another module, ends the process or begins to
print changes what is measured without an answer of its own that differs.
"""
import ast
import os

from atoll_guard_keeping import new_in

ENDS = {"os._exit", "os.abort", "os.kill", "os.killpg", "sys.exit", "exit", "quit", "os.execv", "os.execve", "os.execvp", "signal.raise_signal"}
HOOKS = {
    "atexit.register", "signal.signal", "signal.setitimer", "sys.setprofile", "sys.settrace", "sys.setrecursionlimit", "sys.setswitchinterval",
    "threading.setprofile", "threading.settrace", "gc.disable", "gc.freeze", "gc.get_objects", "gc.get_referrers",
}
CALLERS = {"sys._getframe", "inspect.stack", "inspect.currentframe", "inspect.getouterframes", "traceback.extract_stack", "traceback.walk_stack"}
PRINTS = {"print", "sys.stdout.write", "sys.stdout.buffer.write", "sys.__stdout__.write", "os.write"}


def own(module):
    top = module.split(".")[0]
    return not top or any(os.path.exists(os.path.join(d, top + ext)) for d in (".", "src") for ext in ("", ".py"))


def beyond(source):
    """What a source does beyond its answers, in words; empty for one that cannot be read."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    names = {"builtins": "builtins", "__builtins__": "builtins"}
    out = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Import):
            for a in n.names:
                if a.name == "__main__":
                    out.add("looks into the program that calls it (__main__)")
                if not own(a.name):
                    names[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
        elif isinstance(n, ast.ImportFrom) and not n.level and n.module and not own(n.module):
            if n.module == "__main__":
                out.add("looks into the program that calls it (__main__)")
            for a in n.names:
                names[a.asname or a.name] = n.module + "." + a.name

    def look(scope, hidden):
        """One function or the module itself; names that it binds hide modules."""
        inner = []
        todo = list(ast.iter_child_nodes(scope))
        here = []
        while todo:
            n = todo.pop()
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                inner.append(n)
                continue
            here.append(n)
            todo += ast.iter_child_nodes(n)
        if not isinstance(scope, ast.Module):
            hidden = hidden | {n.arg for n in ast.walk(scope.args) if isinstance(n, ast.arg)}
            hidden = hidden | {n.id for n in here if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        known = {k: v for k, v in names.items() if k not in hidden}
        for n in here:
            out.update(done(n, known, hidden))
        for f in inner:
            look(f, hidden)

    look(tree, set())
    return out


def spell(node, known):
    """The full name of what belongs to a module from elsewhere, else None."""
    parts = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return None
    return ".".join([known[node.id]] + parts[::-1])


def sets(t, known):
    """The names of other modules that an assignment sets."""
    if isinstance(t, (ast.Tuple, ast.List)):
        return [name for e in t.elts for name in sets(e, known)]
    if isinstance(t, ast.Starred):
        return sets(t.value, known)
    name = spell(t, known) if isinstance(t, (ast.Attribute, ast.Subscript)) else None
    return [name] if name else []


def done(n, known, hidden):
    """What one node does beyond its answer."""
    if isinstance(n, (ast.Assign, ast.Delete)):
        return [f"sets {name} for the whole process" for t in n.targets for name in sets(t, known)]
    if isinstance(n, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)):
        return [f"sets {name} for the whole process" for name in sets(n.target, known)]
    if isinstance(n, ast.Raise) and n.exc is not None:
        e = n.exc.func if isinstance(n.exc, ast.Call) else n.exc
        return [f"ends the process ({e.id})"] if isinstance(e, ast.Name) and e.id in ("SystemExit", "KeyboardInterrupt") else []
    if not isinstance(n, ast.Call):
        return []
    if isinstance(n.func, ast.Name) and n.func.id not in known:
        name = None if n.func.id in hidden else n.func.id
    else:
        name = spell(n.func, known)
    if name in ("setattr", "delattr", "vars") and n.args and spell(n.args[0], known):
        return [f"sets {spell(n.args[0], known)} for the whole process"]
    if name in ENDS:
        return [f"ends the process ({name})"]
    if name in HOOKS:
        return [f"changes the process that it runs in ({name})"]
    if name in CALLERS:
        return [f"looks who calls it ({name})"]
    if name in PRINTS and not (name == "print" and any(k.arg == "file" for k in n.keywords)):
        return ["prints"]
    return []


def of_change(sources):
    """What changed files do beyond their answers that the files of the tree did not."""
    out = []
    for name, now in sorted(sources.items()):
        was = ""
        try:
            with open(name, encoding="utf-8") as f:
                was = f.read()
        except (OSError, UnicodeDecodeError):
            pass
        out += [{"file": name, "what": what} for what in sorted(beyond(now) - beyond(was)) + new_in(was, now, own)]
    return out
