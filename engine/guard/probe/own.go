package probe

import (
	"fmt"
	"reflect"
	"strings"
)

// own are the types that stand for a caller's own behind an interface of the package, as pointers. Each has a field
// for each method: what it gives, or a function that gives it.
func (l *library) own(iface reflect.Type) []reflect.Type {
	var out []reflect.Type
	for _, t := range l.api.Own {
		if p := reflect.PointerTo(t.Type); l.ours(iface) && p.Implements(iface) && l.fills(t.Type) {
			out = append(out, p)
		}
	}
	return out
}

// fills reports whether values can be made for all fields of a type of ours.
func (l *library) fills(t reflect.Type) (ok bool) {
	if known, asked := l.filled[t]; asked {
		return known
	}
	l.filled[t] = false // one that needs another of itself
	defer func() {
		if p := recover(); p != nil {
			if _, none := p.(unsupported); !none {
				panic(p)
			}
			ok = false
		}
		l.filled[t] = ok
	}()
	g := &maker{d: replayed(nil), lib: l}
	for i := range t.NumField() {
		g.value(t.Field(i).Type, 2)
	}
	return true
}

// owned makes one of them. Its numbers are small: a length or an index is what they mostly are.
func (g *maker) owned(p reflect.Type, depth int) (reflect.Value, string) {
	small := g.small
	g.small = true
	defer func() { g.small = small }()
	t := p.Elem()
	v := reflect.New(t)
	texts := make([]string, t.NumField())
	for i := range texts {
		e, text := g.value(t.Field(i).Type, depth+1)
		v.Elem().Field(i).Set(e)
		texts[i] = strings.TrimPrefix(t.Field(i).Name, "Of") + ": " + text
	}
	return v, "&own" + strings.TrimPrefix(t.Name(), "AtollGuardOwn") + "{" + strings.Join(texts, ", ") + "}"
}

// foreign is by chance such a value behind an interface that functions of the package give, too.
func (g *maker) foreign(t reflect.Type, depth int) (reflect.Value, string, bool) {
	if t.Kind() != reflect.Interface || depth >= deepest || len(g.lib.makers[t]) == 0 {
		return reflect.Value{}, "", false
	}
	own := g.lib.own(t)
	if len(own) == 0 {
		return reflect.Value{}, "", false
	}
	if g.d.aim != nil {
		g.d.force(0)
	}
	if !g.d.chance(4) {
		return reflect.Value{}, "", false
	}
	e, text := g.owned(own[g.d.n(len(own))], depth)
	v := reflect.New(t).Elem()
	v.Set(e)
	return v, text, true
}

// sameKind is which type stands behind an interface. Where its values are compared with each other, all of a case are of
// the first one's, but for a few.
func sameKind(g *maker, t reflect.Type, drawn int) int {
	if !comparesItself(t) {
		return drawn
	}
	if first, ok := g.kinds[t]; ok && !g.d.chance(1) {
		return first
	}
	if g.kinds == nil {
		g.kinds = map[reflect.Type]int{}
	}
	g.kinds[t] = drawn
	return drawn
}

// comparesItself reports an interface with a method that takes another such value and gives a truth or a number.
func comparesItself(t reflect.Type) bool {
	for i := range t.NumMethod() {
		m := t.Method(i).Type
		if m.NumIn() == 1 && m.In(0) == t && m.NumOut() == 1 && (m.Out(0).Kind() == reflect.Bool || m.Out(0).Kind() == reflect.Int) {
			return true
		}
	}
	return false
}

// keyed is what a value of ours is ordered by, and what tells it from others of one order; "" for any other value.
func (l *library) keyed(v reflect.Value) string {
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return ""
	}
	for _, t := range l.api.Own {
		if t.Type == v.Elem().Type() && v.Elem().FieldByName("OfKey").IsValid() {
			return fmt.Sprintf("key %d tag %d ", v.Elem().FieldByName("OfKey").Int(), v.Elem().FieldByName("OfTag").Int())
		}
	}
	return ""
}
