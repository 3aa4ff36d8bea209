package probe

import (
	"reflect"
	"strconv"
)

// made makes a value of one of the package's types by a function of the package.
// It reports false where a value is better filled by its fields.
func (g *maker) made(t reflect.Type, depth int) (reflect.Value, string, bool) {
	makers := g.lib.makers[t]
	if len(makers) == 0 && t.Kind() == reflect.Struct && opaque(t) && len(g.lib.givers[t]) > 0 && depth < deepest {
		return g.taken(t, depth)
	}
	if len(makers) == 0 && len(g.lib.lenders[t]) > 0 && !(t.Kind() == reflect.Struct && g.d.chance(4)) { // a zero one is often of use
		return borrowing{g}.value(t, depth)
	}
	if makers = unwrapped(g, t, makers, depth); len(makers) == 0 || depth >= deepest {
		return reflect.Value{}, "", false
	}
	if t.Kind() == reflect.Struct && !opaque(t) && g.d.chance(8) {
		return reflect.Value{}, "", false
	}
	f, args, text, ok := kin(g, t, depth)
	if !ok {
		f = makerOf(g, makers)
		args, text = g.arguments(f.Value.Type(), depth+1, nil)
		begat(g, t, f, args)
	}
	g.handed = append(g.handed, args...)
	text = f.Name + "(" + text + ")"
	out, ok := makes(g, f, args)
	if !ok {
		panic(noValue{text})
	}
	v := out[0]
	if v.Kind() == reflect.Pointer && t.Kind() != reflect.Pointer {
		if v.IsNil() {
			panic(noValue{text})
		}
		return v.Elem(), "*" + text + g.set(v, depth), true
	}
	if t.Kind() == reflect.Struct {
		p := reflect.New(t)
		p.Elem().Set(v)
		return p.Elem(), text + g.set(p, depth), true
	}
	if t.Kind() == reflect.Interface && v.IsNil() {
		panic(noValue{text})
	}
	return v, text, true
}

// unwrapped are functions that make an interface value, without those that wrap another such value: what is wrapped is
// made in another way, and seldom is it more than one wrap.
func unwrapped(g *maker, t reflect.Type, makers []Func, depth int) []Func {
	if t.Kind() != reflect.Interface {
		return makers
	}
	var first []Func
	for _, f := range makers {
		if !wraps(f.Value.Type(), t) {
			first = append(first, f)
		}
	}
	if len(first) == len(makers) || len(first)+len(g.lib.implementers(t))+len(g.lib.own(t)) == 0 || depth < mostWraps && g.d.chance(4) {
		return makers
	}
	return first
}

const mostWraps = 3 // one within the other

// wraps reports a function that takes a value of a type, or several.
func wraps(f, t reflect.Type) bool {
	for i := range f.NumIn() {
		if in := f.In(i); in == t || in.Kind() == reflect.Slice && in.Elem() == t {
			return true
		}
	}
	return false
}

// gathered reports by chance whether a list or a table of the package comes from a function that makes such ones, where
// one does. What its own code holds in it no other code can; numbers any caller can.
func (g *maker) gathered(t reflect.Type) bool {
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Map || len(g.lib.makers[t]) == 0 {
		return false
	}
	numbers := t.Elem().PkgPath() == "" && t.Elem().Kind() >= reflect.Int && t.Elem().Kind() <= reflect.Float64
	switch {
	case g.d.aim != nil && g.d.sweep == nil:
		return true
	case numbers:
		return g.d.simply().chance(6)
	}
	return g.d.simply().chance(11)
}

// taken is an element of a list that a function of the package gives.
func (g *maker) taken(t reflect.Type, depth int) (reflect.Value, string, bool) {
	givers := g.lib.givers[t]
	f := givers[g.d.n(len(givers))]
	args, text := g.arguments(f.Value.Type(), depth+1, nil)
	text = f.Name + "(" + text + ")"
	out, ok := g.way.call("", f.Name, f.Value, args)
	if !ok {
		panic(noValue{text})
	}
	list := out[0]
	if list.Kind() != reflect.Slice || list.Len() == 0 {
		panic(noValue{text})
	}
	i := g.d.n(list.Len())
	v := list.Index(i)
	text += "[" + strconv.Itoa(i) + "]"
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			panic(noValue{text})
		}
		return v.Elem(), "*" + text, true
	}
	return v, text, true
}

// set calls some of the methods that set a value up: those that give nothing, or
// the value itself.
func (g *maker) set(p reflect.Value, depth int) string {
	if depth > 1 || !g.d.chance(8) {
		return ""
	}
	var setters []reflect.Method
	for i := range p.NumMethod() {
		m := p.Type().Method(i)
		if t := m.Type; !silent(m.Name) && t.NumIn() > 1 && (t.NumOut() == 0 || t.NumOut() == 1 && (t.Out(0) == p.Type() || t.Out(0) == p.Type().Elem())) {
			setters = append(setters, m)
		}
	}
	if len(setters) == 0 {
		return ""
	}
	text := ""
	for range 1 + g.d.n(4) {
		name := setters[g.d.n(len(setters))].Name
		m := p.MethodByName(name)
		args, written := g.arguments(m.Type(), depth+1, nil)
		out, ok := g.way.call(p.Type().String(), name, m, args)
		if !ok {
			continue
		}
		text += "." + name + "(" + written + ")"
		if len(out) == 1 && out[0].Kind() == reflect.Pointer && !out[0].IsNil() {
			p.Elem().Set(out[0].Elem())
		} else if len(out) == 1 && out[0].Type() == p.Type().Elem() {
			p.Elem().Set(out[0])
		}
	}
	return text
}

// noValue is thrown when a function of the package was asked for a value and
// gave none.
type noValue struct{ text string }
