"""Marks in changed functions: which of their blocks run, and how the two sides of their comparisons stand.

A module of a watched file is compiled with marks when it is imported. A mark gives back what it is given: code
with marks does what it does without, on the lines where it stands.

Standard library only.
"""
import ast
import importlib.machinery
import os
import sys
import zlib

MOST_PAIRS = 60  # of one case, besides those of comparisons that changed
MOST_OF_ONE = 6  # of one comparison in it
MOST_ELEMENTS = 12  # of a container that something is looked for in
LONGEST_SIDE = 2000  # characters
SIDES = {"startswith", "endswith", "find", "rfind", "index", "rindex", "count", "split", "rsplit", "partition", "rpartition", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "replace"}
# What a method of a text looks for where no argument says it.
IMPLIED = {"splitlines": "\n", **dict.fromkeys(("split", "rsplit", "strip", "lstrip", "rstrip", "isspace"), " "), **dict.fromkeys(("isdigit", "isdecimal", "isnumeric"), "0"),
           **dict.fromkeys(("isalpha", "isalnum", "islower"), "a"), "isupper": "A"}
LOOKS = {"get", "pop", "setdefault"}  # of a table, by a key
SIMPLE = (int, float, str, bytes)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
RAN, ASKED, NONE, LEFT, RIGHT, WITHIN, AT, IMPLY, SOUGHT = "__atoll_ran__", "__atoll_asked__", "__atoll_none__", "__atoll_left__", "__atoll_right__", "__atoll_within__", "__atoll_at__", "__atoll_imply__", "__atoll_sought__"


# ---- what is watched ----------------------------------------------------------


def functions(body, prefix=""):
    """The functions of a module and of its classes, by name, with those that stand in branches."""
    for n in body:
        if isinstance(n, FUNCTIONS):
            yield prefix + n.name, n
        elif isinstance(n, ast.ClassDef):
            yield from functions(n.body, prefix + n.name + ".")
        elif isinstance(n, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from functions(getattr(n, part, []), prefix)
            for h in getattr(n, "handlers", []):
                yield from functions(h.body, prefix)


def hidden(source, changed):
    """By class, the attributes of its own that no caller sees and that a changed method may write."""
    out = {}
    for key, f in functions(ast.parse(source).body):
        if key not in changed or "." not in key:
            continue
        written = [t for n in ast.walk(f) for t in (n.targets if isinstance(n, (ast.Assign, ast.Delete)) else [n.target] if isinstance(n, (ast.AugAssign, ast.AnnAssign)) else [])]
        written += [n.func.value for n in ast.walk(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        fields = {a.attr for t in written for a in ast.walk(t) if isinstance(a, ast.Attribute) and isinstance(a.value, ast.Name) and a.value.id == "self"}
        out.setdefault(key.rsplit(".", 1)[0], set()).update(a for a in fields if a.startswith("_"))
    return out


def asks(node):
    """Whether a node is one that sets two values beside each other."""
    return isinstance(node, (ast.Compare, ast.Subscript)) or isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Attribute) and node.func.attr in SIDES | LOOKS | IMPLIED.keys() or isinstance(node.func, ast.Name) and node.func.id in ("min", "max"))


def truths(node):
    """What a node takes for true or not."""
    tests = node.values if isinstance(node, ast.BoolOp) else [node.test] if isinstance(node, (ast.If, ast.While, ast.IfExp)) else []
    for test in tests:
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        if not isinstance(test, (ast.Compare, ast.BoolOp, ast.Constant)):
            yield test


def asked_in(node):
    """What a node asks, as text."""
    return {ast.dump(n) for n in ast.walk(node) if asks(n)} | {ast.dump(test) for n in ast.walk(node) for test in truths(n)}


def questions(source):
    """What the functions of a source ask, as text, by their name, and by each statement that holds no other."""
    out, lines = {}, {}
    for key, f in functions(ast.parse(source).body):
        out.setdefault(key, set()).update(asked_in(f))
        lines.setdefault(key, {}).update((ast.dump(n), asked_in(n)) for n in ast.walk(f) if isinstance(n, ast.stmt) and not hasattr(n, "body"))
    return out, lines


def plan(was, now, mentions, changed):
    """What to watch in a file: the functions that changed, those beside them, and what one version alone asks.
    mentions has the names that each declaration of a version mentions, in two tables."""
    last = lambda key: key.rsplit(".", 1)[-1]
    tails = {last(k) for k in changed}
    named = {n for table in mentions for k in changed for n in table.get(k, ())}
    keys = {k for table in mentions for k in table}
    near = sorted(k for k in keys - changed if last(k) in named or any(table.get(k, set()) & tails for table in mentions))
    (a, lines_a), (b, lines_b) = questions(was), questions(now)
    only = {d for k in changed for d in a.get(k, set()) ^ b.get(k, set())}
    for k in changed:  # a question that both ask has another effect where the rest of its statement is another
        one, other = lines_a.get(k, {}), lines_b.get(k, {})
        only.update(d for text in one.keys() ^ other.keys() for d in one.get(text) or other.get(text) or ())
    return {"direct": sorted(changed), "near": near, "only": sorted(only)}


# ---- marks --------------------------------------------------------------------


def call(name, *args):
    made = [a if isinstance(a, ast.AST) else ast.Constant(a) for a in args]
    return ast.Call(ast.Name(name, ast.Load()), made, [])


class Marker(ast.NodeTransformer):
    """Puts marks into one function."""

    def __init__(self, key, direct, only):
        self.key, self.direct, self.only, self.blocks, self.questions = key, direct, only, 0, 0

    def number(self, kind, n):
        return zlib.crc32(("%s %s %d" % (self.key, kind, n)).encode()) & 0xFFFFFF

    def block(self, body):
        """Statements with a mark before them, behind what must stand first."""
        self.blocks += 1
        at = int(bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str))
        mark = ast.Expr(call(RAN, self.number("block", self.blocks), self.direct))
        return body[:at] + [mark] + body[at:]

    def question(self, node):
        self.questions += 1
        return self.number("question", self.questions), self.direct and ast.dump(node) in self.only

    def mark(self, function):
        function.body = self.block([self.visit(s) for s in function.body])

    def visit(self, node):
        place = node
        out = super().visit(node)
        if isinstance(out, ast.AST) and out is not place and isinstance(place, (ast.expr, ast.stmt)):
            ast.copy_location(out, place)
        return out

    def branching(self, node):
        for part in ("body", "orelse", "finalbody"):
            statements = getattr(node, part, None)
            if statements and isinstance(statements, list):
                setattr(node, part, self.block(statements))
        return node

    def visit_If(self, node):
        node.test = self.asked(node.test)
        return self.branching(self.generic_visit(node))

    visit_While = visit_If

    def visit_For(self, node):
        return self.branching(self.generic_visit(node))

    visit_AsyncFor = visit_ExceptHandler = visit_FunctionDef = visit_AsyncFunctionDef = visit_For

    def visit_Try(self, node):
        return self.generic_visit(node)

    def visit_match_case(self, node):
        node.body = [self.visit(s) for s in node.body]
        return self.branching(node)

    def visit_IfExp(self, node):
        node.test = self.asked(node.test)
        return self.generic_visit(node)

    def visit_BoolOp(self, node):
        node.values = [self.asked(v) for v in node.values]
        return self.generic_visit(node)

    def asked(self, test):
        """A condition of which the kind of its value is told, not only whether it holds."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self.asked(test.operand)
            return test
        if isinstance(test, (ast.Compare, ast.BoolOp, ast.Constant)):
            return test
        n, changed = self.question(test)
        return ast.copy_location(call(ASKED, n, changed, test), test)

    def visit_Compare(self, node):
        n, changed = self.question(node)
        node = self.generic_visit(node)
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            none = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
            node.left = call(NONE if none else ASKED, n, changed, node.left)
            return node
        node.left = call(LEFT, n, node.left)
        node.comparators = [call(WITHIN if isinstance(op, (ast.In, ast.NotIn)) else RIGHT, n, changed, c) for op, c in zip(node.ops, node.comparators)]
        return node

    def visit_Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        n, changed = self.question(node)
        node = self.generic_visit(node)
        ends = node.slice
        if isinstance(ends, ast.Slice):
            if ends.lower is None and ends.upper is None:
                return node
            for end in ("lower", "upper"):
                if getattr(ends, end) is not None:
                    setattr(ends, end, call(AT, n, changed, getattr(ends, end)))
        elif isinstance(ends, ast.Tuple):
            return node
        else:
            node.slice = call(AT, n, changed, ends)
        node.value = call(LEFT, n, node.value)
        return node

    def visit_Call(self, node):
        if not asks(node) or any(isinstance(a, ast.Starred) for a in node.args):
            return self.generic_visit(node)
        n, changed = self.question(node)
        node = self.generic_visit(node)
        if not node.args:
            text = IMPLIED.get(getattr(node.func, "attr", ""))
            if text:
                node.func.value = call(IMPLY, n, changed, text, node.func.value)
        elif isinstance(node.func, ast.Attribute):
            node.func.value = call(LEFT, n, node.func.value)
            node.args[0] = call(AT if node.func.attr in LOOKS else SOUGHT, n, changed, node.args[0])
        elif len(node.args) > 1:
            node.args = [call(LEFT, n, node.args[0])] + [call(RIGHT, n, changed, a) for a in node.args[1:]]
        return node


def marked(source, file, path):
    """The code of a watched file."""
    tree = ast.parse(source, path)
    direct, near, only = set(file["direct"]), set(file["near"]), set(file["only"])
    every = not any(key in direct for key, _ in functions(tree.body))  # a value changed: all that name it tell the way
    for key, f in functions(tree.body):
        if key in direct or key in near:
            Marker(key, every or key in direct, only).mark(f)
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a watched file, and never the bytecode that was made of it without marks."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        data = self.get_data(path)
        try:
            return marked(data, self.file, path)
        except (SyntaxError, ValueError, RecursionError):
            return self.source_to_code(data, path)


class Finder:
    """Finds the modules of watched files."""

    def __init__(self, files):
        self.files = {os.path.realpath(f): file for f, file in files.items()}

    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        file = self.files.get(os.path.realpath(spec.origin)) if spec is not None and spec.origin else None
        if file is None:
            return None
        spec.loader = Loader(spec.loader.name, spec.loader.path)
        spec.loader.file = file
        return spec


# ---- what the marks tell ------------------------------------------------------


def kind_of(v):
    """What a condition may tell values apart by."""
    if type(v) in (int, float, str, bytes, list, tuple, dict, set, bool, type(None)):
        return type(v).__name__, bool(v)
    return (type(v).__name__,)


def stand(a, b):
    """How two sides stand: less, one less, equal, one more, more."""
    if type(a) is type(b) and type(a) in SIMPLE or type(a) in (int, float) and type(b) in (int, float):
        if type(a) in (str, bytes):
            return a == b, a < b, len(a) == len(b), bool(b) and b in a
        return a == b, a < b, abs(a - b) == 1
    return type(a).__name__, type(b).__name__


class Watch:
    """What one case did in the watched code."""

    def __init__(self, files):
        self.files, self.last, self.sides = files, {}, False
        self.begin()

    def begin(self):
        self.ran, self.direct, self.pairs, self.told, self.before = set(), set(), [], {}, 0

    def install(self, sides):
        """Has the modules that are imported from now on tell, with the sides of comparisons or their blocks alone."""
        import builtins

        self.sides = sides
        for name, f in ((RAN, self.block), (ASKED, self.asked), (NONE, self.none), (LEFT, self.left), (RIGHT, self.right), (WITHIN, self.within), (AT, self.at), (IMPLY, self.imply), (SOUGHT, self.sought)):
            setattr(builtins, name, f)
        sys.meta_path.insert(0, Finder(self.files))

    def way(self):
        """The way through what changed, as a number."""
        return zlib.crc32(repr(sorted(self.direct)).encode())

    def block(self, n, direct):
        self.ran.add((self.before, n))
        if direct:
            self.direct.add((self.before, n))
        self.before = n

    def asked(self, n, changed, v):
        """v is told apart by its kind: what is empty of that kind is another way."""
        if self.sides:
            self.ran.add((n, *kind_of(v)))
            if changed and type(v) in SIMPLE and v:
                self.pair(n, changed, v, type(v)())
            elif changed and type(v) in (list, tuple) and v:
                self.pair(n, changed, len(v), 0)
        return v

    def none(self, n, changed, v):
        """v is asked for being None."""
        if self.sides:
            self.pair(n, changed, v, None)
        return self.asked(n, changed, v)

    def left(self, n, v):
        if self.sides:
            self.last[n] = v
        return v

    def right(self, n, changed, v):
        if self.sides:
            self.pair(n, changed, self.last.get(n), v)
            self.last[n] = v
        return v

    def sought(self, n, changed, v):
        """v is looked for in the other side, and may stand anywhere in it."""
        if self.sides and type(v) is str:
            whole = self.last.get(n)
            if v and type(whole) is str:
                self.ran.add((n, "times", min(whole.count(v), 2), whole.startswith(v), whole.endswith(v)))
            self.pair(n, changed, "", v)
        return self.right(n, changed, v)

    def within(self, n, changed, v):
        """v is looked into for the other side."""
        if self.sides:
            self.held(n, changed, self.last.get(n), v)
            self.last[n] = v
        return v

    def at(self, n, changed, v):
        """v is a place in the other side, or a key of it."""
        if self.sides:
            whole = self.last.get(n)
            if type(whole) in (str, bytes, list, tuple) and type(v) is int:
                self.pair(n, changed, v, len(whole))
            elif isinstance(whole, dict):
                self.held(n, changed, v, whole)
        return v

    def imply(self, n, changed, text, v):
        """v is looked into for a text that may stand anywhere in it."""
        if self.sides and type(v) is str:
            self.ran.add((n, bool(v), text in v))
            if text not in v:
                self.pair(n, changed, "", text)
        return v

    def held(self, n, changed, v, whole):
        if isinstance(whole, str):
            self.pair(n, changed, v, whole)
        elif type(whole) in (list, tuple, set, frozenset) or isinstance(whole, dict) and type(whole).__iter__ is dict.__iter__:
            each = sorted((x for x in whole if x is None or type(x) in SIMPLE), key=lambda x: (type(x).__name__, x == v, repr(x)))
            self.ran.add((n, len(whole) == 0, type(v).__name__, any(type(x) is type(v) and x == v for x in each)))
            for x in each[:MOST_ELEMENTS]:
                self.pair(n, changed, v, x)

    def pair(self, n, changed, a, b):
        none = a is None or b is None  # is another way where that is what changed
        if type(a) not in TOLD or type(b) not in TOLD or none and (not changed or a is b):
            self.ran.add((n, type(a).__name__, type(b).__name__))
            return
        self.ran.add((n, *stand(a, b)))
        often = self.told.get(n, 0)
        if often < MOST_OF_ONE and (changed or len(self.pairs) < MOST_PAIRS) and is_short(a) and is_short(b):
            self.told[n] = often + 1
            self.pairs.append((n, changed, a, b))


TOLD = (*SIMPLE, type(None))


def is_short(v):
    return type(v) not in (str, bytes) or len(v) <= LONGEST_SIDE
