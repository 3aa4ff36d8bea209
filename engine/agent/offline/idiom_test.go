package offline_test

import (
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

const idiomSample = `package p

import "fmt"

// Key names a cell.
func Key(x, y int) string {
	s := ""
	for i := 0; i < x; i++ {
		s = fmt.Sprintf("%d:%d", i, y)
	}
	return s
}
`

func TestWhereTheObjectiveIsATimeRewritesThatKeepTheMeaningAreTried(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": idiomSample})
	count := func(metric string) (n int) {
		for k := range 40 {
			j := newJob(k, record.OpMutate, tree)
			j.Metric, j.Direction = metric, "minimize"
			next, res := mustEdit(t, j, tree)
			if !strings.HasPrefix(res.Intent, "idiom in Key at line 9: strconv for Sprintf") && res.Intent != "idioms together: strconv for Sprintf" {
				continue
			}
			n++
			if got := next.data["p.go"]; !strings.Contains(got, `s = (strconv.Itoa(i) + ":" + strconv.Itoa(y))`) || strings.Contains(got, `"fmt"`) {
				t.Fatalf("%s", got)
			}
		}
		return n
	}
	for _, metric := range []string{"ns/op", "time_ms", "latency"} {
		if n := count(metric); n < 8 {
			t.Errorf("with the objective %s %d of 40 mutations are idioms", metric, n)
		}
	}
	for _, metric := range []string{"", "score", "terms", "sometimes"} {
		if n := count(metric); n != 0 {
			t.Errorf("with the objective %q %d of 40 mutations are idioms", metric, n)
		}
	}
}

const hotSample = `package p

import (
	"fmt"
	"strings"
)

func Key(x, y int) string { return fmt.Sprintf("%d:%d", x, y) }

func Join(s string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(s)
		b.WriteString(".")
	}
	return b.String()
}

func Cold(x int) string { return fmt.Sprintf("%d", x) }
`

func TestTheFirstJobsMakeAllRewritesOfHotFunctionsAtOnce(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": hotSample})
	for _, tc := range []struct {
		job    int
		intent string
	}{
		{1, "idioms together in Join, Key: Grow before writing, WriteByte for a text of one byte, bytes on the stack for a Builder, strconv for Sprintf"},
		{2, "idioms together in Join: Grow before writing, WriteByte for a text of one byte, bytes on the stack for a Builder"},
		{3, "idioms together in Key: strconv for Sprintf"},
	} {
		j := newJob(tc.job, record.OpMutate, tree)
		j.Metric, j.Direction = "ns/op", "minimize"
		j.Target = agent.Target{Name: "elsewhere", Files: []string{"*.go"}}
		j.Hot = []agent.Target{{Name: "Join", Files: []string{"p.go"}, Symbol: "Join"}, {Name: "Key", Files: []string{"p.go"}, Symbol: "Key"}}
		next, res := mustEdit(t, j, tree)
		if res.Intent != tc.intent {
			t.Errorf("job %d: %s", tc.job, res.Intent)
		}
		if got := next.data["p.go"]; !strings.Contains(got, `func Cold(x int) string { return fmt.Sprintf("%d", x) }`) {
			t.Errorf("job %d changed what is not hot:\n%s", tc.job, got)
		}
	}
}

func TestWhatAPersonFrozeIsNotRewrittenByTheFirstJobsEither(t *testing.T) {
	tree := newTree(map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": hotSample, "q.go": strings.NewReplacer("Key", "Far", "Join", "Link", "Cold", "Ice").Replace(hotSample)})
	for _, tc := range []struct {
		name   string
		hot    []agent.Target
		target agent.Target
		kept   string // functions that stay as they are, by their first letter
	}{
		{"a hot function", []agent.Target{{Name: "Join", Files: []string{"p.go"}, Symbol: "Join"}}, agent.Target{}, "KCFLI"},
		{"no hot function is left", nil, agent.Target{Name: "elsewhere", Files: []string{"*.go"}}, "K"},
		{"the job's own target is a file", nil, agent.Target{Name: "q", Files: []string{"q.go"}}, "KJC"},
	} {
		j := newJob(1, record.OpMutate, tree)
		j.Metric, j.Direction, j.Hot, j.Target = "ns/op", "minimize", tc.hot, tc.target
		j.Frozen = []agent.Target{{Name: "Key", Files: []string{"p.go"}, Symbol: "Key"}}
		next, res := mustEdit(t, j, tree)
		if !strings.HasPrefix(res.Intent, "idioms together") {
			t.Errorf("%s: %s", tc.name, res.Intent)
		}
		for path, text := range tree.data {
			for _, fn := range strings.Split(text, "\nfunc ")[1:] {
				if same := strings.Contains(next.data[path], "\nfunc "+strings.TrimRight(fn, "\n")); strings.Contains(tc.kept, fn[:1]) && !same {
					t.Errorf("%s: it changes %.5s:\n%s", tc.name, fn, next.data[path])
				}
			}
		}
	}
}

func TestExpressionsOfPythonAreCompiledOncePerModule(t *testing.T) {
	const head = "import os\nimport re\n\n\n"
	for name, c := range map[string]struct{ src, want string }{
		"a literal": {
			head + "def f(s):\n    if re.match(r'\\d+', s):\n        return re.sub(\"a\" 'b', '', s)\n    return re.match(r'\\d+', os.sep)\n",
			"import os\nimport re\n_EXPRESSION_1 = re.compile(r'\\d+')\n_EXPRESSION_2 = re.compile(\"a\" 'b')\n\n\ndef f(s):\n    if _EXPRESSION_1.match(s):\n        return _EXPRESSION_2.sub('', s)\n    return _EXPRESSION_1.match(os.sep)\n",
		},
		"constant flags go along": {
			head + "def f(s):\n    return re.match('a', s, re.I), re.sub('a', 'b', s, flags=re.I | re.M), re.match('a', s)\n",
			"import os\nimport re\n_EXPRESSION_1 = re.compile('a', re.I)\n_EXPRESSION_2 = re.compile('a', re.I | re.M)\n_EXPRESSION_3 = re.compile('a')\n\n\ndef f(s):\n    return _EXPRESSION_1.match(s), _EXPRESSION_2.sub('b', s), _EXPRESSION_3.match(s)\n",
		},
		"what a function compiles": {
			head + "def f(s):\n    p = re.compile('a', re.I)\n    return p.match(s)\n",
			"import os\nimport re\n_EXPRESSION_1 = re.compile('a', re.I)\n\n\ndef f(s):\n    p = _EXPRESSION_1\n    return p.match(s)\n",
		},
		"other expressions are kept": {
			head + "def f(p, s):\n    if re.match(p, s):\n        return re.sub('a%s' % p, '', re.sub('b', p, s))\n    return re.match('a' + f'{p}', s, re.I)\n",
			"import os\nimport re\nimport functools as _functools\n_compiled = _functools.lru_cache(maxsize=512)(re.compile)\n_EXPRESSION_1 = re.compile('b')\n\n\ndef f(p, s):\n    if _compiled(p).match(s):\n        return _compiled('a%s' % p).sub('', _EXPRESSION_1.sub(p, s))\n    return _compiled('a' + f'{p}', re.I).match(s)\n",
		},
		"by another name": {
			"import re as r\n\n\ndef f(s):\n    return r.match('a', s)\n",
			"import re as r\n_EXPRESSION_1 = r.compile('a')\n\n\ndef f(s):\n    return _EXPRESSION_1.match(s)\n",
		},
		"of two packages nothing is compiled before its time": {
			"try:\n    import regex\nexcept ImportError:\n    import re as regex\n    more = False\nelse:\n    more = True\nif more:\n    P = regex.compile('b')\n\n\ndef f(s):\n    return regex.match('a', s)\n",
			"try:\n    import regex\nexcept ImportError:\n    import re as regex\n    more = False\nelse:\n    more = True\nimport functools as _functools\n_compiled = _functools.lru_cache(maxsize=512)(regex.compile)\nif more:\n    P = regex.compile('b')\n\n\ndef f(s):\n    return _compiled('a').match(s)\n",
		},
		"flags that are computed":        {head + "def f(s, g):\n    return re.match('a', s, g), re.match('a', s, flags=re.I | g()), re.split('a', s, re.I)\n", ""},
		"arguments by name":              {head + "def f(s):\n    return re.match(pattern='a', string=s), re.sub('a', 'b', s, count=1)\n", ""},
		"an expression that has another": {head + "def f(s):\n    return re.match(re.compile('a', s), s)\n", ""},
		"an import in a function":        {"def f(s):\n    import re\n    return re.match('a', s)\n", ""},
		"what a class runs once":         {head + "class C:\n    P = re.compile('a')\n", ""},
		"arguments in a list":            {head + "def f(a):\n    return re.match('a', *a)\n", ""},
		"what runs once":                 {head + "x = re.match('a', 'b')\n", ""},
		"another re":                     {head + "def f(re, s):\n    return re.match('a', s)\n", ""},
		"an import of another form":      {"import re, os\n\n\ndef f(s):\n    return re.match('a', s)\n", ""},
		"a method of another thing":      {head + "def f(s):\n    return s.re.match('a', s)\n", ""},
	} {
		tree := newTree(map[string]string{"p.py": c.src})
		j := newJob(1, record.OpMutate, tree)
		j.Metric, j.Direction = "time_ms", "minimize"
		next, res := mustEdit(t, j, tree)
		made := strings.Contains(next.data["p.py"], "_EXPRESSION_") || strings.Contains(next.data["p.py"], "_compiled")
		if made != (c.want != "") || made && next.data["p.py"] != c.want {
			t.Errorf("%s: %s\n%s", name, res.Intent, next.data["p.py"])
		}
	}
}
