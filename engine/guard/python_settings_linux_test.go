package guard_test

import "testing"

// sheets are filled by their methods and by those who have them.
const sheets = `
class Sheet:
    def __init__(self, source=None):
        self.origin = None
        self.cells = {}
        if source is not None:
            if source.origin:
                self.origin = source.origin.copy()
            self.cells = dict(source.cells)

    def load(self, table):
        self.origin = table.get("origin")
        self.cells.update(table.get("cells", {}))

    def table(self):
        return {"origin": self.origin and dict(self.origin), "cells": dict(self.cells)}
`

const sheetsTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        sheet = kit.Sheet()
        sheet.load({"cells": {1: 2}})
        sheet.origin = {"x": 4}
        other = kit.Sheet(sheet)
        self.assertEqual(other.table(), {"origin": {"x": 4}, "cells": {1: 2}})
`

func TestWhatPythonTestsSetOfAnObjectIsSetAgain(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 100, sheets, sheetsTest, []edited{
		{"a copy has the table of the first", "source.origin.copy()", "source.origin", "kit.Sheet.__init__"},
		{"a copy that is made in another way", "source.origin.copy()", "dict(source.origin)", ""},
	})
}
