package guard_test

import "testing"

const written = `
from functools import singledispatch


@singledispatch
def shown(value, ends="()", **options):
    return str(value)


@shown.register(list)
def _(value, ends="()", **options):
    options["ends"] = ends
    return "<" + " ".join(shown(v, **options) for v in value) + ">"


@shown.register(tuple)
def _(value, ends="()", **options):
    options["ends"] = ends
    return ends[0] + " ".join(shown(v, **options) for v in value) + ends[1]
`

const writtenTest = `
import unittest
from kit import shown


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(shown((1, 2)), "(1 2)")
        self.assertEqual(shown(("a", "b"), ends="[]"), "[a b]")
        self.assertEqual(shown([("a", 2)], ends="[]"), "<[a 2]>")
        self.assertEqual(shown("x", ends="{}"), "x")
`

// What changed has no name of its own: another function calls it for values of its type, and itself for what they hold.
func TestValuesWithinValuesReachPythonFunctionsThatAreRegisteredWithAnother(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, written, writtenTest, []edited{
		{"an option is not handed on to what a tuple holds", "def _(value, ends=\"()\", **options):\n    options[\"ends\"] = ends\n    return ends[0]", "def _(value, ends=\"()\", **options):\n    return ends[0]", "test_kit.Test.test"},
	})
}
