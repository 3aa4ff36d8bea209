package probe

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// observed calls the methods of a type that take nothing and tell something
// simple, by name.
func (s *shower) observed(v reflect.Value, t reflect.Type) string {
	var parts []string
	for i := range t.NumMethod() {
		m := t.Method(i)
		mt := v.MethodByName(m.Name)
		if !m.IsExported() || silent(m.Name) || !mt.IsValid() || mt.Type().NumIn() != 0 || mt.Type().NumOut() != 1 || len(parts) >= 12 || s.passive && takesAway(m.Name) {
			continue
		}
		if out := mt.Type().Out(0); !simple(out) {
			continue
		}
		inner := &shower{lib: s.lib, plain: s.plain}
		text, _ := quiet(func() string { return inner.results(inner.told(t, m.Name, mt)) })
		parts = append(parts, m.Name+"()="+text)
	}
	return strings.Join(parts, " ")
}

// The questions that a value behind an interface of the package is asked.
const (
	mostAsked = 8 // methods
	askedEach = 4
	mostHeard = 8 // more of them, with texts of the case and words in them
)

// words are what keys and names consist of.
var words = regexp.MustCompile(`[\pL\pN_]+`)

// heard are texts that a case was made of, and words in them: what such a case left behind may
// be found by one of them alone.
func heard(texts []string) []string {
	var out []string
	for _, s := range texts {
		for _, w := range append(words.FindAllString(s, mostHeard), s) {
			if len(out) < mostHeard && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// asked calls the methods of an interface of the package that take something and
// tell something: nothing else is known of what stands behind it. The arguments are
// the same each time, and then texts of the case.
func (s *shower) asked(v reflect.Value) string {
	t, text := v.Type(), ""
	if !s.lib.ours(t) {
		return ""
	}
	for i := range min(t.NumMethod(), mostAsked) {
		m := t.Method(i)
		if m.Type.NumIn() == 0 || m.Type.NumOut() == 0 || !m.IsExported() || silent(m.Name) {
			continue
		}
		for k := range askedEach {
			told, _ := quiet(func() string { return s.ask(v.Method(i), m.Name, k, "") })
			text += " " + told
		}
		if !takesText(m.Type) {
			continue
		}
		for k, word := range s.heard {
			told, _ := quiet(func() string { return s.ask(v.Method(i), m.Name, askedEach+k, word) })
			text += " " + told
		}
	}
	return text
}

// takesText reports a method of an interface with a text among its parameters.
func takesText(t reflect.Type) bool {
	for i := range t.NumIn() {
		if t.In(i).Kind() == reflect.String {
			return true
		}
	}
	return false
}

// ask calls a method with arguments of the number k, all texts among them as given where one is.
func (s *shower) ask(f reflect.Value, name string, k int, given string) (text string) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(unsupported); !ok {
				panic(p)
			}
		}
	}()
	g := &maker{d: seeded(hash(name, strconv.Itoa(k))), lib: s.lib, tame: true, given: given}
	args, written := g.arguments(f.Type(), deepest-1, nil)
	inner := &shower{lib: s.lib, plain: s.plain, asks: s.asks + 1}
	if inner.asks > 1 {
		return ""
	}
	return name + "(" + written + ")=" + inner.results(call(f, args))
}

func simple(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return simple(t.Elem())
	case reflect.Struct, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.Map, reflect.UnsafePointer:
		return t == reflect.TypeFor[error]() || t == reflect.TypeFor[time.Time]()
	}
	return true
}
