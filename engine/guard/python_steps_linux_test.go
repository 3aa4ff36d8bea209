package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// shelf has types that are derived from those of Python, whose own methods change their objects, and properties that may be set.
const shelf = `
from collections import OrderedDict, deque
from collections.abc import MutableMapping


class Basket(list):
    def weight(self):
        return sum(len(x) for x in self)

    def longest(self):
        return max(self, key=len, default="")


class Prices(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._low = None

    def total(self):
        return sum(self.values())


class Tags(set):
    def text(self):
        return ",".join(sorted(self))


class Recent(deque):
    def newest(self):
        return self[-1] if self else None


class Names(MutableMapping):
    def __init__(self, names=()):
        self._of = {}
        self._all = None
        self.update(names)

    def __getitem__(self, name):
        return self._of[name.lower()][1]

    def __setitem__(self, name, value):
        self._all = None
        self._of[name.lower()] = name, value

    def __delitem__(self, name):
        self._all = None
        del self._of[name.lower()]

    def __iter__(self):
        return (name for name, _ in self._of.values())

    def __len__(self):
        return len(self._of)

    def line(self):
        if self._all is None:
            self._all = " ".join(self)
        return self._all


class Gauge:
    def __init__(self, level=0):
        self._level = 0
        self._open = True
        self._seen = {}
        self.level = level

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError("a level is a whole number")
        if value < 0:
            raise ValueError("below the ground")
        self._level = value

    def close(self):
        self._open = False

    def at(self, name):
        if not self._open:
            raise ValueError("closed")
        if name not in self._seen:
            self._seen[name] = name.upper() + str(len(self._seen))
        return self._seen[name]


def fields(text):
    out = {}
    for part in text.split(";"):
        name, _, value = part.partition("=")
        out.setdefault(name.strip(), value.strip())
    return out


def headers(pairs):
    out = []
    for name, value in pairs:
        if not any(n.lower() == name.lower() for n, _ in out):
            out.append((name, value))
    return out


def options(table):
    out = {}
    for name in table:
        out[name.lower()] = table[name]
    return out


def counted(names, key):
    out = {}
    for name in names:
        k = key(name)
        try:
            out[k] += 1
        except KeyError:
            out[k] = 1
    return out
`

const shelfTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.Basket(["tea", "milk"]).weight(), 7)
        self.assertEqual(kit.Basket(["tea", "milk"]).longest(), "milk")
        self.assertEqual(kit.Prices(tea=3, milk=1).total(), 4)
        self.assertEqual(kit.Tags(["b", "a"]).text(), "a,b")
        self.assertEqual(kit.Recent(["a", "b"]).newest(), "b")
        names = kit.Names({"Tea": 1})
        self.assertEqual((names["tea"], names.line(), len(names)), (1, "Tea", 1))
        names["milk"] = 2
        self.assertEqual(names.line(), "Tea milk")
        gauge = kit.Gauge(3)
        gauge.level = 5
        self.assertEqual((gauge.level, gauge.at("a")), (5, "A0"))
        gauge.close()
        with self.assertRaises(TypeError):
            gauge.level = "x"
        self.assertEqual(kit.fields("a=1; b=2"), {"a": "1", "b": "2"})
        self.assertEqual(kit.headers([("Host", "a"), ("Date", "b")]), [("Host", "a"), ("Date", "b")])
        self.assertEqual(kit.options({"Size": 1, "color": "red"}), {"size": 1, "color": "red"})
        self.assertEqual(kit.counted(["a", "b"], str.upper), {"A": 1, "B": 1})
`

func TestChangesThatShowBehindCallsOfWhatAPythonTypeIsDerivedFromAreFound(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, shelf, shelfTest, []edited{
		{"a sum that is kept", "        return sum(len(x) for x in self)", "        if not hasattr(self, \"_weight\"):\n            self._weight = sum(len(x) for x in self)\n        return self._weight", "kit.Basket.weight"},
		{"the longest that is kept for as many", "        return max(self, key=len, default=\"\")", "        if getattr(self, \"_known\", None) != len(self):\n            self._known, self._longest = len(self), max(self, key=len, default=\"\")\n        return self._longest", "kit.Basket.longest"},
		{"a total that its own class resets alone", "        return sum(self.values())", "        if self._low is None:\n            self._low = sum(self.values())\n        return self._low", "kit.Prices.total"},
		{"words of a set that are kept", "        return \",\".join(sorted(self))", "        self._text = getattr(self, \"_text\", None) or \",\".join(sorted(self))\n        return self._text", "kit.Tags.text"},
		{"the newest that is kept", "        return self[-1] if self else None", "        if not hasattr(self, \"_newest\"):\n            self._newest = self[-1] if self else None\n        return self._newest", "kit.Recent.newest"},
		{"a line that a removal leaves as it was", "        self._all = None\n        del ", "        del ", "kit.Names.line"},
		{"a value that is there is not looked at", "        if isinstance(value, bool) or", "        if value == self._level:\n            return\n        if isinstance(value, bool) or", "kit.Gauge.level="},
		{"what is kept is given before it is asked whether it may be", "        if not self._open:\n            raise ValueError(\"closed\")\n        if name not in self._seen:\n", "        if name in self._seen:\n            return self._seen[name]\n        if not self._open:\n            raise ValueError(\"closed\")\n        if name not in self._seen:\n", "kit.Gauge.at"},
		{"a name that stands twice with two values", "        out.setdefault(name.strip(), value.strip())", "        out[name.strip()] = value.strip()", "kit.fields"},
		{"names in two cases", "    out = []\n    for name, value in pairs:\n        if not any(n.lower() == name.lower() for n, _ in out):\n            out.append((name, value))\n    return out", "    out = {}\n    for name, value in pairs:\n        out.setdefault(name, value)\n    return list(out.items())", "kit.headers"},
		{"keys in two cases", "        out[name.lower()] = table[name]", "        out.setdefault(name.lower(), table[name])", "kit.options"},
		{"a function that finds no key", "        k = key(name)\n        try:\n            out[k] += 1", "        try:\n            k = key(name)\n            out[k] += 1", "kit.counted"},
	})
}

func TestRefactoringsOfDerivedPythonTypesRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestChangesThatShowBehindCallsOfWhatAPythonTypeIsDerivedFromAreFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 200}, shelf, shelfTest,
		"return sum(len(x) for x in self)", "return sum(map(len, self))",
		"return max(self, key=len, default=\"\")", "return max(self, key=len) if self else \"\"",
		"return sum(self.values())", "return sum(self[k] for k in self)",
		"return \",\".join(sorted(self))", "return \",\".join(sorted(list(self)))",
		"return self[-1] if self else None", "return self[len(self) - 1] if len(self) else None",
		"        self._level = value\n", "        if value != self._level:\n            self._level = value\n",
		"    out = []\n    for name, value in pairs:\n        if not any(n.lower() == name.lower() for n, _ in out):\n            out.append((name, value))\n    return out", "    out = {}\n    for name, value in pairs:\n        out.setdefault(name.lower(), (name, value))\n    return list(out.values())",
		"            self._all = \" \".join(self)", "            self._all = \" \".join(list(self))",
		"        out.setdefault(name.strip(), value.strip())", "        name = name.strip()\n        if name not in out:\n            out[name] = value.strip()",
	))
}

// queue catches what a list leads to that has no hash.
const queue = `
class Queue:
    def __init__(self):
        self.names, self.at = [], {}

    def add(self, name):
        if name not in self.at:
            self.at[name] = len(self.names)
            self.names.append(name)
        return self.at[name]

    def update(self, names):
        last = 0
        try:
            for name in names:
                last = self.add(name)
        except TypeError:
            raise ValueError("names come in a list")
        return last
`

const queueTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        queue = kit.Queue()
        self.assertEqual(queue.update(["a", "b", "a"]), 0)
        self.assertEqual(queue.names, ["a", "b"])
        with self.assertRaises(ValueError):
            queue.update(3)
`

func TestWhatAPythonFunctionCatchesIsFound(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, queue, queueTest, []edited{
		{
			"an error of what it calls", "        try:\n            for name in names:\n                last = self.add(name)\n        except TypeError:\n            raise ValueError(\"names come in a list\")\n",
			"        try:\n            names = iter(names)\n        except TypeError:\n            raise ValueError(\"names come in a list\")\n        for name in names:\n            last = self.add(name)\n", "kit.Queue.update",
		},
	})
}

func TestAFunctionThatEndsTheProcessIsGivenWhereOneVersionAloneCatchesThat(t *testing.T) {
	t.Parallel()
	const use = "class Use:\n    def __init__(self, function):\n        self.function = function\n\n    def of(self, value):\n        try:\n            return self.function(value)\n        except BaseException as e:\n            raise ValueError(type(e).__name__)\n"
	const useTest = "import unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(kit.Use(lambda v: v + 1).of(3), 4)\n        self.assertEqual(kit.Use(int).of(\"3\"), 3)\n"
	eachIsFound(t, 200, use, useTest, []edited{{"what ends the process", "except BaseException", "except Exception", "kit.Use.of"}})
}

func TestAVariableOfTheEnvironmentThatChangedPythonCodeAsksForIsSet(t *testing.T) {
	t.Parallel()
	const strict = "import os\n\n\ndef check(text):\n    if os.environ.get(\"KIT_STRICT\", \"no\") == \"yes\" and not text:\n        raise ValueError(\"empty\")\n    return len(text)\n"
	const strictTest = "import unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(kit.check(\"\"), 0)\n        self.assertEqual(kit.check(\"abc\"), 3)\n"
	eachIsFound(t, 400, strict, strictTest, []edited{
		{
			"it is read once", "def check(text):\n    if os.environ.get(\"KIT_STRICT\", \"no\") == \"yes\" and not text:",
			"STRICT = os.environ.get(\"KIT_STRICT\", \"no\") == \"yes\"\n\n\ndef check(text):\n    if STRICT and not text:", "kit.check",
		},
	})
}

func TestWhatNoPythonTestComparesIsComparedWithAnotherOfItsClass(t *testing.T) {
	t.Parallel()
	const zone = "class Zone:\n    def __init__(self, offset, name):\n        self._offset, self._name = offset, name\n\n    def text(self):\n        return self._name\n\n    def __eq__(self, other):\n        if not isinstance(other, Zone):\n            return NotImplemented\n        return self._offset == other._offset and self._name == other._name\n"
	const zoneTest = "import unittest\nimport kit\n\n\nclass Test(unittest.TestCase):\n    def test(self):\n        self.assertEqual(kit.Zone(60, \"CET\").text(), \"CET\")\n"
	eachIsFound(t, 200, zone, zoneTest, []edited{{"a part that is left out", " and self._name == other._name", "", "kit.Zone.__eq__"}})
}
