package probe

import (
	"reflect"
	"strings"
	"testing"
)

// nameList gives its names; one that is thrifty uses their memory again.
type nameList struct {
	names   []string
	thrifty bool
}

func (s *nameList) Names() []string { return s.names }

func (s *nameList) Fill(a, b string) {
	if !s.thrifty {
		s.names = nil
	}
	s.names = append(s.names[:0], a, b)
}

func newNameList(thrifty bool) *nameList { return &nameList{thrifty: thrifty} }

func TestWhatACallGaveIsLookedAtAgainBehindLaterCalls(t *testing.T) {
	api := API{Types: []Type{{"nameList", reflect.TypeFor[nameList]()}}, Funcs: []Func{{"newNameList", reflect.ValueOf(newNameList)}}}
	told := map[bool]int{}
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf("nameList.Fill", 400)}) {
		if strings.Contains(a.Out, "what an earlier call gave became another") {
			told[strings.Contains(a.In, "newNameList(true)")]++
		}
	}
	if told[true] < 5 || told[false] > 0 {
		t.Errorf("told of %d that are thrifty and of %d others", told[true], told[false])
	}
}

func TestAWordIsWrittenInOtherLetters(t *testing.T) {
	for pick, want := range []string{"rrule:FREQ=daily", "RRULE:freq=daily", "RRULE:FREQ=DAILY"} {
		if got := recased("RRULE:FREQ=daily", func(int) int { return pick }); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
