package probe

import (
	"reflect"
	"strings"
	"time"
)

// library is what inputs are made of: the package's types, the functions that
// make them, and literals.
type library struct {
	api     API
	lits    Literals
	edges   *edges
	byType  map[reflect.Type]bool
	makers  map[reflect.Type][]Func // functions whose first result is the type, or a pointer to it
	givers  map[reflect.Type][]Func // functions whose first result is a list of the type
	module  string                  // path that the package's types share
	lists   map[reflect.Type][][]reflect.Value
	filled  map[reflect.Type]bool // see fills
	records map[reflect.Type][]map[string]Field
	given   []reflect.Type // see givenTypes
	lenders map[reflect.Type][]lender
	orders  orders
	barren  barren
	named   map[reflect.Type][]Sentinel // see enumerated
	waited  time.Duration               // for channels that did not end
	told    int                         // bytes of the values that a case has told
}

func newLibrary(api API, lits Literals) *library {
	l := &library{api: api, lits: lits, edges: newEdges(&lits), byType: map[reflect.Type]bool{}, makers: map[reflect.Type][]Func{}, givers: map[reflect.Type][]Func{}, lists: map[reflect.Type][][]reflect.Value{}, filled: map[reflect.Type]bool{}, records: map[reflect.Type][]map[string]Field{}, named: map[reflect.Type][]Sentinel{}}
	l.given = givenTypes(api.Given, &l.lits)
	for _, t := range api.Types {
		l.byType[t.Type] = true
		if l.module == "" {
			l.module = t.Type.PkgPath()
		}
	}
	for _, t := range l.hidden() {
		l.byType[t.Type] = true
		l.api.Types = append(l.api.Types, t)
	}
	for _, f := range api.Funcs {
		t := f.Value.Type()
		if t.NumOut() == 0 || t.NumOut() > 2 || t.NumIn() > 5 {
			continue
		}
		out := t.Out(0)
		if out.Kind() == reflect.Pointer {
			out = out.Elem()
		}
		if l.byType[out] || l.option(out) {
			l.makers[out] = append(l.makers[out], f)
		}
		if of := element(out); of != nil && l.byType[of] {
			l.givers[of] = append(l.givers[of], f)
		}
	}
	l.lenders = l.lendersOf()
	return l
}

// element is the type of which a list holds values, or pointers to them; nil for what is no list.
func element(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Slice {
		return nil
	}
	if t = t.Elem(); t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// option reports a function, of a type of the package or of none, that sets one of its structs up.
func (l *library) option(t reflect.Type) bool {
	if t.Kind() != reflect.Func || t.Name() != "" && !l.ours(t) || t.NumIn() != 1 || t.NumOut() > 1 {
		return false
	}
	of := t.In(0)
	return of.Kind() == reflect.Pointer && of.Elem().Kind() == reflect.Struct && l.ours(of.Elem()) && (t.NumOut() == 0 || t.Out(0) == reflect.TypeFor[error]())
}

// opaque reports a struct with fields that only its package may set.
func opaque(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// ours reports a type of the package under test.
func (l *library) ours(t reflect.Type) bool {
	return t.PkgPath() != "" && (l.byType[t] || t.PkgPath() == l.module)
}

// implementers are the package's types that an interface value can hold, as
// they are or behind a pointer.
func (l *library) implementers(iface reflect.Type) []reflect.Type {
	var out []reflect.Type
	for _, t := range l.api.Types {
		if t.Type.Kind() == reflect.Interface {
			continue
		}
		switch {
		case t.Type.Implements(iface):
			out = append(out, t.Type)
		case reflect.PointerTo(t.Type).Implements(iface):
			out = append(out, reflect.PointerTo(t.Type))
		}
	}
	return out
}

// tuplesFor are the rows that fit the parameters of a function: each as one
// constant per parameter, nil where none fits.
func (l *library) tuplesFor(t reflect.Type) [][]*Constant {
	var out [][]*Constant
	for _, row := range l.lits.Tuples {
		fit, at, hits := make([]*Constant, t.NumIn()), 0, 0
		for i := range t.NumIn() {
			for j := at; j < len(row); j++ {
				if _, ok := row[j].as(t.In(i)); ok {
					fit[i], at = &row[j], j+1
					hits++
					break
				}
			}
		}
		if hits >= min(2, t.NumIn()) && hits > 0 {
			out = append(out, fit)
		}
	}
	return out
}

// listsFor are the lists of the sources whose elements have a type.
func (l *library) listsFor(t reflect.Type) [][]reflect.Value {
	out, ok := l.lists[t]
	if ok {
		return out
	}
	for _, list := range l.lits.Lists {
		var values []reflect.Value
		for i := range list {
			if v, fits := list[i].as(t); fits {
				values = append(values, v)
			}
		}
		if len(values) == len(list) {
			out = append(out, values)
		}
	}
	l.lists[t] = out
	return out
}

// as converts a constant to a type, where it means the same there.
func (c *Constant) as(t reflect.Type) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		if c.Str != nil {
			v.SetString(*c.Str)
			return v, true
		}
	case reflect.Slice:
		if c.Str != nil && t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(*c.Str))
			return v, true
		}
	case reflect.Bool:
		if c.Bool != nil {
			v.SetBool(*c.Bool)
			return v, true
		}
	case reflect.Float32, reflect.Float64:
		switch {
		case c.Float != nil:
			v.SetFloat(*c.Float)
			return v, true
		case c.Int != nil:
			v.SetFloat(float64(*c.Int))
			return v, true
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if c.Int != nil && !v.OverflowInt(*c.Int) {
			v.SetInt(*c.Int)
			return v, true
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if c.Int != nil && *c.Int >= 0 && !v.OverflowUint(uint64(*c.Int)) {
			v.SetUint(uint64(*c.Int))
			return v, true
		}
	}
	return v, false
}

// endless reports a method that by its name and type goes on until others end it. It is asked by itself, and not called
// on the way to another one: each such case would wait for as long as a case may, and cost its process.
func endless(name string, t reflect.Type) bool {
	return name == "Run" && t.NumIn() == 0 && t.NumOut() == 0
}

// silent are methods that are no behaviour of a value by themselves: they block,
// need a counterpart, or tell of memory.
func silent(name string) bool {
	switch name {
	case "Lock", "Unlock", "RLock", "RUnlock", "TryLock", "TryRLock", "RLocker", "Wait", "Serve", "ListenAndServe", "Cap", "Available", "AvailableBuffer":
		return true
	}
	return strings.HasPrefix(name, "ListenAndServe")
}
