package guard

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRecorderOfPythonSpendsLittle makes calls of a module while a recorder looks on.
func TestRecorderOfPythonSpendsLittle(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on the PATH")
	}
	const begin = `
import sys
import atoll_guard_recorder as recorder

open("box.py", "w").write("""
class Box:
    def __init__(self, size):
        self.size = size

    def put(self, items):
        return self._last(items)

    def _last(self, items):
        return items[-1]

def first(items):
    return items[0]
""")
sys.path.insert(0, ".")
import box

r = recorder.Recorder()

def recorded(calls):
    sys.settrace(r.trace)
    try:
        calls()
    finally:
        sys.settrace(None)

def want(got, wanted):
    if got != wanted:
        sys.exit("got %r, want %r" % (got, wanted))
`
	const tests = `
import os, pickle, subprocess
import atoll_guard_recording as recording

def recorded_of(*methods, words=["-m", "unittest", "-q"]):
    """What is recorded in half a second of tests."""
    with open("test_box.py", "w") as f:
        f.write("import subprocess, sys, unittest\nfrom box import first as one\n\nclass Test(unittest.TestCase):\n")
        f.writelines("    def test_%s(self):\n        %s\n" % pair for pair in zip(methods[::2], methods[1::2]))
    os.environ["ATOLL_GUARD_RECORDING"] = "recording"
    child = os.fork()
    if not child:
        try:
            recording.record({"tests": words, "seconds": 0.5 if words else 60})
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    with open("recording", "rb") as f:
        return pickle.load(f)
`
	for name, script := range map[string]string{
		"what is too large is looked at a few times": `
large, looked = list(range(9999)), []
encode = r.encode
r.encode = lambda value, depth=0: (looked.append(value is large), encode(value, depth))[1]
recorded(lambda: [box.first(large) for _ in range(999)])
want(sum(looked), 1 + recorder.MOST_TRIED // (recorder.COST_OF_LARGE + 1))
want(r.saved()["calls"], {})`,
		"an object that pickles to too much is too": `
class Long:
    def __reduce__(self):
        return list, ([str(n) for n in range(99999)],)
recorded(lambda: box.first([Long()]))
want(r.tried["box", "first"] > recorder.COST_OF_LARGE, True)`,
		"what is not kept is not looked at": `
looked = []
encode = r.encode
r.encode = lambda value, depth=0: (looked.append(value), encode(value, depth))[1]
recorded(lambda: box.Box._last(None, "last"))
want(looked, [])`,
		"a test that goes on without anything new is watched no further, and the next one is": `
r.turn()
def idle():
    pass
def test_long():
    box.first([1])
    for _ in range(recorder.MOST_IDLE + 9):
        idle()
    box.first([2])
def test_next():
    box.first([3])
recorded(test_long)
r.turn()
recorded(test_next)
want(len(r.saved()["calls"]["box:first"]), 2)`,
		"a test takes what it takes of the processor, not what it waits and not what looking on takes": `
import time
open("test_slow.py", "w").write("""
import time, box

class Slow:
    def __reduce__(self):
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        return list, ()

def test_slow():
    time.sleep(0.3)
    box.first([Slow()])
""")
import test_slow
recorded(test_slow.test_slow)
(reach, took), = r.tests.found.values()
want((reach, took < 0.2), ({("box", "first")}, True))`,
		"a script is watched however long it does the same": `
r.more()
def idle():
    pass
def script():
    box.first([1])
    for _ in range(recorder.MOST_IDLE + 9):
        idle()
    box.first([2])
recorded(script)
want(len(r.saved()["calls"]["box:first"]), 2)`,
		"small calls are all kept, each once": `
recorded(lambda: [box.first([n % 50]) for n in range(999)])
want(len(r.saved()["calls"]["box:first"]), 50)`,
		"tests that do not end leave what they did before": tests + `
kept = recorded_of("a", "one([1])", "b", "while True: one([1])")
want(len(kept["calls"]["box:first"]), 1)`,
		"tests that wait for what takes the time leave what they did before": tests + `
kept = recorded_of("a", "one([1]); subprocess.run([sys.executable, '-c', 'while time.process_time() < 1: pass'.join(['import time\\n', ''])])", "b", "one([2])")
want(len(kept["calls"]["box:first"]), 1)`,
		"a file of tests that cannot be read and a test that fails cost the others nothing": tests + `
try:
    import pytest
except ImportError:
    sys.exit(0)
open("test_a.py", "w").write("import none_of_these")
kept = recorded_of("b", "one([1]); raise ValueError", "c", "one([2])", words=None)
want(len(kept["calls"]["box:first"]), 2)`,
		"looking on may take some seconds and twice what the tests take": `
import atoll_guard_purse as purse
now = 0.0
purse.process_time = lambda: now
p = purse.Purse()
def empty(tests, looking):
    global now
    now += tests
    p.open()
    was = p.empty()
    now += looking
    p.close()
    return was
grace, times = purse.GRACE, purse.TIMES
want([empty(0, grace), empty(0, 3 * times), empty(1, 0), empty(3, 0), empty(0, times + 1), empty(0, 0)], [False, False, True, False, False, True])`,
		"where that is used up nothing is kept and an object hears no more, until tests ran on": `
made, spent = box.Box(0), r.purse.spent
def asked():
    global made
    made = box.Box(7); r.purse.spent = 1e9; made.put([1]); box.first([1]); r.purse.spent = spent; box.first([2])
recorded(asked)
want((len(r.saved()["calls"]["box:first"]), r.encode(made)[4], r.objects[id(made)][4]), (1, (), True))`,
		"arguments of many parts are looked at less often": `
recorder.MOST_TRIED = 100
recorded(lambda: [box.first([n] * 10 * recorder.PARTS_OF_TRY) for n in range(99)])
want(len(r.saved()["calls"]["box:first"]), 100 // (10 + 1) + 1)`,
		"behind many calls of a method no object hears any more of it": `
recorder.MOST_TRIED, recorder.MOST_FOLLOWED = 10, 20
boxes = []
recorded(lambda: [boxes.append(box.Box(n)) or boxes[-1].put([n]) for n in range(22)])
want([len(r.encode(b)[4]) for b in boxes], [1] * 21 + [0])
want(r.objects[id(boxes[-1])][4], True)`,
		"what an object made for itself and holds is made with it, and what others did with that": `
open("shelf.py", "w").write("""
class Names:
    def __init__(self):
        self.of = []

    def add(self, name):
        self.of.append(name)

class Rows:
    def __init__(self, shelf):
        self.shelf, self.names = shelf, Names()
        self.names.add("own")

    def add(self, name):
        self.names.add(name)

class Tags:
    def __init__(self, rows):
        self.rows = rows

class Shelf:
    def __init__(self):
        rows = Rows(self)
        self.tags = Tags(rows)
        self.rows, self.marks = rows, Names()

    def text(self):
        return " ".join(self.rows.names.of + self.marks.of)
""")
import shelf
from atoll_guard_making import decode
def fill():
    global full
    full = shelf.Shelf()
    full.rows.names.add("a")
    full.rows.add("b")
    full.marks.add(full)
    full.marks.add("c")
recorded(fill)
want([step[0] for step in r.encode(full)[4]], ["rows.names.add", "rows.add", "marks.add"])
rows = decode(r.encode(full.rows))
want((rows.shelf.rows is rows, rows.shelf.text()), (True, "own a b c"))
want(decode(r.encode(full.marks)).of[1:], ["c"])
rows = decode(r.encode(full.tags)).rows
want(rows.shelf.rows is rows, True)
def around():
    global many
    many = shelf.Shelf()
    for _ in range(9):
        many.marks.add(shelf.Rows(many))
recorded(around)
want((r.encode(many)[4], r.objects[id(many)][4]), ((), True))`,
		"what an object was asked is known however often a method was called": `
r.most = 3
recorded(lambda: [box.Box(n).put([n]) for n in range(9)])
made = box.Box(7)
def last():
    global made
    made = box.Box(7); made.put([1]); made.put([2])
recorded(last)
want([step[0] for step in r.encode(made)[4]], ["put", "put"])`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "python3", "-B", "-c", begin+script)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PYTHONPATH="+mustLayParts(t))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, strings.TrimSpace(string(out)))
			}
		})
	}
}
