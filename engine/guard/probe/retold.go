package probe

import (
	"fmt"
	"reflect"
	"slices"
)

// Beside literals a play exchanges how often a call is made, what a list of the test holds, and what a struct of the package that
// the test writes does not set.

// often stands in the place of the one time that a call is made.
type often int

// A listEdit changes a list: see its kinds.
type listEdit struct{ kind, i, j int }

const (
	itemLeftOut = iota
	itemTwice
	itemBeforeOther // it changes places with another
	itemsBackwards
	itemAgainAtEnd
	itemsGone
	listEdits
)

// A fieldEdit sets a field.
type fieldEdit struct {
	field int
	value reflect.Value
}

// RegisterCall says what the call of that number is and where it stands.
func RegisterCall(n int, at, name string) {
	registerPart(n, testLiteral{at: at, value: reflect.ValueOf(often(1)), name: name})
}

// RegisterList says where the list of that number stands, and which type it has.
func RegisterList(n int, at string, list any, items int) {
	registerPart(n, testLiteral{at: at, value: reflect.ValueOf(list), items: items})
}

// RegisterFields says where the struct of that number stands. Fields that the test sets are named.
func RegisterFields(n int, at string, zero any, set ...string) {
	registerPart(n, testLiteral{at: at, value: reflect.ValueOf(zero), set: set})
}

// Often is how often a call is made.
func Often(n int) int {
	if o, ok := stage.now[n]; ok {
		return int(o.Int())
	}
	return 1
}

// List is what stands in the place of a list.
func List[S ~[]E, E any](n int, list S) S {
	o, ok := stage.now[n]
	if !ok {
		return list
	}
	e := o.Interface().(listEdit)
	list = slices.Clone(list)
	if len(list) == 0 {
		return list
	}
	i, j := e.i%len(list), e.j%len(list)
	switch e.kind {
	case itemLeftOut:
		return slices.Delete(list, i, i+1)
	case itemTwice:
		return slices.Insert(list, i, list[i])
	case itemBeforeOther:
		list[i], list[j] = list[j], list[i]
	case itemsBackwards:
		slices.Reverse(list)
	case itemAgainAtEnd:
		return append(list, list[i])
	case itemsGone:
		return list[:0]
	}
	return list
}

// Fields is what stands in the place of a struct or of a pointer to one.
func Fields[T any](n int, x T) T {
	o, ok := stage.now[n]
	if !ok {
		return x
	}
	e := o.Interface().(fieldEdit)
	v := reflect.ValueOf(&x).Elem()
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	v.Field(e.field).Set(e.value)
	return x
}

// retold draws what stands in the place of a part that is no literal, and writes it; ok is false for a literal, and v is not valid
// where nothing changes.
func (l testLiteral) retold(m *maker) (v reflect.Value, text string, ok bool) {
	switch {
	case l.name != "":
		n := []int{2, 0, 3, 2, 0, 2 + m.d.n(mostOften)}[m.d.n(6)]
		return reflect.ValueOf(often(n)), fmt.Sprintf(", with %s %d times (%s)", l.name, n, l.at), true
	case l.items > 0:
		e := listEdit{m.d.n(listEdits), m.d.n(l.items), m.d.n(l.items)}
		if e.kind == itemBeforeOther && e.i == e.j {
			return reflect.Value{}, "", true
		}
		return reflect.ValueOf(e), ", with " + e.String() + " (" + l.at + ")", true
	case l.value.Kind() == reflect.Struct:
		return l.filled(m)
	}
	return reflect.Value{}, "", false
}

// String says what becomes of a list.
func (e listEdit) String() string {
	switch e.kind {
	case itemLeftOut:
		return fmt.Sprintf("item %d left out of the list", e.i+1)
	case itemTwice:
		return fmt.Sprintf("item %d of the list twice", e.i+1)
	case itemBeforeOther:
		return fmt.Sprintf("items %d and %d of the list exchanged", e.i+1, e.j+1)
	case itemsBackwards:
		return "the list backwards"
	case itemAgainAtEnd:
		return fmt.Sprintf("item %d of the list once more at its end", e.i+1)
	}
	return "an empty list"
}

// filled sets a field that the test leaves alone.
func (l testLiteral) filled(m *maker) (reflect.Value, string, bool) {
	t := l.value.Type()
	var free []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !slices.Contains(l.set, f.Name) && plainField(f.Type) {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return reflect.Value{}, "", true
	}
	i := free[m.d.n(len(free))]
	v := reflect.New(t.Field(i).Type).Elem()
	if v.Kind() == reflect.Bool {
		v.SetBool(true)
	} else {
		v = drawn(m, v.Type())
	}
	return reflect.ValueOf(fieldEdit{i, v}), fmt.Sprintf(", with %s: %s in %s (%s)", t.Field(i).Name, constantText(v), typeName(t), l.at), true
}

// plainField reports a number, a text or a truth.
func plainField(t reflect.Type) bool {
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uintptr || t.Kind() == reflect.String
}
