package idiom_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/agent/offline/idiom"
	"atoll/engine/agent/offline/language"
)

// rewritten makes all rewrites of a program in Python, one after the other, and tells
// their names.
func rewritten(t *testing.T, src string) (string, []string) {
	t.Helper()
	var names []string
	for range 40 {
		s := &language.Source{Data: []byte(src), Lang: language.Of("p.py"), Hi: len(src)}
		s.Toks = language.Lex(s.Data, s.Lang)
		all := idiom.Python(s)
		if len(all) == 0 {
			return src, names
		}
		out, err := all[0].Apply(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		src, names = string(out), append(names, all[0].Name)
	}
	t.Fatalf("the rewrites do not end:\n%s", src)
	return "", nil
}

// printed runs a program of Python.
func printed(t *testing.T, src string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here to run the programs with")
	}
	file := filepath.Join(t.TempDir(), "p.py")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-I", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, src)
	}
	return string(out)
}

func TestIdiomsOfPythonAreFoundAndKeepWhatAProgramPrints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, call, want string }{
		{"a list that a loop fills", "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x * 2)\n    return out\n", "f([1, 2])", "out = [x * 2 for x in xs]\n"},
		{"with a condition", "def f(xs):\n    out = []\n    for i, (a, b) in enumerate(xs):\n        if a or i:\n            out.append((i, a, b))\n    return out\n", "f([(0, 1), (2, 3)])", "[(i, a, b) for i, (a, b) in enumerate(xs) if a or i]"},
		{"over values that stand side by side", "def f(a, b):\n    out = []\n    for x in a, b:\n        out.append(x if x else -1)\n    return out\n", "f(1, 0)", "for x in (a, b)]"},
		{"a dict", "def f(xs):\n    d = {}\n    for k in xs:\n        d[k] = len(k)\n    return d\n", "f(['a', 'bc'])", "d = {k: len(k) for k in xs}"},
		{"a set in a method", "class C:\n    def f(self, xs):\n        s = set()\n        for x in xs:\n            if x % 2:\n                s.add(x % 5)\n        return sorted(s)\n", "C().f(range(9))", "s = {x % 5 for x in xs if x % 2}"},
		{"another loop over the same name", "def f(xs):\n    n = 0\n    for x in xs:\n        n += x\n    out = []\n    for x in xs:\n        out.append(x + n)\n    return out\n", "f([1, 2])", "out = [x + n for x in xs]"},
		{"texts that are added", "def f(xs):\n    s = ''\n    for x in xs:\n        s += str(x)\n    return s\n", "f([1, 2])", "s = ''.join([str(x) for x in xs])"},
		{"a formatted text", "def f(xs):\n    s = \"\"\n    for x in xs:\n        s += f'<{x}>'\n    return s\n", "f([1, 2])", "''.join([f'<{x}>' for x in xs])"},
		{"a generator that join reads", "def f(xs):\n    return ', '.join(str(x) for x in xs)\n", "f([1, 2])", "', '.join([str(x) for x in xs])"},
		{"a generator that is made a tuple", "def f(xs):\n    return tuple(x for x in xs), list(x for x in xs), sorted(-x for x in xs), set(x for x in xs)\n", "f([1, 2])", "tuple([x for x in xs]), [x for x in xs], sorted([-x for x in xs]), {x for x in xs}"},
		{"empty things", "def f():\n    a, b = list(), dict()\n    return a, b, tuple()\n", "f()", "a, b = [], {}\n    return a, b, ()"},
		{"constants that are looked up", "def f(s):\n    if s.lower() not in ('a', 'b', 'c') and len(s) in [1, 2, 3]:\n        return 1\n    return 2\n", "f('A'), f('x'), f('long')", "s.lower() not in {'a', 'b', 'c'} and len(s) in {1, 2, 3}:"},
		{"append of a longer loop", "def f(xs):\n    out = []\n    for x in xs:\n        y = x + 1\n        out.append(y)\n        out.append(x)\n    return out\n", "f([1, 2])", "out_append = out.append\n    for x in xs:\n        y = x + 1\n        out_append(y)\n"},
		{"what any asks and a function returns", "def f(xs):\n    return any(x > 2 for x in xs)\n", "f([1, 2]), f([1, 3]), f([])", "    for x in xs:\n        if x > 2:\n            return True\n    return False\n"},
		{"what all asks, with a condition", "def f(xs):\n    return not all(x > 2 or x < 0 for x in xs if x)\n", "f([0, 3]), f([0, 1]), f([])", "        if (x) and (not (x > 2 or x < 0)):\n            return True\n    return False\n"},
		{"what a name becomes", "def f(x):\n    p = any('%' + x in x for x in x)\n    q = not all(y for y in x)\n    return p, q, y_2(x)\n\n\ndef y_2(x):\n    return x\n", "f('a%'), f(''), f('%')", "    for x_2 in x:\n        if '%' + x_2 in x_2:\n            p = True\n            break\n    else:\n        p = False\n"},
		{"what raises", "def f(s):\n    if any(c.isspace() for c in s):\n        raise ValueError('white')\n    return s\n\n\ndef g(s):\n    try:\n        return f(s)\n    except ValueError as e:\n        return str(e)\n", "g('ab'), g('a b')", "    for c in s:\n        if c.isspace():\n            raise ValueError('white')\n"},
		{"a body behind a question that nothing answers", "def f(xs, out):\n    for n in xs:\n        if all(n % k for k in out):\n            out.append(n)\n            continue\n    if not any(k > 7 for k in out):\n        out.append(0)\n    return out\n", "f(range(2, 20), []), f(range(2, 6), [])", "        for k_2 in out:\n            if not (n % k_2):\n                break\n        else:\n            out.append(n)\n            continue\n"},
		{"the less and the more of two names", "def f(a, b):\n    return min(a, b), max(a, b), max(a, -1) - 1\n\n\ndef g(a, b):\n    a = min(a, b)\n    return max(a, 0)\n", "g(3, 2), f(1, 2), f(2, 1), f(1, 1.0), f(-0.0, 0.0), f(float('nan'), 1)", "return (b if b < a else a), (b if b > a else a), (-1 if -1 > a else a) - 1\n\n\ndef g(a, b):\n    a = b if b < a else a\n    return 0 if 0 > a else a\n"},
		{"a dict of pairs", "def f(xs):\n    return dict((x, -x) for x in xs), dict([(x, x) for x, _ in zip(xs, xs)]), set([x for x in xs]), list([x for x in xs])\n", "f([1, 2])", "return {x: -x for x in xs}, {x: x for x, _ in zip(xs, xs)}, {x for x in xs}, [x for x in xs]\n"},
		{"a function that map calls", "def f(xs):\n    return list(map(lambda x: x + 1, xs)), tuple(map(lambda x: (x, 1), xs)), '-'.join(map(lambda x: str(x), xs))\n", "f([1, 2])", "return [x + 1 for x in xs], tuple([(x, 1) for x in xs]), '-'.join([str(x) for x in xs])\n"},
		{"a formatted text for format", "class C:\n    a = 3\n\n\ndef f(x, y, c):\n    return '{}-{!r}\\n{{}}{:>4}'.format(x, y, c.a), '{1:02d}{0}{1}'.format(x, y), \"{k}'{}\".format(7, k=x)\n", "f(1, 2, C())", "return f'{x}-{y!r}\\n{{}}{c.a:>4}', f'{y:02d}{x}{y}', f\"{x}'{7}\"\n"},
		{"a table of constants", "import os\n\n\n@str\ndef g():\n    pass\n\n\nclass C:\n    @staticmethod\n    def f(n):\n        names = {'a': 1, 'b': None}\n        return {1: 'st', 2: 'nd'}.get(n, 'th'), names.get(n), 'b' in names\n", "C.f(1), C.f(3), C.f('a')", "_TABLE_1 = {'a': 1, 'b': None}\n\n\n_TABLE_2 = {1: 'st', 2: 'nd'}\n\n\nclass C:\n"},
	} {
		now, names := rewritten(t, c.src)
		if !strings.Contains(now, c.want) {
			t.Errorf("%s: %q\n%s", c.name, names, now)
		}
		show := "\nprint(" + c.call + ")\n"
		if before, after := printed(t, c.src+show), printed(t, now+show); before != after {
			t.Errorf("%s: %s becomes %s\n%s", c.name, before, after, now)
		}
	}
}

func TestWhatMayMeanAnotherThingInPythonStays(t *testing.T) {
	t.Parallel()
	const fill = "    out = []\n    for x in xs:\n        out.append(x)\n"
	for name, src := range map[string]string{
		"the name of the loop is used behind it":          "def f(xs):\n" + fill + "    return out, x\n",
		"in a formatted text":                             "def f(xs):\n" + fill + "    return f'{x}{out}'\n",
		"an exception shows what is half done":            "def f(xs):\n    try:\n        out = []\n        for x in xs:\n            out.append(1 / x)\n    except ZeroDivisionError:\n        pass\n    return out\n",
		"a context may do the same":                       "def f(xs):\n    with quiet():\n        out = []\n        for x in xs:\n            out.append(1 / x)\n    return out\n",
		"a function looks at the list":                    "def f(xs):\n    def g(x):\n        return x + len(out)\n    out = []\n    for x in xs:\n        out.append(g(x))\n    return out\n",
		"the list is its own source":                      "def f(xs):\n    out = []\n    for x in out or xs:\n        out.append(x)\n    return out\n",
		"an else of the loop":                             "def f(xs):\n" + fill + "    else:\n        out.append(0)\n    return out\n",
		"a comment would be lost":                         "def f(xs):\n    out = []  # what comes back\n    for x in xs:\n        out.append(x)\n    return out\n",
		"more than one statement in a dict":               "def f(xs):\n    d = {}\n    for x in xs:\n        d[x] = 1\n        d[-x] = 2\n    return d\n",
		"a key that is made":                              "def f(xs, g):\n    d = {}\n    for x in xs:\n        d[g(x)] = g(-x)\n    return d\n",
		"outside of functions the name stays":             "xs = [1]\nout = []\nfor x in xs:\n    out.append(x)\n",
		"a global list":                                   "out = 1\ndef f(xs):\n    global out\n" + fill,
		"what is added may be no text":                    "def f(xs):\n    s = ''\n    for x in xs:\n        s += x\n    return s\n",
		"a generator that a method of something reads":    "def f(o, xs):\n    return o.join(x for x in xs), any(x for x in xs), o.list(x for x in xs)\n",
		"next ends a generator and no list":               "def f(xs):\n    return list(next(x) for x in xs)\n",
		"list is another list here":                       "def list(xs):\n    return 3\n\n\ndef f(xs):\n    return list(x for x in xs)\n",
		"list is a parameter":                             "def f(xs, list):\n    return list(x for x in xs)\n",
		"anything may be imported":                        "from m import *\n\n\ndef f(xs):\n    return list(x for x in xs)\n",
		"what is looked up may be a list":                 "def f(x):\n    return x in ('a', 'b', 'c'), x.y in ('a', 'b', 'c')\n",
		"what is looked up is part of more":               "def f(x, y):\n    return y == x.lower() in ('a', 'b', 'c'), x.lower() in ('a', 'b', 'c') + y\n",
		"few or mixed constants":                          "def f(x):\n    return len(x) in (1, 2), len(x) in (1, 2, 3.5), len(x) in (1, x, 3)\n",
		"a list that is changed otherwise keeps its name": "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n        out = out[:]\n    return out\n",
		"a generator is not read to its end":              "def f(xs):\n    return map(lambda x: x, xs), list(map(f, xs)), list(map(lambda x, y: x, xs, xs))\n",
		"what any asks is part of more":                   "def f(xs):\n    return any(x for x in xs) or 3, any(xs), any(x + y for x in xs for y in xs)\n",
		"a break of another loop":                         "def f(xs):\n    while True:\n        if any(x for x in xs):\n            break\n",
		"an if with an else":                              "def f(xs):\n    if any(x for x in xs):\n        return 1\n    else:\n        return 2\n",
		"more than one statement hangs on it":             "def f(xs):\n    if any(x for x in xs):\n        xs = []\n        return xs\n",
		"what is asked stands in two lines":               "def f(a, b):\n    return any(x for x in a or\n               b)\n",
		"a name in a text of the question":                "def f(xs, x):\n    return any(f'{x}' for x in xs)\n",
		"next ends a generator and no loop":               "def f(xs):\n    return any(next(x) for x in xs)\n",
		"any is another function":                         "from m import any\n\n\ndef f(xs):\n    return any(x for x in xs)\n",
		"locals sees the names of loops":                  "def f(xs):\n    any_left = any(x for x in xs)\n    return locals()\n",
		"min of what is computed":                         "def f(a, b):\n    return min(a(), b), min(a, b, 3), min(a, key=b), min(*a), a.min(a, b)\n",
		"a format whose values may change others":         "def f(a, b):\n    return '{}{}'.format(a, b()), '{0.x}'.format(a), '{}'.format(*a), '{a}'.format(**b), '{:{}}'.format(a, b), '{}'.format(a, b), b'{}'.format(a), '{'.format(a)\n",
		"a format of more than one text":                  "def f(a):\n    return 'a' '{}'.format(a)\n",
		"a format of an old Python":                       "from __future__ import absolute_import\n\n\ndef f(a):\n    return '{}'.format(a)\n",
		"a table that is changed or handed out":           "def f(n):\n    a = {1: 2, 3: 4}\n    a[n] = 3\n    b = {1: 2, 3: 4}\n    c = {1: 2, 3: n}\n    d = {1: 2, 3: 4}\n    d.pop(1)\n    e = {1: 2, 3: 4}\n    e[1], n = n, 1\n    g = {1: 2, 3: 4}\n    for g[1] in [3]:\n        pass\n    return a, e.get(1), g.get(1), b, c.get(n), {1: 2, 3: []}.get(n)\n",
		"a dict of what are no pairs":                     "def f(xs):\n    return dict(x for x in xs), dict((x, 1, 2) for x in xs), dict([x for x in xs], a=1)\n",
		"an await":                                        "async def f(xs):\n    out = []\n    for x in xs:\n        out.append(await x)\n    return out\n",
	} {
		if now, names := rewritten(t, src); len(names) > 0 && !(len(names) == 1 && names[0] == "append read once") || strings.Contains(name, "otherwise") && len(names) > 0 {
			t.Errorf("%s: %q\n%s", name, names, now)
		}
	}
}
