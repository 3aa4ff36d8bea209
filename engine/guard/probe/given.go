package probe

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// optionKinds are the types of the fields on which an option in a tag may do something else.
var optionKinds = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[bool](), reflect.TypeFor[float64](), reflect.TypeFor[time.Time](), reflect.TypeFor[any](),
	reflect.TypeFor[*string](), reflect.TypeFor[*int](), reflect.TypeFor[*bool](), reflect.TypeFor[*time.Time](), reflect.TypeFor[[]string](), reflect.TypeFor[[2]int](),
	reflect.TypeFor[*[]string](), reflect.TypeFor[map[string]int](), reflect.TypeFor[struct{ X, Y int }](), reflect.TypeFor[*struct{ X, Y int }](),
}

// mostOptions is how many tags are given to a field of each of those types, each with other options than those before it.
const mostOptions = 8

// optionTypes are structs of one field, one of each kind for each of the first tags of some types that have an option (`as:"name,omitempty"`).
func optionTypes(list []reflect.Type) (out []reflect.Type) {
	var all, tags []reflect.StructTag
	for _, t := range list {
		tagsOf(t, 0, &all)
	}
	slices.SortStableFunc(all, func(a, b reflect.StructTag) int { return omitting(b) - omitting(a) })
	known := map[string]bool{"": true}
	for _, tag := range all {
		if _, options, _ := strings.Cut(string(tag), ","); !known[options] {
			known[options] = true
			tags = append(tags, tag)
		}
	}
	for _, tag := range tags[:min(len(tags), mostOptions)] {
		for _, kind := range optionKinds {
			out = append(out, reflect.StructOf([]reflect.StructField{{Name: "V", Type: kind, Tag: tag}}))
		}
	}
	return out
}

// omitting is 1 for a tag with the option that most libraries have, which looks at each kind of field in a way of its own.
func omitting(tag reflect.StructTag) int {
	if strings.Contains(string(tag), "omit") {
		return 1
	}
	return 0
}

// givenTypes are types of a caller's own, and types that the code asks for, that stand behind interfaces which take any value: those with texts of the changed
// code in their tags first, and beside each one whose whole numbers are of a type with methods.
func givenTypes(list []reflect.Type, lits *Literals) []reflect.Type {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b reflect.Type) int { return tellingTags(b, lits) - tellingTags(a, lits) })
	options := optionTypes(out)
	for i, t := range slices.Clone(out) {
		others := []reflect.Type{withMethods(t)}
		if i < mostRetagged {
			others = append(others, retagged(t, 1), retagged(t, 2))
		}
		for _, other := range others {
			if other != nil && !slices.Contains(out, other) {
				out = append(out, other)
			}
		}
	}
	return append(out, options...)
}

// mostRetagged is how many types have their tags moved on.
const mostRetagged = 8

// retagged is a struct whose fields, with those of structs within it, each have the tag of the field so many behind it: what
// an option in a tag does hangs on the kind of the field. It is nil where nothing changes, or a field cannot be made anew.
func retagged(t reflect.Type, by int) reflect.Type {
	var tags []reflect.StructTag
	if !tagsOf(t, 0, &tags) || len(tags) == 0 {
		return nil
	}
	next := by
	out := movedOn(t, tags, &next)
	if out == t {
		return nil
	}
	return out
}

// tagsOf are the tags of a struct without a name, each before those of the struct that its field is. It reports false where another has to be made
// otherwise: it has fields that are embedded or that nobody else may have.
func tagsOf(t reflect.Type, depth int, tags *[]reflect.StructTag) bool {
	if t.Kind() != reflect.Struct || t.PkgPath() != "" {
		return depth > 0
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Anonymous {
			return false
		}
		if *tags = append(*tags, f.Tag); !tagsOf(f.Type, depth+1, tags) {
			return false
		}
	}
	return true
}

// movedOn is the type with tags from number next on, which it counts up.
func movedOn(t reflect.Type, tags []reflect.StructTag, next *int) reflect.Type {
	if t.Kind() != reflect.Struct || t.PkgPath() != "" {
		return t
	}
	fields := make([]reflect.StructField, t.NumField())
	for i := range fields {
		tag := tags[*next%len(tags)]
		*next++
		f := t.Field(i)
		fields[i] = reflect.StructField{Name: f.Name, Type: movedOn(f.Type, tags, next), Tag: tag}
	}
	return reflect.StructOf(fields)
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
