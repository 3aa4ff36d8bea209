package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

const symbols = `
import urllib.parse

SIGNS = ["$", "EUR", "kr"]


def symbol(text, hint=None):
    for place in (hint, text):
        if place is None:
            continue
        for sign in SIGNS:
            if sign in place:
                return sign
    return None


def runs(numbers):
    out = []
    for n in numbers:
        if out and out[-1][-1] + 1 == n:
            out[-1].append(n)
        else:
            out.append([n + 0])
    return [tuple(r) for r in out if len(r) > 1]


def quoted(value, safe):
    if not isinstance(value, (str, bytes)):
        value = str(value)
    return urllib.parse.quote(value, safe)
`

const symbolsTest = `
import unittest
from kit import quoted, runs, symbol


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(symbol("$ 5"), "$")
        self.assertEqual(symbol("5", "EUR"), "EUR")
        self.assertEqual(symbol("5 kr", None), "kr")
        self.assertIsNone(symbol("5"))
        self.assertEqual(runs([]), [])
        self.assertEqual(runs([1, 2, 4]), [(1, 2)])
        self.assertEqual(quoted("a/b", ""), "a%2Fb")
        self.assertEqual(quoted("a/b", "/"), "a/b")
        self.assertEqual(quoted("a", ""), "a")
        self.assertEqual(quoted(5, "/"), "5")
`

// The root cannot do with a number for a hint, nor with a text among numbers, nor with None for what may stand as it is, and nobody gave any of them.
func TestWhatPythonCodeCannotDoWithValuesOfAKindThatIsGuessedIsNoDifference(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 300}, symbols, symbolsTest,
		"        for sign in SIGNS:\n            if sign in place:\n                return sign\n", "        found = [s for s in SIGNS if s in str(place)]\n        if found:\n            return found[0]\n",
		"            out.append([n + 0])", "            out.append([n])"))
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 300}, symbols, symbolsTest,
		"            if sign in place:", "            if place.endswith(sign) or place.startswith(sign):"), "kit.symbol")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 900}, symbols, symbolsTest,
		"def quoted(value, safe):\n", "def quoted(value, safe):\n    if type(value) is str and value.isascii() and value.isalnum():\n        return value\n"))
}
