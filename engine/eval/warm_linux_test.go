package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
			"openevolve", evolved, "program.py", []string{strings.Replace(read(evolved+"/program.py"), "LOOKS = 200", "LOOKS = 400", 1), "raise ValueError('not mine')\n"},
			eval.Options{Adapter: "openevolve", Command: []string{"evaluator.py", "program.py"}, Dir: evolve, AdapterOptions: map[string]string{"python": python}},
		},
		{
			"loreley", lored, "solution.py", []string{"x = 1\n"},
			eval.Options{Adapter: "loreley", Command: []string{"evaluate:plugin", "."}, Direction: eval.Minimize, Dir: lore, AdapterOptions: map[string]string{"python": python}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var outcomes [2][]eval.Outcome
			for i, warm := range []string{"off", eval.WarmAuto} {
				box, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces, Scratch: t.TempDir()})
				if err != nil {
					t.Skipf("this machine does not give the rung: %v", err)
				}
				t.Cleanup(func() { _ = box.Close() })
				if why := box.CanPrepare(); why != "" {
					t.Skip(why)
				}
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
