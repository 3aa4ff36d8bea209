package probe

import (
	"reflect"
	"testing"
)

func TestTheTagsOfAStructMoveOnToOtherFields(t *testing.T) {
	t.Parallel()
	type T = struct {
		A string `as:"a"`
		B struct {
			C *int `as:",omitempty"`
			D int  `as:"d"`
		} `as:"b"`
	}
	out := retagged(reflect.TypeFor[T](), 1)
	if out == nil || out.Field(0).Tag != `as:"b"` || out.Field(1).Tag != `as:",omitempty"` || out.Field(1).Type.Field(0).Tag != `as:"d"` || out.Field(1).Type.Field(1).Tag != `as:"a"` {
		t.Error(out)
	}
	for name, same := range map[string]reflect.Type{
		"one tag": reflect.TypeFor[struct{ A int }](),
		"as often as there are fields": reflect.TypeFor[struct {
			A int `as:"a"`
			B int `as:"b"`
		}](),
		"no struct":       reflect.TypeFor[int](),
		"one with a name": reflect.TypeFor[place](),
		"a field of its own": reflect.TypeFor[struct {
			a int `as:"a"`
		}](),
	} {
		if out := retagged(same, 2); out != nil {
			t.Errorf("%s: %v", name, out)
		}
	}
}
