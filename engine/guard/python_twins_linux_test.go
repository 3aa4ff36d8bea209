package guard_test

import "testing"

// columns tells the type that the cells of a column have together, as tables print them.
const columns = `
def cell_type(v):
    return type(v).__name__


def column_type(cells):
    rank = ["bool", "int", "float", "str"]
    return max((cell_type(v) for v in cells), key=rank.index, default="str")
`

const columnsTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.column_type([1, 2, 3]), "int")
        self.assertEqual(kit.column_type([1, "a"]), "str")
        self.assertEqual(kit.column_type([]), "str")
`

func TestEqualNumbersOfTwoTypesStandInOneListOfPython(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 300, columns, columnsTest, []edited{
		{"types that are kept by value", "    rank =", "    kept = {}\n    cells = [kept.setdefault(v, v) for v in cells]\n    rank =", "kit.column_type"},
	})
}
