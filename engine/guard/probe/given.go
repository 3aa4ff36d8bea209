package probe

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// givenTypes are types of a caller's own, and types that the code asks for, that stand behind interfaces which take any value: those with texts of the changed
// code in their tags first, and beside each one whose whole numbers are of a type with methods.
func givenTypes(list []reflect.Type, lits *Literals) []reflect.Type {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b reflect.Type) int { return tellingTags(b, lits) - tellingTags(a, lits) })
	for _, t := range slices.Clone(out) {
		if other := withMethods(t); other != nil && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// tellingTags is how many texts of the changed code the tags of a struct hold.
func tellingTags(t reflect.Type, lits *Literals) int {
	n := 0
	if t.Kind() != reflect.Struct {
		return n
	}
	for i := range t.NumField() {
		for _, s := range lits.NearStrings {
			if s != "" && strings.Contains(string(t.Field(i).Tag), s) {
				n++
			}
		}
	}
	return n
}

// withMethods is a struct whose whole numbers are lengths of time; nil where it has none, or fields that nobody else may have.
func withMethods(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || t.PkgPath() != "" {
		return nil
	}
	var fields []reflect.StructField
	changed := false
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			return nil
		}
		if k := f.Type.Kind(); f.Type.PkgPath() == "" && (k == reflect.Int || k == reflect.Int64) {
			f.Type, changed = reflect.TypeFor[time.Duration](), true
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
	}
	if !changed {
		return nil
	}
	return reflect.StructOf(fields)
}

// callersType is by chance one of those types, or a pointer to one.
func callersType(g *maker, depth int) (reflect.Type, bool) {
	list := g.lib.given
	if len(list) == 0 || depth > simpleAny {
		return nil, false
	}
	if g.d.aim != nil {
		g.d.force(0)
	}
	if !g.d.chance(8) {
		return nil, false
	}
	t := list[g.d.n(len(list))]
	if g.callers != nil && g.d.n(2) == 1 { // what joins or compares two values has two of one type
		t = g.callers
	}
	g.callers = t
	if t.Kind() == reflect.Struct && g.d.chance(6) {
		t = reflect.PointerTo(t)
	}
	return t, true
}
