package probe

import (
	"reflect"
	"strings"
	"testing"
)

// firstWord gives what answers with the word that it heard first.
func firstWord(sign string) func(word string) string {
	first := ""
	return func(word string) string {
		if first == "" {
			first = word
		}
		return sign + first
	}
}

func TestAFunctionThatAFunctionGivesIsCalledSeveralTimes(t *testing.T) {
	api := API{Funcs: []Func{{"firstWord", reflect.ValueOf(firstWord)}}}
	several := 0
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf("firstWord", 60)}) {
		if a.Kind != AnswerCase {
			continue
		}
		calls := strings.Split(a.In, "; it(")[1:]
		told := strings.Split(a.Out, "; ")[1:]
		if len(calls) == 0 || len(told) < len(calls) {
			t.Fatalf("%s told %s", a.In, a.Out)
		}
		if len(calls) > 1 && calls[0] != calls[1] && told[0] == told[1] {
			several++
		}
	}
	if several < 5 {
		t.Errorf("in %d cases of 60 a call shows what an earlier one left", several)
	}
}
