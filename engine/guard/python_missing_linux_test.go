package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// choosers have parameters for which their tests give nothing.
const choosers = `
class View:
    def __init__(self, row, only=None, labels=None):
        self.row, self.only, self.labels = row, only, labels

    def names(self):
        out = [name for name in self.row if self.only is None or name in self.only]
        return [name if self.labels is None else self.labels.get(name, "?") for name in out]


def table(row, without=None, names=None, width=None):
    out = {k: v for k, v in row.items() if without is None or k not in without}
    if names is not None:
        out = {names.get(k, k): v for k, v in out.items()}
    return [(k, v) for k, v in out.items()][:width]


def rows(texts, by: "list[str] | None" = None):
    return sorted(texts, key=lambda t: (by.index(t) if by and t in by else len(texts), t))
`

const choosersTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.table({"a": 1, "b": 2}), [("a", 1), ("b", 2)])
        self.assertEqual(kit.View({"a": 1, "b": 2}).names(), ["a", "b"])
        self.assertEqual(kit.rows(["b", "a", "c"]), ["a", "b", "c"])
`

func TestWhatAPythonFunctionTakesForNoneIsGiven(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, choosers, choosersTest, []edited{
		{"a name that is not given is lost", `names.get(k, k): v`, `names.get(k): v`, "kit.table"},
		{"an annotation says that texts are", `by.index(t) if by`, `-by.index(t) if by`, "kit.rows"},
		{"an object is made with labels", `self.labels.get(name, "?")`, `self.labels.get(name, name)`, "kit.View.names"},
	})
}

// escapes holds numbers in hexadecimal digits.
const escapes = `
import re


def unescape(text):
    def letter(found):
        code = int(found.group(1), 16)
        if 0xD800 <= code <= 0xDFFF:
            raise ValueError("no letter")
        return chr(code)

    return re.sub(r"\\u([0-9a-f]{4})", letter, text)
`

const escapesTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.unescape("a\\u00e9b"), "a\u00e9b")
`

func TestNumbersInHexadecimalDigitsOfATextMeetWhatTheyAreComparedWith(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, escapes, escapesTest, []edited{
		{"a bound", `if 0xD800 <= code`, `if 0xD800 < code`, "kit.unescape"},
		{"the other one", `code <= 0xDFFF`, `code < 0xDFFF`, "kit.unescape"},
	})
}

// shapes compute what they are asked for, and keep it in ways of Python and of their own.
const shapes = `
import functools


class lazy:
    def __init__(self, make):
        self.make = make

    def __get__(self, me, owner):
        if me is None:
            return self
        value = me.__dict__[self.make.__name__] = self.make(me)
        return value


class Shape:
    def __init__(self, sides):
        self.sides = sides

    @functools.cached_property
    def area(self):
        return self.sides[0] * self.sides[-1]

    @lazy
    def round(self):
        return 2 * sum(self.sides)

    @property
    def longest(self):
        return max(self.sides)
`

const shapesTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.Shape([2, 3]).sides, [2, 3])
`

func TestWhatAnObjectOfPythonComputesAndKeepsIsCompared(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	eachIsFound(t, 100, shapes, shapesTest, []edited{
		{"a cached property", `self.sides[0] * self.sides[-1]`, `self.sides[0] * self.sides[1]`, "kit.Shape.area"},
		{"one of a descriptor", `2 * sum(self.sides)`, `2 * sum(self.sides[:2])`, "kit.Shape.round"},
	})
	root := mustPythonTable(t, guard.Options{Cases: 100}, shapes, shapesTest)
	for _, c := range []edited{
		{"a property is kept", "@property\n", "@functools.cached_property\n", ""},
		{"what was kept is a property", "@functools.cached_property\n", "@property\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if report := root.mustCheck(t, "kit.py", c.was, c.is); !report.Same() || report.Cases == 0 {
				t.Error(report.Summary())
			}
		})
	}
}
