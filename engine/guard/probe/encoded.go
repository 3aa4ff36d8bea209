package probe

import (
	"reflect"
	"strconv"
	"strings"
)

// The names of methods that read what others of their type write.
const (
	decodes = "Unmarshal"
	encodes = "Marshal"
)

// encoded is most often the argument of a method that decodes (UnmarshalJSON): what an object of the type encodes itself as,
// with a few edits, for in other bytes there is hardly a name that it knows. It is nil for any other method.
func (r *runner) encoded(p reflect.Value, name string, m *maker) (args []reflect.Value, text string) {
	form, ok := strings.CutPrefix(name, decodes)
	if !ok || p.Kind() != reflect.Pointer || p.MethodByName(name).Type().NumIn() != 1 || !p.MethodByName(encodes+form).IsValid() || m.d.n(4) == 0 {
		return nil, ""
	}
	data, ok := encoding(m, p.Type().Elem(), encodes+form)
	if !ok || p.MethodByName(name).Type().In(0) != reflect.TypeOf(data) {
		return nil, ""
	}
	s := string(data)
	for range m.d.n(3) {
		if m.d.n(2) == 0 {
			s = m.renumbered(s)
		} else {
			s = m.changed(s)
		}
	}
	return []reflect.Value{reflect.ValueOf([]byte(s))}, "[]byte(" + strconv.Quote(s) + ")"
}

// encoding is what a method of a made value of a type writes; ok is false where it does not.
func encoding(g *maker, t reflect.Type, method string) (data []byte, ok bool) {
	v, _ := g.value(t, 1)
	p := reflect.New(t)
	p.Elem().Set(v)
	f, isOne := p.MethodByName(method).Interface().(func() ([]byte, error))
	if !isOne {
		return nil, false
	}
	_, _ = quiet(func() string {
		var err error
		data, err = f()
		ok = err == nil
		return ""
	})
	return data, ok
}
