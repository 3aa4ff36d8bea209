package prompt_test

import (
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/prompt"
	"atoll/store/record"
)

func TestAClientIsToldWhatItMayChangeAndHowMuch(t *testing.T) {
	p, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	tree := agenttest.Tree{"src/a.go": "a", "src/b.go": "b", "judge/main.go": "j", "go.mod": "m", "docs/x/y.md": "y", "docs/z.md": "z"}
	j := promptJob(record.OpMutate)
	j.Scope = func(path string) bool { return strings.HasPrefix(path, "src/") || path == "docs/z.md" }
	j.Limits = []string{"at most 3 files change"}
	text, err := p.WorkTree(t.Context(), j, tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"docs/z.md\nsrc/", "judge/", "docs/x/", "go.mod", "- at most 3 files change", "a new file elsewhere is dropped"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if strings.Contains(text, "src/a.go") {
		t.Error("files of a folder that is open as a whole are named one by one")
	}
	j.Scope, j.Limits = nil, nil
	if text, err = p.WorkTree(t.Context(), j, tree); err != nil || strings.Contains(text, "You may change only what is listed") {
		t.Errorf("a scope is told where there is none: %v", err)
	}
}

func TestEveryOperatorShowsHowAnInspirationDiffersFromTheBase(t *testing.T) {
	p, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	base := agenttest.Tree{"a.py": "x = 1\ny = 2\n", "judge.py": "base\n", "gone.py": "old\n"}
	donor := agenttest.Tree{"a.py": "x = 1\ny = 3\n", "judge.py": "donor\n", "new.py": "fresh\n"}
	job := func(op record.Operator) agent.Job {
		j := promptJob(op)
		j.Scope = func(path string) bool { return path != "judge.py" }
		j.Parent.Files = base
		j.Inspirations = []agent.Item{{ID: 9, Files: donor, Diff: "-its own step\n"}}
		return j
	}
	render := func(j agent.Job) string {
		brief, err := p.Chat(0)(t.Context(), j, base)
		if err != nil {
			t.Fatal(err)
		}
		r, err := brief.Render(agent.RoleCoder, agent.Told{})
		if err != nil {
			t.Fatal(err)
		}
		return r.User
	}
	text := render(job(record.OpCrossover))
	for _, want := range []string{"How it differs from the base", "-y = 2", "+y = 3", "+fresh", "-old"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt lacks %q", want)
		}
	}
	if strings.Contains(text, "donor\n") {
		t.Error("a file outside of the scope is compared")
	}
	tree, err := p.WorkTree(t.Context(), job(record.OpSynergy), base)
	if err != nil || !strings.Contains(tree, "+y = 3") {
		t.Errorf("a client is not shown the parts to merge: %v", err)
	}
	if text = render(job(record.OpMutate)); strings.Contains(text, "-its own step") || !strings.Contains(text, "+y = 3") {
		t.Error("other operators do not show how the inspiration differs from the base")
	}
}
