package probe

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

type every int

type timetable struct {
	Every       every
	Count, Skip int
	Days        []int
	From        time.Time
}

func TestStructsAreFilledAsTheSourcesDo(t *testing.T) {
	word, count, one, two := "Weekly", int64(4), int64(1), int64(-3)
	api := API{
		Funcs:  []Func{{"next", reflect.ValueOf(func(p timetable) int { return p.Count })}},
		Types:  []Type{{"timetable", reflect.TypeFor[timetable]()}},
		Values: []Sentinel{{"Weekly", every(7)}},
	}
	q := Request{Mode: Detail, Literals: Literals{Records: []Record{{Type: "timetable", Fields: []Field{
		{Name: "Every", Values: Tuple{{Name: &word}}},
		{Name: "Count", Values: Tuple{{Int: &count}}},
		{Name: "Days", Values: Tuple{{Int: &one}, {Int: &two}}, List: true},
		{Name: "From"},
	}}}}}
	for i := range 80 {
		q.Cases = append(q.Cases, Case{Group: "next", Index: i})
	}
	found := map[string]bool{}
	for _, a := range mustAnswer(t, api, q) {
		for _, want := range []string{"Every: every(7), Count: 4, Days: []int{1, -3}", "From: time", "[]int{1, 1, -3}", "[]int{-3, 1}"} {
			if strings.Contains(a.In, want) {
				found[want] = true
			}
		}
	}
	if len(found) < 3 {
		t.Errorf("of what the sources have there was only %v", found)
	}
}

func TestWhatIsDearIsAskedLess(t *testing.T) {
	busy := func(n int) int {
		for end := processorTime() + 5*time.Millisecond; processorTime() < end; {
			n++
		}
		return 0
	}
	api := API{Funcs: []Func{{"busy", reflect.ValueOf(busy)}, {"half", reflect.ValueOf(half)}}}
	for _, mode := range []string{Survey, Explore} {
		asked := map[string]int{}
		last := ""
		for _, a := range mustAnswer(t, api, Request{Mode: mode, Count: 100, Groups: []string{"busy", "half"}, Close: []string{"half"}, GroupMS: 20}) {
			if a.Kind == AnswerCase {
				asked[a.Group]++
			}
			if a.Kind == AnswerStart {
				last = a.Group
			}
		}
		if mode == Survey && (asked["busy"] == 0 || asked["busy"] > 50 || asked["half"] != CloseFactor*100) || last != "busy" {
			t.Errorf("%s: asked %v, last %s", mode, asked, last)
		}
	}
}
