package view_test

import (
	"strings"
	"testing"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestClaimsAreWrittenWithTheirEvidence(t *testing.T) {
	many := evidence.Summary{N: 16, Mean: 120, Dev: 1}
	root := evidence.Summary{N: 16, Mean: 100, Dev: 1}
	zero := evidence.Summary{N: 16, Mean: 0, Dev: 1}
	for name, c := range map[string]struct {
		claim       evidence.Claim
		value, gain string
	}{
		"where nothing varies the value is what it is": {evidence.Certain(120, 100, false), "120", "+20.00 %"},
		"no change is no negative zero":                {evidence.Certain(100, 100, true), "100", "+0.00 %"},
		"a root of 0 has no percentage":                {evidence.Certain(3, 0, true), "3", "-3"},
		"a confirmed gain":                             {evidence.Judge(evidence.Question{Candidate: many, Root: root}), "120 [119.1, 120.9] n 16", "+20.0 % [18.8, 21.2] confirmed"},
		"a confirmed gain on 0":                        {evidence.Judge(evidence.Question{Candidate: many, Root: zero}), "120 [119.1, 120.9] n 16", "+120 [118.8, 121.2] confirmed"},
		"no sample was held out":                       {evidence.Claim{Value: 120, Word: evidence.Unconfirmed}, "120 unconfirmed", "unconfirmed"},
		"one sample was held out":                      {evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 1, Mean: 120}, Root: root}), "120 n 1", "+20.0 % [13.9, 26.1] confirmed"},
		"held out, and worse than the root so far":     {evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 2, Mean: 99.9, Dev: 1}, Root: root}), "99.9 n 2", "unconfirmed, worse than the root so far"},
		"lower is better, and it is higher so far":     {evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 2, Mean: 100.1, Dev: 1}, Root: root, Minimize: true}), "100.1 n 2", "unconfirmed, worse than the root so far"},
		"held out, and better so far":                  {evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 2, Mean: 100.1, Dev: 1}, Root: root}), "100.1 n 2", "unconfirmed"},
		"a loss":                                       {evidence.Judge(evidence.Question{Candidate: root, Root: many}), "100 [99.12, 100.9] n 16", "within noise"},
	} {
		if got := view.ClaimValue(c.claim); got != c.value {
			t.Errorf("%s: value %q, expected %q", name, got, c.value)
		}
		if got := view.ClaimGain(c.claim); got != c.gain {
			t.Errorf("%s: gain %q, expected %q", name, got, c.gain)
		}
	}
}

func TestAValueIsToldAsWhatItIs(t *testing.T) {
	for name, c := range map[string]struct {
		s        view.Snapshot
		measured string
		want     string
	}{
		"a metric":                {view.Snapshot{Objective: "ns/op"}, "ns/op", "ns/op 0.81 unconfirmed"},
		"a ratio to the root's":   {view.Snapshot{Objective: "ns/op", Paired: true}, "ratio of ns/op to the root's", "0.81 unconfirmed of the root's ns/op"},
		"a metric without name":   {view.Snapshot{}, "objective", "objective 0.81 unconfirmed"},
		"a name for a terminal's": {view.Snapshot{Objective: "a\x1b[31mb"}, "ab", "ab 0.81 unconfirmed"},
	} {
		if got := c.s.Measured(); got != c.measured {
			t.Errorf("%s: %q, expected %q", name, got, c.measured)
		}
		if got := c.s.Valued("0.81 unconfirmed"); got != c.want {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
}

func TestTheRootBesideItselfIsOneByDefinition(t *testing.T) {
	own := 17.25
	s := view.Snapshot{Objective: "time_ms", Root: view.Standing{Objective: 17.25, Own: &own}}
	if got := s.RootText(); got != "time_ms 17.25" {
		t.Errorf("a value is told as %q", got)
	}
	s.Paired, s.Root.Objective = true, 1
	if got := s.RootText(); got != "1 by definition, its own time_ms 17.25" {
		t.Errorf("a ratio is told as %q", got)
	}
	s.Root.Own = nil
	if got := s.RootText(); got != "1 by definition: values are ratios of time_ms to the root's" {
		t.Errorf("a ratio without a time is told as %q", got)
	}
}

func TestAGainThatAPromotionVerifiedIsNotCalledUnconfirmed(t *testing.T) {
	b := view.Branch{Name: "atoll/x-c7", Of: 7, Promotion: record.Promotion{Base: "main", Onto: "0123456789abcdef", Gain: "a gain of +12.30 %, n = 8 pairs, confirmed"}}
	const found = "verified by promote on main at 0123456: a gain of +12.30 %, n = 8 pairs, confirmed"
	if got := b.Verification(); got != found {
		t.Errorf("%q, want %q", got, found)
	}
	s := view.Snapshot{State: record.ExperimentDone, Reason: "80 jobs done; the gain of c7 is not confirmed", Best: view.Standing{ID: 7, Claim: evidence.Claim{Word: evidence.Unconfirmed}, Verified: &b}}
	if s.TellRest(); s.Reason != "80 jobs done" {
		t.Errorf("the end is told as %q", s.Reason)
	}
	if got := view.ClaimText(&s, 7, &s.Best.Claim); !strings.HasSuffix(got, "The run itself did not confirm its gain, which was "+found+".") {
		t.Errorf("the claim is told as %q", got)
	}
	b.Of, b.From, b.Left = 5, 7, 2
	if got, want := b.Verification(), "verified by promote as c5, without its last 2 edits, on main"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	b.Base = ""
	if got := b.Verification(); got != "" {
		t.Errorf("a branch that nothing verified is told as %q", got)
	}
}

func TestABestThatHeldOutSamplesSpeakAgainstIsNotToldAsAGain(t *testing.T) {
	c := evidence.Claim{Word: evidence.Unconfirmed, Value: 1.04, N: 3, Root: 1, Gain: -0.04, Interval: evidence.Interval{Low: 0.9, High: 1.18}}
	s := view.Snapshot{Paired: true, Objective: "ms", Direction: "minimize", Noisy: true, Best: view.Standing{ID: 7, Objective: 0.8, Claim: c}}
	if got, want := view.ClaimText(&s, 7, &c), "by the 3 samples held out so far it is worse than the root: take it as no gain."; !strings.HasSuffix(got, want) {
		t.Errorf("the claim is told as %q, want %q", got, want)
	}
	if got, want := s.Told(7, &s.Best.Objective, &c).String(), "1.04 [0.9, 1.18] n 3 unconfirmed, worse than the root so far"; got != want {
		t.Errorf("the value is told as %q, want %q", got, want)
	}
	old := s
	old.Best = view.Standing{ID: record.Root}
	news := view.NewsOf(&old, &s, view.FormatValue)
	if len(news) != 1 || !strings.HasSuffix(news[0].Text, "worse than the root so far") {
		t.Errorf("the news are %+v", news)
	}
	c.Gain = 0.04
	if got, want := view.ClaimText(&s, 7, &c), "Its gain is unconfirmed: there are too few samples that did not decide."; !strings.HasSuffix(got, want) {
		t.Errorf("a claim that looks well is told as %q, want %q", got, want)
	}
}
