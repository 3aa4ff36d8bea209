package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// patient is a gateway that tries again at once, and waits for a busy machine.
func patient() gateway.Options {
	return gateway.Options{
		Attempts: 2, Backoff: time.Millisecond, MaxBackoff: 2 * time.Millisecond, FirstByte: 30 * time.Second, Idle: 30 * time.Second,
		Answer: time.Minute, Total: time.Minute, Cool: 5 * time.Millisecond,
	}
}

// stream writes the events of a chat answer as they are given.
func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", e)
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func says(text, finish string) []string {
	return []string{
		fmt.Sprintf(`{"choices":[{"delta":{"content":%q}}]}`, text), fmt.Sprintf(`{"choices":[{"delta":{},"finish_reason":%q}]}`, finish),
		`{"choices":[],"usage":{"prompt_tokens":400,"completion_tokens":60}}`, "[DONE]",
	}
}

func TestEveryTroubleOfAProviderEndsAsItsClassAndTheRunGoesOn(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run for each trouble; TestAProviderThatDoesNotServeTheKeyPausesAtOnceAndChargesNoJob has one, engine/gateway the others")
	status := func(code int, header ...string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			http.Error(w, `{"error":{"message":"not now"}}`, code)
		}
	}
	long := says(strings.Repeat("blah blah ", 5<<20/10), "stop")
	for _, tt := range []struct {
		name   string
		bad    int // requests that go wrong, from the first
		answer func(http.ResponseWriter, *http.Request)
		class  record.Class // "" = no job fails
		reason string
		free   bool          // nothing is billed for the trouble
		silent time.Duration // how long a first byte is waited for where one is silent; 0 = as ever
		full   bool          // another row stands for it every day
		once   bool          // each trouble is asked for once and not again
	}{
		{name: "a 429 that asks to wait is waited for", bad: 1, answer: status(429, "Retry-After", "0.3"), free: true},
		{name: "429 without end", full: true, bad: 4, answer: status(429), class: record.ClassAgent, reason: "429", free: true},
		{name: "one 500 is tried again", full: true, bad: 1, answer: status(500), free: true},
		{name: "500 without end", bad: 4, answer: status(500), class: record.ClassAgent, reason: "500", free: true},
		{name: "no answer at all", bad: 4, answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, class: record.ClassAgent, reason: "no answer", silent: time.Second},
		{name: "silence in the middle", full: true, bad: 4, answer: func(w http.ResponseWriter, r *http.Request) {
			stream(w, says("INTENT: x\n", "stop")[0])
			<-r.Context().Done()
		}, class: record.ClassAgent, reason: "nothing came for", silent: 30 * time.Second},
		{name: "a stream that is cut", bad: 4, answer: func(w http.ResponseWriter, _ *http.Request) {
			stream(w, says("INTENT: x\nprogram.txt\n", "stop")[0])
		}, class: record.ClassAgent, reason: "no usable answer"},
		{name: "a connection that breaks", full: true, bad: 4, answer: func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = c.Close()
			}
		}, class: record.ClassAgent, reason: "provider"},
		{name: "JSON that is none", full: true, bad: 4, answer: func(w http.ResponseWriter, _ *http.Request) { stream(w, `{"choices":[{"delta`, "[DONE]") }, class: record.ClassAgent, reason: "no usable answer"},
		{name: "a refusal", bad: 2, answer: func(w http.ResponseWriter, _ *http.Request) {
			stream(w, says("I will not do that.", "content_filter")...)
		}, class: record.ClassAgent, reason: "refused"},
		{name: "an empty answer", full: true, bad: 4, answer: func(w http.ResponseWriter, _ *http.Request) { stream(w, says("", "stop")...) }, class: record.ClassAgent, reason: "no usable answer"},
		{name: "an answer without an edit", bad: 2, answer: func(w http.ResponseWriter, _ *http.Request) { stream(w, says("It is fine as it is.", "stop")...) }, class: record.ClassAgent, reason: "did not apply"},
		{name: "an edit of a file that may not be changed", full: true, bad: 2, answer: func(w http.ResponseWriter, _ *http.Request) {
			stream(w, says("INTENT: cheat\nmeasure.sh\n```\necho score=0\n```\n", "stop")...)
		}, class: record.ClassAgent, reason: "did not apply"},
		{name: "the file as it was", bad: 2, answer: func(w http.ResponseWriter, _ *http.Request) {
			stream(w, says("INTENT: nothing\nprogram.txt\n```\n"+program+"```\n", "stop")...)
		}, class: record.ClassNoChange, reason: "no change"},
		{name: "a request that is too large", bad: 2, answer: status(413), class: record.ClassAgent, reason: "413", free: true, once: true},
		{name: "a request that it cannot carry out", full: true, bad: 2, answer: status(422), class: record.ClassAgent, reason: "422", free: true, once: true},
		{name: "a model that talks for ever", bad: 1, answer: func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				stream(w, says("and on and ", "")[0])
				select {
				case <-r.Context().Done():
				case <-time.After(10 * time.Millisecond):
				}
			}
		}, class: record.ClassTimeout, reason: "did not end its answer", once: true},
		{name: "five megabytes of words", full: true, bad: 2, answer: func(w http.ResponseWriter, _ *http.Request) {
			stream(w, long...)
		}, class: record.ClassAgent, reason: "did not apply"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.full {
				suitetest.Full(t, "a whole run for one more trouble of the same kind")
			}
			m := newFakeModel(t)
			m.trouble = func(n int, w http.ResponseWriter, r *http.Request) bool {
				if n > tt.bad {
					return false
				}
				tt.answer(w, r)
				return true
			}
			l := agentLab(t, func(c *config.Config) {
				c.Agents = []config.Agent{m.agent("model")}
				c.Prices = []config.Price{{Model: "fake-1", Input: 0.5, Output: 2}}
				c.Budget.CostUSD, c.Budget.Jobs = 1, 5
			})
			patience := patient()
			if tt.silent > 0 {
				// A busy machine begins a good answer late, too.
				patience.FirstByte, patience.Idle = tt.silent, 500*time.Millisecond
			}
			if tt.class == record.ClassTimeout {
				patience.Answer = suitetest.Stretched(t, 2*time.Second)
			}
			snap, err := l.runWith(engine.Options{Gateway: patience})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(m.asked()); tt.once && n != 5 {
				t.Errorf("%d requests for 5 jobs", n)
			}
			failed := l.jobs(record.Failed)
			if snap.State != record.ExperimentDone || snap.Jobs.Ended() != 5 || snap.Jobs.Placed+snap.Jobs.Scored+len(failed) != 5 || snap.Jobs.Placed+snap.Jobs.Scored < 2 {
				t.Fatalf("the run ended %s (%s) with %+v", snap.State, snap.Reason, snap.Jobs)
			}
			if (tt.class == "") != (len(failed) == 0) {
				t.Fatalf("%d jobs failed: %+v", len(failed), failed)
			}
			for _, j := range failed {
				if j.Class != tt.class || !strings.Contains(j.Reason, tt.reason) {
					t.Errorf("%s failed as %q: %s", j.ID, j.Class, j.Reason)
				}
				l.hasEvidence(j.ID, "prompt")
			}
			l.billed(m, tt.bad, tt.free)
		})
	}
}

// hasEvidence checks that a job kept a text of some kind.
func (l *lab) hasEvidence(id record.JobID, kind string) {
	l.t.Helper()
	all, err := l.ses.DB.EvidenceOf(l.t.Context(), l.exp.ID, id)
	if err != nil {
		l.t.Fatal(err)
	}
	var kinds []string
	for _, ev := range all {
		kinds = append(kinds, ev.Kind)
		if ev.Kind == kind && len(ev.Text) > 0 {
			return
		}
	}
	l.t.Errorf("%s kept no %s, only %q", id, kind, kinds)
}

// billed checks that every request was counted, and that its cost is within
// what was limited; those that went wrong are billed by what they said, or by
// what they could have cost.
func (l *lab) billed(m *fakeModel, bad int, free bool) {
	l.t.Helper()
	c, err := l.ses.DB.Counters(l.t.Context(), l.exp.ID)
	if err != nil {
		l.t.Fatal(err)
	}
	asked := len(m.asked())
	good := float64(asked-bad) * (400*0.5 + 60*2) / 1e6
	switch {
	case c.Usage.Requests != asked:
		l.t.Errorf("%d requests were sent, %d are counted", asked, c.Usage.Requests)
	case c.Usage.CostUSD == nil || *c.Usage.CostUSD > 1 || *c.Usage.CostUSD < good-1e-9 || c.ReservedUSD > 1e-9:
		l.t.Errorf("cost %v with $%g reserved, the good answers alone are $%g", c.Usage.CostUSD, c.ReservedUSD, good)
	case free && *c.Usage.CostUSD > good+1e-9:
		l.t.Errorf("errors were billed: $%g for $%g of answers", *c.Usage.CostUSD, good)
	}
}

func TestAPlanOfTheWrongShapeAndAMapperThatRambles(t *testing.T) {
	t.Parallel()
	m := newFakeModel(t)
	m.reply = func(prompt string) string {
		switch {
		case strings.Contains(prompt, "You plan one change"):
			return `{"plan": 3, "steps": "none"}`
		case strings.Contains(prompt, "name the parts whose change"):
			return "I think the parser is slow, but who knows."
		}
		return ""
	}
	l := agentLab(t, func(c *config.Config) {
		c.Agents = []config.Agent{m.agent("model")}
		c.Roles.Planner, c.Roles.Mapper = "model", "model"
		c.Budget.Jobs = 4
	})
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if snap.Jobs.Placed+snap.Jobs.Scored != 4 {
		t.Errorf("jobs %+v", snap.Jobs)
	}
	for _, j := range l.jobs() {
		if j.Kind == record.Assist && (j.State != record.Failed || j.Class != record.ClassAgent || !strings.Contains(j.Reason, "named no target")) {
			t.Errorf("the mapper's job ended %s as %q: %s", j.State, j.Class, j.Reason)
		}
	}
	if len(snap.Targets) != 1 || snap.Targets[0].Name != "program.txt" || snap.Targets[0].By != "offline" {
		t.Errorf("targets %+v, want the built-in proposal", snap.Targets)
	}
}

func TestARunThatIsEndedAtAnyMomentLeavesNoJobHalfDone(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run for each moment; TestARunThatIsStoppedAtOnceGoesOnAsIfNothingHappened stands for it")
	for moment := range int64(suitetest.Pick(6, 30, 100)) {
		l := bareLab(t, map[string]string{"program.txt": dials, "measure.sh": measure})
		l.begin(l.loaded(dialsYAML, "workers=3", "budget.jobs=60"))
		ctx, end := context.WithCancel(t.Context())
		var looks atomic.Int64 // at the clock, of which many are in the middle of a step
		eng := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true, Now: func() time.Time {
			if looks.Add(1) == 40+7*moment {
				end()
			}
			return time.Now()
		}})
		if err := eng.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended at look %d: %v", 40+7*moment, err)
		}
		end()
		for _, state := range []record.JobState{record.Editing, record.Committed, record.Gated, record.Evaluating} {
			if n := len(l.jobs(state)); n > 0 {
				t.Errorf("ended at look %d: %d jobs are left %s", 40+7*moment, n, state)
			}
		}
		if exp, err := l.ses.DB.Experiment(t.Context(), l.exp.ID); err != nil || exp.State != record.ExperimentStopped {
			t.Errorf("ended at look %d: the experiment is %s, %v", 40+7*moment, exp.State, err)
		}
	}
}
