package probe

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestASecondObjectIsOftenLikeTheFirst(t *testing.T) {
	lines := map[string]bool{}
	lib := newLibrary(API{Types: []Type{{"wordList", reflect.TypeFor[wordList]()}}, Funcs: []Func{
		{"split", reflect.ValueOf(func(text string) *wordList { lines[text] = true; return &wordList{strings.Fields(text)} })},
	}}, Literals{Strings: []string{"one\ntwo\nthree"}})
	same, shorter := 0, 0
	for seed := range uint64(400) {
		g := &maker{d: seeded(seed), lib: lib, way: &way{}}
		first, _ := g.value(reflect.TypeFor[wordList](), 0)
		second, text := g.value(reflect.TypeFor[*wordList](), 1)
		if a, ok := second.Interface().(*wordList); ok && a != nil && strings.Contains(text, "split") && first.Field(0).Len() == 3 {
			if a.words = slices.Clone(a.words); slices.Equal(a.words, []string{"one", "two", "three"}) {
				same++
			} else if len(a.words) == 2 {
				shorter++
			}
		}
	}
	if same < 8 || shorter < 25 {
		t.Errorf("%d are the same, %d lack one", same, shorter)
	}
}
