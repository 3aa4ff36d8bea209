package guard_test

import "testing"

// shownOnce tells values in words, and keeps the words.
const shownOnce = `
from functools import lru_cache


@lru_cache(maxsize=64, typed=True)
def shown(v):
    return repr(v)


class Scale:
    def __init__(self, unit):
        self.unit, self._known = unit, {}

    def label(self, n):
        key = (type(n), n)
        if key not in self._known:
            self._known[key] = str(n) + self.unit
        return self._known[key]
`

const shownOnceTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.shown(1), "1")
        self.assertEqual(kit.shown(20), "20")
        self.assertEqual(kit.shown("a"), "'a'")
        scale = kit.Scale("m")
        self.assertEqual(scale.label(4), "4m")
        self.assertEqual(scale.label(12), "12m")
`

func TestEqualNumbersOfTwoTypesAreAskedBehindEachOtherInPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, shownOnce, shownOnceTest, []edited{
		{"a cache that does not tell types", "maxsize=64, typed=True", "maxsize=64", "kit.shown"},
		{"a table of an object by the value alone", "key = (type(n), n)", "key = n", "kit.Scale.label"},
		{"a larger cache", "maxsize=64, typed=True", "typed=True, maxsize=128", ""},
		{"a key in another order", "key = (type(n), n)", "key = n, type(n)", ""},
	})
}
