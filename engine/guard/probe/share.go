package probe

import (
	"reflect"
	"strings"
)

// NilMark stands before each list and table that is nil and not just empty: few
// callers tell the two apart, so that the asker may let them pass.
const NilMark = "\x02"

// LayoutMark stands before and behind a list within an object whose order is an affair of the code that keeps it, and
// AsideMark before and behind what such a list holds in whatever order, which is compared and not read.
const (
	LayoutMark = "\x05"
	AsideMark  = "\x06"
)

// A result that shares its memory with an argument, the receiver, another result or
// what the package keeps reads right until its owner writes to it. So results are
// written to, what can be seen of the others is looked at again, and the results
// are put back as they were: the next case finds what it would have found.

// ShareMark stands before and behind what is told of that. A candidate whose results
// are copies where the root's were not does no harm.
const ShareMark = "\x03"

// sharing says what else changes when a caller of a function writes to the results.
// look tells what the function could have kept hold of, again asks it once more.
func (r *runner) sharing(out, args []reflect.Value, look, again func() string) string {
	lists := written(out)
	if len(lists) == 0 {
		return ""
	}
	var found []string
	first := r.show(out)
	restore := scribble(lists, true)
	if r.show(out) != first {
		found = append(found, "what is appended to one part of the result overwrites another")
	}
	restore()
	before, _ := quiet(look)
	restore = scribble(lists, false)
	if after, _ := quiet(look); after != before {
		found = append(found, "writing to the result changes what it was made of")
	}
	if again != nil && plain(args) {
		if second, _ := quiet(again); second != first {
			found = append(found, "asked again after the result was written to: "+second)
		}
	}
	restore()
	if found == nil {
		return ""
	}
	return ShareMark + "; " + strings.Join(found, "; ") + ShareMark
}

// plain reports arguments that a call cannot change.
func plain(args []reflect.Value) bool {
	for _, a := range args {
		switch a.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.Struct, reflect.Array:
			return false
		}
	}
	return true
}

// The bounds of what is written to in one case.
const (
	mostLists    = 8
	mostElements = 64
)

// written are the lists among results, and those that they hold.
func written(out []reflect.Value) []reflect.Value {
	var lists []reflect.Value
	for _, v := range out {
		if v = held(v); v.Kind() != reflect.Slice || v.IsNil() {
			continue
		}
		lists = append(lists, v)
		for i := range min(v.Len(), mostLists) {
			if e := held(v.Index(i)); e.Kind() == reflect.Slice && !e.IsNil() {
				lists = append(lists, e)
			}
		}
	}
	return lists[:min(len(lists), mostLists)]
}

// held is the list or table behind an interface, else the value itself.
func held(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface && (v.Elem().Kind() == reflect.Slice || v.Elem().Kind() == reflect.Map) {
		return v.Elem()
	}
	return v
}

// scribble writes to the elements of lists, or, as an append does, to the one
// behind the last where there is room. restore puts everything back.
func scribble(lists []reflect.Value, behind bool) (restore func()) {
	type cell struct{ at, was reflect.Value }
	var cells []cell
	write := func(at reflect.Value) {
		was := reflect.New(at.Type()).Elem()
		was.Set(at)
		cells = append(cells, cell{at, was})
		at.Set(another(at))
	}
	for _, l := range lists {
		switch {
		case behind && l.Cap() > l.Len():
			write(l.Slice(0, l.Len()+1).Index(l.Len()))
		case !behind && l.Type().Elem().Kind() != reflect.Slice:
			for i := range min(l.Len(), mostElements) {
				write(l.Index(i))
			}
		}
	}
	return func() {
		for i := len(cells) - 1; i >= 0; i-- {
			cells[i].at.Set(cells[i].was)
		}
	}
}

// another is a value of the same type that reads in another way, where one is
// known.
func another(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Bool:
		out.SetBool(!v.Bool())
	case v.CanInt():
		out.SetInt(v.Int() ^ 1)
	case v.CanUint():
		out.SetUint(v.Uint() ^ 1)
	case v.CanFloat():
		if v.Float() == 0 {
			out.SetFloat(1)
		}
	case v.Kind() == reflect.String:
		out.SetString(v.String() + "~")
	}
	return out
}
