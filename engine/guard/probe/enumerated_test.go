package probe

import (
	"reflect"
	"strings"
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

// unit is a type of which callers know two values, and no name.
type unit int

func (u unit) Less(other int) bool { return int(u) < other }

// below is what a unit is handed to.
type below interface{ Less(other int) bool }

func TestMethodsOfAHiddenTypeAreAskedOfTheValuesThatHaveAName(t *testing.T) {
	held := map[any]int{}
	api := API{
		Types:  []Type{{"below", reflect.TypeFor[below]()}},
		Funcs:  []Func{{"f", reflect.ValueOf(func(o below) bool { held[o]++; return o.Less(3) })}},
		Values: []Sentinel{{"Small", unit(2)}, {"Large", unit(7)}},
	}
	asked := map[string]bool{}
	for _, group := range []string{"f", "unit.Less"} {
		for _, a := range mustAnswer(t, api, Request{Mode: Detail, Cases: casesOf(group, 60)}) {
			asked[strings.SplitAfter(a.In, "; ")[0]] = true
		}
	}
	if held[unit(2)] == 0 || held[unit(7)] == 0 || !asked["x := Small; "] || !asked["x := Large; "] {
		t.Errorf("f got %v, and methods were asked of %v", held, asked)
	}
}
