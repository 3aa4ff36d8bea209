package probe

import (
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// group is one function or method that is called many times.
type group struct {
	name    string
	f       reflect.Value // of a function
	t       reflect.Type  // of a method: the type
	method  reflect.Method
	rows    [][]*Constant
	script  *script // of a test that is played
	lasting bool    // it may change the state of the package
}

// groups lists what can be called, functions first, both in the API's order.
func (l *library) groups() []*group {
	var out []*group
	for _, f := range l.api.Funcs {
		if f.Value.Kind() != reflect.Func || f.Value.IsNil() {
			continue
		}
		t := f.Value.Type()
		out = append(out, &group{name: f.Name, f: f.Value, rows: l.tuplesFor(t), lasting: t.NumOut() == 0})
	}
	for _, t := range l.api.Types {
		p := reflect.PointerTo(t.Type)
		if t.Type.Kind() == reflect.Interface {
			if p = t.Type; len(l.makers[p])+len(l.lenders[p]) == 0 || len(l.implementers(p)) > 0 {
				continue // it is seen through what stands behind it, or nobody gives one
			}
		}
		for i := range p.NumMethod() {
			if m := p.Method(i); !silent(m.Name) {
				out = append(out, &group{name: t.Name + "." + m.Name, t: t.Type, method: m})
			}
		}
	}
	return append(slices.DeleteFunc(out, func(g *group) bool { return !l.works(g) }), plays()...)
}

// works reports whether inputs can be made for a group.
func (l *library) works(g *group) (ok bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case unsupported:
			ok = false
		default:
			_ = p // a constructor that panics is a matter of the cases
			ok = true
		}
	}()
	m := &maker{d: replayed(nil), lib: l}
	if g.f.IsValid() {
		m.arguments(g.f.Type(), 0, nil)
		return true
	}
	for i := g.first(); i < g.method.Type.NumIn(); i++ {
		m.value(g.method.Type.In(i), 0)
	}
	m.value(g.t, 0)
	return true
}

// first is the first parameter of a method behind its receiver.
func (g *group) first() int {
	if g.t.Kind() == reflect.Interface {
		return 0
	}
	return 1
}

// signature tells when two trees cannot be asked the same.
func (g *group) signature() string {
	switch {
	case g.script != nil:
		return "test"
	case g.f.IsValid():
		return g.f.Type().String()
	}
	return g.method.Type.String()
}

// outcome is a case that was run.
type outcome struct {
	in, out string
	results string // what the call that is asked gave, alone; "" where out is that or it gave nothing
	choices []uint64
	places  []place
	void    bool // a variable was set, or a test is played, and the code panics
}

// runner runs cases of one library, with what they print kept.
type runner struct {
	lib    *library
	groups []*group
	byName map[string]*group
	tame   map[string]bool
	known  []string
	out    *os.File // stands in for os.Stdout
	way    way
	heard  []string // texts of the case that runs
	gave   string   // what the call that it is about gave

	variables map[string][]variable // by the groups that read them
	writers   []*group              // functions that write variables of the package
}

// run runs one case.
func (r *runner) run(g *group, d *draws) outcome {
	m := &maker{d: d, lib: r.lib, way: &r.way, tame: r.tame[g.name]}
	r.lib.told, r.gave = 0, ""
	set, restore := r.set(g.name, m)
	defer restore()
	var in string
	text, _ := quiet(func() string {
		switch {
		case g.script != nil:
			return r.play(g, m, &in)
		case g.lasting && !g.f.IsValid():
			return r.method(g, m, &in)
		case g.lasting || slices.Contains(r.writers, g) && m.d.chance(6):
			return r.scenario(g, m, &in)
		case g.f.IsValid():
			return r.function(g, m, &in)
		}
		return r.method(g, m, &in)
	})
	for _, tell := range m.seen {
		text += "; " + tell()
	}
	text += r.later(m.kept)
	if printed := r.printed(); printed != "" && (g.script == nil || g.script.example) {
		text += "; printed " + strconv.Quote(printed)
	}
	results := r.gave
	if results == text {
		results = ""
	}
	return outcome{in: set + in, out: withoutAddresses(text), results: withoutAddresses(results), choices: d.used, places: m.places, void: m.void || set != "" && strings.Contains(text, "panic: ")}
}

// printed takes what the case wrote to os.Stdout.
func (r *runner) printed() string {
	if r.out == nil {
		return ""
	}
	n, err := r.out.Seek(0, io.SeekCurrent)
	if err != nil || n == 0 {
		return ""
	}
	data := make([]byte, min(n, longestShown))
	read, _ := r.out.ReadAt(data, 0)
	_ = r.out.Truncate(0)
	_, _ = r.out.Seek(0, io.SeekStart)
	return string(data[:read])
}

// function calls a function and shows its results and what became of arguments
// that it could change.
func (r *runner) function(g *group, m *maker, in *string) string {
	var row []*Constant
	if len(g.rows) > 0 && m.d.chance(9) {
		row = g.rows[m.d.n(len(g.rows))]
	}
	args, text := m.arguments(g.f.Type(), 0, row)
	*in = g.name + "(" + text + ")"
	r.heard = heard(m.texts)
	wrote := r.lists(args)
	out := call(g.f, args)
	r.gave = r.show(out)
	shown := r.gave + r.after(args) + wrote()
	shown += r.sharing(out, args, func() string { return r.after(args) }, func() string { return "" }, func() string { return r.show(call(g.f, args)) })
	shown += r.returned(m, out, in)
	for _, o := range out {
		if r.lib.object(o.Type()) && o.Kind() == reflect.Pointer && !o.IsNil() {
			shown += r.questions(m, o)
		}
	}
	return shown + r.outlived(m, out, in, func() (string, func()) { return otherCall(g, m) })
}

func (r *runner) show(out []reflect.Value) string {
	return (&shower{lib: r.lib, heard: r.heard}).results(out)
}

// of are the results of a method of an object as they are shown.
func (r *runner) of(p reflect.Value, name string, out []reflect.Value) []reflect.Value {
	return (&shower{lib: r.lib}).of(p.Type(), name, out)
}

// after shows arguments that the callee could change.
func (r *runner) after(args []reflect.Value) string {
	var parts []string
	for _, a := range args {
		switch a = held(a); a.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			if a.IsNil() || a.Kind() == reflect.Slice && a.Len() == 0 {
				continue
			}
			parts = append(parts, (&shower{lib: r.lib, heard: r.heard}).show(a))
		}
	}
	if parts == nil {
		return ""
	}
	return "; arguments after it " + strings.Join(parts, ", ")
}

// mostOften bounds how often one method is called to fill a receiver, and mostAimed where that number is looked for.
const (
	mostOften = 40
	mostAimed = 300
)

// timesOf is how often a method is called. Like other numbers of a case it is made to meet what the code compares.
func timesOf(g *maker) (v int) {
	from := len(g.d.used)
	defer func() { madeAt(g, from, place{kind: edgeInt, whole: int64(v), bits: 16}) }()
	g.d.unspelled(spelledWhole)
	switch g.d.n(spelledWhole + 1) {
	case spelledWhole:
		return int(min(g.d.wide(math.MaxUint64), mostAimed))
	case 0, 1, 2:
		return 1<<g.d.n(7) + g.d.n(3) - 1
	}
	return g.d.n(mostOften)
}

// mostSteps bounds the calls of several methods on few values.
const mostSteps = 40

// method makes a receiver, calls some of its methods and at last the one of the
// group.
func (r *runner) method(g *group, m *maker, in *string) (told string) {
	var out []string
	defer func() { // what was told before a panic counts, too
		if p := recover(); p != nil {
			told = strings.Join(append(out, panicText(p)), "; ")
		}
	}()
	m.small = m.d.simply().chance(5) // several methods on few values: what one leaves behind another shows
	few := m.small
	e, text := m.value(g.t, 0)
	m.small = false
	p := reflect.New(g.t)
	p.Elem().Set(e)
	if m.whole.IsValid() && m.whole.Type() == p.Type() {
		p = m.whole
	}
	*in = "x := " + text
	if g.t.Kind() == reflect.Interface {
		if p = p.Elem(); p.IsNil() {
			return ""
		}
	}
	pt := p.Type()
	if r.histories(g, m, in, p, &out) {
		return strings.Join(out, "; ")
	}
	if len(r.writers) > 0 && m.d.simply().chance(4) { // what was made before it may know what the variables held then
		out = append(out, r.oneOf(r.writers, m, in))
	}
	if m.d.simply().chance(4) { // what holds things shows itself when it is full
		if often := pt.Method(m.d.n(pt.NumMethod())); !silent(often.Name) {
			for range timesOf(m) {
				out = append(out, r.step(p, often, m, in, nil))
			}
		}
	}
	others, methods := m.d.simply().n(4), pt.NumMethod()
	var swarm []int
	if few {
		m.few, others = 2+m.d.n(mostDistant), 4+m.d.n(mostSteps)
		if m.d.chance(8) { // of few methods, too: else one that ends it is soon among them
			if g.t.Kind() != reflect.Interface {
				swarm = []int{g.method.Index}
			}
			for range 1 + m.d.n(mostOfSwarm) {
				swarm = append(swarm, m.d.n(pt.NumMethod()))
			}
			methods = len(swarm)
		}
	}
	for range others {
		i := m.d.n(methods)
		if swarm != nil {
			i = swarm[i]
		}
		if other := pt.Method(i); !silent(other.Name) {
			out = append(out, r.step(p, other, m, in, nil))
		}
	}
	last, gave := r.stepOf(p, "x", g.method.Name, m, in, func() string { return r.contents(p) })
	out = append(out, last+r.outlived(m, gave, in, func() (string, func()) { return otherObject(g, m) }))
	return strings.Join(out, "; ")
}

// step calls one method of a receiver. After the last one receiver is looked at.
func (r *runner) step(p reflect.Value, method reflect.Method, m *maker, in *string, receiver func() string) string {
	shown, _ := r.stepOf(p, "x", method.Name, m, in, receiver)
	return shown
}

// stepOf calls a named method of an object that has a name, and gives its results as well.
func (r *runner) stepOf(p reflect.Value, of, name string, m *maker, in *string, receiver func() string) (shown string, out []reflect.Value) {
	f := p.MethodByName(name)
	if receiver == nil && endless(name, f.Type()) {
		return "", nil
	}
	m.d.last = receiver != nil
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(unsupported); !ok {
				panic(e)
			}
		}
	}()
	args, text := r.encoded(p, name, m)
	if args == nil {
		args, text = m.arguments(f.Type(), 1, nil)
	}
	written := "; " + of + "." + name + "(" + text + ")"
	r.heard = heard(m.texts)
	if receiver == nil {
		m.handed = append(m.handed, args...)
		at := len(*in)
		*in += written
		out, ok := r.way.call(p.Type().String(), name, f, args)
		if !ok {
			*in = (*in)[:at]
			return "", nil
		}
		m.kept = append(m.kept, r.given(out)...)
		return r.show(r.of(p, name, out)) + r.after(args), out
	}
	*in += written
	wrote := r.lists(append(slices.Clone(args), m.handed...))
	out = call(f, args)
	r.gave = r.show(r.of(p, name, out))
	shown = r.gave + r.after(args) + wrote()
	shown += "; " + of + " after it " + receiver()
	shown += r.sharing(out, append(args, m.handed...), func() string { return r.after(args) + receiver() }, receiver, nil)
	return shown + r.returned(m, out, in) + r.questions(m, p), out
}

// oneOf calls one of some functions behind what a case did before, and gives what it told.
func (r *runner) oneOf(list []*group, m *maker, in *string) string {
	var next string
	text, _ := quiet(func() string { return r.function(list[m.d.n(len(list))], m, &next) })
	*in += "; " + next
	return text
}

// functionsOf are the groups of those names that are functions.
func (r *runner) functionsOf(names []string) (out []*group) {
	for _, name := range names {
		if g := r.byName[name]; g != nil && g.f.IsValid() {
			out = append(out, g)
		}
	}
	return out
}

// scenario calls a function without results, or one that writes variables of the package, and then others, whose answers it
// may have changed.
func (r *runner) scenario(g *group, m *maker, in *string) string {
	out := r.function(g, m, in)
	var others []*group
	for _, o := range r.groups {
		if o.f.IsValid() && !o.lasting && !slices.Contains(r.known, o.name) {
			others = append(others, o)
		}
	}
	if len(others) == 0 {
		return out
	}
	for range 1 + m.d.n(3) {
		out += "; " + r.oneOf(others, m, in)
	}
	return out
}
