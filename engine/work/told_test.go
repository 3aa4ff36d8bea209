package work

import (
	"testing"

	"atoll/config"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestWhatIsKnownOfTheBehaviourOfACandidateIsTold(t *testing.T) {
	t.Parallel()
	value, yet := 4.2, "behaviour "+view.NotComparedYet
	measured := &record.Candidate{ID: 3, Objective: &value}
	looked := []record.Evidence{{Kind: "gate", Text: []byte("{")}, {Kind: EvidenceGuard, Text: []byte(`{"functions": 1, "cases": 9}`)}, {Kind: "evaluator"}}
	for _, c := range []struct {
		name, guard, objective string
		candidate              *record.Candidate
		kept                   []record.Evidence
		want                   string
	}{
		{"the guard looked", "auto", "time_ms", measured, looked, "behaves as the root on 9 inputs of 1 function"},
		{"it is to look", "auto", "time_ms", measured, looked[:1], yet},
		{"it is off", "off", "time_ms", measured, nil, ""},
		{"a score is searched on", "auto", "score", measured, nil, ""},
		{"it was not measured", "auto", "time_ms", &record.Candidate{ID: 3}, nil, ""},
		{"it is the root", "on", "time_ms", &record.Candidate{ID: record.Root, Objective: &value}, nil, ""},
	} {
		got, err := BehaviourTold(config.Config{Guard: c.guard}, c.objective, c.candidate, c.kept)
		if err != nil || got != c.want {
			t.Errorf("%s: %q (%v), want %q", c.name, got, err, c.want)
		}
	}
	if _, err := BehaviourTold(config.Config{}, "", measured, []record.Evidence{{Kind: EvidenceGuard, Text: []byte("{")}}); err == nil {
		t.Error("a report that cannot be read is no error")
	}
}
