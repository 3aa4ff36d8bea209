package prompt_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/prompt"
	"atoll/store/record"
)

// samplesJob is promptJob with the files of the other versions.
func samplesJob(op record.Operator) agent.Job {
	j := promptJob(op)
	j.Parent.Files = promptFiles
	with := func(path, text string) agenttest.Tree {
		t := agenttest.Tree{}
		for p, s := range promptFiles {
			t[p] = s
		}
		t[path] = text
		return t
	}
	j.Inspirations[0].Files = with("pack/sort.go", "package pack\n\nimport \"slices\"\n\n// Sort puts large items first.\nfunc Sort(items []int) { slices.SortFunc(items, func(a, b int) int { return b - a }) }\n")
	j.Inspirations[1].Files = with("pack/priority.go", "package pack\n\n// Priority ranks a bin for an item.\nfunc Priority(item, free int) int { return item - free }\n")
	best := *j.Background.Best
	best.Files = with("pack/priority.go", "package pack\n\n// Priority ranks a bin for an item: small and large bins are two classes.\nfunc Priority(item, free int) int {\n\tif free > 50 {\n\t\treturn -free - 100\n\t}\n\treturn -free\n}\n")
	j.Background.Best, j.Background.Open = &best, "lines 60 to 80; branches below 4"
	j.Parent.Place = "niche (3,7): lines 40 to 60, branches 4 to 8"
	return j
}

// sampleOf renders what a chat model gets.
func sampleOf(t *testing.T, j agent.Job, role, answer string, tokens int) agent.Rendered {
	t.Helper()
	p, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	brief, err := p.Chat(tokens)(t.Context(), j, promptFiles)
	if err != nil {
		t.Fatal(err)
	}
	out, err := brief.Render(role, agent.Told{Answer: answer})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSamplesOfTheDocsAreThePromptsThatModelsGet(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Prompts, in full\n\nWhat a chat model is told, whole, for two jobs of a made-up experiment. A test writes this page\n" +
		"(`go test ./engine/agent/prompt -run Samples -update`). [prompts.md](prompts.md) says where each part comes from.\n")
	for _, s := range []struct {
		title, role string
		op          record.Operator
	}{{"A coder that mutates", agent.RoleCoder, record.OpMutate}, {"A planner of a crossover", agent.RolePlanner, record.OpCrossover}} {
		r := sampleOf(t, samplesJob(s.op), s.role, "(here stands how to answer)", 0)
		fmt.Fprintf(&b, "\n## %s\n\n| section | tokens |\n|---|---|\n", s.title)
		for _, sec := range r.Sections {
			fmt.Fprintf(&b, "| %s | %d |\n", sec.Name, sec.Tokens)
		}
		fmt.Fprintf(&b, "\n`````text\n%s\n\n%s`````\n", r.System, r.User)
	}
	path := filepath.Join("..", "..", "..", "docs", "prompt-samples.md")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || string(have) != b.String() {
		t.Errorf("docs/prompt-samples.md is not what models get (%v); run this test with -update", err)
	}
}

func TestEveryInspirationIsShownByItsDifferenceToTheBase(t *testing.T) {
	for _, op := range []record.Operator{record.OpMutate, record.OpStructural, record.OpCrossover} {
		text := section(t, sampleOf(t, samplesJob(op), agent.RoleCoder, "", 0), "inspirations").Text
		if strings.Count(text, "How it differs from the base") != 2 || strings.Contains(text, "against its own parent:") {
			t.Errorf("%s: %s", op, text)
		}
	}
}

func TestOtherVersionsAreShownInFullOrNotAtAll(t *testing.T) {
	r := sampleOf(t, samplesJob(record.OpMutate), agent.RoleCoder, "", 0)
	all := section(t, r, "programs").Text
	for _, want := range []string{"func Sort(items []int)", "return item - free", "the best so far", "return -free - 100", "the best of the other versions", "the one farthest from the base"} {
		if !strings.Contains(all, want) {
			t.Errorf("there is no %q in\n%s", want, all)
		}
	}
	j := samplesJob(record.OpMutate)
	j.Inspirations[0].Files.(agenttest.Tree)["pack/sort.go"] = "package pack\n\n" + strings.Repeat("// a long line that no one reads\n", 900)
	cut := section(t, sampleOf(t, j, agent.RoleCoder, "", 0), "programs")
	if strings.Contains(cut.Text, "no one reads") || !strings.Contains(cut.Text, "return item - free") || cut.Cut != 0 {
		t.Errorf("a version that does not fit is shown in part: %d lines cut of\n%s", cut.Cut, cut.Text)
	}
}

func TestTheBestSoFarIsShownWithItsLead(t *testing.T) {
	j := samplesJob(record.OpMutate)
	if text := section(t, sampleOf(t, j, agent.RoleCoder, "", 0), "best").Text; !strings.Contains(text, "c11") || !strings.Contains(text, "better than the base by 8") || !strings.Contains(text, "+\t\treturn -free - 100") {
		t.Errorf("the best is told as %q", text)
	}
	j.Inspirations[1] = *j.Background.Best
	text, all := section(t, sampleOf(t, j, agent.RoleCoder, "", 0), "best").Text, section(t, sampleOf(t, j, agent.RoleCoder, "", 0), "programs").Text
	if !strings.Contains(text, "It is shown below among the other versions.") || strings.Contains(text, "return -free - 100") || strings.Count(all, "return -free - 100") != 1 {
		t.Errorf("a best that is an inspiration, too, is told as %q and %q", text, all)
	}
	j.Background.Best = &j.Parent
	if text := section(t, sampleOf(t, j, agent.RoleCoder, "", 0), "best").Text; !strings.Contains(text, "The base is the best") {
		t.Errorf("a base that leads is told as %q", text)
	}
}
