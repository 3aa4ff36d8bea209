package guard_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// mustCheckPython compares a module of one file and its test with an edit of it.
func mustCheckPython(t *testing.T, o guard.Options, module, test string, edits ...string) guard.Report {
	t.Helper()
	return mustPythonTable(t, o, module, test).mustCheck(t, "kit.py", edits...)
}

// edited is an edit of a module, and which of its functions then behaves in another way.
type edited struct{ name, was, is, where string }

func (e edited) found() bool { return e.where != "" }

// eachIsFound tries edits of a module of one file. Every day TestAChangeOfAPythonFunctionIsFound stands for them.
func eachIsFound(t *testing.T, cases int, module, test string, list []edited) {
	t.Helper()
	suitetest.Full(t, "compares a Python module for each edit; TestAChangeOfAPythonFunctionIsFound stands for them")
	root := mustPythonTable(t, guard.Options{Cases: cases}, module, test)
	for _, c := range fewer(list, edited.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOnly(t, root.mustCheck(t, "kit.py", c.was, c.is), c.where)
		})
	}
}

// accounts is made of files that only its tests write; it also changes one, and puts a link in the place of one.
const accounts = `
import os


class Accounts:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.names, self.notes = parse(f)

    def has(self, name):
        return name in self.names


def parse(f):
    names, notes = [], []
    for line in f:
        line = line.rstrip("\n")
        if line.startswith("#"):
            notes.append(line[1:])
        elif '"' in line:
            names.append(line.split('"')[1])
        elif line:
            names.append(line.split()[0])
    return names, notes


def first(f):
    for line in f:
        return line


def tidy(path):
    kept = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    path.write_text("".join(line + "\n" for line in kept), encoding="utf-8")


def take(path):
    size = os.path.getsize(path)
    os.unlink(path)
    os.symlink(os.path.abspath("kit.py"), path)
    return size
`

const accountsTest = `
import os
import pathlib
import tempfile
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        with tempfile.TemporaryDirectory() as d:
            name = os.path.join(d, "accounts of \n\udcff'all'")
            with open(name, "w") as f:
                f.write("ada london\nbo oslo\n")
            self.assertTrue(kit.Accounts(name).has("bo"))
            with open(name) as f:
                self.assertEqual(kit.parse(f), (["ada", "bo"], []))
            with open(name) as f:
                f.readline()
                self.assertEqual(kit.first(f), "bo oslo\n")
            kit.tidy(pathlib.Path(name))
            self.assertEqual(kit.take(name), 19)
`

func TestFilesThatOnlyPythonTestsWriteAreMadeAndVaried(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module with files; TestAChangeOfAPythonFunctionIsFound stands for it")
	root := mustPythonTable(t, guard.Options{Cases: 150}, accounts, accountsTest)
	for _, c := range suitetest.Some(2, []struct {
		name, was, is string
		where         []string
	}{
		{"what only comments show, which no test has", "notes.append(line[1:])", "notes.append(line)", []string{"kit.Accounts.__init__", "kit.parse"}},
		{"how far a file is read", "    for line in f:\n        return line", "    for line in f.readlines():\n        return line", []string{"kit.first"}},
		{"what is written into a file", "if line.strip()]", "if line]", []string{"kit.tidy"}},
		{"a method of what is made of a file", "return name in self.names", "return name in (self.names or [name])", []string{"kit.Accounts.has"}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantWhere(t, root.mustCheck(t, "kit.py", c.was, c.is), c.where...)
		})
	}
}

func TestARefactoringOfPythonCodeThatReadsFilesRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Python module; TestAChangeOfAPythonFunctionIsFound stands for it")
	wantWhere(t, mustCheckPython(t, guard.Options{Cases: 150}, accounts, accountsTest,
		"        line = line.rstrip(\"\\n\")\n", "        while line.endswith(\"\\n\"):\n            line = line[:-1]\n",
		"        elif line:\n            names.append(line.split()[0])", "            continue\n        if '\"' not in line and line and not line.startswith(\"#\"):\n            names.append(line.split()[0])",
		"    for line in f:\n        return line", "    return f.readline() or None",
		"    path.write_text(\"\".join(line + \"\\n\" for line in kept), encoding=\"utf-8\")", "    with open(path, \"w\", encoding=\"utf-8\") as f:\n        f.writelines(line + \"\\n\" for line in kept)",
		"    size = os.path.getsize(path)\n    os.unlink(path)", "    size = os.stat(path).st_size\n    os.remove(path)"))
}

// TestFilesOfACase asks the probe's part for files alone.
func TestFilesOfACase(t *testing.T) {
	t.Parallel()
	mustHave(t, "python3")
	const begin = `
import io, os, pathlib, stat, sys, tempfile
sys.path.insert(0, sys.argv[1])
import files
made, origin, here = files.Files(), files.Origin(sys.argv[2]), os.environ["TMPDIR"]
outside = os.path.join(here, "outside")

def write(name, content=b"a\nb\n"):
    path = os.path.join(here, name)
    with open(path, "wb") as f:
        f.write(content)
    return path

def want(got, wanted):
    if got != wanted:
        sys.exit("got %r, want %r" % (got, wanted))

def again():
    "The file of the next case, whatever became of that of the one before."
    made.clear()
    path = made.make(b"a\nb\n", "f", "str")
    with open(path, "rb") as f:
        want(f.read(), b"a\nb\n")
    want([stat.S_ISDIR(os.lstat(p).st_mode) for p in (files.FOLDER, os.path.dirname(path))], [True, True])
    return path

made.clear()
path = made.make(b"a\nb\n", "f", "str")
folder = os.path.dirname(path)
`
	for name, script := range map[string]string{
		"one that was changed":             `open(path, "a").write("c"); want(made.after([]), "; 'f' holds 'a\\nb\\nc' after it"); want(again(), path); want(made.after([]), "")`,
		"one that was deleted":             `os.unlink(path); want("gone" in made.after([]), True); want(again(), path)`,
		"one that may not be written":      `os.chmod(path, 0); os.chmod(folder, 0); os.chmod(files.FOLDER, 0); want(again(), path)`,
		"a link in the place of a file":    `write("outside", b"kept"); os.unlink(path); os.symlink(outside, path); want("gone" in made.after([]), True); again(); want(open(outside).read(), "kept")`,
		"a link in the place of a folder":  `os.mkdir(outside); os.rename(folder, folder + "-"); os.symlink(outside, folder); again(); want(os.listdir(outside), [])`,
		"a link in the place of all":       `os.mkdir(outside); os.rename(files.FOLDER, outside + "-"); os.symlink(outside, files.FOLDER); again(); want(os.listdir(outside), [])`,
		"a link while a case makes more":   `os.mkdir(outside); os.rename(folder, folder + "-"); os.symlink(outside, folder)` + "\ntry:\n    made.make(b'a\\nb\\n', 'f', 'str')\nexcept OSError:\n    want(os.listdir(outside), [])\nelse:\n    want('made', 'an error')",
		"a folder in the place of a file":  `os.unlink(path); os.makedirs(path + "/d"); again()`,
		"a pipe in the place of a file":    `os.unlink(path); os.mkfifo(path); want("gone" in made.after([]), True); again()`,
		"an open one that a case keeps":    `f = made.make(b"a\nb\n", "f", "text", "utf-8", "strict"); again(); want(f.closed, True)`,
		"a pipe":                           `os.mkfifo(outside); want(origin.recipe(outside), None)`,
		"a device":                         `want(origin.recipe("/dev/zero"), None)`,
		"a folder":                         `want(origin.recipe(here), None)`,
		"one that is large":                `want(origin.recipe(write("large", bytes(files.LARGEST_FILE + 1))), None)`,
		"one that is as large as may be":   `want(origin.recipe(write("large", bytes(files.LARGEST_FILE)))[1], bytes(files.LARGEST_FILE))`,
		"no path":                          `want([origin.recipe(v) for v in ("", "a\0b", "\ud800", "x" * 5000, None, b"/", 3)], [None] * 7)`,
		"an odd name":                      `want([made.make(*origin.recipe(write(n))[1:]).rsplit("/", 1)[1] for n in ("a\nb", "é \udcff", "-", "%s'\"")], ["a\nb", "é \udcff", "-", "%s'\""])`,
		"one that was there":               `origin.since += 10**12; want(origin.recipe(write("old")), None)`,
		"a copy of one that was there":     `p = write("copy"); os.utime(p, (1, 1)); want(origin.recipe(p)[1], b"a\nb\n")`,
		"a Path":                           `p = made.make(*origin.recipe(pathlib.Path(write("g")))[1:]); want((type(p), p.read_bytes()), (pathlib.PosixPath, b"a\nb\n")); want(type(made.like(p, "x")), pathlib.PosixPath)`,
		"an open one that was read a way":  `f = open(write("g")); f.readline(); g = made.make(*origin.recipe(f)[1:]); want((g.read(), f.read()), ("b\n", "b\n"))`,
		"an open one in the midst":         `f = open(write("g")); next(f); want(origin.recipe(f), None)`,
		"an open one for bytes":            `g = made.make(*origin.recipe(open(write("g", b"\xff"), "rb"))[1:]); want(made.words(g), "<file 'g' that holds '\\udcff', open for bytes>"); want(made.like(g, "x").read(), b"x")`,
		"a temporary one, written to":      `f = tempfile.NamedTemporaryFile(); f.write(b"abc"); f.seek(1); want(origin.recipe(f)[1:], (b"bc", "tmp", "bytes"))`,
		"a temporary one, by its path":     `f = tempfile.NamedTemporaryFile(suffix=".cfg"); want(origin.recipe(f.name)[1:], (b"", "tmp.cfg", "str"))`,
		"one that is closed, or in memory": `f = open(write("g")); f.close(); want([origin.recipe(v) for v in (f, io.StringIO("a"), io.TextIOWrapper(io.BytesIO(b"a")), sys.stdout)], [None] * 4)`,
		"a path beside those of files":     `want([made.of(v) for v in ("f", path + "x", None, pathlib.Path("f"))], [None] * 4); want(made.of(path).content, b"a\nb\n")`,
		"content that is no text":          `want([files.content_from(files.text_of(b)) for b in (b"\xff\xfe\x00", bytes(range(256)))], [b"\xff\xfe\x00", bytes(range(256))]); want(files.content_from("\ud800"), b"\xed\xa0\x80")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			probe, err := filepath.Abs("pyprobe")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "python3", "-B", "-c", begin+script, probe, t.TempDir())
			cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "LC_ALL=C.UTF-8")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, strings.TrimSpace(string(out)))
			}
		})
	}
}

// power holds the lock of its interpreter for longer than any process may work, with an exponent of its own.
const power = `
def power(base, exponent):
    return base ** min(exponent, 99999999) % 1000


def half(number):
    return number // 2
`

const powerTest = `
import unittest
import kit


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(kit.power(2, 3), 8)
        self.assertEqual(kit.power(3, 1), 3)
        self.assertEqual(kit.half(5), 2)
`

func TestAPythonPowerOfHugeNumbersDoesNotHoldUpTheComparison(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "waits for cases that are ended, a second of the processor each")
	report := mustCheckPython(t, guard.Options{Cases: 300, Work: 80 * time.Second}, power, powerTest, "% 1000\n", "% 1001\n", "number // 2", "number // 2 if number != 7 else 4")
	wantWhere(t, report, "kit.power", "kit.half")
	if report.Cut != "" {
		t.Errorf("the comparison did not come to its end: %v", report.Notes)
	}
}
