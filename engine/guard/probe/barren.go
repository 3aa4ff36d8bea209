package probe

import (
	"bytes"
	"reflect"
	"slices"
)

// barren are the functions of the package that seldom give a value of what is drawn for them, as those that read a file or
// fetch an address do, or give one in another order each time, as those that walk over a map do: two trees cannot be
// compared with it. Where a type has other functions, nearly all its values come from these, and more of them where what
// it gives looks the same whatever it takes: it may be empty. That is learnt in the root, and holds for both trees.
type barren struct {
	known  map[string]bool                // by the name of the function
	dull   map[string]bool                // gives what looks the same
	notice func(kind string, name string) // is told of another one; nil: nobody looks
	calls  map[string]int
	none   map[string]int    // calls that gave no value
	looks  map[string]string // what it gave first
	varies map[string]bool
}

// A function is judged by its first calls.
const (
	judgedCalls = 40
	fewestNone  = 39 // of these, that a barren one gives no value in
)

// begin has functions be judged.
func (b *barren) begin(notice func(kind, name string)) {
	b.notice, b.calls, b.none, b.looks, b.varies = notice, map[string]int{}, map[string]int{}, map[string]string{}, map[string]bool{}
}

// saw takes how a call of a function ended: what it gave looks like, "" for no value.
func (b *barren) saw(name, look string, takes bool) {
	if !b.judges(name) {
		return
	}
	b.calls[name]++
	switch first, ok := b.looks[name]; {
	case look == "":
		b.none[name]++
	case !ok:
		b.looks[name] = look
	case look != first:
		b.varies[name] = true
	}
	switch {
	case b.calls[name] < judgedCalls:
	case b.none[name] >= fewestNone:
		b.notice(AnswerBarren, name)
	case takes && !b.varies[name]:
		b.notice(AnswerDull, name)
	}
}

// judges reports a function of which it is still to be learnt.
func (b *barren) judges(name string) bool {
	return b.notice != nil && !b.known[name] && !b.dull[name] && b.calls[name] < judgedCalls
}

// give tells of a function whatever else it does.
func (b *barren) give(name string) {
	b.calls[name] = judgedCalls
	b.notice(AnswerBarren, name)
}

// functionsBesides are the functions of a list that are not among some, where only some are.
func functionsBesides(some map[string]bool, list []Func) (out []Func, ok bool) {
	for _, f := range list {
		if !some[f.Name] {
			out = append(out, f)
		}
	}
	return out, len(out) > 0 && len(out) < len(list)
}

// makerOf draws the function that makes a value.
func makerOf(g *maker, list []Func) Func {
	if others, ok := functionsBesides(g.lib.barren.known, list); ok && !g.d.chance(1) {
		list = others
	}
	f := list[g.d.n(len(list))]
	if others, ok := functionsBesides(g.lib.barren.dull, list); ok && g.lib.barren.dull[f.Name] && !g.d.chance(8) {
		return others[g.d.n(len(others))]
	}
	return f
}

// makes calls a function for a value. It reports false where it is left out on the way.
func makes(g *maker, f Func, args []reflect.Value) ([]reflect.Value, bool) {
	b, look := &g.lib.barren, ""
	if g.way == nil || !b.judges(f.Name) { // without a way it is a value for a question
		return g.way.call("", f.Name, f.Value, args)
	}
	defer func() { b.saw(f.Name, look, len(args) > 0) }()
	out, ok := g.way.call("", f.Name, f.Value, args)
	if !ok || empty(out[0]) {
		return out, ok
	}
	look = lookOf(g.lib, out)
	if fixed(args) {
		if again, ok := g.way.call("", f.Name, f.Value, args); ok && reordered(look, lookOf(g.lib, again)) {
			b.give(f.Name)
		}
	}
	return out, ok
}

// lookOf is what values look like.
func lookOf(lib *library, out []reflect.Value) string {
	text, _ := quiet(func() string { return (&shower{lib: lib, plain: true}).results(out) })
	return text
}

// fixed reports arguments that are the same for a second call.
func fixed(args []reflect.Value) bool {
	return !slices.ContainsFunc(args, func(v reflect.Value) bool { return !plainType(v.Type(), 0) })
}

// reordered reports texts that are not the same, and hold the same letters.
func reordered(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return a != b && bytes.Equal(x, y)
}

// empty reports what is no value.
func empty(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface || v.Kind() == reflect.Func) && v.IsNil()
}
