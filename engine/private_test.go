package engine_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/store/record"
)

// sealedMeasure reports beside the score what no agent may know, by a name and
// a value that are nowhere else, in every way that an evaluator can talk: as a
// metric, in artifacts, and on stderr when a candidate fails.
const sealedMeasure = `#!/bin/sh
awk -v out="$ATOLL_RESULT" '{s+=$3; v[NR]=$3} END {
  d=s-10; if (d<0) d=-d
  if (v[3] > 2) { print "holdout = 424299.5 is too low\nthe third number is too large" > "/dev/stderr"; exit 3 }
  printf "{\"summary\": \"measured\", \"metrics\": {\"score\": %.9f, \"first\": %.9f, \"second\": %.9f, \"holdout\": 4242%.5f}, \"artifacts\": {\"log\": \"seen by agents\\nholdout 4242%.5f\\n\"}}", -d, v[1], v[2], v[4]+10, v[4]+10 > out
}' program.txt
`

func TestAPrivateMetricReachesNoPromptOfAnyRole(t *testing.T) {
	suitetest.Full(t, "runs an experiment with every role; TestNotesSurviveATreeThatIsGone has one with prompts")
	t.Parallel()
	m := newFakeModel(t)
	m.reply = func(prompt string) string {
		if strings.Contains(prompt, "VERDICT") {
			return "VERDICT: accept"
		}
		return ""
	}
	l := newLab(t)
	write(t, filepath.Join(l.repo, "measure.sh"), sealedMeasure)
	git(t, l.repo, "commit", "-q", "-am", "a sealed metric")
	l.createWith(func(c *config.Config) {
		c.Evaluator.Output = "result-file"
		c.Evaluator.Private = []string{"holdout"}
		c.Agents = []config.Agent{m.agent("model")}
		c.Roles.Planner, c.Roles.Reviewer, c.Roles.Reflector, c.Roles.Mapper, c.Roles.Summariser = "model", "model", "model", "model", "model"
		c.Search.Operators = map[string]float64{"mutate": 0.5, "crossover": 0.2, "repair": 0.3}
		c.Search.Epoch = 8
	}, "budget.jobs=40")
	if _, err := l.runWith(engine.Options{}); err != nil {
		t.Fatal(err)
	}
	kept, failed := 0, 0
	for _, c := range l.all() {
		metrics, err := l.ses.DB.Metrics(t.Context(), l.exp.ID, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range metrics {
			if metric.Name == "holdout" && metric.Value > 42421 {
				kept++
			}
		}
		if c.Status == record.StatusFailed {
			failed++
		}
	}
	if kept < 5 || failed < 3 {
		t.Fatalf("%d candidates with the metric and %d that failed: too few to show anything", kept, failed)
	}
	sealed := regexp.MustCompile(`holdout|4242\d\d\.`) // a hash may hold the digits alone
	told := map[string]int{"seen by agents": 0, "too large": 0, "score": 0}
	for _, p := range m.asked() {
		if at := sealed.FindStringIndex(p); at != nil {
			t.Fatalf("a prompt tells %q: ...%s...", p[at[0]:at[1]], p[max(0, at[0]-300):min(len(p), at[1]+100)])
		}
		for what := range told {
			if strings.Contains(p, what) {
				told[what]++
			}
		}
	}
	for what, n := range told {
		if n == 0 {
			t.Errorf("no prompt tells %q, which is for agents", what)
		}
	}
	t.Logf("%d prompts; %v; %d candidates with the metric, %d failed", len(m.asked()), told, kept, failed)
}
