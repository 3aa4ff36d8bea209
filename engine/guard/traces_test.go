package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/engine/guard/probe"
	"atoll/engine/sandbox"
)

// behindOthers stands for a tree in which the last of ten cases is answered otherwise behind some of the others.
func behindOthers(q probe.Request, leaves ...int) string {
	list := q.Cases
	if q.Mode == probe.Survey {
		for i := range 10 {
			list = append(list, probe.Case{Group: "f", Index: i})
		}
	}
	var ran []int
	var told strings.Builder
	for n, c := range list {
		differs := c.Index == 9 && len(leaves) > 0 && !slices.ContainsFunc(leaves, func(i int) bool { return !slices.Contains(ran, i) })
		ran = append(ran, c.Index)
		if !c.Mute {
			fmt.Fprintf(&told, "{\"k\":\"case\",\"g\":\"f\",\"i\":%d,\"p\":%d,\"in\":\"f(%d)\",\"out\":\"%t\"}\n", n, n+1, c.Index, differs)
		}
	}
	return told.String() + "{\"k\":\"end\"}\n"
}

// twoTrees runs the processes of a root and of a candidate, by the first of their variables.
type twoTrees map[string][]int

func (trees twoTrees) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	var q probe.Request
	if err := json.Unmarshal(s.Files[requestName], &q); err != nil {
		return sandbox.Result{}, err
	}
	return sandbox.Result{Result: []byte(behindOthers(q, trees[s.Env[0]]...))}, nil
}

func TestACallThatLeavesSomethingBehindIsToldWithTheNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		root, candidate []int // behind which cases the last one is answered otherwise
		want            string
	}{
		{"one call", nil, []int{4}, "f(4), and then f(9)"},
		{"two calls, one of them the first", nil, []int{0, 6}, "f(0), f(6), and then f(9)"},
		{"many calls", nil, []int{0, 2, 5, 8}, "4 other calls, and then f(9)"},
		{"the root leaves the same", []int{4}, []int{4}, ""},
		{"the root leaves something and the candidate nothing", []int{4}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := New(&worker{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			ch := &check{g: g, budget: &budget{left: time.Minute, box: twoTrees{"root": c.root, "candidate": c.candidate}}}
			tree := func(name string) *subject {
				return &subject{deaths: 1, box: ch.budget, spec: sandbox.Spec{Env: []string{name}}}
			}
			p := pair{lost: losses{}, root: tree("root"), candidate: tree("candidate"), direct: func(string) bool { return true }}
			if _, err := ch.survey(t.Context(), &p, []string{"f"}, false); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, d := range ch.report.Differences {
				got += d.Input
			}
			if got != c.want {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}

func TestGroupsWhoseLargeNumbersEndTheProcessAreAskedWithSmallOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		wild  []string // groups that end the process while their numbers are large
		tamed []string
	}{
		{"none ends it", nil, nil},
		{"one does", []string{"f"}, []string{"f"}},
		{"all do", []string{"f", "g", "h"}, []string{"f", "g", "h"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := []string{"f", "g", "h"}
			run := func(q probe.Request) string {
				text := ""
				for at, group := range of {
					text += fmt.Sprintf("{\"k\":\"start\",\"g\":%q,\"i\":0,\"p\":%d}\n", group, 100*at+1)
					for i := range 100 {
						position := 100*at + 1 + i
						if slices.Contains(q.Skip, group) || position <= q.From {
							continue
						}
						if slices.Contains(c.wild, group) && !slices.Contains(q.Tame, group) {
							return text + fmt.Sprintf("{\"k\":\"stuck\",\"g\":%q,\"i\":%d,\"p\":%d}\n", group, i, position)
						}
						text += fmt.Sprintf("{\"k\":\"case\",\"g\":%q,\"i\":%d,\"p\":%d,\"in\":\"1\",\"out\":\"1\"}\n", group, i, position)
					}
				}
				return text + "{\"k\":\"end\"}\n"
			}
			p := pair{}
			s := &subject{deaths: hastyDeaths, hasty: rootHastyMS, tames: true, caseMS: rootCaseMS, box: &answering{run}}
			r, err := p.tamed(t.Context(), s, true, &probe.Request{Mode: probe.Survey, Groups: of})
			if err != nil || len(r.cases) != 300 || !slices.Equal(p.habits.Tame, c.tamed) {
				t.Errorf("%v: %d cases were answered, and %q have small numbers, want 300 and %q", err, len(r.cases), p.habits.Tame, c.tamed)
			}
		})
	}
}
