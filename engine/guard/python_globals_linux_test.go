package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// given are functions that a module gives by names which it sets while it is loaded.
const given = `
spelled = None


def _spelled(n, plus):
    return ("+" if plus and n >= 0 else "") + str(n)


def _of_list(items, plus=False):
    return ",".join(_spelled(n, plus) for n in items)


def _load():
    global spelled
    spelled = _of_list


_load()
`

const givenTest = `
import unittest

import kit


class Test(unittest.TestCase):
    def test_spelled(self):
        self.assertEqual(kit.spelled([1, 2, -3]), "1,2,-3")
        self.assertEqual(kit.spelled([3], plus=True), "+3")
        self.assertEqual(kit.spelled([-4, 5], plus=True), "-4,+5")
`

func TestFunctionsThatAPythonModuleGivesByNamesItSetsAreCompared(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	root := mustPythonTable(t, guard.Options{Cases: 120}, given, givenTest)
	wantWhere(t, root.mustCheck(t, "kit.py", "n >= 0 else", "n > 0 else"), "kit.spelled")
	report := root.mustCheck(t, "kit.py", "n >= 0 else", "not n < 0 else")
	if wantWhere(t, report); report.Functions != 1 {
		t.Errorf("%d functions were compared, want one", report.Functions)
	}
}
