package guard

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

// mustLayParts lays the parts of the probe by the names that they import each other by.
func mustLayParts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	parts, err := filepath.Glob("pyprobe/*.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		text, err := os.ReadFile(part)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, pythonPrefix+filepath.Base(part)), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mustKeepOf tells what each second source keeps between calls that the first of its pair does not.
func mustKeepOf(t *testing.T, pairs [][2]string) []string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on the PATH")
	}
	dir := mustLayParts(t)
	data, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "python3", "-B", "-c", "import json, sys\nfrom atoll_guard_beyond import own\nfrom atoll_guard_keeping import new_in\nprint(json.dumps(['; '.join(new_in(a, b, own)) for a, b in json.load(sys.stdin)]))")
	cmd.Stdin = strings.NewReader(string(data))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var told []string
	if err == nil {
		err = json.Unmarshal(out, &told)
	}
	if err != nil || len(told) != len(pairs) {
		t.Fatalf("%v: %s", err, out)
	}
	return told
}

func TestWhatPythonCodeKeepsBetweenCalls(t *testing.T) {
	t.Parallel()
	const in, by = "keeps something between calls in ", " (written by f)"
	cases := []struct {
		name, was, now, want string
	}{
		{"answers in a dict", "def f(x):\n    return x\n", "_cache = {}\ndef f(x):\n    if x in _cache:\n        return _cache[x]\n    _cache[x] = x\n    return x\n", in + "_cache" + by},
		{"another name of what it wrote", "n = []\ndef f(x):\n    n.append(x)\n", "seen = []\ndef f(x):\n    seen.append(x)\n", ""},
		{"answers in a table of tables", "", "_c = {}\ndef f(x):\n    known = _c['a']['b'] = x\n    return known\n", in + "_c" + by},
		{"a name of the module", "", "last = None\ndef f(x):\n    global last\n    if last is None:\n        last = x\n    return last\n", in + "last" + by},
		{"methods that write", "", "a, b, c, d = [], {}, set(), {}\ndef f(x):\n    a.append(x)\n    b.setdefault(x, 1)\n    c.add(x)\n    put = d.update\n    put(x)\n", in + "a" + by + "; " + in + "b" + by + "; " + in + "c" + by + "; " + in + "d" + by},
		{"another name of it", "", "_cache = {}\ndef f(x):\n    c = _cache\n    c[x] = 1\n", in + "_cache" + by},
		{"an attribute of the function", "", "def f(x):\n    f.last = x\n    f.seen[x] = 1\n", in + "f.last" + by + "; " + in + "f.seen" + by},
		{"attributes of the class", "", "class C:\n    seen = {}\n    def f(self, x):\n        self.seen[x] = 1\n        C.a = x\n        type(self).b = x\n        self.__class__.c = x\n    @classmethod\n    def g(cls, x):\n        cls.d = x\n", "keeps something between calls in C.a (written by C.f); keeps something between calls in C.b (written by C.f); keeps something between calls in C.c (written by C.f); keeps something between calls in C.d (written by C.g); keeps something between calls in C.seen (written by C.f)"},
		{"setattr and globals", "", "class C: pass\ndef f(x):\n    setattr(C, 'x', x)\n    globals()['y'] = x\n", in + "C.x" + by + "; " + in + "globals()" + by},
		{"a default", "", "def f(x, seen={}, *, more=[]):\n    seen[x] = 1\n    more.append(x)\n", in + "more of f" + by + "; " + in + "seen of f" + by},
		{"a function that counts", "", "import itertools\nids = itertools.count()\ndef f():\n    return next(ids)\n", in + "ids" + by},
		{"a buffer that is handed on", "", "import io\nbuf = bytearray(64)\nout = io.StringIO()\ndef f(g, x):\n    g.readinto(buf)\n    print(x, file=out)\n    out.truncate(0)\n", in + "buf" + by + "; " + in + "out" + by},
		{"caches of functools", "", "import functools\nfrom functools import lru_cache as lru_cache\nMOST = None\n@lru_cache(MOST)\ndef f(x):\n    return x\nclass C:\n    @functools.cache\n    def g(self):\n        return 1\nh = functools.lru_cache(len)\n", "keeps results of C.g between calls (cache); keeps results of f between calls (lru_cache); keeps results of len between calls (lru_cache)"},
		{"a cache of its own", "", "def memo(size):\n    def of(g):\n        seen = {}\n        def inner(x):\n            seen[x] = g(x)\n            return seen[x]\n        return inner\n    return of\n@memo(3)\ndef f(x):\n    return x\n", in + "seen of memo.of (written by memo.of.inner)"},
		{"a number around a function", "", "def count(g):\n    n = 0\n    def inner(x):\n        nonlocal n\n        n += 1\n        return g(x)\n    return inner\nf = count(len)\n", in + "n of count (written by count.inner)"},
		{"another module's table", "", "from . import tables\ndef f(x):\n    tables.seen[x] = 1\n    tables.all.setdefault(x, 1)\n", in + "tables.all" + by + "; " + in + "tables.seen" + by},
		{"a table that fills itself", "", "class Known(dict):\n    def __missing__(self, key):\n        self[key] = made = key + 1\n        return made\n_known = Known()\ndef f(x):\n    return _known[x]\n", in + "_known" + by},
		{"objects of the module that their methods change", "", "class A:\n    def __init__(self):\n        self.at = 0\n    def read(self, x):\n        self._go(x)\n        return self.at\n    def _go(self, x):\n        self.at = x\n    def length(self):\n        return 1\nclass B(A):\n    def __call__(self, x):\n        super().append(x)\na, b, c, d = A(), B(), A(), B()\ne = A()\ndef f(x):\n    return e.read(x)\n", in + "e" + by},
		{"one of a derived class, called", "", "class A:\n    def put(self, x):\n        self.last = x\nclass B(A):\n    def __call__(self, x):\n        self.seen.append(x)\nb = B()\nc = B()\ndef f(x):\n    return b(x)\ndef g(x):\n    c.put(x)\n", in + "b" + by + "; keeps something between calls in c (written by g)"},
		{"objects that do not change", "", "class A:\n    def __init__(self, x):\n        self.x = x\n        self.all = []\n        self.all.append(x)\n    def get(self, x):\n        made = {}\n        made[x] = self.x\n        return made\n    def set(self, x):\n        self.x = x\na = A(1)\ndef f(x):\n    own = A(x)\n    own.set(x)\n    return a.get(x), A(2).set(x)\n", ""},
		{"many functions", "", "n = {}\ndef a(x):\n    n[x] = 1\ndef b(x):\n    n[x] = 1\ndef c(x):\n    n[x] = 1\ndef d(x):\n    n[x] = 1\n", in + "n (written by a, b, 2 more)"},

		{"what was kept before", "_cache = {}\ndef f(x):\n    _cache[x] = 1\n", "_cache = {}\ndef g(x):\n    _cache.setdefault(x, 1)\n", ""},
		{"a cache that was there", "import functools\n@functools.lru_cache\ndef f(x):\n    return x\n", "import functools\n@functools.cache\ndef f(x):\n    return x + 0\n", ""},
		{"what runs while it is imported", "", "import re\nP = re.compile('a')\nT = {}\nfor i in range(9):\n    T[i] = i\nT.update(a=1)\ndef _fill():\n    T['x'] = 1\n    def g(x):\n        T[x] = 1\n    g(2)\n_fill()\nclass C:\n    all = []\n    all.append(1)\n    def __init_subclass__(cls):\n        cls.all.append(2)\ndef f(x):\n    return T[x], P.sub('', x), T.get(x), C.all\n", ""},
		{"variables of the function", "T = {}\n", "T = {}\nall = []\ndef f(x, T, more={}):\n    all = []\n    all.append(x)\n    T[x] = 1\n    more = dict(more)\n    more[x] = 1\n    for last in x:\n        last.y = 1\n    def g(y):\n        all.append(y)\n    g(1)\n    return all\n", ""},
		{"what belongs to the object", "", "class C:\n    seen = {}\n    def __init__(self):\n        self.seen = {}\n        self.n = 0\n    def f(self, x):\n        self.seen[x] = self.n = 1\n        self.more.append(x)\n", ""},
		{"functions of other packages", "", "import numpy as np, bisect\nfrom operator import add\ndef f(a, b):\n    return np.append(a, b), np.char.add(a, b), bisect.insort(a, b), add(a, b), list.append(a, b), str.join('', b)\n", ""},
		{"compiled expressions", "", "import re\nimport functools as _functools\n_compiled = _functools.lru_cache(maxsize=512)(re.compile)\n@_functools.lru_cache\ndef g(p, flags):\n    return re.compile(p, flags)\ndef f(p):\n    return _compiled(p)\n", ""},
		{"compiled expressions without an end", "", "import re, functools\n_compiled = functools.lru_cache(maxsize=None)(re.compile)\n", "keeps results of compile between calls (lru_cache)"},
		{"what cannot be read", "", "def", ""},
	}
	pairs := make([][2]string, len(cases))
	for i, tc := range cases {
		pairs[i] = [2]string{tc.was, tc.now}
	}
	for i, got := range mustKeepOf(t, pairs) {
		t.Run(cases[i].name, func(t *testing.T) {
			if got != cases[i].want {
				t.Errorf("got %q, want %q", got, cases[i].want)
			}
		})
	}
}

// compiledOnce are the modules that a test of the offline agent expects of rewrites to
// expressions which are compiled once, or kept.
func compiledOnce(t *testing.T) (out []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../agent/offline/idiom_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, "\ndef f(") && strings.Contains(text, ".compile") {
				out = append(out, text)
				kept += strings.Count(text, ".lru_cache(")
			}
		}
		return true
	})
	if kept < 2 {
		t.Fatalf("%d samples keep expressions", kept)
	}
	return out
}

func TestRewritesOfPythonKeepNothingBetweenCalls(t *testing.T) {
	t.Parallel()
	var pairs [][2]string
	made := map[string]bool{}
	for _, s := range samples(t, "python_test.go") {
		s := &language.Source{Data: []byte(s[1]), Lang: language.Of("p.py"), Hi: len(s[1])}
		s.Toks = language.Lex(s.Data, s.Lang)
		for _, r := range idiom.Python(s) {
			now, err := r.Apply(s.Data)
			if err != nil {
				t.Fatal(err)
			}
			made[r.Name] = true
			pairs = append(pairs, [2]string{string(s.Data), string(now)})
		}
	}
	for _, compiled := range compiledOnce(t) {
		pairs = append(pairs, [2]string{"", compiled})
	}
	if len(made) < 10 || !made["a table made once"] {
		t.Errorf("only these rewrites: %v", made)
	}
	for i, got := range mustKeepOf(t, pairs) {
		if got != "" {
			t.Errorf("it %s:\n%s", got, pairs[i][1])
		}
	}
}
