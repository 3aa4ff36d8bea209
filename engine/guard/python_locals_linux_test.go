package guard_test

import "testing"

const bags = `class Bag:
    def __init__(self, **held):
        self._held = dict(held)

    def setdefault(self, name, value=None):
        if name not in self._held:
            self._held[name] = value
        return self._held[name]
`

// bagsTest calls the method on an object of a class that it makes itself, and on no other.
const bagsTest = `import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        class Own(kit.Bag):
            pass

        own = Own(a="foo")
        self.assertEqual(own.setdefault("a", "bar"), "foo")
        self.assertEqual(own.setdefault("b", "bar"), "bar")
        self.assertEqual(kit.Bag(a=1)._held, {"a": 1})
`

func TestObjectsOfAClassThatAPythonTestMakesAreMadeOfItsBase(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, bags, bagsTest, []edited{
		{"None for what is not there", "if name not in self._held", "if self._held.get(name) is None", "kit.Bag.setdefault"},
		{"the same in other words", "        if name not in self._held:\n            self._held[name] = value\n        return self._held[name]\n", "        return self._held.setdefault(name, value)\n", ""},
	})
}
