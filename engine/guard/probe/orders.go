package probe

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// orders tell which methods give lists in no order, as those that walk over a map do: what such a one tells is told
// as if it had one. That is learnt in the root, and holds for both trees.
type orders struct {
	none    map[string]bool   // methods, by their type and name
	notice  func(name string) // is told of another one; nil: nobody looks
	checked map[string]int
}

// mostChecked is how often one method is asked twice.
const mostChecked = 40

func methodName(t reflect.Type, name string) string {
	return strings.TrimPrefix(t.String(), "*") + "." + name
}

// told are the results of a method that takes nothing.
func (s *shower) told(t reflect.Type, name string, m reflect.Value) []reflect.Value {
	o, out, full := &s.lib.orders, m.Call(nil), methodName(t, name)
	switch {
	case o.none[full]:
		return s.inOrder(out)
	case o.notice == nil || o.checked[full] == mostChecked || takesAway(name) || !slices.ContainsFunc(out, severalItems):
		return out
	}
	if o.checked == nil {
		o.checked = map[string]int{}
	}
	o.checked[full]++
	again := m.Call(nil)
	if s.results(out) != s.results(again) && s.results(s.inOrder(out)) == s.results(s.inOrder(again)) {
		o.notice(full)
	}
	return out
}

// of are the results of a method that was called.
func (s *shower) of(t reflect.Type, name string, out []reflect.Value) []reflect.Value {
	if s.lib.orders.none[methodName(t, name)] {
		return s.inOrder(out)
	}
	return out
}

func severalItems(v reflect.Value) bool { return v.Kind() == reflect.Slice && v.Len() > 1 }

// inOrder are values with the items of lists in the order of what is shown of them.
func (s *shower) inOrder(out []reflect.Value) []reflect.Value {
	out = slices.Clone(out)
	for i, v := range out {
		if !severalItems(v) {
			continue
		}
		items := make([]reflect.Value, v.Len())
		for k := range items {
			items[k] = v.Index(k)
		}
		slices.SortStableFunc(items, func(a, b reflect.Value) int { return cmp.Compare(s.show(a), s.show(b)) })
		out[i] = reflect.Append(reflect.MakeSlice(v.Type(), 0, len(items)), items...)
	}
	return out
}
