package probe

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"
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

// size is written into a buffer.
type size int

var buffer [16]byte

func (s size) Lent() string { return written16(int(s)) }

// length is written into memory of its own.
type length int

func (s length) Own() string { return strings.Clone(written16(int(s))) }

func lentText(n int) string { return written16(n) }

func ownText(n int) string { return strings.Clone(written16(n)) }

// written16 gives a text that lies in the buffer.
func written16(n int) string {
	out := strconv.AppendInt(buffer[:0], int64(uint16(n)), 10)
	return unsafe.String(&out[0], len(out))
}

func TestATextThatLiesInABufferIsSeenToChange(t *testing.T) {
	api := API{
		Types: []Type{{"size", reflect.TypeFor[size]()}, {"length", reflect.TypeFor[length]()}},
		Funcs: []Func{{"lentText", reflect.ValueOf(lentText)}, {"ownText", reflect.ValueOf(ownText)}},
	}
	for group, lent := range map[string]bool{"size.Lent": true, "length.Own": false, "lentText": true, "ownText": false} {
		n := 0
		for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf(group, 200)}) {
			if strings.Contains(a.Out, "what an earlier call gave became another") {
				n++
			}
		}
		if lent != (n > 3) || !lent && n > 0 {
			t.Errorf("of %s it was seen %d times", group, n)
		}
	}
}

func TestAWordIsWrittenInOtherLetters(t *testing.T) {
	for pick, want := range []string{"rrule:FREQ=daily", "RRULE:freq=daily", "RRULE:FREQ=DAILY"} {
		if got := recased("RRULE:FREQ=daily", func(int) int { return pick }); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
