package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"atoll/engine/guard/probe"
	"atoll/engine/sandbox"
)

// answering stands for the processes of a probe in one tree.
type answering struct {
	run func(probe.Request) string // what one says of a request
}

func (a *answering) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	var q probe.Request
	if err := json.Unmarshal(s.Files[requestName], &q); err != nil {
		return sandbox.Result{}, err
	}
	return sandbox.Result{Result: []byte(a.run(q))}, nil
}

// cases are the answers to the first n cases of a group, which does otherwise from one on.
func cases(group string, n, otherwise int) string {
	text := fmt.Sprintf("{\"k\":\"start\",\"g\":%q,\"i\":0,\"p\":1}\n", group)
	for i := range n {
		text += fmt.Sprintf("{\"k\":\"case\",\"g\":%q,\"i\":%d,\"p\":%d,\"in\":\"%d\",\"out\":\"%t\"}\n", group, i, i+1, i, i >= otherwise)
	}
	return text
}

func TestWhatWasComparedWhenTheTimeEndedCounts(t *testing.T) {
	g, err := New(&worker{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	c := &check{g: g, budget: &budget{left: time.Minute}}
	p := pair{
		lost: losses{},
		root: &subject{deaths: 1, box: &answering{func(probe.Request) string { return cases("kit:f", 100, 100) + "{\"k\":\"end\"}\n" }}},
		candidate: &subject{deaths: 1, box: &answering{func(probe.Request) string {
			cancel(errOutOfTime)
			return cases("kit:f", 40, 39)
		}}},
		direct: func(string) bool { return true },
	}
	if _, err := c.survey(ctx, &p, []string{"kit:f", "kit:g"}, true); err == nil || !c.cut(ctx) {
		t.Fatalf("the survey ended with %v", err)
	}
	if c.report.Cases != 39 || c.report.Functions != 1 || !c.report.Compared() {
		t.Errorf("39 of 100 inputs of one function were answered alike, and the report is %+v", c.report)
	}
}

func TestGroupsOfPythonThatDifferAreKnown(t *testing.T) {
	r := Report{Differences: []Difference{{Where: "kit.core.Box.get", group: "kit.core:Box.get"}, {Where: "a.b.C", group: "b.C"}, {Where: "kit/core.py", Kind: Beyond}}}
	for name, want := range map[string][]string{"": {"kit.core:Box.get"}, "a": {"b.C"}, "a.b": nil} {
		if got := r.known(pair{name: name}); !slices.Equal(got, want) {
			t.Errorf("of %q are known %q, want %q", name, got, want)
		}
	}
}

func TestADifferenceIsToldOnce(t *testing.T) {
	same := Difference{Where: "kit.Box.get", Kind: Output, Input: "Box('')", Root: "raises KeyError", Candidate: "raises ValueError"}
	twice, other := same, same
	twice.Where, other.Where, other.Candidate = "kit.Box.put", "kit.Box.drop", "None"
	r := Report{Differences: []Difference{same, twice, other, same}}
	r.reduce()
	if got := r.Where(); !slices.Equal(got, []string{same.Where, other.Where}) || len(r.Differences) != 2 {
		t.Errorf("told are %+v", r.Differences)
	}
}

func TestAChangedMethodIsToldThoughItsInputCallsOneThatDiffers(t *testing.T) {
	add := Difference{Where: "kit.Box.add", Kind: Output, Input: "Box().add('')", Root: "1", Candidate: "2", own: true}
	total := Difference{Where: "kit.Box.total", Kind: Output, Input: "Box().add('ann').total(0)", Root: "0", Candidate: "15", own: true}
	names := Difference{Where: "kit.Box.names", Kind: Output, Input: "Box().add('ann').names()", Root: "[]", Candidate: "['ann']"}
	r := Report{Differences: []Difference{add, total, names}}
	r.reduce()
	if got := r.Where(); !slices.Equal(got, []string{add.Where, total.Where}) {
		t.Errorf("told are %q", got)
	}
}
