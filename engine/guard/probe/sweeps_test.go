package probe

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestRoundNumbersAreTriedInTurnBesideALongList(t *testing.T) {
	wrong := 0
	list := func(data []float64, percent float64) int {
		n := float64(len(data))
		at := int(math.Ceil(n * percent / 100))
		if len(data) > 0 && percent <= 100 && percent == math.Trunc(percent) && int(math.Ceil(percent/100*n)) != at {
			wrong++
		}
		return at
	}
	api := API{Funcs: []Func{{"rank", reflect.ValueOf(list)}}}
	answers := mustAnswer(t, api, Request{Mode: Survey, Count: 4000})
	if wrong < 5 {
		t.Errorf("%d inputs are rounded in another way", wrong)
	}
	last := answers[len(answers)-2]
	var choices []uint64
	var in string
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Count: 4000, Cases: []Case{{Group: "rank", Index: last.Index}}}) {
		if a.Kind == AnswerCase {
			choices, in = a.Choices, a.In
		}
	}
	if !strings.HasSuffix(in, ", 1)") || strings.Count(in, ",") < fewestItems {
		t.Errorf("the last step is %s", in)
	}
	if !slices.ContainsFunc(mustAnswer(t, api, Request{Mode: Detail, Cases: []Case{{Group: "rank", Choices: choices}}}), func(a Answer) bool { return a.In == in }) {
		t.Errorf("%s is not made again by its choices", in)
	}
}
