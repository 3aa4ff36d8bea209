package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// copying is a Box that has an interpreter prepared before each run that asks for one, and
// counts the runs that were copies.
type copying struct {
	*sandbox.Box
	t      *testing.T
	copies int
}

func (c *copying) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	if s.Prepared != nil {
		if err := c.Prepare(ctx, s); err != nil {
			c.t.Errorf("prepare: %v", err)
		}
	}
	res, err := c.Box.Run(ctx, s)
	if res.Prepared {
		c.copies++
	}
	return res, err
}

func TestCopiesMeasureWhatStartedEvaluatorsDo(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skip("/usr/bin/python3 is not there, and the sandbox shows the system's programs only")
	}
	packing, err := filepath.Abs("../../examples/_circle-packing")
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	evolve, evolved := example(t, "openevolve")
	lore, lored := example(t, "loreley")
	for _, tc := range []struct {
		name, repo, file string
		changes          []string // of the file, one candidate each
		o                eval.Options
	}{
		{
			"circle-packing", packing, "solution.py",
			[]string{"def pack_circles(n):\n  return [(0.5, 0.5, 0.5)] * n\n", "def pack_circles(n):\n  return [(0.1 + 0.15 * (i % 6), 0.1 + 0.15 * (i // 6), 0.07 + 0.0001 * i) for i in range(n)]\n", "import os\nos._exit(3)\n", "(\n"},
			eval.Options{Command: []string{python, "-S", "-B", "{dir}/evaluate.py"}, Dir: packing + "/evaluator"},
		},
		{
			"openevolve", evolved, "program.py",
			[]string{strings.Replace(read(evolved+"/program.py"), "LOOKS = 200", "LOOKS = 400", 1), "raise ValueError('not mine')\n"},
			eval.Options{Adapter: "openevolve", Command: []string{"evaluator.py", "program.py"}, Dir: evolve, AdapterOptions: map[string]string{"python": python}},
		},
		{
			"loreley", lored, "solution.py",
			[]string{"x = 1\n"},
			eval.Options{Adapter: "loreley", Command: []string{"evaluate:plugin", "."}, Direction: eval.Minimize, Dir: lore, AdapterOptions: map[string]string{"python": python}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var outcomes [2][]eval.Outcome
			for i, warm := range []string{"off", eval.WarmAuto} {
				box := mustPrepare(t)
				o := tc.o
				o.Warm, o.Timeout, o.LookupEnv = warm, time.Minute, systemPath()
				c := &copying{Box: box, t: t}
				e := mustNew(t, c, o)
				q := []eval.Request{{Base: tc.repo, Trusted: tc.repo, Root: true}}
				for n, text := range tc.changes {
					q = append(q, eval.Request{Base: tc.repo, Trusted: tc.repo, Candidate: record.CandidateID(n + 1), Delta: []record.Change{{Path: tc.file, Mode: record.Regular, Data: []byte(text)}}})
				}
				for _, q := range q {
					out := mustRun(t, e, q)
					out.Wall = 0
					for k := range out.Evidence {
						out.Evidence[k].Text = times.ReplaceAll(out.Evidence[k].Text, []byte("TIME"))
					}
					outcomes[i] = append(outcomes[i], out)
				}
				if stages, why := e.Prepare(t.Context()); warm != "off" && (len(why) != 1 || why[0] != "" || stages[0] != "measure") {
					t.Errorf("of the stages %q it says %q", stages, why)
				}
				if warm != "off" && c.copies != len(q) {
					t.Errorf("%d of %d runs were copies", c.copies, len(q))
				}
			}
			for n := range outcomes[0] {
				if a, b := show(outcomes[0][n]), show(outcomes[1][n]); a != b {
					t.Errorf("candidate %d: started\n%s\ncopied\n%s", n, a, b)
				}
			}
		})
	}
}

// times are what two runs of one thing differ in.
var times = regexp.MustCompile(`"(wall_ms|cpu_ms|max_rss)":\d+`)

// show writes an outcome down with its evidence.
func show(out eval.Outcome) string {
	list := out.Evidence
	out.Evidence = nil
	data, err := json.Marshal(out)
	if err != nil {
		return err.Error()
	}
	text := string(data)
	for _, e := range list {
		text += fmt.Sprintf("\n%s: %s", e.Kind, e.Text)
	}
	return text
}

// BenchmarkCirclePacking is the cost of one evaluation of the example: started, and by a copy of
// a prepared interpreter. The processor time is that of everything that took part.
func BenchmarkCirclePacking(b *testing.B) {
	packing, err := filepath.Abs("../../examples/_circle-packing")
	if err != nil {
		b.Fatal(err)
	}
	spent := func() (sum time.Duration) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var ru syscall.Rusage
			if err := syscall.Getrusage(who, &ru); err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
		}
		return sum
	}
	for _, warm := range []string{"off", eval.Warm} {
		b.Run("warm="+warm, func(b *testing.B) {
			box, err := sandbox.New(b.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces})
			if err != nil {
				b.Skipf("this machine does not give rung 1: %v", err)
			}
			e, err := eval.New(b.Context(), box, eval.Options{
				Command: []string{"/usr/bin/python3", "-I", "-S", "-B", "{dir}/evaluate.py"}, Dir: packing + "/evaluator", Warm: warm, LookupEnv: systemPath(),
			})
			if err != nil {
				b.Fatal(err)
			}
			if _, why := e.Prepare(b.Context()); len(why) > 0 && why[0] != "" {
				b.Skip(why[0])
			}
			before := spent()
			for range b.N {
				if out, err := e.Run(b.Context(), eval.Request{Base: packing, Trusted: packing, Root: true}); err != nil || out.Failed() {
					b.Fatal(out.Reason, err)
				}
			}
			if err := box.Close(); err != nil { // only now is the starters' time ours
				b.Error(err)
			}
			b.ReportMetric(float64(spent()-before)/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}

// mustPrepare is a sandbox whose runs may be copies of a prepared interpreter.
func mustPrepare(t *testing.T) *sandbox.Box {
	t.Helper()
	box := mustBox(t, sandbox.ModeNamespaces)
	if why := box.CanPrepare(); why != "" {
		t.Skip(why)
	}
	return box
}

// Of what no interpreter can stand in for a person is told who asked for it.
func TestWhyRunsAreStartedIsToldWhereOneAskedOrACopyIsPossible(t *testing.T) {
	t.Parallel()
	dir := mustTree(t, map[string]string{"plain.py": "print(1)\n"})
	box := mustPrepare(t)
	for _, tc := range []struct {
		name, warm string
		command    []string
		told       int
		want       string
	}{
		{"auto is silent of a shell", eval.WarmAuto, []string{"sh", "{dir}/plain.py"}, 0, ""},
		{"auto is silent of a script in the tree", eval.WarmAuto, []string{"/usr/bin/python3", "plain.py"}, 0, ""},
		{"auto tells of a copy", eval.WarmAuto, []string{"/usr/bin/python3", "{dir}/plain.py"}, 1, ""},
		{"on tells of a shell", eval.Warm, []string{"sh", "{dir}/plain.py"}, 1, "not python3"},
		{"off is silent", "off", []string{"/usr/bin/python3", "{dir}/plain.py"}, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := mustNew(t, box, eval.Options{Command: tc.command, Dir: dir, Warm: tc.warm, Timeout: time.Minute, LookupEnv: systemPath()})
			stages, why := e.Prepare(t.Context())
			if len(stages) != tc.told || len(why) != tc.told || tc.told > 0 && (why[0] == "") != (tc.want == "") || !strings.Contains(strings.Join(why, ""), tc.want) {
				t.Errorf("of the stages %q it says %q", stages, why)
			}
		})
	}
}
