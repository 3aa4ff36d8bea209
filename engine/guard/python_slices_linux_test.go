package guard_test

import "testing"

const shelves = `class Shelf:
    def __init__(self, items, names=None):
        self.items, self.names = list(items), dict(names or {})

    def __getitem__(self, key):
        try:
            return self.names[key]
        except (KeyError, TypeError):
            return self.items[key]
`

const shelvesTest = `import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        shelf = kit.Shelf(["a", "b", "c"], {"first": "a"})
        self.assertEqual(shelf["first"], "a")
        self.assertEqual(shelf[1], "b")
        self.assertEqual(shelf[2], "c")
`

func TestSlicesAreGivenToWhatIsAskedByPlaceInPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 120, shelves, shelvesTest, []edited{
		{"a slice", "except (KeyError, TypeError):", "except KeyError:", "kit.Shelf.__getitem__"},
		{"the same in other words", "except (KeyError, TypeError):", "except (TypeError, LookupError):", ""},
	})
}
