package agent_test

import (
	"strings"
	"testing"

	"atoll/engine/agent"
)

const goodPlan = `{"plan_summary":"sort first","rationale":"bins {fill} better","focus_metrics":["bins"],"guardrails":["keep the API"],"risks":["slower"],
"validation":["run the tests"],"steps":[{"id":"s1","title":"sort","intent":"sort items","actions":["sort"],"files":["a.go"],"dependencies":[],
"validation":["bins fall"],"risks":[],"references":[]}],"handoff_notes":[],"fallback_plan":null}`

func TestParsePlan(t *testing.T) {
	back := agent.PlanFallback{Metrics: []string{"a", "b", "c", "d"}, Acceptance: []string{"it is faster"}}
	for _, tc := range []struct {
		name, answer string
		summary      string
		text         bool // the plan is the answer's words
	}{
		{"plain", goodPlan, "sort first", false},
		{"in a fence with words around it", "Sure, here {it} is:\n```json\n" + goodPlan + "\n```\nGood luck!", "sort first", false},
		{"after reasoning", "<think>maybe {\"plan_summary\": 1}</think>" + goodPlan, "sort first", false},
		{"with a comma too many", strings.Replace(goodPlan, `"handoff_notes":[]`, `"handoff_notes":["x",]`, 1), "sort first", false},
		{"after another object", `{"note":"the plan follows"}` + goodPlan, "sort first", false},
		{"with a field too many", strings.Replace(goodPlan, `"rationale"`, `"score":9,"rationale"`, 1), "sort first", false},
		{"with steps alone", `{"steps":[{"title":"sort","actions":["sort"]}]}`, "", false},
		{"with a summary that is too long", strings.Replace(goodPlan, "sort first", strings.Repeat("x", 600), 1), strings.Repeat("x", 512), false},
		{"of another type", strings.Replace(goodPlan, `"risks":["slower"]`, `"risks":"slower"`, 1), "", true},
		{"words", "Just sort.", "Just sort.", true},
		{"cut", goodPlan[:200], "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := agent.ParsePlan(tc.answer, back)
			if tc.summary != "" && p.Summary != tc.summary || len(p.Steps) == 0 || !strings.Contains(p.Text(), tc.summary) {
				t.Errorf("got %+v", p)
			}
			if got := p.Steps[0].ID == "text"; got != tc.text || tc.text && (len(p.FocusMetrics) != 3 || p.Validation[0] != "it is faster" || p.Fallback == nil) {
				t.Errorf("a plan made of a text: %+v", p)
			}
		})
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(goodPlan)
	f.Add("```json\n{\"a\":[1,2,],}\n```")
	f.Add(strings.Repeat("{", 1000))
	f.Fuzz(func(t *testing.T, answer string) {
		if p := agent.ParsePlan(answer, agent.PlanFallback{}); len(p.Steps) == 0 && p.Summary == "" {
			t.Fatalf("got %+v", p)
		}
	})
}
