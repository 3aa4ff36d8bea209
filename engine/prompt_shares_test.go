package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine"
)

func TestPromptsShowWhatAModelCanLearnFrom(t *testing.T) {
	suitetest.Full(t, "records a run of many prompts; the samples of package prompt stand for it")
	t.Parallel()
	m := newFakeModel(t)
	heeding(m)
	l := heeded(t, m, 1, "budget.jobs=60")
	if _, err := l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	var prompts, best, whole, places, openings, shown, worse, own int
	for _, p := range l.told() {
		prompts++
		part := regexp.MustCompile(`(?s)## Best so far(?:: (c\d+))?.*?\n## `).FindStringSubmatch(p)
		if part == nil {
			continue
		}
		best++
		if strings.Contains(part[0], "The base is the best") || regexp.MustCompile(`\[begin \S+ of `+part[1]+`, the best`).MatchString(p) {
			whole++
		}
		if regexp.MustCompile(`place in the archive: niche \(\d+,\d+\): first .*, second `).MatchString(p) {
			places++
		}
		if strings.Contains(p, "- empty niches one step from it, where any version that works is kept: ") {
			openings++
		}
		_, others, _ := strings.Cut(p, "\n## Other versions\n")
		others, _, _ = strings.Cut(others, "\n## ")
		shown += strings.Count(others, "- objective: ")
		worse += strings.Count(others, "worse than the base by")
		own += strings.Count(p, "What it changed against its own parent:")
	}
	t.Logf("%d prompts: %d tell the best, %d of these have it in full or start from it, %d say what the place means, %d name empty niches; %d of %d other versions are worse than the base, %d are told against their own parent",
		prompts, best, whole, places, openings, worse, shown, own)
	if prompts < 50 || best != prompts || whole != prompts || places != prompts {
		t.Error("not every prompt tells the best so far, has it in full or starts from it, and says what the place of the base means")
	}
	if openings < prompts/2 {
		t.Error("fewer than half of the prompts name an empty niche")
	}
	if shown < prompts || 2*worse > shown || own > 0 {
		t.Error("other versions are mostly worse than the base, or are told by what they changed against their own parent")
	}
}
