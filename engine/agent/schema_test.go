package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"atoll/engine/agent"
)

const goodPlan = `{"plan_summary":"sort first","rationale":"bins {fill} better","focus_metrics":["bins"],"guardrails":["keep the API"],"risks":["slower"],
"validation":["run the tests"],"steps":[{"id":"s1","title":"sort","intent":"sort items","actions":["sort"],"files":["a.go"],"dependencies":[],
"validation":["bins fall"],"risks":[],"references":[]}],"handoff_notes":[],"fallback_plan":null}`

func TestParsePlan(t *testing.T) {
	back := agent.PlanFallback{Metrics: []string{"a", "b", "c", "d"}, Acceptance: []string{"it is faster"}}
	for _, tc := range []struct {
		name, answer string
		mode         agent.Validation
		summary      string // "" = an error
		problem      string
	}{
		{"plain", goodPlan, agent.ValidateStrict, "sort first", ""},
		{"in a fence with words around it", "Sure, here {it} is:\n```json\n" + goodPlan + "\n```\nGood luck!", agent.ValidateStrict, "sort first", ""},
		{"after reasoning", "<think>maybe {\"plan_summary\": 1}</think>" + goodPlan, agent.ValidateStrict, "sort first", ""},
		{"with a comma too many", strings.Replace(goodPlan, `"handoff_notes":[]`, `"handoff_notes":["x",]`, 1), agent.ValidateStrict, "sort first", ""},
		{"after another object", `{"note":"the plan follows"}` + goodPlan, agent.ValidateStrict, "sort first", ""},
		{"a field that is missing", strings.Replace(goodPlan, `"plan_summary":"sort first",`, "", 1), agent.ValidateStrict, "", "plan_summary"},
		{"a field that is too long", strings.Replace(goodPlan, "sort first", strings.Repeat("x", 513), 1), agent.ValidateStrict, "", "513 characters"},
		{"a field of another type", strings.Replace(goodPlan, `"risks":["slower"]`, `"risks":"slower"`, 1), agent.ValidateStrict, "", "risks"},
		{"a field too many", strings.Replace(goodPlan, `"rationale"`, `"score":9,"rationale"`, 1), agent.ValidateStrict, "", "score"},
		{"no steps", strings.Replace(goodPlan, `"steps":[{`, `"steps":[],"x":[{`, 1), agent.ValidateStrict, "", "x"},
		{"a step without actions", strings.Replace(goodPlan, `"actions":["sort"]`, `"actions":[]`, 1), agent.ValidateStrict, "", "steps[0].actions"},
		{"no JSON", "Just sort.", agent.ValidateStrict, "", "no JSON"},
		{"cut JSON", goodPlan[:200], agent.ValidateStrict, "", "no JSON"},
		{"lenient takes a good one", goodPlan, agent.ValidateLenient, "sort first", ""},
		{"lenient makes one of a text", "Just sort.", agent.ValidateLenient, "Just sort.", ""},
		{"none makes one always", "Just sort.", agent.ValidateNone, "Just sort.", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := agent.ParsePlan(tc.answer, tc.mode, back)
			if tc.summary == "" {
				if !errors.Is(err, agent.ErrSchema) || !strings.Contains(err.Error(), tc.problem) {
					t.Errorf("got %v, want a schema error about %s", err, tc.problem)
				}
				return
			}
			if err != nil || p.Summary != tc.summary || len(p.Steps) == 0 || !strings.Contains(p.Text(), tc.summary) {
				t.Errorf("got %+v, %v", p, err)
			}
			if p.Steps[0].ID == "lenient-1" && (len(p.FocusMetrics) != 3 || p.Validation[0] != "it is faster" || p.Fallback == nil) {
				t.Errorf("a plan made of a text: %+v", p)
			}
		})
	}
}

// The schema that providers are sent and the check of answers agree.
func TestPlanSchemaAgreesWithTheCheck(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(agent.PlanSchema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"good": goodPlan, "long": strings.Replace(goodPlan, "sort first", strings.Repeat("x", 513), 1), "type": strings.Replace(goodPlan, `"risks":["slower"]`, `"risks":"slower"`, 1),
		"extra": strings.Replace(goodPlan, `"rationale"`, `"score":9,"rationale"`, 1), "empty list": strings.Replace(goodPlan, `"actions":["sort"]`, `"actions":[]`, 1),
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		_, parse := agent.ParsePlan(text, agent.ValidateStrict, agent.PlanFallback{})
		if schema := resolved.Validate(v); (schema == nil) != (parse == nil) {
			t.Errorf("%s: the schema says %v, the check %v", name, schema, parse)
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(goodPlan)
	f.Add("```json\n{\"a\":[1,2,],}\n```")
	f.Add(strings.Repeat("{", 1000))
	f.Fuzz(func(t *testing.T, answer string) {
		if _, err := agent.ParsePlan(answer, agent.ValidateStrict, agent.PlanFallback{}); err != nil && !errors.Is(err, agent.ErrSchema) {
			t.Fatal(err)
		}
		if p, err := agent.ParsePlan(answer, agent.ValidateLenient, agent.PlanFallback{}); err != nil || len(p.Steps) == 0 {
			t.Fatalf("got %+v, %v", p, err)
		}
	})
}
