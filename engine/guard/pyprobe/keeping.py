"""What Python code keeps between calls.

A function that writes a variable of its module gives the same answers, one call
after the other. Callers at the same time see it, memory does, and what is measured
by asking the same again looks quicker than it is.
"""
import ast

WRITERS = {
    "append", "add", "update", "setdefault", "extend", "insert", "pop", "popitem", "clear", "remove", "discard", "appendleft", "extendleft", "popleft", "rotate", "sort", "reverse", "move_to_end",
    "write", "writelines", "truncate", "seek", "__setitem__", "__delitem__", "__setattr__", "difference_update", "intersection_update", "symmetric_difference_update", "__ior__", "subtract",
}
CACHES = {"lru_cache", "cache", "cached", "memoize", "memoized"}
EMPTY = {"dict", "list", "set", "bytearray", "OrderedDict", "defaultdict", "Counter", "deque", "WeakKeyDictionary", "WeakValueDictionary"}
COMPILERS = {"re", "regex"}  # packages that keep what they compiled
OF_IMPORTED = {"setdefault", "update", "append", "extend", "pop", "popitem", "clear"}  # writers that are no functions of a package
BEGINNING = {"__init__", "__new__", "__post_init__"}  # methods that fill an object when it is made
AT_DEFINITION = {"__init_subclass__", "__set_name__"}  # methods that run where a class is defined
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = FUNCTIONS + (ast.ClassDef,)


def inside(scope):
    """The nodes of a function, class or module but for those of what it defines."""
    todo = list(scope.body) if isinstance(scope.body, list) else [scope.body]
    while todo:
        n = todo.pop()
        yield n
        if isinstance(n, SCOPES):
            todo += getattr(n, "decorator_list", [])
            if not isinstance(n, ast.ClassDef):
                todo += n.args.defaults + [d for d in n.args.kw_defaults if d is not None]
        else:
            todo += ast.iter_child_nodes(n)


def binds(nodes):
    """The names that nodes of one scope bind."""
    out = set()
    for n in nodes:
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
            out.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            out.add(n.name)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            out.add(n.name)
        elif isinstance(n, (ast.Import, ast.ImportFrom)):
            out |= {(a.asname or a.name).split(".")[0] for a in n.names}
        elif type(n).__name__ in ("MatchAs", "MatchStar") and n.name:
            out.add(n.name)
    return out


def last(e):
    """The last name of what is called or named: lru_cache of functools.lru_cache(None)."""
    while isinstance(e, ast.Call):
        e = e.func
    return e.attr if isinstance(e, ast.Attribute) else e.id if isinstance(e, ast.Name) else ""


def is_empty(e):
    """A value that has room and holds nothing yet."""
    if isinstance(e, ast.Dict):
        return not e.keys
    return isinstance(e, ast.List) and not e.elts or isinstance(e, ast.Call) and last(e) in EMPTY


def root(e):
    """The name that an expression begins with."""
    while isinstance(e, (ast.Attribute, ast.Subscript)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else None


def changes_first(n, first):
    """Whether a node of a method changes the object that the method belongs to."""
    if isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, (ast.Store, ast.Del)):
        return root(n) == first
    if isinstance(n, ast.Attribute) and n.attr in WRITERS:
        return root(n.value) == first or isinstance(n.value, ast.Call) and last(n.value) == "super"
    return False


class Scope:
    """A function as those within it see it."""

    def __init__(self, node, name, outer, owner):
        self.node, self.name, self.outer, self.owner = node, name, outer, owner  # owner is the class that has it as a method
        self.nodes = list(inside(node))
        args = [a for a in ast.walk(node.args) if isinstance(a, ast.arg)]
        self.shared = {n for s in self.nodes if isinstance(s, ast.Global) for n in s.names}
        outside = {n for s in self.nodes if isinstance(s, ast.Nonlocal) for n in s.names}
        self.local = binds(self.nodes) - self.shared - outside | {a.arg for a in args}
        self.first = node.args.args[0].arg if owner and node.args.args else None
        positional = node.args.posonlyargs + node.args.args
        pairs = list(zip(positional[len(positional) - len(node.args.defaults):], node.args.defaults)) + list(zip(node.args.kwonlyargs, node.args.kw_defaults))
        self.rooms = {a.arg for a, d in pairs if d is not None and is_empty(d)} - binds(self.nodes)
        self.also = {}  # local names of variables of the module
        for n in self.nodes:
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name):
                self.also.update((t.id, n.value.id) for t in n.targets if isinstance(t, ast.Name) and t.id not in self.shared)

    def gives(self, inner):
        """Whether a function gives one that stands in it to its caller."""
        name = inner.name.split(".")[-1]
        return any(isinstance(n, ast.Return) and n.value and any(isinstance(v, ast.Lambda) or isinstance(v, ast.Name) and v.id == name for v in ast.walk(n.value)) for n in self.nodes)


class Module:
    """What the functions of a module write; own says of a module's name that it is one of the tree."""

    def __init__(self, tree, own):
        self.kept = {}  # by what is written: the functions that write it
        self.top = list(inside(tree))
        imports = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
        self.imported = binds(imports)
        self.foreign = binds(n for n in imports if not (own(n.names[0].name) if isinstance(n, ast.Import) else n.level or own(n.module or "")))
        self.packages = {a.asname or a.name for n in imports if isinstance(n, ast.Import) for a in n.names if a.name in COMPILERS}
        self.defined = {n.name for n in self.top if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
        self.names = binds(self.top) - self.imported
        self.values = {}
        for n in self.top:
            if isinstance(n, ast.Assign):
                self.values.update((t.id, n.value) for t in n.targets if isinstance(t, ast.Name))
            elif isinstance(n, ast.AnnAssign) and n.value is not None and isinstance(n.target, ast.Name):
                self.values[n.target.id] = n.value
        self.classes = {}  # by name, what its body makes with room in it and no object has for itself
        self.scopes = []
        self.find(tree, "", None, None)
        self.wrappers = {last(d) for n in ast.walk(tree) for d in getattr(n, "decorator_list", [])} | {last(n) for n in self.top if isinstance(n, ast.Call)}
        self.changing = self.changed_by_methods()
        later = self.later()
        for s in self.scopes:
            if s in later:
                self.look(s)
        self.caches(tree)

    def find(self, node, prefix, outer, owner):
        for n in inside(node):
            if isinstance(n, ast.ClassDef):
                own = {t.id for s in n.body if isinstance(s, ast.Assign) and is_empty(s.value) for t in s.targets if isinstance(t, ast.Name)}
                own |= {s.target.id for s in n.body if isinstance(s, ast.AnnAssign) and s.value is not None and is_empty(s.value) and isinstance(s.target, ast.Name)}
                set_by_objects = {a.attr for a in ast.walk(n) if isinstance(a, ast.Attribute) and isinstance(a.ctx, ast.Store) and isinstance(a.value, ast.Name) and a.value.id == "self"}
                self.classes[n.name] = own - set_by_objects
                self.find(n, prefix + n.name + ".", outer, n.name)
            elif isinstance(n, FUNCTIONS):
                name = prefix + getattr(n, "name", "a lambda")
                s = Scope(n, name, outer, owner)
                self.scopes.append(s)
                self.find(n, name + ".", s, None)

    def later(self):
        """The functions that can be called once the module is there; what only its own lines call is none."""
        private = {s for s in self.scopes if not s.outer and not s.owner and s.name.startswith("_")}
        called = {last(n) for n in self.top if isinstance(n, ast.Call)}
        grown, out = True, {s for s in self.scopes if s not in private or s.name not in called}
        while grown:
            seen = {n.id if isinstance(n, ast.Name) else n.attr for s in out for n in s.nodes if isinstance(n, (ast.Name, ast.Attribute))}
            more = {s for s in self.scopes if s not in out and s.name in seen}
            out |= more
            grown = bool(more)
        return {s for s in out if s.name.split(".")[-1] not in AT_DEFINITION and (not s.outer or s.outer in out or s.outer.gives(s))}

    def changed_by_methods(self):
        """By class of the module, the methods that change their object."""
        out = {}
        for n in sorted((n for n in self.top if isinstance(n, ast.ClassDef)), key=lambda n: n.lineno):  # one stands behind those that it is derived from
            methods = {s.name.split(".")[-1]: s for s in self.scopes if s.owner == n.name and s.first and not s.outer}
            changes = {m for base in n.bases for m in out.get(last(base), ()) if m not in methods}
            changes |= {m for m, s in methods.items() if any(changes_first(x, s.first) for x in s.nodes)}
            grown = True
            while grown:
                more = {m for m, s in methods.items() if m not in changes and any(isinstance(x, ast.Attribute) and x.attr in changes and root(x) == s.first for x in s.nodes)}
                changes |= more
                grown = bool(more)
            out[n.name] = changes - BEGINNING
        return out

    def where(self, e, scope):
        """What lives longer than a call that an expression is, or is a part of; None for all else."""
        path = []
        while isinstance(e, (ast.Attribute, ast.Subscript, ast.Starred)):
            if isinstance(e, ast.Attribute):
                path.append(e.attr)
            e = e.value
        path.reverse()
        if isinstance(e, ast.Call):
            if last(e) == "globals" and not e.args:
                return "globals()"
            if last(e) == "type" and len(e.args) == 1 and scope.owner and path:
                return f"{scope.owner}.{path[0]}"
        if not isinstance(e, ast.Name):
            return None
        name = e.id
        if name == scope.first:
            if name == "cls" and path:
                return f"{scope.owner}.{path[0]}"
            if path[:1] == ["__class__"] and len(path) > 1:
                return f"{scope.owner}.{path[1]}"
            return f"{scope.owner}.{path[0]}" if path and path[0] in self.classes.get(scope.owner, ()) else None
        return self.named(name, path, scope)

    def named(self, name, path, scope):
        s = inner = scope
        while s:
            if name in s.shared:
                return name
            if name in s.rooms:
                return f"{name} of {s.name}"
            if name in s.local:
                if s is not scope and s.gives(inner) and self.wraps(s):
                    return f"{name} of {s.name}"
                also = s.also.get(name)
                if also and also != name and also in self.values and also not in s.local:
                    return also
                return None
            s, inner = s.outer, s
        if name in self.defined:
            return f"{name}.{path[0]}" if path else None
        if name in self.names:
            return name
        return f"{name}.{path[0]}" if name in self.imported and path else None

    def wraps(self, scope):
        """Whether the module calls a function while it is imported, or decorates with it."""
        while scope:
            if scope.name.split(".")[-1] in self.wrappers:
                return True
            scope = scope.outer
        return False

    def keep(self, what, scope):
        if what:
            self.kept.setdefault(what, set()).add(scope.name)

    def look(self, scope):
        for n in scope.nodes:
            if isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, (ast.Store, ast.Del)):
                what = self.where(n, scope)
                if not what or what.split(".")[0] not in self.foreign:  # that is said elsewhere
                    self.keep(what, scope)
            elif isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
                if n.id in scope.shared or n.id not in scope.local:
                    self.keep(self.named(n.id, [], scope), scope)
            elif isinstance(n, ast.Attribute) and n.attr in WRITERS:
                self.asks(n, scope)
            elif isinstance(n, ast.Call):
                self.calls(n, scope)
            self.changes(n, scope)

    def changes(self, n, scope):
        """Notes an object of the module that one of its own methods changes where a node asks it."""
        if isinstance(n, ast.Attribute):
            asked, methods = n.value, {n.attr}
        elif isinstance(n, ast.Subscript):
            asked, methods = n.value, {"__missing__", "__getitem__"}
        elif isinstance(n, ast.Call):
            asked, methods = n.func, {"__call__"}
        else:
            return
        value = self.values.get(asked.id) if isinstance(asked, ast.Name) else None
        if isinstance(value, ast.Call) and methods & self.changing.get(last(value), set()):
            self.keep(self.named(asked.id, [], scope), scope)

    def asks(self, n, scope):
        what = self.where(n.value, scope)
        if not what or isinstance(n.value, ast.Name) and n.value.id in self.imported | self.defined and n.value.id not in scope.local:
            return  # a function of a module, a method of a class
        if what.split(".")[0] not in self.imported or n.attr in OF_IMPORTED:
            self.keep(what, scope)

    def calls(self, n, scope):
        if isinstance(n.func, ast.Name) and n.func.id in ("setattr", "delattr") and n.args:
            named = n.args[1] if len(n.args) > 1 else None
            attr = named.value if isinstance(named, ast.Constant) else "..."
            if isinstance(n.args[0], ast.Name) and n.args[0].id != scope.first:
                self.keep(self.named(n.args[0].id, [str(attr)], scope), scope)
        elif isinstance(n.func, ast.Name) and n.func.id == "next" and n.args and isinstance(n.args[0], ast.Name):
            if n.args[0].id in self.values:
                self.keep(self.named(n.args[0].id, [], scope), scope)
        for a in n.args:
            if isinstance(a, ast.Name) and a.id not in scope.local and last(self.values.get(a.id)) in ("bytearray", "BytesIO", "StringIO") and last(n) not in ("len", "bytes", "bytearray", "isinstance"):
                self.keep(a.id, scope)

    def caches(self, tree):
        """Functions whose results another one keeps, by name."""
        for s in self.scopes:
            for d in getattr(s.node, "decorator_list", []):
                if self.is_cache(d) and not (bounded(d) and self.only_compiles(s.node)):
                    self.kept.setdefault("results of " + s.name, set()).add(last(d))
        decorators = {d for n in ast.walk(tree) for d in getattr(n, "decorator_list", [])}
        for n in ast.walk(tree):
            if isinstance(n, ast.Call) and n.args and n not in decorators and self.is_cache(n.func):
                f = n.args[0]
                if isinstance(f, (ast.Name, ast.Attribute, ast.Lambda)) and not (bounded(n.func) and self.compiles(f)):
                    self.kept.setdefault("results of " + (last(f) or "a lambda"), set()).add(last(n.func))

    def is_cache(self, e):
        name = last(e)
        while isinstance(e, (ast.Call, ast.Attribute)):
            e = e.func if isinstance(e, ast.Call) else e.value
        return name in CACHES and isinstance(e, ast.Name) and e.id in self.imported

    def compiles(self, f):
        """Whether a function is re.compile: the package keeps what it gives as well, so nobody sees that it is kept."""
        return isinstance(f, ast.Attribute) and f.attr == "compile" and isinstance(f.value, ast.Name) and f.value.id in self.packages

    def only_compiles(self, f):
        body = [s for s in f.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        if len(body) != 1 or not isinstance(body[0], ast.Return) or not isinstance(body[0].value, ast.Call):
            return False
        c = body[0].value
        return self.compiles(c.func) and not c.keywords and all(isinstance(a, ast.Name) for a in c.args)


def bounded(e):
    """Whether an lru_cache keeps no more than so many results."""
    sizes = (e.args[:1] + [k.value for k in e.keywords if k.arg == "maxsize"]) if isinstance(e, ast.Call) else []
    return last(e) == "lru_cache" and all(isinstance(v, ast.Constant) and v.value is not None for v in sizes)


def keeping(source, own):
    """What functions of a source write that outlives a call, with the functions; empty for one that cannot be read."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    return Module(tree, own).kept


def new_in(was, now, own):
    """What a source keeps between calls that another did not, in words."""
    known, present = keeping(was, own), keeping(now, own)
    gone = [sorted(by) for what, by in known.items() if what not in present]
    new = [sorted(by) for what, by in present.items() if what not in known]
    out = []
    for what, by in sorted(present.items()):
        if what not in known and gone.count(sorted(by)) < new.count(sorted(by)):  # else it has another name
            names = sorted(by)
            if len(names) > 3:
                names[2:] = [f"{len(names) - 2} more"]
            out.append(f"keeps {what} between calls ({names[0]})" if what.startswith("results of ") else f"keeps something between calls in {what} (written by {', '.join(names)})")
    return out
