package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// moving compares paths by their parts, in arguments that hold both of two texts.
const moving = `
def _parts(path):
    out = path.split("/")[1:]
    if not path.startswith("/") or not all(p.isalpha() for p in out):
        raise ValueError("no path")
    return out


def _within(path, other):
    return _parts(path)[:len(_parts(other))] == _parts(other)


def apply(tree, steps):
    out = dict(tree)
    for step in steps:
        path = "/" + "/".join(_parts(step["path"]))
        if step["do"] == "drop":
            del out[path]
        elif step["do"] == "put":
            out[path] = step["value"]
        elif step["from"] not in out:
            raise KeyError("nothing at " + step["from"])
        elif path != step["from"] and _within(path, step["from"]):
            raise ValueError("into itself")
        else:
            out[path] = out.pop(step["from"])
    return out


def owner(names, name):
    for known in sorted(names, key=len, reverse=True):
        if not known.isidentifier():
            raise ValueError("no name")
        if name == known or name.startswith(known + "."):
            return known
    return None
`

const movingTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.apply({"/tea": 1}, [{"do": "move", "from": "/tea", "path": "/milk"}]), {"/milk": 1})
        self.assertEqual(kit.apply({}, [{"do": "put", "path": "/x", "value": 1}, {"do": "move", "from": "/x", "path": "/y/z"}]), {"/y/z": 1})
        self.assertEqual(kit.apply({"/b": 3, "/a/b": 1}, [{"do": "drop", "path": "/a/b"}]), {"/b": 3})
        with self.assertRaises(ValueError):
            kit.apply({"/tea": 1}, [{"do": "move", "from": "/tea", "path": "/tea/cup"}])
        self.assertEqual(kit.owner(["kit", "net"], "net.file"), "net")
        self.assertEqual(kit.owner(["kit", "net"], "os"), None)
`

func TestPythonCodeThatTakesATextForOneThatItBeginsWithIsFound(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 200, moving, movingTest, []edited{
		{"paths that are compared as texts", "return _parts(path)[:len(_parts(other))] == _parts(other)", "return path.startswith(other)", "kit.apply"},
		{"a name that begins with another", "name.startswith(known + \".\")", "name.startswith(known)", "kit.owner"},
	})
}

func TestRefactoringsOfPythonCodeThatComparesPartsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Python module; TestPythonCodeThatTakesATextForOneThatItBeginsWithIsFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 200}, moving, movingTest,
		"return _parts(path)[:len(_parts(other))] == _parts(other)", "return len(_parts(path)) >= len(_parts(other)) and all(a == b for a, b in zip(_parts(path), _parts(other)))",
		"name == known or name.startswith(known + \".\")", "(name + \".\").startswith(known + \".\")",
	))
}
