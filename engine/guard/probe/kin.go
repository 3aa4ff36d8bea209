package probe

import (
	"reflect"
	"slices"
	"strings"
)

// ancestor is how an object of a case was made.
type ancestor struct {
	by   Func
	args []reflect.Value
}

// mostAncestors bounds those of one type.
const mostAncestors = 2

// begat remembers how an object was made.
func begat(g *maker, t reflect.Type, by Func, args []reflect.Value) {
	if g.ancestors == nil {
		g.ancestors = map[reflect.Type][]ancestor{}
	}
	if len(args) > 0 && len(g.ancestors[t]) < mostAncestors {
		g.ancestors[t] = append(g.ancestors[t], ancestor{by, args})
	}
}

// kin makes by chance the arguments for an object that is like one the case has already: what compares or joins two of
// them is dull on strangers. Texts are changed a little, and what a callee may write to is made anew.
func kin(g *maker, t reflect.Type, depth int) (by Func, args []reflect.Value, text string, ok bool) {
	list := g.ancestors[t]
	if len(list) == 0 {
		return by, nil, "", false
	}
	if g.d.aim != nil {
		g.d.force(0)
	}
	if !g.d.chance(9) {
		return by, nil, "", false
	}
	a := list[g.d.n(len(list))]
	texts := make([]string, len(a.args))
	for i, was := range a.args {
		v, written := was, ""
		switch k := was.Kind(); {
		case k == reflect.String || k == reflect.Slice && was.Type().Elem().Kind() == reflect.Uint8:
			v = reflect.ValueOf(akin(g, textOf(was))).Convert(was.Type())
			written = constantText(v)
			g.hear(v)
		case k <= reflect.Float64 && g.d.n(3) > 0:
			written = constantText(v)
		default:
			v, written = g.value(was.Type(), depth+1)
		}
		args, texts[i] = append(args, v), written
	}
	return a.by, args, strings.Join(texts, ", "), true
}

// textOf is a text, or what bytes hold.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return string(v.Bytes())
}

// akin is a text as it is, without a line or with one twice, or changed a little.
func akin(g *maker, s string) string {
	lines := strings.SplitAfter(s, "\n")
	switch at := g.d.n(len(lines)); g.d.n(6) {
	case 0:
		return s
	case 1, 2:
		if len(lines) > 1 {
			return strings.Join(slices.Delete(lines, at, at+1), "")
		}
	case 3:
		return g.renumbered(s)
	case 4:
		return reparted(s, g.d.n)
	}
	return g.changed(s)
}
