"""Tests as scenarios: what a test does with the code of the tree is done again with other values in it.

A test makes objects, asks them, and says what it expects. Here it is a function of the values that it is written
with: its literals and the rows that it is given. What it looks at is told in the place of what it expects, so
that two trees can be compared on values for which nobody knows the right answer.

Standard library only.
"""
import ast
import collections
import contextlib
import functools
import os
import pickle

from atoll_guard_internals import is_private
from atoll_guard_keeping import WRITERS
from atoll_guard_offers import module_of
from atoll_guard_tree import TREE

LITERAL, KIND, SEE, GIVEN, TRUTH, RAISED, EXPECT, HELPER, HELD = ("__atoll_%s__" % name for name in ("literal", "kind", "see", "given", "truth", "raised", "expect", "helper", "held"))
ONE_KIND = False  # stands for a list or a tuple that is of its own kind
MOST_LITERALS = 40  # of one test
MOST_ROWS = 12  # of one test
MOST_PARTS = 200  # nodes of one literal
LONGEST_WORDS = 80  # characters of an expression in words
BUILT_IN = ("tmp_path", "request")  # fixtures that need no source
DEFINING = (ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.ClassDef, ast.Try, ast.If)
LONGEST_TEST = 0.5  # seconds of the processor, without those that recording it takes
MOST_FILES = 200
SETTING_UP = ("setUp", "setup_method", "setup")
EXPECTING = {"assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assertWarns", "assertWarnsRegex", "assertLogs", "raises", "warns", "deprecated_call"}
SKIPPED = {"assertRaisesRegex", "assertRaisesRegexp", "assertWarnsRegex"}  # of those, what has a pattern before what it calls
BEYOND = {  # names of what a test does beside asking the code: its answers are none, or are of more than the code
    "mock", "Mock", "MagicMock", "patch", "monkeypatch", "mocker", "capsys", "capfd", "caplog", "tmpdir", "subprocess", "Popen", "threading", "Thread", "multiprocessing", "socket",
    "inspect", "gc", "weakref", "getrefcount", "getsizeof", "tracemalloc", "timeit", "perf_counter", "id", "exec", "eval", "reload", "import_module", "warnings", "__dict__", "__code__", "hash", "urandom", "random",
    "chdir", "fork", "kill", "stdout", "stderr", "environ", "exit", "_exit",
}
DECORATORS = {"skip", "skipif", "skipIf", "skipUnless", "expectedFailure", "xfail", "usefixtures", "given", "patch", "mark", "parametrize"}


@functools.lru_cache
def assertions():
    """The names that unittest has for what a test expects."""
    from unittest import TestCase  # most processes of the probe play no test

    return frozenset(name for name in dir(TestCase) if name.startswith("assert"))


def last_name(node):
    """The last name of what is called or named: raises of pytest.raises(ValueError)."""
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "attr", getattr(node, "id", ""))


def value_of(node):
    """The value of a literal, as a list of one; none for what is no literal, or stands for nothing that varies."""
    if sum(1 for _ in zip(range(MOST_PARTS), ast.walk(node))) == MOST_PARTS:
        return []
    with contextlib.suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        v = ast.literal_eval(node)
        return [] if v is None or v is Ellipsis else [v]
    return []


def asks(node):
    """Whether an expression asks anything, and is not a value that a test expects."""
    return any(isinstance(n, (ast.Call, ast.Subscript, ast.Attribute, ast.BinOp)) or isinstance(n, ast.Name) and n.id not in ("True", "False", "None") for n in ast.walk(node))


def call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def words(node):
    return ast.Constant(" ".join(ast.unparse(node).split())[:LONGEST_WORDS])


def can_be_asked_again(node):
    """Whether an expression asks something, and can do so in a function of its own."""
    return isinstance(node, (ast.Call, ast.Subscript, ast.Attribute)) and not any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.NamedExpr)) or getattr(n, "id", "") in ("super", "locals", "vars", "dir") for n in ast.walk(node))


class Telling(ast.NodeTransformer):
    """Has the functions of a test's module tell what they look at."""

    def see(self, node, whole=False, asked_for=True):
        """Has a value told that a test looks at. asked_for: what a call gives, and not what it does, is what the test wants of it."""
        if asked_for and can_be_asked_again(node):
            return call(GIVEN, words(node), ast.Lambda(ast.arguments([], [], None, [], [], None, []), self.visit(node)), ast.Constant(whole), ast.Constant(isinstance(node, ast.Call)))
        return call(SEE, words(node), self.visit(node), ast.Constant(whole))

    def visit_Assert(self, node):
        return ast.Expr(self.truth(node.test))

    def truth(self, test):
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return self.see(test, True)
        return self.compared(test, test.left, test.ops[0], test.comparators[0])

    def compared(self, test, left, op, right):
        """Two sides that are compared: each that asks something is told, and where both do how they compare."""
        if not asks(left) or not asks(right):
            return self.see(left if asks(left) else right, True)
        said = words(test)
        return call(TRUTH, said, ast.Compare(self.see(left, True), [op], [self.see(right, True)]))

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return node
        if not isinstance(node.value, ast.Call):
            return ast.Expr(self.see(node.value, True))
        name, args = last_name(node.value), node.value.args
        if name in EXPECTING:
            args = args[1 + (name in SKIPPED) :]
            return ast.Expr(ast.Call(ast.Name(RAISED, ast.Load()), [self.visit(a) for a in args], [self.visit(k) for k in node.value.keywords]) if args else ast.Constant(None))
        if not name.startswith("assert"):
            return ast.Expr(self.see(node.value, asked_for=False))
        if name not in assertions():
            return ast.Expr(self.helper(node.value))
        if name == "assertEqual" and len(args) > 1:
            return ast.Expr(self.compared(node.value, args[0], ast.Eq(), args[1]))
        return [ast.Expr(self.see(a, True)) for a in args[:2] if asks(a)] or ast.Expr(ast.Constant(None))

    def helper(self, node):
        """Has what looks as if it asserted called, if it is code of the tree: that asks what it is given, or of it."""
        tells = lambda a: asks(a) and not isinstance(a, ast.Starred) and getattr(a, "id", "") != "self"
        args = [self.see(a) if tells(a) else self.visit(a) for a in node.args]
        return ast.Call(ast.Name(HELPER, ast.Load()), [self.visit(node.func), *args], [self.visit(k) for k in node.keywords])

    def visit_Assign(self, node):
        made = any(isinstance(n, ast.Call) for n in ast.walk(node.value))
        node.value = self.see(node.value) if made else self.visit(node.value)
        return node

    def visit_With(self, node):
        for item in node.items:
            if isinstance(item.context_expr, ast.Call) and last_name(item.context_expr) in EXPECTING:
                item.context_expr = call(EXPECT)
        return self.generic_visit(node)


class Literals(ast.NodeTransformer):
    """Puts what may vary in the place of the literals of one function."""

    def __init__(self, constants, values, kinds):
        self.constants, self.values, self.mine, self.kinds = constants, values, [], kinds

    def varied(self, node):
        value = value_of(node)
        if not value or len(self.mine) >= MOST_LITERALS:
            return None
        self.mine.append(len(self.values))
        self.values += value
        return call(LITERAL, ast.Constant(self.mine[-1]))

    def row(self, node):
        """A function of a test that gives a list or a tuple gives one of the other kind at times: who calls it may ask for that."""
        self.mine.append(len(self.values))
        self.kinds.add(self.mine[-1])
        self.values.append(ONE_KIND)
        node.body = call(KIND, ast.Constant(self.mine[-1]), self.visit(node.body))
        return node

    def visit(self, node):
        if isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            made = self.varied(node)
            if made:
                return made
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.constants:
            return self.varied(self.constants[node.id]) or node
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (LITERAL, SEE, GIVEN, TRUTH):
            node.args[1:] = [self.visit(a) for a in node.args[1:2]] + node.args[2:]  # their words stay
            return node
        if isinstance(node, ast.JoinedStr):
            node.values = [self.generic_visit(v) if isinstance(v, ast.FormattedValue) else v for v in node.values]
            return node
        if isinstance(node, ast.Lambda) and isinstance(node.body, (ast.Tuple, ast.List)) and len(self.mine) < MOST_LITERALS:
            return self.row(node)
        return self.generic_visit(node)

    def through(self, function):
        body = function.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        function.body = [self.visit(s) for s in body] or [ast.Pass()]
        return self.mine


def suited(function):
    """Whether what a function does can be told: it asks the code alone, and of the code what callers see."""
    for n in ast.walk(function):
        name = n.id if isinstance(n, ast.Name) else n.attr if isinstance(n, ast.Attribute) else ""
        if name in BEYOND or name != "_" and is_private([name]) or isinstance(n, (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global)) or type(n).__name__ == "Match":
            return False
    return True


Fixture = collections.namedtuple("Fixture", "function given")


def fixture_of(function):
    """What the decorator of a fixture is given, by name; None for no fixture, and for one that is asked for by another name."""
    for d in function.decorator_list:
        if last_name(d) == "fixture" and not getattr(d, "args", ()):
            given = {k.arg: k.value for k in getattr(d, "keywords", ())}
            return None if "name" in given else given
    return None


def rows_of(function, constants):
    """The rows that a test is given, by the names of its parameters; None where they are none that are written out."""
    rows = [{}]
    for d in function.decorator_list:
        name = last_name(d)
        if name != "parametrize":
            if name in DECORATORS:
                return None
            continue
        if len(d.args) != 2 or d.keywords and any(k.arg == "indirect" for k in d.keywords):
            return None
        names, given = value_of(d.args[0]), d.args[1]
        given = constants.get(given.id, given) if isinstance(given, ast.Name) else given
        if not names or not isinstance(given, (ast.List, ast.Tuple)):
            return None
        names = [n.strip() for n in names[0].split(",")] if isinstance(names[0], str) else list(names[0])
        found = []
        for row in given.elts:
            cells = row.args if isinstance(row, ast.Call) and last_name(row) == "param" else row.elts if len(names) > 1 and isinstance(row, (ast.Tuple, ast.List)) else [row]
            values = [v for c in cells for v in (value_of(c) or ([None] if isinstance(c, ast.Constant) else []))]
            if len(values) == len(names) == len(cells):
                found.append(dict(zip(names, values)))
        found = found[:: max(1, (len(found) + MOST_ROWS - 1) // MOST_ROWS)]
        rows = [{**a, **b} for a in rows for b in found][:MOST_ROWS]
    return rows


class Test:
    """One test of a module: its function, the fixtures that there are, its rows, and which literals are its own."""

    def __init__(self, owner, function, rows, fixtures):
        self.owner, self.function, self.rows, self.fixtures = owner, function, rows, fixtures
        self.literals = []
        for name in self.needed() if rows else ():
            if name in fixtures and "params" in fixtures[name].given:
                values = value_of(fixtures[name].given["params"])
                self.rows = [{**row, name + ".param": v} for row in self.rows for v in (values[0] if values else ())][:MOST_ROWS]
        self.line = min([function.lineno] + [d.lineno for d in function.decorator_list])

    def name(self):
        return (self.owner.name + "." if self.owner else "") + self.function.name

    def parameters(self, function):
        """The parameters of the test, without its object, or of one of its fixtures."""
        a = function.args
        return [p.arg for p in (a.posonlyargs + a.args)[int(function is self.function and self.owner is not None) :]]

    def needed(self):
        """The fixtures that it names, and those that they name."""
        out = [n for n in self.parameters(self.function) if n not in self.rows[0]]
        out += [n for n, f in self.fixtures.items() if "autouse" in f.given and n not in out]
        for name in out:
            if name in self.fixtures:
                out += [p for p in self.parameters(self.fixtures[name].function) if p not in out]
        return out

    def set_up_by(self):
        """The functions that run before it."""
        return [f for f in (self.owner.body if self.owner else ()) if isinstance(f, ast.FunctionDef) and f.name in SETTING_UP] + [self.fixtures[p].function for p in self.needed() if p in self.fixtures]

    def complete(self):
        """Whether all that it is given is known."""
        return bool(self.rows) and all(n in self.fixtures or n in BUILT_IN for n in self.needed())


class Module:
    """The tests of a file, ready to be compiled: tree has what it defines, behind what the files say that are before
    it (conftest.py, the outermost first), and values its literals by number; those of kinds stand for a list or a tuple."""

    def __init__(self, source, before=()):
        self.tree, self.values, self.kinds, self.tests = ast.parse(source), [], set(), {}
        own = self.tree.body
        known = [n for text in before for n in ast.parse(text).body if isinstance(n, DEFINING)] + own
        first = lambda n: isinstance(n, ast.ImportFrom) and n.module == "__future__"
        self.tree.body = [n for n in known if first(n)] + [n for n in known if not first(n)]
        self.constants = self.constants_of(known)
        self.fixtures = {f.name: Fixture(f, fixture_of(f)) for f in known if isinstance(f, ast.FunctionDef) and fixture_of(f) is not None and suited(f)}
        for n in own:
            if isinstance(n, ast.FunctionDef):
                self.add(None, n)
            elif isinstance(n, ast.ClassDef):
                self.add_class(n)
        ready = [(t, t.set_up_by()) for t in self.tests.values()]
        for f in self.fixtures.values():
            f.function.decorator_list = []
        for holder in [self.tree] + [n for n in self.tree.body if isinstance(n, ast.ClassDef)]:
            holder.body = [Telling().visit(n) if isinstance(n, ast.FunctionDef) else n for n in holder.body]
        done = {}  # literals of what several tests are set up by
        for test, others in ready:
            test.literals = Literals(self.constants, self.values, self.kinds).through(test.function)
            for f in others:
                if id(f) not in done:
                    done[id(f)] = Literals(self.constants, self.values, self.kinds).through(f)
                test.literals = test.literals + done[id(f)]
        for test, _ in ready:
            test.function.body = [ast.Try(test.function.body, [], [], [ast.Expr(call(HELD, call("locals")))])]
        ast.fix_missing_locations(self.tree)

    @staticmethod
    def constants_of(body):
        """The literals that a module gives one name each, and does not write to."""
        found = [(n.targets[0].id, n.value) for n in body if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name)]
        written = set()
        for n in (n for top in body for n in ast.walk(top)):
            changed = n.value if isinstance(n, ast.Attribute) and n.attr in WRITERS or isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load) else getattr(n, "target", None)
            written.add(getattr(changed, "id", ""))
        return {name: value for name, value in found if value_of(value) and sum(n == name for n, _ in found) == 1 and name not in written and not name.startswith("__")}

    def add_class(self, owner):
        members = [f for f in owner.body if isinstance(f, ast.FunctionDef)]
        if owner.decorator_list or not all(suited(f) for f in members if f.name in SETTING_UP):
            return
        if any(f.name in ("__init__", "setUpClass", "setup_class") for f in members):
            return
        for f in members:
            self.add(owner, f)

    def add(self, owner, function):
        if not function.name.startswith("test") or fixture_of(function) is not None or not suited(function):
            return
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(function)):
            return
        rows = rows_of(function, self.constants)
        if rows is None:
            return
        test = Test(owner, function, rows, self.fixtures)
        if test.complete():
            self.tests[test.name()] = test


def calls_of(module, test):
    """Each row of a test with its literals as a recorded call; before them stands whether what it is given is written to."""
    values = [module.values[k] for k in test.literals]
    return [pickle.dumps(("call", None, tuple(("value", pickle.dumps(v, 4)) for v in [writes, *row.values(), *values]), {}), 4) for writes in (False, True) for row in test.rows]


def sources_of(file):
    """The text of a file of tests, behind those of the conftest.py of its folder and those above it."""
    parts, out = file.split("/"), []
    for name in [os.path.join(*parts[:n], "conftest.py") for n in range(len(parts))]:
        with contextlib.suppress(FileNotFoundError), open(name, encoding="utf-8") as f:
            out.append(f.read())
    with open(file, encoding="utf-8") as f:
        return [*out, f.read()]


class Ran:
    """Which functions of the tree each test called while tests ran, and how long it took by a clock."""

    def __init__(self, clock):
        self.clock = clock
        self.found = {}  # (file, first line) -> [the functions, seconds]
        self.begun = {}  # code of a test -> when it began
        self.now = set()
        self.running = None  # the code of a test that began and was not seen to end

    def know(self, code):
        if code.co_name.startswith("test"):
            self.begun[code] = self.clock()

    def begin(self, code):
        self.now, self.begun[code], self.running = set(), self.clock(), code

    def left(self):
        """Ends a test of which the rest was not watched."""
        if self.running is not None:
            self.end(self.running)

    def end(self, code):
        self.running = None
        kept = self.found.setdefault((os.path.relpath(os.path.realpath(code.co_filename), TREE), code.co_firstlineno), [set(), 0.0])
        kept[0] |= self.now
        kept[1] = max(kept[1], self.clock() - self.begun[code])

    def saved(self):
        """The scenarios of the tests that ran, by group, and the sources of their files."""
        out = {"sources": {}, "tests": {}}
        for file in sorted({file for file, _ in self.found})[:MOST_FILES]:
            try:
                sources = sources_of(file)
                module = Module(sources[-1], sources[:-1])
            except Exception:  # what cannot be read so is not played
                continue
            for name, test in module.tests.items():
                reach, took = self.found.get((file, test.line), ((), 0))
                if reach and took < LONGEST_TEST and (test.literals or test.rows[0]):
                    out["sources"][file] = sources
                    out["tests"][module_of(file) + ":" + name] = {
                        "file": file, "name": name, "calls": calls_of(module, test), "reach": {m + ":" + n for m, n in reach}, "took": round(took, 3)}
        return out
