package probe

import "reflect"

// gift is a list or a table that a call gave, and how it read then.
type gift struct {
	value reflect.Value
	shown string
}

// mostGifts bounds those of one call.
const mostGifts = 2

// given are the lists and tables among the results of a call.
func (r *runner) given(out []reflect.Value) (list []gift) {
	for _, v := range out {
		if v = held(v); (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() > 0 && len(list) < mostGifts {
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
