package probe

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type shelf struct {
	names []string
	table map[string]int
	label *label
}

type label struct{ Text string }

func (s *shelf) Table() map[string]int { return s.table }
func (s *shelf) Label() *label         { return s.label }

func (s *shelf) Names() []string { return slices.Clone(s.names) }
func (s *shelf) Bare() []string  { return s.names }

func TestResultsThatShareMemoryAreTold(t *testing.T) {
	kept := []string{"a", "b"}
	rows := func(slab []int) func() [][]int {
		return func() [][]int { return [][]int{slab[:1], slab[1:]} }
	}
	s := &shelf{names: []string{"a"}, table: map[string]int{"a": 1}, label: &label{"x"}}
	for _, tt := range []struct {
		name string
		f    any
		args []reflect.Value
		want string
	}{
		{"a new list", func() []string { return []string{"a", "b"} }, nil, ""},
		{"a list that the package keeps", func() []string { return kept }, nil, `asked again after the result was written to: ["a~" "b~"]`},
		{"an argument", func(b []byte) []byte { return b[:1] }, []reflect.Value{reflect.ValueOf([]byte("xyz"))}, "writing to the result changes"},
		{"a copy of an argument", slices.Clone[[]byte], []reflect.Value{reflect.ValueOf([]byte("xyz"))}, ""},
		{"an argument of any type", func(v any) any { return v }, []reflect.Value{reflect.ValueOf(new(any([]any{1, "a"}))).Elem()}, "writing to the result changes"},
		{"a copy of one", func(v any) []any { return slices.Clone(v.([]any)) }, []reflect.Value{reflect.ValueOf(new(any([]any{1, "a"}))).Elem()}, ""},
		{"a list in a table of the result", func(v []any) map[string]any { return map[string]any{"a": v} }, []reflect.Value{reflect.ValueOf([]any{1})}, "writing to the result changes"},
		{"a copy of one there", func(v []any) map[string]any { return map[string]any{"a": slices.Clone(v)} }, []reflect.Value{reflect.ValueOf([]any{1})}, ""},
		{"two arguments that have one list", func(a, b *label) {}, []reflect.Value{reflect.ValueOf(s.label), reflect.ValueOf(s.label)}, "writing to one argument changes another"},
		{"rows of one piece", rows([]int{1, 2, 3}), nil, "overwrites another"},
		{"the list of a receiver", s.Bare, nil, "writing to the result changes"},
		{"a copy of it", s.Names, nil, ""},
		{"the table of a receiver", s.Table, nil, "writing to the result changes"},
		{"a copy of a table", func() map[string]int { return maps.Clone(s.table) }, nil, ""},
		{"what a receiver has behind a pointer", s.Label, nil, "writing to the result changes"},
		{"a copy of that", func() *label { l := *s.label; return &l }, nil, ""},
		{"a list that it was given before", func([]string) int { return 0 }, []reflect.Value{reflect.ValueOf(s.names)}, "writing to what it was given changes"},
		{"one that it was given and copied", func([]string) int { return 0 }, []reflect.Value{reflect.ValueOf([]string{"b"})}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &runner{lib: newLibrary(API{Types: []Type{{"shelf", reflect.TypeFor[shelf]()}, {"label", reflect.TypeFor[label]()}}}, Literals{})}
			f := reflect.ValueOf(tt.f)
			out := f.Call(tt.args)
			before := r.show(out)
			keeps := func() string { return fmt.Sprint(s.names, s.table, *s.label) }
			look := func() string { return r.after(tt.args) + keeps() }
			got := r.sharing(out, tt.args, look, keeps, func() string { return r.show(f.Call(tt.args)) })
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q in it", got, tt.want)
			}
			if after := r.show(out); after != before || !slices.Equal(kept, []string{"a", "b"}) || keeps() != "[a] map[a:1] {x}" {
				t.Errorf("%s became %s, and %v, %v", before, after, kept, s.names)
			}
		})
	}
}

type holder struct{ Words []string }

func TestListsOfTheCallerThatACallWritesToAreToldWhateverIsPutInTheirPlace(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func(*holder)
		want bool
	}{
		{"written to and exchanged for a part", func(h *holder) { h.Words = append(h.Words[:0], h.Words[1:]...) }, true},
		{"exchanged for a new one", func(h *holder) { h.Words = append([]string(nil), h.Words[1:]...) }, false},
		{"looked at", func(h *holder) { _ = len(h.Words) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &runner{lib: newLibrary(API{Types: []Type{{"holder", reflect.TypeFor[holder]()}}}, Literals{})}
			h := &holder{[]string{"a", "b", "c"}}
			wrote := r.lists([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(h)})
			tt.call(h)
			if got := wrote(); (got != "") != tt.want {
				t.Errorf("told %q", got)
			}
		})
	}
}
