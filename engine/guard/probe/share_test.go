package probe

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

type shelf struct{ names []string }

func (s *shelf) Names() []string { return slices.Clone(s.names) }
func (s *shelf) Bare() []string  { return s.names }

func TestResultsThatShareMemoryAreTold(t *testing.T) {
	kept := []string{"a", "b"}
	rows := func(slab []int) func() [][]int {
		return func() [][]int { return [][]int{slab[:1], slab[1:]} }
	}
	s := &shelf{names: []string{"a"}}
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
		{"rows of one piece", rows([]int{1, 2, 3}), nil, "overwrites another"},
		{"the list of a receiver", s.Bare, nil, "writing to the result changes"},
		{"a copy of it", s.Names, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &runner{lib: newLibrary(API{Types: []Type{{"shelf", reflect.TypeFor[shelf]()}}}, Literals{})}
			f := reflect.ValueOf(tt.f)
			out := f.Call(tt.args)
			before := r.show(out)
			look := func() string { return r.after(tt.args) + r.show([]reflect.Value{reflect.ValueOf(s)}) }
			got := r.sharing(out, tt.args, look, func() string { return r.show(f.Call(tt.args)) })
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q in it", got, tt.want)
			}
			if after := r.show(out); after != before || !slices.Equal(kept, []string{"a", "b"}) || s.names[0] != "a" {
				t.Errorf("%s became %s, and %v, %v", before, after, kept, s.names)
			}
		})
	}
}
