"""Plays tests as scenarios: with other values for their literals, and what they look at told.

Standard library only.
"""
import contextlib
import functools
import os
import sys
import types

from atoll_guard_offers import module_of
from atoll_guard_orders import ORDERS
from atoll_guard_outcomes import DEPTH_OF_USED, FLOAT_MARK, failure, is_drained, show
from atoll_guard_protocols import copied
from atoll_guard_scenarios import EXPECT, EXPECTING, GIVEN, HELD, HELPER, KIND, LITERAL, Module, ONE_KIND, RAISED, SEE, SETTING_UP, SKIPPED, TRUTH, assertions
from atoll_guard_sharing import MARK, rooms
from atoll_guard_tree import TREE, in_tree, of_tree

STEP = "\x04"  # between the things that are told
MOST_TOLD = 200  # things of one case
LONGEST_TOLD = 4000  # characters of one
MOST_NUMBERS = 20  # of one, that are not whole
DEPTH = 2  # where the parts of a value begin: its properties are told, and those of its parts are not
WRITTEN = "written by a caller"
MOST_WRITTEN = 20  # parts of a value
MOST_ASKED_AGAIN = 8  # things of one case
MOST_HELD = 12  # variables of a test
MOST_TABLES = 3  # that a test made, which are written to
MOST_CHOSEN = 24  # scenarios that are played for one change


class Stage:
    """What one case of a scenario has for its literals, and what it has told."""

    def __init__(self):
        self.begin({}, False, False)
        self.playing = False

    def begin(self, values, writes, misused):
        """writes: nothing is told but what is shared with who wrote to it, up to the first of that: then all is changed.
        misused: which error a value led to is nothing to who gave it."""
        self.values, self.told, self.rounding, self.playing, self.writes, self.shared = values, [], False, True, writes, []
        self.asked, self.looked, self.held, self.misused = [], [], {}, misused

    def literal(self, number):
        return copied(self.values[number])

    def kind(self, number, row):
        """A list in the place of a tuple, or the other way, where that is asked for."""
        return row if self.values[number] == ONE_KIND else tuple(row) if isinstance(row, list) else list(row)

    def tell(self, words, text):
        if self.playing and len(self.told) < MOST_TOLD:
            numbers = text.split(FLOAT_MARK)[:MOST_NUMBERS]  # whose digits differ by rounding: no text is cut by their length
            self.told.append(words + ": " + (FLOAT_MARK.join(numbers) if len(numbers) > 1 else text[:LONGEST_TOLD]))

    def see(self, words, v, whole):
        """Tells a value that a test looks at, which is used further on if it is not whole."""
        if self.playing:
            self.rounding = self.rounding or isinstance(v, (float, complex))
            used = "an iterator" if is_drained(v) else show(v, DEPTH_OF_USED, live=True)
            self.tell(words, show(v, DEPTH, holder=ORDERS.of(words)) if whole else used)
        return v

    def given(self, words, ask, whole, calls):
        """Tells what a test asked for, which can be asked again; calls: by a call."""
        v = ask()
        if self.playing and self.writes and whole:
            self.looked.append((words, ask))
        if self.playing and self.writes and calls and not self.shared:
            self.asked.append((words, ask))
            self.share("it", ask, self.asked[-1:])
        return self.see(words, v, whole)

    def share(self, what, ask, again):
        """Writes to what was asked for, and tells the first of some that then gives what was written."""
        with contextlib.suppress(Exception, SystemExit):
            for words, other in again if written(ask()) else ():
                if not self.shared and WRITTEN in show(other(), DEPTH):
                    self.shared.append(MARK + words + " gives what a caller wrote to what " + what + " gave before" + MARK)

    def hold(self, variables):
        """Takes what the variables of a test hold at its end."""
        if self.playing:
            self.held = {k: v for k, v in list(variables.items())[:MOST_HELD] if not k.startswith("_")}

    def share_what_is_held(self):
        """Tells which variables hold the same that can be written to."""
        found = [(name, rooms(v, of_tree, False)) for name, v in self.held.items() if name != "self"]
        for i, (name, one) in enumerate(found):
            for other, another in found[i + 1 :]:
                if one.keys() & another.keys():
                    self.shared.append(MARK + name + " and " + other + " hold the same, and not a copy" + MARK)

    def write_to_tables(self):
        """Writes to the tables of the tree that a test holds, and asks again behind each for what the test looked at: what was kept
        from before is not what it gives now."""
        held = {**self.held, **getattr(self.held.get("self"), "__dict__", {})}
        tables = [(name, v) for name, v in held.items() if is_table(v)]
        for name, table in tables[:MOST_TABLES]:
            for key in list(table.keys())[:MOST_ASKED_AGAIN]:
                with contextlib.suppress(Exception, SystemExit):
                    table[key] = another(table[key])
                    words = name + "[" + show(key) + "] is written to, and then "
                    self.shared += [words + asked + ": " + self.answer(ask) for asked, ask in self.looked[-MOST_ASKED_AGAIN:]]

    def answer(self, ask):
        try:
            return show(ask(), DEPTH)[:LONGEST_TOLD]
        except (Exception, SystemExit) as e:
            return failure(e)

    def end(self):
        """What is only told of a test that is written to what it is given."""
        self.share_at_the_end()
        if self.writes:
            with contextlib.suppress(Exception):
                self.share_what_is_held()
            self.write_to_tables()

    def share_at_the_end(self):
        """Writes to what a test asked for last, once it has asked for all, and asks for all again."""
        asks = self.asked[-MOST_ASKED_AGAIN:]
        for words, ask in reversed(asks):
            if not self.shared:
                self.share(words, ask, asks)

    def failure(self, e):
        return "raises" if self.misused else failure(e)

    def truth(self, words, v):
        """Tells how two values compare, if it is not for the last digit of a number."""
        if not self.rounding:
            self.tell(words, show(v))
        self.rounding = False

    def raised(self, f=None, *args, **kwargs):
        with Expecting(self):
            f(*args, **kwargs)

    def helper(self, f, *args, **kwargs):
        """Calls a helper of the tests. What it expects does not hold for other values, and is no end; what is none of the tree's is not asked."""
        if in_tree(getattr(getattr(f, "__code__", None), "co_filename", "<")):
            try:
                f(*args, **kwargs)
            except AssertionError as e:
                self.tell("it", self.failure(e))

    def asserted(self, name, *args, **kwargs):
        """Stands for an assertion of unittest that a helper of another file makes."""
        if name in EXPECTING:
            rest = args[1 + (name in SKIPPED) :]
            return self.raised(*rest, **kwargs) if rest else Expecting(self)
        for v in args[:2]:
            self.see(name, v, True)
        return None

    def hears_unittest(self):
        """Has all assertions of unittest told while a test is played."""
        from unittest import TestCase

        def telling(name, assertion):
            @functools.wraps(assertion)
            def told(me, *args, **kwargs):
                return self.asserted(name, *args, **kwargs) if self.playing else assertion(me, *args, **kwargs)

            return told

        for name in assertions():
            setattr(TestCase, name, telling(name, getattr(TestCase, name)))


def said_of(v, own, kind):
    """What stands in the place of a literal, or of the kind of a list or a tuple, in words."""
    return "a list for a tuple, or the other way" if kind else show(v, live=True) + " for " + show(own, live=True)


def is_table(v):
    """Whether a value is of a class of the tree that has keys and is written to by them."""
    return of_tree(type(v)) and hasattr(v, "keys") and hasattr(type(v), "__setitem__") and hasattr(type(v), "__getitem__")


def another(v):
    """A value in the place of one; of what is no text and no number there is none."""
    if isinstance(v, str):
        return WRITTEN
    if type(v) in (int, float):
        return v + 1
    raise TypeError


def written(v):
    """Writes to a value, and to what it holds, as a caller may who was given it; whether there was something to write to."""
    parts = list(v.values()) if isinstance(v, dict) else list(v) if isinstance(v, (list, tuple)) else []
    found = [written(x) for x in parts[:MOST_WRITTEN]]
    if isinstance(v, dict):
        v[WRITTEN] = WRITTEN
    elif isinstance(v, list):
        v.append(WRITTEN)
    elif isinstance(v, set):
        v.add(WRITTEN)
    return isinstance(v, (dict, list, set)) or any(found)


class Expecting:
    """Stands for what expects an exception, and tells which it was."""

    def __init__(self, stage):
        self.stage = stage
        self.exception = self.value = self.type = None
        self.output = self.records = []

    def __enter__(self):
        return self

    def __exit__(self, kind, e, _trace):
        if e is not None and not isinstance(e, (Exception, SystemExit)):
            return False
        self.exception, self.value, self.type = e, e, kind
        self.stage.tell("it", "raises nothing" if e is None else self.stage.failure(e))
        return True

    def match(self, _pattern):
        return True


class Plays:
    """The scenarios of a recording that run what changed, of each function that did so some, the quickest first."""

    def __init__(self, kept, files):
        self.kept, self.modules, self.stage, self.open = kept, {}, Stage(), []
        self.chosen = self.near(files, "direct") or self.near(files, "near")

    def near(self, files, which):
        changed = {module_of(f) + ":" + mangled(name) for f, plan in files.items() for name in plan.get(which, ())}
        quick = sorted(self.kept["tests"].items(), key=lambda t: (t[1]["took"], t[0]))
        lists = [[group for group, test in quick if key in test["reach"]] for key in sorted(changed)]
        out = []
        for turn in range(max(map(len, lists), default=0)):
            out += [groups[turn] for groups in lists if turn < len(groups) and groups[turn] not in out]
        return {group: self.kept["tests"][group] for group in out[:MOST_CHOSEN]}

    def loaded(self, file):
        """The tests of a file, and the module with what it defines, which is made once in a process."""
        if not self.modules:
            self.stage.hears_unittest()
        if file not in self.modules:
            parts = file.removesuffix(".py").split("/")
            first = len(parts) - 1
            while first > 0 and os.path.exists(os.path.join(TREE, *parts[:first], "__init__.py")):
                first -= 1
            name = ".".join(parts[first:])
            *before, source = self.kept["sources"][file]
            plan, module = Module(source, before), types.ModuleType(name)
            module.__file__, module.__package__ = os.path.join(TREE, file), name.rpartition(".")[0]
            for key, f in ((LITERAL, self.stage.literal), (KIND, self.stage.kind), (SEE, self.stage.see), (GIVEN, self.stage.given), (TRUTH, self.stage.truth), (RAISED, self.stage.raised), (EXPECT, lambda: Expecting(self.stage)), (HELPER, self.stage.helper), (HELD, self.stage.hold)):
                setattr(module, key, f)
            sys.modules.setdefault(name, module)
            exec(compile(plan.tree, module.__file__, "exec"), vars(module))
            self.modules[file] = plan, module
        return self.modules[file]

    def play(self, group, row, values, misused=False):
        """A scenario with some values: what it is in words, and what it told."""
        kept = self.chosen[group]
        words, stage = kept["name"] + " of " + kept["file"], self.stage
        try:
            plan, module = self.loaded(kept["file"])
        except (Exception, SystemExit) as e:
            return words, failure(e)
        test = plan.tests[kept["name"]]
        given = test.rows[row % len(test.rows)]
        own = [False, *given.values(), *(plan.values[k] for k in test.literals)]
        values = [*values, *own[len(values) :]][: len(own)]
        writes, values, own = values[0] is True, values[1:], own[1:]
        said = [said_of(v, o, number in plan.kinds) for v, o, number in zip(values, own, [*given, *test.literals]) if show(v, live=True) != show(o, live=True)]
        stage.begin({**dict(enumerate(plan.values)), **dict(zip(test.literals, values[len(given) :]))}, writes, misused)
        me = None
        try:
            me = made(test, module)
            self.perform(test, module, me, dict(zip(given, values)))
        except BaseException as e:  # also what ends a test, such as a skip
            if isinstance(e, (KeyboardInterrupt, GeneratorExit)):
                raise
            stage.told[:] = [*([] if misused else stage.told), stage.failure(e)]  # where it fails is nothing to who gave what has no hash
        finally:
            stage.playing = False
            stage.end()
            self.end(me)
        return words + (" with " + ", ".join(said) if said else ""), STEP.join(stage.shared if writes else stage.told)

    def end(self, me):
        """Ends a test as its runner does: the next case begins anew."""
        for generator in reversed(self.open):
            with contextlib.suppress(Exception, SystemExit):
                list(generator)
        self.open = []
        for name in ("tearDown", "teardown_method"):
            with contextlib.suppress(Exception, SystemExit):
                f = getattr(me, name)
                f(*[None] * (f.__code__.co_argcount - 1))

    def perform(self, test, module, me, given):
        known = {}

        def fixture(name, of):
            if name == "request":
                return types.SimpleNamespace(param=given.get(of + ".param"))
            if name not in known and name == "tmp_path":
                known[name] = empty_folder()
            if name not in known:
                v = getattr(module, name)(**{p: fixture(p, name) for p in test.parameters(test.fixtures[name].function)})
                known[name] = v
                if isinstance(v, types.GeneratorType):
                    self.open.append(v)
                    known[name] = next(v)
            return known[name]

        for name in test.needed():
            fixture(name, "")
        f = getattr(module if me is None else me, test.function.name)
        f(**{p: given[p] if p in given else fixture(p, "") for p in test.parameters(test.function)})


def mangled(name):
    """The name that a function has where it runs: a method with two leading underscores has its class before them."""
    owner, _, method = name.rpartition(".")
    hidden = owner and method.startswith("__") and not method.endswith("__")
    return owner + "._" + owner.rpartition(".")[2].lstrip("_") + method if hidden else name


def made(test, module):
    """The object of a test that is a method, set up."""
    if test.owner is None:
        return None
    cls = getattr(module, test.owner.name)
    of_unittest = "unittest" in sys.modules and issubclass(cls, sys.modules["unittest"].TestCase)
    me = cls(test.function.name) if of_unittest else cls()
    for name in SETTING_UP:
        if hasattr(me, name):
            f = getattr(me, name)
            f(*[None] * (f.__code__.co_argcount - 1))
    return me


def empty_folder():
    """A folder of its own, which is at one path for both trees."""
    import pathlib
    import shutil
    import tempfile

    path = pathlib.Path(tempfile.gettempdir(), "atoll-guard-test")
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path
