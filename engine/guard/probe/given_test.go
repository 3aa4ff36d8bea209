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

func TestAnOptionInATagStandsAtFieldsOfEachKind(t *testing.T) {
	t.Parallel()
	list := givenTypes([]reflect.Type{reflect.TypeFor[struct {
		A string `as:"a"`
		B int    `as:"b,omitempty"`
	}](), reflect.TypeFor[int]()}, &Literals{})
	kinds := map[reflect.Type]bool{}
	for _, of := range list {
		if of.Kind() == reflect.Struct && of.NumField() == 1 && of.Field(0).Tag == `as:"b,omitempty"` {
			kinds[of.Field(0).Type] = true
		}
	}
	if len(kinds) != len(optionKinds) {
		t.Errorf("%d kinds of fields have the option, of %d: %v", len(kinds), len(optionKinds), list)
	}
}
