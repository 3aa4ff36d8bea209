package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// shop gives views of what it holds, and not of what its callers may change.
const shop = `
class Shelf:
    def __init__(self, held=()):
        self._held = dict.fromkeys(held, 0)

    def put(self, name, n):
        self._held[name] = n

    def names(self):
        return dict(self._held).keys()

    def counts(self):
        held = dict(self._held)
        return held.values()

    def most(self):
        return max(dict(self._held).values(), default=0)
`

const shopTest = `
import unittest
from kit import Shelf


class Test(unittest.TestCase):
    def test(self):
        shelf = Shelf(["a"])
        shelf.put("b", 3)
        self.assertEqual(list(shelf.names()), ["a", "b"])
        self.assertEqual(list(shelf.counts()), [0, 3])
        self.assertEqual(shelf.most(), 3)
`

func TestViewsOfPythonThatChangeWithTheObjectAreFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	eachIsFound(t, 100, shop, shopTest, []edited{
		{"a view of what the object holds", "        return dict(self._held).keys()", "        return self._held.keys()", "kit.Shelf.names"},
		{"another one", "        held = dict(self._held)\n", "        held = self._held\n", "kit.Shelf.counts"},
	})
	t.Run("a view that is not handed out", func(t *testing.T) {
		t.Parallel()
		report := mustCheckPython(t, guard.Options{Cases: 100}, shop, shopTest, "max(dict(self._held).values()", "max(self._held.values()")
		if !report.Same() {
			t.Error(report.Summary())
		}
	})
}
