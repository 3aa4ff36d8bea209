package probe

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func (g *maker) slice(v reflect.Value, depth int) (reflect.Value, string) {
	t := v.Type()
	if t.Elem().Kind() == reflect.Uint8 {
		s := g.text()
		v.Set(reflect.ValueOf(slices.Clip([]byte(s))).Convert(t)) // an append to it never writes behind it
		return v, typeName(t) + "(" + strconv.Quote(s) + ")"
	}
	if t.Elem() == reflect.TypeFor[rune]() && g.d.chance(12) {
		s := g.text()
		v.Set(reflect.ValueOf(slices.Clip([]rune(s))).Convert(t))
		return v, typeName(t) + "(" + strconv.Quote(s) + ")"
	}
	if list, ok := g.alike(t); ok {
		return g.listed(v, list)
	}
	defer func() { g.keep(v) }()
	list := g.lib.listsFor(t.Elem())
	if len(list) > 0 && g.d.aim != nil {
		g.d.force(0)
	}
	if len(list) > 0 && g.d.chance(6) {
		return g.listed(v, list[g.d.n(len(list))])
	}
	n := g.length(depth, 9)
	if n == 0 {
		return v, "nil"
	}
	v.Set(reflect.MakeSlice(t, 0, n))
	var texts []string
	for range n {
		if len(texts) > 0 && g.d.chance(3) { // equal elements are where order and counting break
			i := g.d.n(len(texts))
			v.Set(reflect.Append(v, v.Index(i)))
			texts = append(texts, texts[i])
			continue
		}
		e, text := g.value(t.Elem(), depth+1)
		v.Set(reflect.Append(v, e))
		texts = append(texts, text)
	}
	return v, typeName(t) + "{" + strings.Join(texts, ", ") + "}"
}

// mostLikened bounds the lists of a type that others of the case may be near to.
const mostLikened = 3

// keep remembers a list of numbers or texts.
func (g *maker) keep(v reflect.Value) {
	k := v.Type().Elem().Kind()
	if v.Len() == 0 || v.Len() > 60 || k != reflect.String && (k < reflect.Bool || k > reflect.Float64) {
		return
	}
	if g.lists == nil {
		g.lists = map[reflect.Type][][]reflect.Value{}
	}
	if t := v.Type(); len(g.lists[t]) < mostLikened {
		list := make([]reflect.Value, v.Len())
		for i := range list { // the callee may write to its own
			list[i] = reflect.New(t.Elem()).Elem()
			list[i].Set(v.Index(i))
		}
		g.lists[t] = append(g.lists[t], list)
	}
}

// alike is by chance a list that the case has already: what compares or merges lists is dull on strangers.
func (g *maker) alike(t reflect.Type) ([]reflect.Value, bool) {
	list := g.lists[t]
	if len(list) == 0 {
		return nil, false
	}
	if g.d.aim != nil {
		g.d.force(0)
	}
	if !g.d.chance(6) {
		return nil, false
	}
	return list[g.d.n(len(list))], true
}

// listed is a slice of the sources or tests, as it is or changed a little.
func (g *maker) listed(v reflect.Value, list []reflect.Value) (reflect.Value, string) {
	list = append([]reflect.Value{}, list...)
	for range g.d.n(3) {
		at := g.d.n(len(list))
		switch g.d.n(4) {
		case 0:
			list = append(list[:at:at], list[at+1:]...)
		case 1:
			list = append(list[:at+1:at+1], list[at:]...)
		case 2:
			to := g.d.n(len(list))
			list[at], list[to] = list[to], list[at]
		default:
			list[at], _ = g.value(v.Type().Elem(), 2)
		}
		if len(list) == 0 {
			break
		}
	}
	if len(list) == 0 {
		return v, "nil"
	}
	v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, len(list)), list...))
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = constantText(e)
		g.hear(e)
	}
	return v, typeName(v.Type()) + "{" + strings.Join(texts, ", ") + "}"
}

// length draws a number of elements; deep ones get few.
func (g *maker) length(depth, most int) int {
	if depth >= deepest {
		return 0
	}
	if depth <= deepestSize {
		at, ok := g.d.target(edgeSize)
		switch {
		case ok:
			g.d.force(15, uint64(at))
		case !g.d.from || g.d.aim != nil: // what is aimed at may be an element; long ones are rare where all is drawn
			g.d.force(0)
		}
		if g.d.chance(1) {
			return g.lib.edges.sizes[g.d.n(len(g.lib.edges.sizes))]
		}
	}
	if n := len(g.lib.lits.NearInts); depth == 0 && n > 0 && g.d.chance(1) {
		return int(min(80, max(0, g.lib.lits.NearInts[g.d.n(n)]+int64(g.d.n(3))-1)))
	}
	if depth == 0 && g.d.chance(1) {
		if g.d.n(4) == 0 { // as rooms of things that grow are
			return 4 << g.d.n(4)
		}
		return g.d.n(60)
	}
	if n := max(1, most-2*depth); g.d.aim != nil && n > 1 {
		g.d.force(1 + g.d.next()%min(3, uint64(n-1)))
	}
	return g.d.n(max(1, most-2*depth))
}

// iterates reports a function that hands values to another one until that gives false: an iterator.
func iterates(t reflect.Type) bool {
	return t.Kind() == reflect.Func && t.NumIn() == 1 && t.NumOut() == 0 && t.In(0).Kind() == reflect.Func && t.In(0).NumIn() > 0 && t.In(0).NumOut() == 1 && t.In(0).Out(0).Kind() == reflect.Bool
}

// iterator makes one that yields a few values.
func (g furnishing) iterator(t reflect.Type) (reflect.Value, string) {
	var rows [][]reflect.Value
	var texts []string
	for range g.length(1, 9) {
		row, text := g.arguments(t.In(0), 1, nil)
		rows, texts = append(rows, row), append(texts, text)
	}
	f := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		for _, row := range rows {
			if !args[0].Call(row)[0].Bool() {
				break
			}
		}
		return nil
	})
	return f, "an iterator over " + strings.Join(texts, "; ")
}
