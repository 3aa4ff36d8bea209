package guard_test

import "testing"

// nested goes into what values hold by two functions that call each other.
const nested = `
def encoded(v, ways=None):
    if ways and type(v) in ways:
        return "<" + ways[type(v)](v) + ">"
    if type(v) is dict:
        return _table(v, ways)
    if type(v) is list:
        return "[" + ",".join(encoded(x, ways) for x in v) + "]"
    if type(v) in (int, str):
        return repr(v)
    raise ValueError("no " + type(v).__name__)


def _table(v, ways):
    return "{" + ",".join(encoded(k, ways) + ":" + encoded(x, ways) for k, x in v.items()) + "}"
`

const nestedTest = `
import unittest

import kit


class Test(unittest.TestCase):
    def test_encoded(self):
        self.assertEqual(kit.encoded({"a": [1, 2]}), "{'a':[1,2]}")
        self.assertEqual(kit.encoded(1j, ways={complex: str}), "<1j>")
        self.assertEqual(kit.encoded(2.5, ways={float: str}), "<2.5>")
        self.assertRaises(ValueError, kit.encoded, 2.5)
`

func TestAnArgumentOfPythonStandsWithinAnotherForCodeThatGoesIntoThem(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, nested, nestedTest, []edited{
		{"options that keys do not get", "encoded(k, ways) + \":\"", "encoded(k) + \":\"", "kit.encoded"},
		{"the same in other words", "\",\".join(encoded(k, ways) + \":\" + encoded(x, ways) for k, x in v.items())", "\",\".join(\":\".join((encoded(k, ways), encoded(x, ways))) for k, x in v.items())", ""},
	})
}
