package probe

import (
	"reflect"
	"testing"
)

// scale is a type of which code knows two values.
type scale uint

const (
	linear scale = 7001
	square scale = 7002
)

func TestValuesWithANameAreOftenGiven(t *testing.T) {
	seen := map[scale]int{}
	api := API{
		Types:  []Type{{"scale", reflect.TypeFor[scale]()}},
		Funcs:  []Func{{"f", reflect.ValueOf(func(s scale) scale { seen[s]++; return s })}},
		Values: []Sentinel{{"linear", linear}, {"square", square}, {"other", 7003}},
	}
	named := 0
	for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf("f", 80)}) {
		if a.In == "f(linear)" || a.In == "f(square)" {
			named++
		}
	}
	if seen[linear] < 10 || seen[square] < 10 || seen[7003] > 0 || named != seen[linear]+seen[square] || named > 70 {
		t.Errorf("%d of 80 have a name: %v", named, seen)
	}
}
