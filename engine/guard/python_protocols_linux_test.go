package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// fields asks values for types of the library, under names of its own, in functions that no caller names.
const fields = `
import collections.abc
import numbers
import os
from collections import abc as kinds
from typing import Any, Iterable, Mapping, Optional

WHOLE = numbers.Real


def _pairs(table):
    out = []
    for key, value in table.items():
        if isinstance(value, (bytes, str)):
            out.append((key, value))
        elif isinstance(value, kinds.Iterable):
            out.extend([(key, v) for v in value])
        else:
            out.append((key, value))
    return out


def query(table):
    return "&".join("%s=%s" % pair for pair in _pairs(table))


def _amount(v):
    if isinstance(v, WHOLE):
        return "%.2f" % v
    return str(v)


def row(*cells, note=""):
    return "|".join(map(_amount, cells)) + note


def first(items: "Optional[Iterable[Any]]", default=None):
    for item in items or ():
        return item
    return default


def rows(table: Mapping[str, int]) -> str:
    return ",".join("%s %s" % pair for pair in sorted(table.items()))


def merged(*tables):
    out = {}
    for table in tables:
        out.update(table)
    return sorted(out.items())


class Form:
    def __init__(self, **parts):
        self.parts = parts

    def names(self):
        return [_name(k, v) for k, v in self.parts.items()]


def _name(key, value):
    if hasattr(value, "keys"):
        return key + "{" + ",".join(map(str, value)) + "}"
    if value is None:
        return key + "?"
    return key + "=" + os.fspath(value) if isinstance(value, (str, os.PathLike)) else key + ":" + str(value)
`

const fieldsTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.query({"a": "b", "c": ["d", "e"]}), "a=b&c=d&c=e")
        self.assertEqual(kit.query({"n": 1}), "n=1")
        self.assertEqual(kit.row("a", 1, 2.5), "a|1.00|2.50")
        self.assertEqual((kit.first(["a", "b"]), kit.first([], "c")), ("a", "c"))
        self.assertEqual(kit.rows({"b": 1, "a": 2}), "a 2,b 1")
        self.assertEqual(kit.merged({"b": 1}, {"a": 2}), [("a", 2), ("b", 1)])
        self.assertEqual(kit.Form(a="b", c=None, d={"e": 1}, f=2).names(), ["a=b", "c?", "d{e}", "f:2"])
`

func TestValuesOfTypesThatOneVersionOfPythonCodeAloneAsksForAreGiven(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 400, fields, fieldsTest, []edited{
		{"what can be gone over, in a table, and is no list", `        if isinstance(value, (bytes, str)):
            out.append((key, value))
        elif isinstance(value, kinds.Iterable):
`, `        if isinstance(value, (list, tuple)):
`, "kit.query"},
		{"what gives its items once", "kinds.Iterable", "kinds.Collection", "kit.query"},
		{"a number of another type, under a name of the module", "WHOLE = numbers.Real", "WHOLE = (int, float)", "kit.row"},
		{"a table that is none of Python's own, in a keyword", `hasattr(value, "keys")`, "isinstance(value, dict)", "kit.Form.names"},
		{"what a note says may be gone over", "    for item in items or ():\n        return item\n    return default", "    return items[0] if items else default", "kit.first"},
		{"a table of another type that a note says", "sorted(table.items())", "sorted(dict.items(table))", "kit.rows"},
		{"what one version alone asks for, and that it is not", "out.update(table)", "out.update(table if isinstance(table, dict) else {})", "kit.merged"},
		{"a path among texts", "isinstance(value, (str, os.PathLike))", "isinstance(value, str)", "kit.Form.names"},
	})
}

func TestRefactoringsOfPythonCodeThatAsksForTypesRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestFilesThatOnlyPythonTestsWriteAreMadeAndVaried stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 240}, fields, fieldsTest,
		`        if isinstance(value, (bytes, str)):
            out.append((key, value))
        elif isinstance(value, kinds.Iterable):
            out.extend([(key, v) for v in value])
        else:
            out.append((key, value))
`, `        if not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
            for v in value:
                out.append((key, v))
        else:
            out.append((key, value))
`,
		"    for item in items or ():\n        return item\n    return default", "    return next(iter(items or ()), default)",
		`",".join("%s %s" % pair for pair in sorted(table.items()))`, `",".join([f"{k} {table[k]}" for k in sorted(table)])`,
		"        out.update(table)", "        for key, value in table.items():\n            out[key] = value",
		"WHOLE = numbers.Real\n", "from numbers import Real\n\nWHOLE = (bool, int, float, Real)\n",
		"    if value is None:\n", "    if isinstance(value, type(None)):\n",
		"return key + \"=\" + os.fspath(value) if isinstance(value, (str, os.PathLike)) else", `return key + "=" + (value if type(value) is str else os.fspath(value)) if isinstance(value, str) or hasattr(type(value), "__fspath__") else`,
	))
}
