package sandbox_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"
)

// endings are scripts that something happens in when their interpreter ends, or that end
// in a way of their own.
var endings = map[string]string{
	"an exit function":                       "import atexit\natexit.register(print, 'first'); atexit.register(print, 'second')",
	"an exit function that fails":            "import atexit\natexit.register(print, 'well'); atexit.register(int, 'x')",
	"an exit function that prints no more":   "import atexit, sys\natexit.register(sys.stdout.close)\nprint('text')",
	"a finalizer":                            "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'gone')",
	"an object with a last word":             "class A:\n  def __del__(self): print('gone', self.n)\na = A(); a.n = 1",
	"a circle with a last word":              "class A:\n  def __del__(self): print('gone')\na = A(); a.a = a; del a",
	"a small object with a last word":        "class A:\n  __slots__ = ()\n  def __del__(self): print('gone')\na = A()",
	"a last word that a base has":            "class A:\n  def __del__(self): print('gone')\nclass B(A): pass\njson.kept = [B()]",
	"a last word behind a loaded module":     "class A:\n  def __del__(self): print('gone')\njson.kept = A()",
	"a class that hides what it has":         "class M(type):\n  def __getattribute__(c, n): raise AttributeError(n)\nclass A(metaclass=M):\n  def __del__(self): print('gone')\na = A()",
	"a generator that is not done":           "def g():\n  try: yield\n  finally: print('closed')\nk = g(); next(k)",
	"a file that is left open":               "f = open('left.txt', 'w'); f.write('text')",
	"a file that a module holds":             "json.kept = open('left.txt', 'w'); json.kept.write('text')",
	"an output of its own":                   "import sys\nsys.stdout = open('left.txt', 'w'); print('text')",
	"text of a library in C":                 "import ctypes\nctypes.CDLL(None).printf(b'text of C')\nprint('text')",
	"a function of C at the exit":            "import ctypes\nl = ctypes.CDLL(None)\nl.atexit(l.abort)\nprint('text')",
	"a folder for a while":                   "import tempfile, os\nt = tempfile.TemporaryDirectory(dir='.')\nos.rename('main.txt', t.name + '/x')",
	"a log that is kept back":                "import logging, logging.handlers\nlogging.getLogger().addHandler(logging.handlers.MemoryHandler(99, target=logging.StreamHandler()))\nlogging.error('text')",
	"a thread":                               "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.05), print('late'))).start()\nprint('early')",
	"a thread that nobody waits for":         "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
	"a pool of threads":                      "from concurrent.futures import ThreadPoolExecutor\np = ThreadPoolExecutor(); p.submit(print, 'done')",
	"a look at the collector":                "import gc\ngc.callbacks.append(lambda when, how: print(when))",
	"an exception":                           "def f(): raise ValueError('text')\nf()",
	"an exception with a last word":          "class A:\n  def __del__(self): print('gone')\nclass E(Exception): pass\ne = E(); e.a = A()\nraise e",
	"an interruption":                        "raise KeyboardInterrupt",
	"a signal":                               "import os, signal\nprint('text', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)",
	"an exit with a number":                  "import sys\nprint('text')\nsys.exit(7)",
	"an exit with a large number":            "import sys\nsys.exit(1000)",
	"an exit with a number below zero":       "import sys\nsys.exit(-1)",
	"an exit with a text":                    "import sys\nsys.exit('text')",
	"an exit with a truth":                   "import sys\nsys.exit(True)",
	"an exit with what has a last word":      "import sys\nclass A:\n  def __str__(self): return 'text'\n  def __del__(self): print('gone')\nsys.exit(A())",
	"an exit out of nowhere":                 "import os\nprint('lost')\nos._exit(4)",
	"an output that is closed":               "import os, sys\nprint('text')\nos.close(1)",
	"an output that is gone":                 "import sys\nsys.stdout = None",
	"an exit in an exit function":            "import atexit, sys\natexit.register(sys.exit, 3)",
	"a process that it leaves to its parent": "import os\nif os.fork() == 0: print('child')\nelse: os.wait(); print('parent')",
	"much that is held":                      "kept = [[i] for i in range(50000)]",
}

// A copy ends like an interpreter that was started, though it takes nothing apart.
func TestRunOfAPreparedInterpreterEndsLikeAnyOther(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	if why := b.CanPrepare(); why != "" {
		t.Skip(why)
	}
	for _, name := range suitetest.Every(3, slices.Sorted(maps.Keys(endings))) {
		text := endings[name]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.script("import json\n" + text + "\n")
			s.Harvest = true
			copied := w.mustCopy(b, s)
			s.Prepared = nil
			started := w.mustRun(b, s)
			for _, res := range []*sandbox.Result{&copied, &started} {
				res.Wall, res.CPU, res.MaxRSS, res.Prepared = 0, 0, 0, false
			}
			if !reflect.DeepEqual(started, copied) {
				t.Errorf("started\n%+v\n%s%s\ncopied\n%+v\n%s%s", started, started.Stdout, started.Stderr, copied, copied.Stdout, copied.Stderr)
			}
			t.Logf("exit %d %s, %d changes\n%s%s", started.Exit, started.Signal, len(started.Changes), started.Stdout, started.Stderr)
		})
	}
}

// What a module that was loaded ahead holds has its last word, too.
func TestRunOfAPreparedInterpreterLetsGoOfWhatModulesHold(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	s := w.script("")
	w.module(&s, "class A:\n  def __del__(self): print('gone')\nkept = A()\n")
	copied := w.mustCopy(b, s)
	s.Prepared = nil
	if started := w.mustRun(b, s); string(started.Stdout) != "well\ngone\n" || string(copied.Stdout) != string(started.Stdout) {
		t.Errorf("started\n%s%s\ncopied\n%s%s", started.Stdout, started.Stderr, copied.Stdout, copied.Stderr)
	}
}

// What would abort an interpreter that is taken apart, and is no business of the script's, does
// not happen.
func TestRunOfAPreparedInterpreterIsNotTakenApart(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	for modules, apart := range map[string]bool{
		"json, math, os, random, re, subprocess, tempfile, logging": false,
		"numpy":                               false,
		"json\nkept = open(0, closefd=False)": true,
	} {
		s := w.script("import ctypes\nimport " + modules + "\nl = ctypes.CDLL(None)\nctypes.pythonapi.Py_AtExit(ctypes.cast(l.abort, ctypes.c_void_p))\nprint('text')\n")
		s.Args[0] = "/usr/bin/python3"
		res := w.mustCopy(b, s)
		if strings.Contains(string(res.Stderr), "ModuleNotFoundError") {
			continue
		}
		if !strings.Contains(string(res.Stdout), "text\n") || (res.Exit != 0) != apart {
			t.Errorf("with %s: exit %d %s\n%s%s", modules, res.Exit, res.Signal, res.Stdout, res.Stderr)
		}
	}
}
