package probe

import "reflect"

// mostReturned bounds the calls of one function that a function gave.
const mostReturned = 4

// returned calls functions that a function gave, several times with few different values: what one keeps of an earlier call
// shows in a later one.
func (r *runner) returned(m *maker, out []reflect.Value, in *string) (shown string) {
	for _, f := range out {
		if f.Kind() == reflect.Interface && !f.IsNil() {
			f = f.Elem()
		}
		if f.Kind() != reflect.Func || f.IsNil() || f.Type().NumIn() == 0 || f.Type().NumOut() == 0 || iterates(f.Type()) {
			continue
		}
		m.few = 2
		for range 1 + m.d.n(mostReturned) {
			var next string
			text, _ := quiet(func() string {
				args, written := m.arguments(f.Type(), 1, nil)
				next = "; it(" + written + ")"
				r.heard = heard(m.texts)
				return r.show(call(f, args)) + r.after(args)
			})
			*in += next
			shown += "; " + text
		}
		m.few = 0
	}
	return shown
}
