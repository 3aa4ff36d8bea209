package offline_test

import (
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

func TestTuneChangesNumbersAndNothingElse(t *testing.T) {
	root := sampleTree()
	strip := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || strings.ContainsRune("-.()_e", r) {
				return -1
			}
			return r
		}, s)
	}
	for n := range 300 {
		child, res := mustEdit(t, newJob(n, record.OpTune, root), root)
		for _, c := range res.Changes {
			if a, b := strip(root.data[c.Path]), strip(child.data[c.Path]); a != b {
				t.Fatalf("%s changed more than numbers", res.Intent)
			}
		}
		if !strings.HasPrefix(res.Intent, "tune ") || offline.IntentTag(res.Intent) == "" {
			t.Errorf("intent %q has no tag", res.Intent)
		}
	}
}

func TestTuneTakesManySizesAndScales(t *testing.T) {
	root := newTree(map[string]string{"s.py": pythonSample})
	tags := map[string]int{}
	for n := range 600 {
		_, res := mustEdit(t, newJob(n, record.OpTune, root), root)
		for _, tag := range strings.Fields(offline.IntentTag(res.Intent)) {
			tags[tag]++
		}
	}
	for _, tag := range []string{"one", "few", "many", "1e0", "1e-1", "1e-2", "1e-3", "1e-4"} {
		if tags[tag] < 5 {
			t.Errorf("%q came up %d times in 600", tag, tags[tag])
		}
	}
}

func TestTuneFollowsTheLineToABetterElite(t *testing.T) {
	a, b := newTree(map[string]string{"s.py": table(0.1, 0.2, 0.3, 0.4)}), newTree(map[string]string{"s.py": table(0.6, 0.7, 0.8, 0.9)})
	low, high := 1.0, 2.0
	near := 0
	for n := range 400 {
		j := newJob(n, record.OpTune, a, b)
		j.Parent.Objective, j.Inspirations[0].Objective = &low, &high
		child, res := mustEdit(t, j, a)
		if strings.Contains(res.Intent, " along c1 ") && !strings.Contains(child.data["s.py"], "0.1,") && strings.Contains(offline.IntentTag(res.Intent), "line") {
			near++
		}
	}
	if near < 30 {
		t.Errorf("%d of 400 steps went along the line", near)
	}
}

func TestWhatWorkedIsTriedMoreOften(t *testing.T) {
	root := newTree(map[string]string{"s.py": pythonSample})
	h := agent.NewHistory()
	for range 40 {
		h.Observe("tune", "many 1e-4", true)
		h.Observe("tune", "one 1e-1", false)
	}
	count := func(h *agent.History) (n int) {
		for k := range 400 {
			j := newJob(k, record.OpTune, root)
			j.History = h
			_, res := mustEdit(t, j, root)
			if strings.Contains(offline.IntentTag(res.Intent), "1e-4") {
				n++
			}
		}
		return n
	}
	if before, after := count(nil), count(h); after < 2*before {
		t.Errorf("steps of 1e-4: %d of 400 before and %d after they worked", before, after)
	}
}

func TestHistoryIsAFoldThatFades(t *testing.T) {
	var none *agent.History
	if c := none.Of("tune", "one"); c.Tries != 0 || none.Clone() != nil {
		t.Error("a nil history is not empty")
	}
	h := agent.NewHistory()
	h.Observe("tune", "one 1e-1", true)
	h.Observe("tune", "few 1e-1 line", false)
	h.Observe("mutate", "", false)
	snapshot := h.Clone()
	for range 1000 {
		h.Observe("tune", "one 1e-1", false)
	}
	if c := snapshot.Of("tune", "1e-1"); c.Tries != 2 || c.Wins != 1 {
		t.Errorf("the copy moved: %+v", c)
	}
	if c := h.Of("tune", "one"); c.Tries > 64 || c.Wins > 0.01 {
		t.Errorf("an old success did not fade: %+v", c)
	}
	if c := h.Of("mutate", ""); c.Tries != 1 || c.Wins != 0 {
		t.Errorf("mutate: %+v", c)
	}
}

func TestIntentTagReadsOnlyStepsOfTune(t *testing.T) {
	for intent, want := range map[string]string{
		"tune 3 literals by 1e-1 in s.py: 0.5 -> 0.6, ...":          "few 1e-1",
		"tune 3 literals by 1e-4 along c12 in s.py: 0.5 -> 0.6":     "few 1e-4 line",
		"tune 30 literals by 1e0 in a along b.py: 1 -> 2, ...":      "many 1e0",
		"tune 1 literal by 1e-2 in s.py:1: 1 -> 2; swap lines 1 an": "one 1e-2",
		"swap lines 12 and 14 of priority.go":                       "",
		"tune the parser":                                           "",
		"":                                                          "",
	} {
		if got := offline.IntentTag(intent); got != want {
			t.Errorf("%q: got %q, want %q", intent, got, want)
		}
	}
}
