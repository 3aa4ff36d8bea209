package probe

import (
	"reflect"
	"slices"
	"sync/atomic"
)

// way is what a case calls on the way to the call that it is about: to make values, to fill them, and before it in a
// history. What did not come back in the root, or ended its process, is left out there: each such case costs the longest time of one, and its
// process.
type way struct {
	endless []string
	now     atomic.Pointer[string] // what is called; nil: nothing
	tell    func(name string)      // is told of what is called, and of nothing behind it; may be nil
}

// call calls a function, or a method of an object, that has a name. It reports false where that is left out.
func (w *way) call(of, name string, f reflect.Value, args []reflect.Value) ([]reflect.Value, bool) {
	if w == nil {
		return call(f, args), true
	}
	if w.leaves(of, name) {
		return nil, false
	}
	name = of + "." + name
	w.now.Store(&name)
	defer w.now.Store(nil)
	if w.tell != nil {
		w.tell(name)
		defer w.tell("")
	}
	return call(f, args), true
}

// leaves reports a function, or a method of a type, that is left out.
func (w *way) leaves(of, name string) bool { return slices.Contains(w.endless, of+"."+name) }

// under is what is called; "" for nothing.
func (w *way) under() string {
	if name := w.now.Load(); name != nil {
		return *name
	}
	return ""
}
