package probe

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func openNotebook(path string) (*notebook, error) { return nil, errors.New("no " + path) }

// listed keeps its words in the order of a map.
func listed(words map[string]bool) *wordList {
	l := &wordList{}
	for w := range words {
		l.words = append(l.words, w)
	}
	return l
}

type wordList struct{ words []string }

func (l *wordList) Words() []string { return l.words }

// learnt are the functions of which a survey tells something of a kind.
func learnt(t *testing.T, api API, count int, kind string) (out []string) {
	t.Helper()
	for _, a := range mustAnswer(t, api, Request{Mode: Survey, Count: count}) {
		if a.Kind == kind {
			out = append(out, a.Group)
		}
	}
	return out
}

func TestValuesSeldomComeFromAFunctionThatGivesNone(t *testing.T) {
	api := API{Types: []Type{{"notebook", reflect.TypeFor[notebook]()}}, Funcs: []Func{
		{"newNotebook", reflect.ValueOf(newNotebook)}, {"openNotebook", reflect.ValueOf(openNotebook)},
	}}
	barren := learnt(t, api, 60, AnswerBarren)
	if len(barren) != 1 || barren[0] != "openNotebook" {
		t.Fatalf("learnt of %q", barren)
	}
	made := func(habits Habits) (n int) {
		for _, a := range mustAnswer(t, api, Request{Mode: Detail, Habits: habits, Cases: casesOf("notebook.Remark", 60)}) {
			if strings.HasPrefix(a.In, "x := *newNotebook()") {
				n++
			}
		}
		return n
	}
	before, after := made(Habits{}), made(Habits{Barren: barren})
	if before > 45 || after < 50 || after == 60 {
		t.Errorf("of 60 cases %d have an object, and %d once that is known", before, after)
	}
}

func TestValuesSeldomComeFromAFunctionThatGivesThemInNoOrder(t *testing.T) {
	api := API{Types: []Type{{"wordList", reflect.TypeFor[wordList]()}}, Funcs: []Func{
		{"listed", reflect.ValueOf(listed)}, {"split", reflect.ValueOf(func(text string) *wordList { return &wordList{strings.Fields(text)} })},
	}}
	barren := learnt(t, api, 60, AnswerBarren)
	if len(barren) != 1 || barren[0] != "listed" {
		t.Errorf("learnt of %q", barren)
	}
}

func TestFewerValuesComeFromAFunctionThatGivesWhatLooksTheSame(t *testing.T) {
	api := API{Types: []Type{{"wordList", reflect.TypeFor[wordList]()}}, Funcs: []Func{
		{"blank", reflect.ValueOf(func(string) *wordList { return &wordList{} })},
		{"empty", reflect.ValueOf(func() *wordList { return &wordList{} })},
		{"split", reflect.ValueOf(func(text string) *wordList { return &wordList{strings.Fields(text)} })},
	}}
	dull := learnt(t, api, 200, AnswerDull)
	if !slices.Equal(dull, []string{"blank"}) {
		t.Fatalf("learnt of %q", dull)
	}
	made := func(habits Habits) (n int) {
		for _, a := range mustAnswer(t, api, Request{Mode: Detail, Habits: habits, Cases: casesOf("wordList.Words", 90)}) {
			if strings.HasPrefix(a.In, "x := *blank(") {
				n++
			}
		}
		return n
	}
	if before, after := made(Habits{}), made(Habits{Dull: dull}); before < 20 || after > before*2/3 || after < 5 {
		t.Errorf("%d of 90 are blank, and %d once that is known", before, after)
	}
}
