package guard

import (
	"testing"

	"atoll/engine/guard/probe"
)

func TestResultsAreComparedWhereTheRestOfAnAnswerIsDrawn(t *testing.T) {
	at := site{"kit:f", 0}
	says := func(out, results string) *reply {
		r := newReply()
		r.cases[at] = probe.Answer{In: "f(1)", Out: out, Results: results}
		return r
	}
	for _, c := range []struct {
		name                     string
		first, second, candidate *reply
		compared, suspects       int
	}{
		{"all is the same", says("1; x 7", "1"), says("1; x 7", "1"), says("1; x 7", "1"), 1, 0},
		{"what is left behind differs", says("1; x 7", "1"), says("1; x 7", "1"), says("1; x 8", "1"), 1, 1},
		{"that is drawn, and the candidate gives the same", says("1; x 7", "1"), says("1; x 8", "1"), says("1; x 9", "1"), 1, 0},
		{"that is drawn, and the candidate gives something else", says("1; x 7", "1"), says("1; x 8", "1"), says("2; x 9", "2"), 1, 1},
		{"that is drawn, and the candidate ends in a panic", says("1; x 7", "1"), says("1; x 8", "1"), says("panic: no", ""), 1, 1},
		{"all is drawn", says("1; x 7", "1"), says("2; x 8", "2"), says("3; x 9", "3"), 0, 0},
		{"all that there is is drawn", says("1", ""), says("2", ""), says("3", ""), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tally(c.first, c.second, c.candidate)
			if got.compared != c.compared || len(got.suspects["kit:f"]) != c.suspects {
				t.Errorf("%d were compared and %d differ, want %d and %d", got.compared, len(got.suspects["kit:f"]), c.compared, c.suspects)
			}
		})
	}
}
