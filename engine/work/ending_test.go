package work

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/fold"
	"atoll/engine/gateway"
	"atoll/store"
	"atoll/store/record"
)

func TestWhatSaysNothingOfAJobPutsItBack(t *testing.T) {
	denied := &gateway.ProviderError{Provider: "house", KeyEnv: "HOUSE_KEY", Access: gateway.KeyRefused, Status: 401}
	for _, tt := range []struct {
		name    string
		err     error
		drained bool
		back    bool
		pauses  string
	}{
		{"a key that is refused pauses and is named", &agent.Error{Class: record.ClassAgent, Err: denied}, false, true, "HOUSE_KEY"},
		{"a provider that fails is the job's trouble", &agent.Error{Class: record.ClassAgent, Err: &gateway.ProviderError{Status: 500}}, false, false, ""},
		{"but not in a run that drains", &agent.Error{Class: record.ClassAgent, Err: &gateway.ProviderError{Status: 500}}, true, true, ""},
		{"an open circuit is left in a run that drains", fmt.Errorf("ask: %w", gateway.ErrCircuit), true, true, ""},
		{"a person is not waited for", fmt.Errorf("wait: %w", ErrDrained), false, true, ""},
		{"no change is no change, also then", agent.ErrNoChange, true, false, ""},
		{"a failure of the agent itself stays one", errors.New("it broke"), true, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, drain := &fakeHost{}, make(chan struct{})
			if tt.drained {
				close(drain)
			}
			r := &attempt{run: &run{host: host, drain: drain}}
			if got := r.putBack(tt.err); got != tt.back {
				t.Errorf("put back: %v", got)
			}
			if told := host.told(); (told != "") != (tt.pauses != "") || !strings.Contains(told, tt.pauses) {
				t.Errorf("paused: %q", told)
			}
		})
	}
}

func TestAgentsThatFailAlikePauseTheRunAndOneThatWorksStartsTheCountAnew(t *testing.T) {
	failed := store.Outcome{State: record.Failed, Class: record.ClassAgent, Reason: "the model is out"}
	host := &fakeHost{}
	b := agentStreak{run: &run{host: host}}
	for range fold.BreakAfter - 1 {
		b.watch(failed)
	}
	b.watch(store.Outcome{State: record.Scored, Candidate: &record.Candidate{}})
	for range fold.BreakAfter - 1 {
		b.watch(failed)
	}
	if told := host.told(); told != "" {
		t.Fatalf("paused too early: %s", told)
	}
	b.watch(failed)
	if told := host.told(); !strings.Contains(told, "the model is out") {
		t.Errorf("not paused: %q", told)
	}
}
