package probe

import (
	"reflect"
	"slices"
)

// enumerated are the values of a type of the package that its exported names hold, of numbers and texts; none where there
// is one at most.
func (l *library) enumerated(t reflect.Type) []Sentinel {
	if t.PkgPath() == "" || !l.ours(t) || t.Kind() == reflect.Bool || t.Kind() > reflect.Float64 && t.Kind() != reflect.String {
		return nil
	}
	out, ok := l.named[t]
	if ok {
		return out
	}
	seen := map[any]bool{}
	for _, x := range l.api.Values {
		if v := reflect.ValueOf(x.Value); v.IsValid() && v.Type() == t && !seen[x.Value] {
			seen[x.Value] = true
			out = append(out, x)
		}
	}
	if len(out) == 1 {
		out = nil
	}
	l.named[t] = out
	return out
}

// hidden are types of the package that callers cannot name, numbers or texts with methods, of which exported names hold several values:
// callers call methods on those, and hand them to what takes an interface.
func (l *library) hidden() []Type {
	var out []Type
	for _, x := range l.api.Values {
		t := reflect.TypeOf(x.Value)
		if t == nil || l.byType[t] || t.NumMethod() == 0 || slices.ContainsFunc(out, func(o Type) bool { return o.Type == t }) {
			continue
		}
		if len(l.enumerated(t)) > 1 {
			out = append(out, Type{Name: t.Name(), Type: t})
		}
	}
	return out
}

// kindOf is the kind of the edges of a number or a text.
func kindOf(t reflect.Type) edgeKind {
	switch t.Kind() {
	case reflect.String:
		return edgeText
	case reflect.Float32, reflect.Float64:
		return edgeFloat
	}
	return edgeInt
}

// oneOf is by chance a value that the package has a name for: code knows few others of such a type.
func oneOf(g *maker, t reflect.Type) (reflect.Value, string, bool) {
	list := g.lib.enumerated(t)
	if len(list) == 0 {
		return reflect.Value{}, "", false
	}
	from, kind := len(g.d.used), kindOf(t)
	if g.d.aimedAt(kind) {
		g.d.force(0)
	}
	if !g.d.chance(14) {
		return reflect.Value{}, "", false
	}
	g.d.target(kind) // it stands there
	x := list[g.d.n(len(list))]
	v := reflect.New(t).Elem()
	v.Set(reflect.ValueOf(x.Value))
	constantAt(g, from, v)
	if n := len(g.places); n > 0 && g.places[n-1].from == from {
		g.places[n-1].before = []uint64{0}
	}
	return v, x.Name, true
}
