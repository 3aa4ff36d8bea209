package guard

import (
	"fmt"
	"slices"
	"testing"

	"atoll/engine/guard/probe"
)

func TestAGroupIsGivenUpWhereMostOfItEndsTheProcess(t *testing.T) {
	const cases = 3000
	for _, c := range []struct {
		name     string
		each     int // one case in so many does not come back
		answered int
	}{
		{"none ends it", 0, cases},
		{"one in three does", 3, 4},
		{"one in three hundred does", 300, cases - 10},
		{"one in a hundred and twenty does, and too many in all", 120, 13 * 119},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(q probe.Request) string {
				text := ""
				for i := q.From; i < cases && !slices.Contains(q.Skip, "f"); i++ {
					if i == q.From {
						text = fmt.Sprintf("{\"k\":\"start\",\"g\":\"f\",\"i\":%d,\"p\":%d}\n", i, i+1)
					}
					if c.each > 0 && i%c.each == c.each-1 {
						return text + fmt.Sprintf("{\"k\":\"stuck\",\"g\":\"f\",\"i\":%d,\"p\":%d}\n", i, i+1)
					}
					text += fmt.Sprintf("{\"k\":\"case\",\"g\":\"f\",\"i\":%d,\"p\":%d,\"in\":\"1\",\"out\":\"1\"}\n", i, i+1)
				}
				return text + "{\"k\":\"end\"}\n"
			}
			s := &subject{deaths: rootDeaths, caseMS: rootCaseMS, box: &answering{run}}
			r, err := s.ask(t.Context(), probe.Request{Mode: probe.Survey, Groups: []string{"f"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.cases) != c.answered {
				t.Errorf("%d cases came back, want %d; given up: %q", len(r.cases), c.answered, r.given)
			}
		})
	}
}

func TestACaseThatWasEndedCountsAsOneThatEndedTheProcessAndTheRestIsAskedAlike(t *testing.T) {
	run := func(q probe.Request) string {
		return `{"k":"start","g":"f","i":0,"p":1}
{"k":"case","g":"f","i":0,"p":1,"in":"1","out":"1"}
{"k":"lost","g":"f","i":1,"p":2}
{"k":"case","g":"f","i":2,"p":3,"in":"1","out":"1"}
{"k":"lost","g":"f","i":3,"p":4}
{"k":"given","g":"f"}
{"k":"start","g":"g","i":0,"p":11}
{"k":"case","g":"g","i":0,"p":11,"in":"1","out":"1"}
{"k":"end"}
`
	}
	s := &subject{deaths: rootDeaths, caseMS: rootCaseMS, box: &answering{run}}
	r, err := s.ask(t.Context(), probe.Request{Mode: probe.Survey, Groups: []string{"f", "g"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.cases) != 3 || r.at[site{"f", 1}] != 2 || r.at[site{"f", 3}] != 4 || !slices.Equal(r.given, []string{"f"}) {
		t.Errorf("%d cases, ended at %v, given up %q", len(r.cases), r.at, r.given)
	}
	if until := r.until([]string{"f", "g"}); len(until) != 1 || until["f"] != 3 {
		t.Errorf("the candidate is asked until %v, want 3 of f and all of g", until)
	}
}
