package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/prompt"
	lessons "atoll/engine/memory"
	"atoll/store/record"
)

func ptr[T any](x T) *T { return &x }

func hashOf(n byte) record.Hash {
	var h record.Hash
	for i := range h {
		h[i] = n
	}
	return h
}

// promptJob is a job with something in every section.
func promptJob(op record.Operator) agent.Job {
	cards := prompt.Cards{}
	for i, parent := range map[record.CandidateID]record.CandidateID{0: record.NoCandidate, 3: 0, 7: 3, 12: 7, 9: 3, 14: 9} {
		cards[i] = agent.Card{ID: i, Parent: parent, Commit: hashOf(byte(i)), Intent: fmt.Sprintf("step %d of the search", i), Objective: ptr(100 - float64(i)), Delta: ptr(-1.5)}
	}
	return agent.Job{
		Number: 15, Attempt: 1, Rand: rand.New(rand.NewPCG(1, 15)), Operator: op,
		Target: agent.Target{Name: "packer", Files: []string{"pack/*.go"}, Symbol: "Priority", Hint: "Called once for each item and bin."},
		Parent: agent.Item{
			ID: 12, Commit: hashOf(12), Objective: ptr(88.0), Delta: ptr(-1.5), Intent: "prefer nearly full bins",
			Operator: record.OpMutate, Parents: []record.ParentRef{{ID: 7, Role: record.RoleParent}}, Place: "niche 3,7",
			Metrics: []record.Metric{{Name: "bins", Value: 88, Higher: ptr(false)}, {Name: "time", Value: 0.125, Unit: "s", Higher: ptr(false)}},
			Changed: []string{"pack/priority.go"}, Diff: "--- a/pack/priority.go\n+++ b/pack/priority.go\n@@ -1 +1 @@\n-old\n+new\n",
		},
		Inspirations: []agent.Item{
			{
				ID: 14, Commit: hashOf(14), Objective: ptr(86.0), Delta: ptr(-4.0), Intent: "sort items before packing", Operator: record.OpStructural,
				Metrics: []record.Metric{{Name: "bins", Value: 86, Higher: ptr(false)}}, Changed: []string{"pack/sort.go"},
				Diff: "--- a/pack/sort.go\n+++ b/pack/sort.go\n@@ -1,2 +1,3 @@\n package pack\n+// Sort puts large items first.\n",
			},
			{ID: 7, Commit: hashOf(7), Objective: ptr(93.0), Intent: "count free space once"},
		},
		Scope:       func(p string) bool { return strings.HasPrefix(p, "pack/") },
		Goal:        "Use fewer bins.",
		Constraints: []string{"Every item is packed exactly once."},
		Acceptance:  []string{"Fewer bins than best fit on all five instances."},
		Direction:   "minimize", Metric: "bins",
		Notes: []record.Note{
			{ID: 1, Kind: "long", Text: "Sorting gains 2 to 4 bins (c14: 86).", Author: lessons.AuthorReflector},
			{ID: 2, Kind: "failure", Text: "build failed 5 times in pack/, mostly unused imports.", Author: lessons.AuthorDigest},
			{ID: 3, Kind: "direction", Target: "packer", Text: "Try harmonic classes.", Author: lessons.AuthorReflector},
			{ID: 4, Kind: "direction", Text: "Keep it readable.", Author: "ann"},
			{ID: 5, Kind: "long", Text: "gone note", Author: lessons.AuthorDigest, Gone: true},
		},
		Failures: []agent.Failure{{Job: 13, Class: record.ClassBuild, Reason: "go build failed", Text: "pack/priority.go:12:2: undefined: slices\n", Intent: "sort by slices", Diff: "--- a/pack/priority.go\n+++ b/pack/priority.go\n@@ -1 +1 @@\n-old\n+slices.Sort(old)\n", Alike: 2}},
		Background: &agent.Background{
			Best:       &agent.Item{ID: 11, Commit: hashOf(11), Objective: ptr(80.0), Intent: "two classes of bins", Metrics: []record.Metric{{Name: "bins", Value: 80, Higher: ptr(false)}}},
			Conditions: []string{"Command: go run ./bench", "Time limit of one run: 1m0s"},
			Lineage:    cards, Others: []string{"#16: two-level bins"},
			Feedback: []record.Evidence{{Kind: "stderr", Text: []byte("instance 3: 2091 bins\n")}},
		},
	}
}

var promptFiles = agenttest.Tree{
	"pack/priority.go": "package pack\n\n// Priority ranks a bin for an item.\nfunc Priority(item, free int) int {\n\treturn -free\n}\n",
	"pack/sort.go":     "package pack\n",
	"pack/data.bin":    "\x00\x01",
	"bench/run.go":     "package bench\n",
}

func render(t *testing.T, role string, v prompt.View) agent.Rendered {
	t.Helper()
	p, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Render(role, v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func viewOf(t *testing.T, j agent.Job) prompt.View {
	t.Helper()
	files, listing, err := prompt.ReadFiles(t.Context(), j, promptFiles, 0)
	if err != nil {
		t.Fatal(err)
	}
	return prompt.ViewOf(j, prompt.ViewOptions{
		Files: files, Listing: listing, Answer: "Answer with the whole new content of each file.",
		Plan: "1. Sort the items.\n", Diff: "--- a/x\n+++ b/x\n", Findings: []string{"large: 400 lines"}, Facts: "best 88, before 90",
	})
}

func page(r agent.Rendered) []byte {
	var b strings.Builder
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "------------ %s (%d tokens, %d lines cut)\n%s\n", s.Name, s.Tokens, s.Cut, s.Text)
	}
	return []byte(b.String())
}

func TestPromptPages(t *testing.T) {
	for _, op := range []record.Operator{record.OpSeed, record.OpTune, record.OpMutate, record.OpCrossover, record.OpSynergy, record.OpStructural, record.OpRepair, record.OpRewrite, record.OpMeta} {
		t.Run("coder for "+string(op), func(t *testing.T) {
			golden.RequireEqual(t, page(render(t, agent.RoleCoder, viewOf(t, promptJob(op)))))
		})
	}
	for _, role := range []string{agent.RolePlanner, agent.RoleReviewer, agent.RoleReflector, agent.RoleMapper, agent.RoleSummariser, agent.RoleChunk} {
		t.Run(role, func(t *testing.T) {
			v := viewOf(t, promptJob(record.OpMutate))
			v.Steps = []string{"one", "two"}
			golden.RequireEqual(t, page(render(t, role, v)))
		})
	}
}

func TestEveryKindAndOperatorHasInstructions(t *testing.T) {
	seen := map[string]string{}
	check := func(name string, v prompt.View) {
		for _, s := range render(t, agent.RoleCoder, v).Sections {
			if s.Name == "operator" {
				if other := seen[s.Text]; other != "" {
					t.Errorf("%s and %s say the same", name, other)
				}
				seen[s.Text] = name
				return
			}
		}
		t.Errorf("%s has no instructions", name)
	}
	for _, kind := range prompt.StructuralKinds() {
		check(kind, prompt.ViewOf(promptJob(record.OpStructural), prompt.ViewOptions{Kind: kind}))
	}
	if len(seen) != 9 {
		t.Errorf("%d structural kinds, want 9", len(seen))
	}
	for _, op := range []record.Operator{record.OpSeed, record.OpTune, record.OpMutate, record.OpCrossover, record.OpSynergy, record.OpRepair, record.OpRewrite, record.OpMeta, record.OpManual} {
		check(string(op), prompt.ViewOf(promptJob(op), prompt.ViewOptions{}))
	}
}

func TestStructuralKindsAreAllDrawn(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(3, 4)), map[string]int{}
	for range 900 {
		seen[prompt.DrawKind(rng)]++
	}
	for _, k := range prompt.StructuralKinds() {
		if seen[k] < 60 || seen[k] > 150 {
			t.Errorf("%s was drawn %d times of 900", k, seen[k])
		}
	}
}

func TestSeedsThatFollowEachOtherStartElsewhere(t *testing.T) {
	seen := map[string]bool{}
	for n := record.JobID(1); n <= 8; n++ {
		j := promptJob(record.OpSeed)
		j.Number = n
		for _, s := range render(t, agent.RoleCoder, prompt.ViewOf(j, prompt.ViewOptions{})).Sections {
			if s.Name == "operator" {
				seen[s.Text] = true
				if !strings.Contains(s.Text, "two-level bins") {
					t.Error("a seed is not told what the others try")
				}
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("8 seeds got %d different starting points", len(seen))
	}
}

func TestTheSameJobRendersTheSameBytes(t *testing.T) {
	a := page(render(t, agent.RoleCoder, viewOf(t, promptJob(record.OpStructural))))
	for range 5 {
		if b := page(render(t, agent.RoleCoder, viewOf(t, promptJob(record.OpStructural)))); string(a) != string(b) {
			t.Fatal("two renderings differ")
		}
	}
}

func TestOnlyOperatorStructuralDrawsRandomness(t *testing.T) {
	for _, op := range []record.Operator{record.OpMutate, record.OpSeed, record.OpMeta} {
		j, same := promptJob(op), promptJob(op)
		prompt.ViewOf(j, prompt.ViewOptions{})
		if j.Rand.Uint64() != same.Rand.Uint64() {
			t.Errorf("%s consumed randomness", op)
		}
	}
}

func TestMetricsThatTheEngineLeftOutAreNowhere(t *testing.T) {
	j := promptJob(record.OpMutate)
	all := string(page(render(t, agent.RoleCoder, viewOf(t, j))))
	if !strings.Contains(all, "time = 0.125 s") {
		t.Fatal("a public metric is missing")
	}
	j.Parent.Metrics = j.Parent.Metrics[:1] // as the engine does with a private one
	if all := string(page(render(t, agent.RoleCoder, viewOf(t, j)))); strings.Contains(all, "0.125") {
		t.Error("a metric came from somewhere else than the job's filtered list")
	}
}

func TestScopeAndBinaryFilesAreKeptOut(t *testing.T) {
	files, listing, err := prompt.ReadFiles(t.Context(), promptJob(record.OpMutate), promptFiles, 0)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	// priority.go is named by a failure and was changed by the parent.
	if got := strings.Join(paths, " "); got != "pack/priority.go pack/sort.go" || len(listing) != 0 {
		t.Errorf("files %q, listing %q", got, listing)
	}
}

func TestTheFilesOfTheTargetComeFirst(t *testing.T) {
	j := promptJob(record.OpMutate)
	j.Target.Files, j.Scope = []string{"core/**"}, nil
	tree := agenttest.Tree{"core/big.go": strings.Repeat("x\n", 500), "a.go": "x", "pack/priority.go": "named by a failure and changed", "pack/sort.go": "changed by another"}
	files, _, err := prompt.ReadFiles(t.Context(), j, tree, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Path)
	}
	if want := "core/big.go pack/priority.go pack/sort.go a.go"; strings.Join(got, " ") != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestTheRootHasNoTrajectory(t *testing.T) {
	j := promptJob(record.OpSeed)
	j.Parent = agent.Item{ID: record.Root, Objective: ptr(100.0)}
	j.Inspirations = nil
	if r := render(t, agent.RoleCoder, prompt.ViewOf(j, prompt.ViewOptions{})); strings.Contains(r.User, "unique_steps_count") {
		t.Errorf("%s", r.User)
	}
}

func TestFilesBeyondTheLimitsAreListed(t *testing.T) {
	tree := agenttest.Tree{}
	for i := range 10 {
		tree[fmt.Sprintf("pack/f%d.go", i)] = strings.Repeat("x\n", 30<<10)
	}
	files, listing, err := prompt.ReadFiles(t.Context(), promptJob(record.OpMutate), tree, 0)
	if err != nil || len(files) != 4 || len(listing) != 6 {
		t.Errorf("%d files, %d listed, %v; want 4 and 6", len(files), len(listing), err)
	}
	files, listing, err = prompt.ReadFiles(t.Context(), promptJob(record.OpMutate), tree, 100_000)
	if err != nil || len(files) != 6 || len(listing) != 4 {
		t.Errorf("a larger prompt: %d files, %d listed, %v; want 6 and 4", len(files), len(listing), err)
	}
}

func TestReadFilesSaysWhichFileCannotBeRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := prompt.ReadFiles(ctx, promptJob(record.OpMutate), promptFiles, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled read gave %v", err)
	}
	broken := brokenTree{promptFiles}
	if _, _, err := prompt.ReadFiles(t.Context(), promptJob(record.OpMutate), broken, 0); err == nil || !strings.Contains(err.Error(), "pack/priority.go") {
		t.Errorf("err = %v", err)
	}
}

type brokenTree struct{ agenttest.Tree }

func (brokenTree) Read(context.Context, string) ([]byte, error) { return nil, errors.New("disk") }

func TestOverrides(t *testing.T) {
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	t.Run("a role's file replaces the role", func(t *testing.T) {
		p, err := prompt.New(write(map[string]string{"coder.tmpl": "comment\n=== system\nBe brief.\n=== goal\n{{.Goal}} {{template \"figures\" .Base}}\n"}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Render(agent.RoleCoder, viewOf(t, promptJob(record.OpMutate)))
		if err != nil || r.System != "Be brief." || !strings.HasPrefix(r.User, "Use fewer bins. - objective: bins = 88") {
			t.Errorf("%q %q %v", r.System, r.User, err)
		}
		if len(r.Partial) != 2 {
			t.Errorf("files that the prompt does not show count as partial: %q", r.Partial)
		}
	})
	t.Run("one operator is replaced, the others stay", func(t *testing.T) {
		p, err := prompt.New(write(map[string]string{"operators.tmpl": "=== mutate\nOnly rename.\n"}))
		if err != nil {
			t.Fatal(err)
		}
		for op, want := range map[record.Operator]string{record.OpMutate: "Only rename.", record.OpRewrite: "Write the target anew"} {
			r, err := p.Render(agent.RoleCoder, viewOf(t, promptJob(op)))
			if err != nil || !strings.Contains(r.User, want) {
				t.Errorf("%s lacks %q: %v", op, want, err)
			}
		}
	})
	t.Run("a shared block is replaced for all roles", func(t *testing.T) {
		p, err := prompt.New(write(map[string]string{"shared.tmpl": "{{define \"goal\"}}GOAL {{.Goal}}{{end}}"}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Render(agent.RolePlanner, viewOf(t, promptJob(record.OpMutate)))
		if err != nil || !strings.Contains(r.User, "GOAL Use fewer bins.") || !strings.Contains(r.User, "## Base: c12") {
			t.Errorf("%v\n%s", err, r.User)
		}
	})
	t.Run("what is in force can be read and written back", func(t *testing.T) {
		p, err := prompt.New("")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, name := range p.Names() {
			if files[name+".tmpl"], err = p.Source(name); err != nil {
				t.Fatal(err)
			}
		}
		q, err := prompt.New(write(files))
		if err != nil {
			t.Fatal(err)
		}
		v := viewOf(t, promptJob(record.OpStructural))
		a, _ := p.Render(agent.RoleCoder, v)
		b, err := q.Render(agent.RoleCoder, v)
		if err != nil || string(page(a)) != string(page(b)) {
			t.Errorf("the written-back templates render otherwise: %v", err)
		}
	})
	for name, c := range map[string]struct{ file, text, want string }{
		"a syntax error names file and line":      {"coder.tmpl", "lead\n=== system\nfine\n{{.Goal\n", "coder.tmpl:4"},
		"an unknown field is named when rendered": {"coder.tmpl", "=== system\n{{.Gaol}}\n", "Gaol"},
		"an unknown file lists the names":         {"codre.tmpl", "=== system\nx\n", "coder, mapper"},
		"a file without sections is refused":      {"coder.tmpl", "just text\n", "has no section"},
		"a bad budget names the line":             {"coder.tmpl", "=== system\n=== goal many\n", "line 2"},
		"a section twice names the line":          {"coder.tmpl", "=== system\n=== system\n", "line 2"},
		"a section without a name is refused":     {"coder.tmpl", "=== \n", "no name"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := prompt.New(write(map[string]string{c.file: c.text}))
			if err == nil {
				_, err = p.Render(agent.RoleCoder, viewOf(t, promptJob(record.OpMutate)))
			}
			if !errors.Is(err, prompt.ErrPrompt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %v; want one that says %q", err, c.want)
			}
		})
	}
	t.Run("a missing folder leaves the built-in templates", func(t *testing.T) {
		if _, err := prompt.New(filepath.Join(t.TempDir(), "none")); err != nil {
			t.Error(err)
		}
	})
	t.Run("a library is no role", func(t *testing.T) {
		p, _ := prompt.New("")
		for _, role := range []string{"operators", "shared", "nobody"} {
			if _, err := p.Render(role, prompt.View{}); !errors.Is(err, agent.ErrNoPrompt) {
				t.Errorf("%s: %v", role, err)
			}
		}
	})
}

func TestAnEmptyJobStillMakesAPrompt(t *testing.T) {
	for _, role := range []string{agent.RolePlanner, agent.RoleCoder, agent.RoleReviewer, agent.RoleReflector, agent.RoleMapper, agent.RoleSummariser, agent.RoleChunk} {
		r := render(t, role, prompt.ViewOf(agent.Job{Operator: record.OpSynergy}, prompt.ViewOptions{}))
		if r.System == "" || strings.Contains(r.User, "<no value>") || strings.Contains(r.User, "%!") {
			t.Errorf("%s: %q", role, r.User)
		}
	}
}
