package offline_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// dials is a file of whole numbers.
func dials(values ...int) *memory {
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "dial%d = %d\n", i, v)
	}
	return newTree(map[string]string{"dials.conf": b.String()})
}

// moved folds that a candidate has one number of its parent changed.
func moved(h *agent.History, candidate, parent record.CandidateID, from, to, against int) {
	h.Ended(agent.End{Operator: record.OpTune, Candidate: candidate, Parent: parent, Against: against},
		offline.IntentTag(fmt.Sprintf("tune 1 literal by 1e-1 in dials.conf:1: %d -> %d", from, to)))
}

// first counts where aimed steps of the first dial of c9 go.
func first(t *testing.T, h *agent.History, value int) map[int]int {
	t.Helper()
	out := map[int]int{}
	parent := dials(value, 50)
	for n := range 400 {
		j := newJob(n, record.OpTune, parent)
		j.Parent.ID, j.History = 9, h
		child, res := mustEdit(t, j, parent)
		if strings.Contains(res.Intent, " of its moves in dials.conf:1: ") {
			var v int
			if _, err := fmt.Sscanf(child.data["dials.conf"], "dial0 = %d", &v); err != nil {
				t.Fatal(err)
			}
			out[v]++
		}
	}
	return out
}

// within counts those from lo to hi.
func within(of map[int]int, lo, hi int) (in, all int) {
	for v, n := range of {
		all += n
		if v >= lo && v <= hi {
			in += n
		}
	}
	return in, all
}

func TestWhatPaidIsDoneAgainAndFurther(t *testing.T) {
	h := agent.NewHistory()
	moved(h, 9, 4, 50, 53, 1) // the parent came of it
	got := first(t, h, 53)
	if in, all := within(got, 54, 99); all < 50 || 4*in < 3*all {
		t.Errorf("%d of %d steps go on: %v", in, all, got)
	}
	if in, all := within(got, 57, 99); 3*in < all {
		t.Errorf("%d of %d steps go further than the first: %v", in, all, got)
	}
}

func TestWhatMadeItWorseIsReversedAndNotRepeated(t *testing.T) {
	h := agent.NewHistory()
	moved(h, 10, 9, 50, 54, -1)
	got := first(t, h, 50)
	if in, all := within(got, 0, 49); all < 20 || 10*in < 6*all {
		t.Errorf("%d of %d steps go the other way: %v", in, all, got)
	}
	if got[54] > 0 {
		t.Errorf("what was tried is tried again: %v", got)
	}
}

func TestBetweenTwoThatMadeItWorseTheRestIsHalved(t *testing.T) {
	h := agent.NewHistory()
	moved(h, 10, 9, 50, 58, -1)
	moved(h, 11, 9, 50, 42, -1)
	got := first(t, h, 50)
	if in, all := within(got, 46, 54); 10*in < 7*all {
		t.Errorf("%d of %d steps are between: %v", in, all, got)
	}
}

func TestANumberThatIsRightIsLeftToOthers(t *testing.T) {
	h := agent.NewHistory()
	free, _ := within(first(t, h, 50), 0, 99)
	moved(h, 10, 9, 50, 54, -1)
	_, open := within(first(t, h, 50), 0, 99)
	moved(h, 11, 9, 50, 49, -1)
	moved(h, 12, 9, 50, 51, -1)
	_, closed := within(first(t, h, 50), 0, 99)
	if free != 0 || closed*3 > 2*open {
		t.Errorf("%d of 400 steps before there are moves, %d with one way open, %d with none", free, open, closed)
	}
}

// A number that depends on others has moves that contradict each other.
func TestMovesThatContradictEachOtherLeaveAllSteps(t *testing.T) {
	h := agent.NewHistory()
	for k := range 4 {
		moved(h, record.CandidateID(20+2*k), 5, 50, 54, 1)
		moved(h, record.CandidateID(21+2*k), 6, 50, 54, -1)
	}
	got := first(t, h, 50)
	up, all := within(got, 51, 99)
	if up*4 < all || up*4 > 3*all {
		t.Errorf("%d of %d steps go up: %v", up, all, got)
	}
}

// A bowl of whole numbers is gone down in few steps, and by fewer of them with moves than
// without.
func TestAimedStepsFindWholeNumbersSooner(t *testing.T) {
	want := []int{62, 42, 56, 44, 71, 38}
	far := func(m *memory) (sum float64) {
		for i, line := range strings.Split(strings.TrimSpace(m.data["dials.conf"]), "\n") {
			var k, v int
			if _, err := fmt.Sscanf(line, "dial%d = %d", &k, &v); err != nil {
				return math.Inf(1)
			}
			sum += math.Abs(float64(v - want[i]))
		}
		return sum
	}
	steps := func(seed int, learns bool) int {
		best, id, h := dials(50, 50, 50, 50, 50, 50), record.CandidateID(0), agent.NewHistory()
		for n := 1; n < 3000; n++ {
			j := newJob(seed<<16+n, record.OpTune, best)
			j.Parent.ID = id
			if learns {
				j.History = h
			}
			child, res := mustEdit(t, j, best)
			end := agent.End{Operator: record.OpTune, Candidate: record.CandidateID(n), Parent: id}
			switch d := far(best) - far(child); {
			case d > 0:
				best, id, end.Against, end.Improved = child, end.Candidate, 1, true
			case d < 0:
				end.Against = -1
			}
			h.Ended(end, offline.IntentTag(res.Intent))
			if far(best) <= 6 {
				return n
			}
		}
		return 3000
	}
	with, without := 0, 0
	for seed := range 10 {
		with, without = with+steps(seed, true), without+steps(seed, false)
	}
	t.Logf("%d steps with moves, %d without", with/10, without/10)
	if with*3 > 2*without {
		t.Errorf("%d steps with moves, %d without", with/10, without/10)
	}
}

func TestMovesAreReadFromWhatACandidateIsMeantToBe(t *testing.T) {
	for intent, want := range map[string]string{
		"tune 1 literal by 1e-1 in s.py:3: 0.5 -> 0.6":                     "one 1e-1 move:0.5:0.6:s.py:3",
		"tune 1 literal by 1e0 after 3 of its moves in a b.py:3#2: 5 -> 6": "one 1e0 aimed move:5:6:a b.py:3#2",
		"tune 1 literal by 1e-1 in s.go:7: 0x1F -> 0x20":                   "one 1e-1 move:31:32:s.go:7",
		"tune 1 literal by 1e-1 in s.go:7: 1_000 -> (-1_001)":              "one 1e-1 move:1000:-1001:s.go:7",
		"tune 1 literal by 1e-1 in s.css:7: 5px -> 6px":                    "one 1e-1",
		"tune 2 literals by 1e-1 in s.py: 0.5 -> 0.6, 1 -> 2":              "few 1e-1",
		"tune 1 literal by 1e-1 in s.py:3: 0.5 -> 0.6; swap lines 1 and 2": "one 1e-1",
	} {
		if got := offline.IntentTag(intent); got != want {
			t.Errorf("%q: got %q, want %q", intent, got, want)
		}
	}
}

func TestMovesOfLongAgoAreForgotten(t *testing.T) {
	h := agent.NewHistory()
	moved(h, 1, 0, 50, 51, 1)
	moved(h, 2, 0, 50, 52, 1)
	early := h.Clone()
	moved(h, 1+agent.MovesLast, 0, 50, 53, 1)
	moved(h, 2+agent.MovesLast, 0, 50, 54, 1)
	if n := len(early.Moves()); n != 2 {
		t.Errorf("a job of then sees %d moves, want 2", n)
	}
	if m := h.Moves(); len(m) != 3 || m[0].Candidate != 2 || m[0].To != 52 || m[0].Where != "dials.conf:1" {
		t.Errorf("moves %+v", m)
	}
	if c := h.Of("tune", "1e-1"); c.Tries != 4 {
		t.Errorf("steps of 1e-1 were counted as %v tries", c.Tries)
	}
}
