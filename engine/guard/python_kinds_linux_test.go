package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// measures is given matches, tables, functions, mocks and a file by its tests, of which one runs out of stack before another.
const measures = `
import re
import sys
import traceback

MEASURE = re.compile(r"(\d+)(?:\.(\d+))?")


def amount(match):
    whole, part = match.groups()
    return int(whole) + (int(part) / 10 ** len(part) if part else 0)


def total(text):
    return sum(amount(m) for m in MEASURE.finditer(text))


def pairs(table):
    if isinstance(table, dict):
        table = table.items()
    return sorted((str(k), v) for k, v in table)


def checked(make):
    def check(text):
        value = make(text)
        if isinstance(value, (dict, list)):
            raise ValueError("no container")
        return value

    return check


def filled(table):
    return ["" if v is None or v == "" else "%s" % v for v in table.values()]


def deep(n):
    return [deep(n - 1)] if n else []


def load(file):
    return file.read().decode().split()


class Plan:
    def __init__(self):
        self.steps = []

    def step(self, name, action):
        self.steps.append((name, action))
        return self

    def clear(self):
        del self.steps[:]

    def first(self, hour):
        if not re.match(r"^([0-5]\d)?:[0-5]\d$", hour):
            raise ValueError("no time of day")
        return "%s of %d at %s" % (self.steps[0][0], len(self.steps), hour)

    def run(self, n):
        return [action(n) for _, action in self.steps]

    def check(self):
        try:
            assert self.steps[0][0] != "", "no name"
        except Exception:
            traceback.print_exc(file=sys.stdout)
            raise


PLAN = Plan()

`

const measuresTest = `
import tempfile
import unittest
from unittest import mock
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.total("12 and 1.5"), 13.5)
        self.assertEqual(kit.pairs({"b": 1, "a": 2}), [("a", 2), ("b", 1)])
        self.assertEqual(kit.pairs([("b", 1)]), [("b", 1)])
        self.assertEqual(kit.checked(lambda text: text.upper())("a"), "A")
        self.assertEqual(kit.filled({"a": 1, "b": True, "c": None}), ["1", "True", ""])

    def test_plan(self):
        for n in range(30):
            kit.PLAN.clear()
            kit.PLAN.step("s%d" % n, mock.Mock(return_value=n))
        self.assertEqual(kit.PLAN.first("10:00"), "s29 of 1 at 10:00")
        self.assertEqual(kit.PLAN.run(1), [29])

    def test_check(self):
        plan = kit.Plan().step("breakfast", len)
        plan.check()
        self.assertEqual(plan.first("10:00"), "breakfast of 1 at 10:00")

    def test_deep(self):
        with self.assertRaises(RecursionError):
            kit.deep(1000000)

    def test_load(self):
        with tempfile.TemporaryFile() as f:
            f.write(b"a b")
            f.seek(0)
            self.assertEqual(kit.load(f), ["a", "b"])
`

func TestWhatOnlyValuesOfOtherKindsShowOfPythonCodeIsFound(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 400, measures, measuresTest, []edited{
		{"a test behind one that runs out of stack", "file.read().decode()", `file.read().decode(errors="replace")`, "kit.load"},
		{"a match that a test does not make itself", "int(part) / 10 ** len(part)", "int(part) / 10", "kit.amount"},
		{"a table of a derived type", "isinstance(table, dict)", "type(table) is dict", "kit.pairs"},
		{"an object of the module that many calls were made on, and a text that only one choice of an expression makes", `([0-5]\d)?:`, `([0-5]?\d)?:`, "kit.Plan.first"},
		{"an object that was given a mock", "[action(n) for _, action in self.steps]", "[action(str(n)) for _, action in self.steps]", "kit.Plan.run"},
		{"a function that gives a list, called by the function that is the result", "isinstance(value, (dict, list))", "type(value) in (dict, list)", "kit.checked"},
		{"a number of a table that is equal and of another type", `"%s" % v for`, `("%d" % v if type(v) in (int, float) and v % 1 == 0 else "%s" % v) for`, "kit.filled"},
	})
}

func TestRefactoringsOfPythonCodeThatIsGivenValuesOfOtherKindsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestFilesThatOnlyPythonTestsWriteAreMadeAndVaried stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 240}, measures, measuresTest,
		`    whole, part = match.groups()
    return int(whole) + (int(part) / 10 ** len(part) if part else 0)`, `    part = match.group(2)
    n = int(match.group(1))
    if not part:
        return n
    return n + int(part) / 10 ** len(part)`,
		"table = table.items()\n", "table = [(k, table[k]) for k in table]\n",
		"value = make(text)\n        if isinstance(value, (dict, list)):", "value = make(text)\n        if isinstance(value, list) or isinstance(value, dict):",
		`        return "%s of %d at %s" % (self.steps[0][0], len(self.steps), hour)`, `        steps = self.steps
        name, _ = steps[0]
        return f"{name} of {len(steps)} at {hour}"`,
		"return [action(n) for _, action in self.steps]", "return [step[1](n) for step in self.steps]",
		"self.steps.append((name, action))", "step = (name[:], action)\n        self.steps.append(step)", // a text of a derived type becomes a plain one, and lines move
		`MEASURE = re.compile(r"(\d+)(?:\.(\d+))?")`, `MEASURE = re.compile(r"([0-9]+|\d+)(?:[.](\d+))?")`,
		`"" if v is None or v == "" else "%s" % v`, `str(v) if v is not None and v != "" else ""`,
	))
}

// lookups looks for something in a list, and is given a module.
const lookups = `
import json


def known(word):
    return word in ["and", "or", "not"]


def coded(value, codec=json):
    return codec.dumps(value, indent=None)
`

const lookupsTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertTrue(kit.known("and") and not kit.known("x"))
        self.assertEqual(kit.coded({"a": 1}), '{"a": 1}')
`

func TestWhatASetDoesNotTakeAndCallsWithModulesOfPythonCodeAreCompared(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 400, lookups, lookupsTest, []edited{
		{"what a list finds and a set does not take", `["and", "or", "not"]`, `{"and", "or", "not"}`, "kit.known"},
		{"a call that was given a module", "indent=None", "indent=None, ensure_ascii=False", "kit.coded"},
	})
}
