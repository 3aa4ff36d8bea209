package probe

import (
	"reflect"
	"slices"
	"strings"
)

// A history is what a caller does with a receiver and with the objects that its methods give, such as a copy, a view or
// an element: they are called in turn, and at its end each is looked at. Few methods are called, so that what one of them
// leaves behind is not covered by others (swarm testing: Groce et al. 2012).
type history struct {
	r       *runner
	m       *maker
	in      *string
	own     reflect.Type // pointer to the type of the receiver
	objects []reflect.Value
	methods []string // that the receiver and others of its type have called
	out     []string
}

// The bounds of a history.
const (
	mostObjects = 4
	mostFilling = 70 // calls of the receiver alone
	mostTurns   = 10 // calls of any object
	mostOfSwarm = 3  // methods besides that of the group and one that gives an object
	mostDistant = 12 // different arguments of a type
	mostVisited = 60
)

// objectNames are how a reader would call the objects.
const objectNames = "xyzw"

// tokenNames are those of what callers only hand on.
const tokenNames = "pqrs"

// givers are the methods of a type that give an object, or several.
func (l *library) giversOf(t reflect.Type) []string {
	var out []string
	for i := range t.NumMethod() {
		m := t.Method(i)
		for k := range m.Type.NumOut() {
			if !silent(m.Name) && (l.object(m.Type.Out(k)) || l.token(m.Type.Out(k), t)) {
				out = append(out, m.Name)
				break
			}
		}
	}
	return out
}

// object reports a type of the package whose values have methods.
func (l *library) object(t reflect.Type) bool {
	of := t
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if !l.ours(of) || t.Implements(reflect.TypeFor[error]()) {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map:
		return t.NumMethod() > 0
	case reflect.Struct:
		return reflect.PointerTo(t).NumMethod() > 0
	}
	return false
}

// token reports a struct of the package that callers cannot look into, which a method of a type takes: what another call gave
// is handed to the next one, as with the results for a folder when one asks for what lies in it.
func (l *library) token(t, of reflect.Type) bool {
	if t.Kind() != reflect.Struct || !l.ours(t) || l.object(t) || t.NumField() == 0 {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return false
		}
	}
	for i := range of.NumMethod() {
		m := of.Method(i).Type
		for k := 1; k < m.NumIn(); k++ {
			if m.In(k) == t {
				return true
			}
		}
	}
	return false
}

// histories runs a case of a method as a history. It reports false, by chance too, where it is none.
func (r *runner) histories(g *group, m *maker, in *string, x reflect.Value, out *[]string) bool {
	givers := r.lib.giversOf(x.Type())
	if len(givers) == 0 || !m.d.simply().chance(6) {
		return false
	}
	h := &history{r: r, m: m, in: in, own: x.Type(), objects: []reflect.Value{x}}
	defer func() { *out = append(*out, h.out...) }()
	m.few = 2 + m.d.n(mostDistant)
	giver := givers[m.d.n(len(givers))]
	h.methods = []string{g.method.Name}
	for range m.d.n(mostOfSwarm + 1) {
		h.methods = append(h.methods, x.Type().Method(m.d.n(x.NumMethod())).Name)
	}
	filling := h.methods[m.d.n(len(h.methods))]
	for range min(timesOf(m), mostFilling) {
		if m.d.chance(12) {
			h.call(0, filling)
		} else {
			h.turn(0)
		}
	}
	h.call(0, giver)
	for range 1 + m.d.n(mostTurns) {
		h.turn(m.d.n(len(h.objects)))
	}
	h.last(g)
	return true
}

// turn calls a method of an object.
func (h *history) turn(of int) {
	x := h.objects[of]
	name := h.methods[h.m.d.n(len(h.methods))]
	if x.Type() != h.own {
		name = x.Type().Method(h.m.d.n(x.Type().NumMethod())).Name
	}
	h.call(of, name)
}

// call calls a named method of an object and keeps what objects it gives.
func (h *history) call(of int, name string) {
	if silent(name) {
		return
	}
	at := len(*h.in)
	shown, out := h.r.stepOf(h.objects[of], objectNames[of:of+1], name, h.m, h.in, nil)
	h.out = append(h.out, shown)
	var names []string
	for _, v := range out {
		if h.r.lib.token(v.Type(), h.own) && len(h.m.tokens[v.Type()]) < len(tokenNames) {
			names = append(names, h.keep(v))
			continue
		}
		if len(h.objects) == mostObjects || !h.r.lib.object(v.Type()) {
			continue
		}
		switch v.Kind() {
		case reflect.Struct:
			p := reflect.New(v.Type())
			p.Elem().Set(v)
			v = p
		default:
			if v.IsNil() {
				continue
			}
		}
		names = append(names, objectNames[len(h.objects):len(h.objects)+1])
		h.objects = append(h.objects, v)
	}
	if len(names) > 0 {
		*h.in = (*h.in)[:at] + "; " + strings.Join(names, ", ") + " :=" + (*h.in)[at+1:]
	}
}

// keep has later calls take a value that one gave, and returns its name.
func (h *history) keep(v reflect.Value) string {
	if h.m.tokens == nil {
		h.m.tokens = map[reflect.Type][]argument{}
	}
	list := h.m.tokens[v.Type()]
	name := tokenNames[len(list) : len(list)+1]
	h.m.tokens[v.Type()] = append(list, argument{v, name})
	return name
}

// last calls the method of the group on one of the objects of its type and looks at all.
func (h *history) last(g *group) {
	var own []int
	for i, o := range h.objects {
		if o.Type() == h.own {
			own = append(own, i)
		}
	}
	of := own[h.m.d.n(len(own))]
	shown, _ := h.r.stepOf(h.objects[of], objectNames[of:of+1], g.method.Name, h.m, h.in, func() string { return h.r.contents(h.objects[of]) })
	h.out = append(h.out, shown)
	for i, o := range h.objects {
		h.out = append(h.out, objectNames[i:i+1]+" holds "+h.r.contents(o))
	}
}

// contents is all that an object tells without arguments: what it shows, what it hands to those that visit it, and
// what its methods give.
func (r *runner) contents(o reflect.Value) string {
	at := o
	if o.Kind() == reflect.Pointer {
		at = o.Elem()
	}
	text, _ := quiet(func() string { return (&shower{lib: r.lib, heard: r.heard}).show(at) })
	t := o.Type()
	for i := range t.NumMethod() {
		name := t.Method(i).Name
		m := o.MethodByName(name)
		var told func() string
		switch mt := m.Type(); {
		case silent(name) || takesAway(name):
			continue
		case visiting(mt):
			told = func() string { return r.visited(m) }
		case mt.NumIn() == 0 && mt.NumOut() == 1 && iterates(mt.Out(0)) && !strings.Contains(name, "Pop"):
			told = func() string { return (&shower{lib: r.lib}).results(m.Call(nil)) }
		case mt.NumIn() == 0 && mt.NumOut() > 0 && mt.NumOut() <= 3 && !(mt.NumOut() == 1 && simple(mt.Out(0))) && r.plainResults(mt):
			told = func() string { return (&shower{lib: r.lib}).results(r.of(o, name, m.Call(nil))) }
		default:
			continue
		}
		first, _ := quiet(told)
		if second, _ := quiet(told); first == second {
			text += " " + name + "=" + first
		}
	}
	return text
}

// plainResults reports results that are neither objects nor what waits for somebody.
func (r *runner) plainResults(t reflect.Type) bool {
	for i := range t.NumOut() {
		if k := t.Out(i).Kind(); k == reflect.Chan || k == reflect.Func || r.lib.object(t.Out(i)) {
			return false
		}
	}
	return true
}

// takesAway reports names of methods that change what they are called on although they take nothing.
func takesAway(name string) bool {
	return slices.ContainsFunc([]string{"Pop", "Delete", "Remove", "Shift", "Dequeue", "Next", "Prev", "Read", "Poll", "Take", "Flush", "Close", "Reset", "Clear", "Scan", "Rand", "Shuffle", "Gob", "Unread", "Advance", "Pull"},
		func(head string) bool { return strings.HasPrefix(name, head) })
}

// visiting reports a method that takes a function alone, and hands values to it.
func visiting(t reflect.Type) bool {
	if t.NumIn() != 1 || t.In(0).Kind() != reflect.Func || t.IsVariadic() {
		return false
	}
	f := t.In(0)
	return f.NumIn() > 0 && (f.NumOut() == 0 || f.NumOut() == 1 && (f.Out(0).Kind() == reflect.Bool || f.Out(0) == reflect.TypeFor[error]()))
}

// visited is what a method hands to a function that goes on, in any order: of true and false the one that gets more.
func (r *runner) visited(m reflect.Value) string {
	f := m.Type().In(0)
	var longest []string
	for _, goOn := range []bool{true, false} {
		var calls []string
		visitor := reflect.MakeFunc(f, func(args []reflect.Value) []reflect.Value {
			text := ""
			for _, a := range args {
				text += " " + (&shower{lib: r.lib}).show(a)
			}
			calls = append(calls, text)
			out := make([]reflect.Value, f.NumOut())
			for i := range out {
				out[i] = reflect.New(f.Out(i)).Elem()
				if out[i].Kind() == reflect.Bool {
					out[i].SetBool(goOn == (len(calls) < mostVisited))
				}
			}
			return out
		})
		m.Call([]reflect.Value{visitor})
		if len(calls) > len(longest) {
			longest = calls
		}
	}
	slices.Sort(longest)
	return strings.Join(longest, ";")
}
