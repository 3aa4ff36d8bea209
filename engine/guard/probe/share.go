package probe

import (
	"reflect"
	"slices"
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
// look tells what the function could have kept hold of, kept what it keeps of its own, again asks it once more. What it
// was given is written to as well: a caller may use its list for something else.
func (r *runner) sharing(out, args []reflect.Value, look, kept, again func() string) string {
	var found string
	tell := func(what string) { found += ShareMark + "; " + what + ShareMark }
	first := r.show(out)
	if lists := written(r.lib, out); len(lists) > 0 {
		restore := scribble(lists, true)
		if r.show(out) != first {
			tell("what is appended to one part of the result overwrites another")
		}
		restore()
		before, _ := quiet(look)
		restore = scribble(lists, false)
		if after, _ := quiet(look); after != before {
			tell("writing to the result changes what it was made of")
		}
		if again != nil && plain(args) {
			if second, _ := quiet(again); second != first {
				tell("asked again after the result was written to: " + second)
			}
		}
		restore()
	}
	if lists := written(r.lib, args); len(lists) > 0 {
		see := func() string { return r.show(out) + kept() }
		before, _ := quiet(see)
		restore := scribble(lists, false)
		if after, _ := quiet(see); after != before {
			tell("writing to what it was given changes what it gave or keeps")
		}
		restore()
	}
	if r.joined(args) {
		tell("writing to one argument changes another")
	}
	return found
}

// joined reports that of what a call was given one has what another one has, whoever put it there.
func (r *runner) joined(args []reflect.Value) bool {
	for i := range min(len(args), mostJoined) {
		lists := written(r.lib, args[i:i+1])
		others := slices.Concat(args[:i], args[i+1:])
		if len(lists) == 0 || plain(others) {
			continue
		}
		before, _ := quiet(func() string { return r.show(others) })
		restore := scribble(lists, false)
		after, _ := quiet(func() string { return r.show(others) })
		restore()
		if after != before {
			return true
		}
	}
	return false
}

// lists looks at the lists that lie within what callers handed over, as these have them: what is put in the place of one later is
// none of theirs. The function that it gives tells whether a call wrote to them since.
func (r *runner) lists(values []reflect.Value) func() string {
	var lists []reflect.Value
	for _, v := range written(r.lib, values) {
		if v.Kind() == reflect.Slice && v.Len() > 0 && v.CanInterface() {
			lists = append(lists, reflect.ValueOf(v.Interface()))
		}
	}
	if len(lists) == 0 {
		return func() string { return "" }
	}
	before := r.show(lists)
	return func() string {
		if r.show(lists) == before {
			return ""
		}
		return ShareMark + "; a list of the caller's is written to" + ShareMark
	}
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
	mostJoined   = 4 // arguments

	deepestWritten = 3
)

// written are the lists and tables among values, the structs of the package or of a caller that they point to, and what those hold.
func written(lib *library, values []reflect.Value) []reflect.Value {
	var lists []reflect.Value
	var add func(v reflect.Value, depth int)
	add = func(v reflect.Value, depth int) {
		if v = held(v); depth > deepestWritten || len(lists) >= mostLists {
			return
		}
		switch v.Kind() {
		case reflect.Slice:
			if v.IsNil() {
				return
			}
			lists = append(lists, v)
			for i := range min(v.Len(), mostLists) {
				add(v.Index(i), depth+1)
			}
		case reflect.Map:
			if v.IsNil() || !v.CanInterface() {
				return
			}
			lists = append(lists, v)
			if v.Len() <= mostLists {
				for _, k := range keysInOrder(v) {
					add(v.MapIndex(k), depth+1)
				}
			}
		case reflect.Pointer:
			if t := v.Type().Elem(); !v.IsNil() && t.Kind() == reflect.Struct && (lib.ours(t) || t.PkgPath() == "") {
				lists = append(lists, v)
				add(v.Elem(), depth+1)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					add(v.Field(i), depth+1)
				}
			}
		}
	}
	for _, v := range values {
		add(v, 0)
	}
	return lists
}

// held is the list, table, pointer or struct behind an interface, else the value itself.
func held(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Interface {
		return v
	}
	switch v.Elem().Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Struct:
		return v.Elem()
	}
	return v
}

// scribble writes to the elements of lists and the fields of structs and empties tables, or, as an append does, writes
// to the element behind the last where there is room. restore puts everything back.
func scribble(lists []reflect.Value, behind bool) (restore func()) {
	var undo []func()
	write := func(at reflect.Value) {
		was := reflect.New(at.Type()).Elem()
		was.Set(at)
		undo = append(undo, func() { at.Set(was) })
		at.Set(another(at))
	}
	for _, l := range lists {
		switch {
		case l.Kind() != reflect.Slice:
			if !behind {
				scribbleOther(l, write, &undo)
			}
		case behind && l.Cap() > l.Len():
			write(l.Slice(0, l.Len()+1).Index(l.Len()))
		case !behind && l.Type().Elem().Kind() != reflect.Slice:
			for i := range min(l.Len(), mostElements) {
				write(l.Index(i))
			}
		}
	}
	return func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
}

// scribbleOther empties a table, or writes to the fields of a struct that a pointer leads to.
func scribbleOther(v reflect.Value, write func(reflect.Value), undo *[]func()) {
	if v.Kind() == reflect.Map {
		was := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			was.SetMapIndex(it.Key(), it.Value())
		}
		*undo = append(*undo, func() {
			for it := was.MapRange(); it.Next(); {
				v.SetMapIndex(it.Key(), it.Value())
			}
		})
		v.Clear()
		return
	}
	for i := range v.Elem().NumField() {
		if f := v.Elem().Field(i); f.CanSet() && f.Kind() <= reflect.Float64 || f.CanSet() && f.Kind() == reflect.String {
			write(f)
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
