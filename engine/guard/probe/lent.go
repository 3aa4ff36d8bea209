package probe

import (
	"reflect"
	"strings"
)

// Many objects no function makes: an iterator, a node, a cursor or a section is what a method of another object
// gives. Such a one is taken from an object that is filled before.

// lender is a method that gives an object, of a type that no function gives.
type lender struct {
	of     reflect.Type // what it is a method of
	method string
}

// mostLent bounds the calls of a method that fills what lends an object.
const mostLent = 12

// lendersOf lists the methods of the types of the package that give what nothing else makes, by what they give.
func (l *library) lendersOf() map[reflect.Type][]lender {
	out := map[reflect.Type][]lender{}
	for _, t := range l.api.Types {
		p := reflect.PointerTo(t.Type)
		if t.Type.Kind() == reflect.Interface {
			continue
		}
		for i := range p.NumMethod() {
			m := p.Method(i)
			if m.Type.NumOut() == 0 || m.Type.NumOut() > 2 || m.Type.NumIn() > 5 || silent(m.Name) {
				continue
			}
			if of := l.lendable(m.Type.Out(0)); of != nil && of != t.Type {
				out[of] = append(out[of], lender{t.Type, m.Name})
			}
		}
	}
	return out
}

// lendable is the type of an object that only its package can make and that none of its functions does; nil for any other.
func (l *library) lendable(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !l.byType[t] || len(l.makers[t])+len(l.givers[t]) > 0 {
		return nil
	}
	if opaque(t) || t.Kind() == reflect.Interface && t.NumMethod() > 0 && len(l.implementers(t)) == 0 {
		return t
	}
	return nil
}

// borrowing takes objects from others.
type borrowing struct{ *maker }

// value takes an object from another one. It reports false where nothing lends such ones.
func (g borrowing) value(t reflect.Type, depth int) (reflect.Value, string, bool) {
	list := g.lib.lenders[t]
	if len(list) == 0 || depth+1 >= deepest {
		return reflect.Value{}, "", false
	}
	from := list[g.d.n(len(list))]
	x, text := g.maker.value(from.of, depth+1)
	p := reflect.New(from.of)
	p.Elem().Set(x)
	text += g.filled(p, depth)
	m := p.MethodByName(from.method)
	args, written := g.arguments(m.Type(), depth+2, nil)
	text += "." + from.method + "(" + written + ")"
	out, ok := g.way.call(p.Type().String(), from.method, m, args)
	if !ok {
		panic(noValue{text})
	}
	v := out[0]
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			panic(noValue{text})
		}
		if t.Kind() == reflect.Interface {
			return v, text, true
		}
		g.whole = v
		return v.Elem(), "*" + text, true
	}
	g.whole = reflect.New(t)
	g.whole.Elem().Set(v)
	return g.whole.Elem(), text, true
}

// filled calls one or two of the methods of an object that take something, some times each.
func (g borrowing) filled(p reflect.Value, depth int) string {
	var names []string
	for i := range p.NumMethod() {
		if m := p.Type().Method(i); m.Type.NumIn() > 1 && !silent(m.Name) && !takesAway(m.Name) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	for range 1 + g.d.n(2) {
		name := names[g.d.n(len(names))]
		for range g.d.n(mostLent) {
			b.WriteString(g.fill(p, name, depth))
		}
	}
	return b.String()
}

// fill calls a method. What it cannot be given, or panics with, is left.
func (g borrowing) fill(p reflect.Value, name string, depth int) (text string) {
	defer func() { _ = recover() }()
	m := p.MethodByName(name)
	args, written := g.arguments(m.Type(), depth+2, nil)
	g.handed = append(g.handed, args...)
	text = "." + name + "(" + written + ")"
	if _, ok := g.way.call(p.Type().String(), name, m, args); !ok {
		return ""
	}
	return text
}
