package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// fillable has objects whose lists, tables and sets their callers fill, and one that fills its own.
const fillable = `
class Steps:
    def __init__(self, steps):
        self.steps = list(steps)

    def apply(self, table):
        out = dict(table)
        for step in self.steps:
            if step["do"] == "put":
                out[step["name"]] = step["value"]
            elif step["do"] == "drop":
                out.pop(step["name"], None)
            else:
                raise ValueError("no step: " + step["do"])
        return out


class Routes:
    def __init__(self, default="none"):
        self.routes = {"/": "home"}
        self.default = default

    def find(self, path):
        for prefix in sorted(self.routes, key=len, reverse=True):
            if path.startswith(prefix):
                return self.routes[prefix]
        return self.default


class Words:
    def __init__(self, *stop):
        self.stop = set(stop)
        self._known = None

    def of(self, text):
        return [w for w in text.split() if w not in self.stop]


class Bag:
    def __init__(self):
        self.names = []
        self.total = 0

    def add(self, name):
        self.names.append(name)
        self.total += 1
        return self.total
`

const fillableTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.Steps([{"do": "put", "name": "a", "value": 1}]).apply({}), {"a": 1})
        self.assertEqual(kit.Steps([{"do": "drop", "name": "a"}, {"do": "put", "name": "b", "value": [2]}]).apply({"a": 1}), {"b": [2]})
        self.assertEqual(kit.Routes().find("/a"), "home")
        self.assertEqual(kit.Routes("none").find("a"), "none")
        self.assertEqual(kit.Words("the", "a").of("the tea"), ["tea"])
        bag = kit.Bag()
        self.assertEqual((bag.add("a"), bag.add("b")), (1, 2))
`

func TestWhatCallersPutIntoAttributesOfAPythonObjectIsSeen(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, fillable, fillableTest, []edited{
		{"a list that is read when the object is made", "        self.steps = list(steps)\n\n    def apply(self, table):\n        out = dict(table)\n        for step in self.steps:", "        self.steps = list(steps)\n        self._steps = tuple(steps)\n\n    def apply(self, table):\n        out = dict(table)\n        for step in self._steps:", "kit.Steps.apply"},
		{"a table that is sorted when the object is made", "        self.default = default\n\n    def find(self, path):\n        for prefix in sorted(self.routes, key=len, reverse=True):", "        self.default = default\n        self._sorted = sorted(self.routes, key=len, reverse=True)\n\n    def find(self, path):\n        for prefix in self._sorted:", "kit.Routes.find"},
		{"a set that is copied at the first call", "        return [w for w in text.split() if w not in self.stop]", "        if self._known is None:\n            self._known = frozenset(self.stop)\n        return [w for w in text.split() if w not in self._known]", "kit.Words.of"},
	})
}

func TestRefactoringsOfPythonObjectsWithListsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestWhatCallersPutIntoAttributesOfAPythonObjectIsSeen stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 200}, fillable, fillableTest,
		"        for step in self.steps:\n            if step[\"do\"] == \"put\":", "        for step in tuple(self.steps):\n            if step[\"do\"] == \"put\":",
		"                return self.routes[prefix]", "                return self.routes.get(prefix)",
		"        return [w for w in text.split() if w not in self.stop]", "        stop = frozenset(self.stop)\n        return [w for w in text.split() if w not in stop]",
		"        self.total += 1\n        return self.total", "        self.total = len(self.names)\n        return self.total",
	))
}
