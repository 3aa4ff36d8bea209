package probe

import (
	"reflect"
	"slices"
	"strings"
)

// The bounds of what an object is asked at the end of a case.
const (
	mostQuestions = 3   // methods
	mostNumbers   = 4   // arguments that are whole numbers
	largestAsked  = 100 // of these: some methods make as much as they are told
)

// questions asks an object by chance for what stands under the texts and numbers of the case: what is kept by a key shows
// under that key alone. They stand behind all that the case does otherwise, each is asked about all of them twice, and
// where the answers are not the same nothing is told.
func (r *runner) questions(m *maker, p reflect.Value) (text string) {
	t := p.Type()
	var names []string
	for i := range t.NumMethod() {
		if name := t.Method(i).Name; !silent(name) && !r.way.leaves(t.String(), name) && r.question(p.MethodByName(name).Type()) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || !m.d.chance(10) {
		return ""
	}
	for range mostQuestions {
		at := m.d.n(len(names))
		name := names[at]
		about := r.about(m, p.MethodByName(name).Type().In(0))
		first, told := r.answers(p, name, about)
		if second, again := r.answers(p, name, about); told && again && first == second {
			text += "; " + first
		}
		if names = slices.Delete(names, at, at+1); len(names) == 0 {
			break
		}
	}
	return text
}

// question reports a method that takes one text or whole number and tells something plain.
func (r *runner) question(t reflect.Type) bool {
	if t.NumIn() != 1 || t.IsVariadic() || t.NumOut() == 0 || t.NumOut() > 3 || !r.plainResults(t) {
		return false
	}
	k := t.In(0).Kind()
	return k == reflect.String || k >= reflect.Int && k <= reflect.Uint64
}

// about are the values of a type that questions are about: words of the case, or its numbers and the first two.
func (r *runner) about(m *maker, t reflect.Type) (out []reflect.Value) {
	add := func(v reflect.Value) {
		if !slices.ContainsFunc(out, func(o reflect.Value) bool { return o.Equal(v) }) {
			out = append(out, v)
		}
	}
	if t.Kind() == reflect.String {
		for _, word := range heard(m.texts) {
			add(reflect.ValueOf(word).Convert(t))
		}
		return out
	}
	for _, v := range []int64{0, 1} {
		add(reflect.ValueOf(v).Convert(t))
	}
	for i := range m.places {
		if p := &m.places[i]; p.kind == edgeInt && p.whole >= 0 && p.whole <= largestAsked && len(out) < mostNumbers {
			add(reflect.ValueOf(p.whole).Convert(t))
		}
	}
	return out
}

// answers are what a method gives for some values; told is false where it is left out on the way.
func (r *runner) answers(p reflect.Value, name string, about []reflect.Value) (text string, told bool) {
	told = true
	texts := make([]string, len(about))
	for i, v := range about {
		answer, _ := quiet(func() string {
			out, ok := r.way.call(p.Type().String(), name, p.MethodByName(name), []reflect.Value{v})
			told = told && ok
			return (&shower{lib: r.lib}).results(r.of(p, name, out))
		})
		texts[i] = name + "(" + (&shower{lib: r.lib, plain: true}).show(v) + ")=" + answer
	}
	return strings.Join(texts, " "), told
}
