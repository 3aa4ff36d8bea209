package fold

import (
	"encoding/json"
	"strings"
	"testing"

	"atoll/store/record"
)

func TestASettingAndWhatTakesItBackAreToldInPlainWords(t *testing.T) {
	for _, c := range []struct{ name, key, value, does, back string }{
		{"weights of operators that change", "search.operators", `{"tune":2,"mutate":0.1}`, "weights of operators: tune 2", "weights of operators: tune 0.8 again"},
		{"a weight that goes", "search.operators", `{"tune":0.8}`, "weights of operators: mutate 0", "weights of operators: mutate 0.1 again"},
		{"weights that stay", "search.operators", `{"tune":0.8,"mutate":0.1}`, "weights of operators: as they are", ""},
		{"weights of agents", "agents", `{"ann":3,"bob":1}`, "weights of agents: ann 3", "weights of agents: ann 1 again"},
		{"a number", "workers", "7", "workers = 7", "workers = 2 again"},
		{"a time", "budget.wall", "90m", "budget.wall = 1h30m0s", "budget.wall = 0s again"},
		{"words", "review.niche", "all", "review.niche = all", "review.niche = off again"},
		{"a list", "constraints", "keep it short\nno tabs", "constraints: keep it short; no tabs", "constraints: none again"},
		{"what was as configured", "evaluator.challenge", "3", "evaluator.challenge = 3", "evaluator.challenge as configured again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &rules{Settings: record.Settings{Workers: 2, ReviewNiche: "off", Operators: map[string]float64{"tune": 0.8, "mutate": 0.1}, Agents: map[string]float64{"ann": 1, "bob": 1}}}
			d := record.NewDecision(record.Set)
			d.Args, _ = json.Marshal(map[string]string{"key": c.key, "value": c.value})
			d, err := r.prepareSet(d)
			if err != nil {
				t.Fatal(err)
			}
			if d.Text != c.does {
				t.Errorf("it is told as %q, want %q", d.Text, c.does)
			}
			inverse := record.Decision{Verb: record.Set, Text: d.Inverse.Text}
			if back := backText(inverse, []string{""}); c.back != "" && back != c.back {
				t.Errorf("taking it back is told as %q, want %q", back, c.back)
			}
			if strings.ContainsAny(d.Text+d.Inverse.Text, `{}"`) {
				t.Errorf("raw text: %q, %q", d.Text, d.Inverse.Text)
			}
		})
	}
}
