package probe

import "reflect"

// gift is a list, a table or a text that a call gave, and how it read then.
type gift struct {
	value reflect.Value
	shown string
}

// mostGifts bounds those of one call.
const mostGifts = 2

// given are the lists, tables and texts among the results of a call. A text is one that changes where its memory is
// that of a buffer.
func (r *runner) given(out []reflect.Value) (list []gift) {
	for _, v := range out {
		if v = held(v); (v.Kind() == reflect.Slice || v.Kind() == reflect.Map || v.Kind() == reflect.String) && v.Len() > 0 && len(list) < mostGifts {
			list = append(list, gift{v, r.show([]reflect.Value{v})})
		}
	}
	return list
}

// later says that what callers were given reads in another way behind later calls: its owner keeps it and writes to it.
func (r *runner) later(kept []gift) string {
	for _, g := range kept[:min(len(kept), mostLists)] {
		if now, _ := quiet(func() string { return r.show([]reflect.Value{g.value}) }); now != g.shown {
			return ShareMark + "; what an earlier call gave became another: " + now + ShareMark
		}
	}
	return ""
}

// outlived asks by chance once more, with other values, and says that what the call before gave reads in another way
// then: it lies in memory that the next call writes to, such as a buffer of a pool. other makes that call ready, and
// gives how it is written.
func (r *runner) outlived(m *maker, out []reflect.Value, in *string, other func() (written string, ask func())) string {
	kept := r.given(out)
	if len(kept) == 0 || !m.d.chance(2) {
		return ""
	}
	_, _ = quiet(func() string {
		written, ask := other()
		*in += "; " + written
		ask()
		return ""
	})
	return r.later(kept)
}

// otherCall is a call of a function with other values.
func otherCall(g *group, m *maker) (string, func()) {
	args, text := m.arguments(g.f.Type(), 0, nil)
	return g.name + "(" + text + ")", func() { call(g.f, args) }
}

// otherObject is a call of a method of another object.
func otherObject(g *group, m *maker) (string, func()) {
	e, text := m.value(g.t, 0)
	p := reflect.New(g.t)
	p.Elem().Set(e)
	if g.t.Kind() == reflect.Interface {
		p = p.Elem()
	}
	f := p.MethodByName(g.method.Name)
	args, written := m.arguments(f.Type(), 1, nil)
	return "y := " + text + "; y." + g.method.Name + "(" + written + ")", func() { call(f, args) }
}
