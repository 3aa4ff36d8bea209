package probe

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// maker makes the values of one case and the text that a reader would write for
// them.
type maker struct {
	d    *draws
	lib  *library
	way  *way // nil: nothing is left out
	tame bool
	seen []func() string // what values that were handed out have recorded

	texts     []string                           // made so far, the first of them
	lists     map[reflect.Type][][]reflect.Value // of numbers or texts made so far
	ancestors map[reflect.Type][]ancestor        // how objects were made so far
	given     string                             // where it is not empty, each text is that
	places    []place                            // where numbers and texts were made
	callers   reflect.Type                       // of a caller's own, that a value of any type had last
	kinds     map[reflect.Type]int               // which type stands behind an interface whose values are compared
	kept      []gift                             // lists and tables that calls before the last gave
	handed    []reflect.Value                    // what makes and fills the receiver was given
	void      bool                               // what panics says nothing
	whole     reflect.Value                      // the object itself that was taken from another one: a copy may be another

	small bool                        // whole numbers are small: the receiver is soon full
	few   int                         // methods get so many different values of a type; 0: any
	pool  map[reflect.Type][]argument // those values

	tokens map[reflect.Type][]argument // that methods gave in a history, by their names there
}

// argument is a value with its text.
type argument struct {
	value reflect.Value
	text  string
}

// again makes a value for a parameter of a method, or takes one that another method had.
// What a callee may change is made anew.
func (g *maker) again(t reflect.Type, depth int) (reflect.Value, string) {
	if list := g.tokens[t]; len(list) > 0 && g.d.n(4) > 0 {
		token := list[g.d.n(len(list))]
		return token.value, token.text
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64, reflect.Interface:
	default:
		return g.value(t, depth)
	}
	if t.Kind() == reflect.Interface && t.NumMethod() > 0 {
		return g.value(t, depth)
	}
	if list := g.pool[t]; len(list) > 0 {
		if i := g.d.n(g.few); i < len(list) {
			return list[i].value, list[i].text
		}
	}
	if t.Kind() == reflect.Interface && !g.d.chance(1) {
		depth = simpleAny // what is no key ends a history of what keeps values by keys
	}
	v, text := g.value(t, depth)
	if k := v.Kind(); k == reflect.Interface && !v.IsNil() && !v.Elem().Comparable() {
		return v, text
	}
	if g.pool == nil {
		g.pool = map[reflect.Type][]argument{}
	}
	g.pool[t] = append(g.pool[t], argument{v, text})
	return v, text
}

// unsupported is thrown where no value of a type can be made.
type unsupported struct{ t reflect.Type }

const deepest = 5

// value makes a value of a type.
func (g *maker) value(t reflect.Type, depth int) (reflect.Value, string) {
	if v, text, ok := g.known(t, depth); ok {
		return v, text
	}
	if v, text, ok := g.foreign(t, depth); ok {
		return v, text
	}
	if g.lib.option(t) || g.lib.ours(t) && (t.Kind() == reflect.Struct || t.Kind() == reflect.Interface || g.gathered(t)) {
		if v, text, ok := g.made(t, depth); ok {
			return v, text
		}
	}
	if v, text, ok := oneOf(g, t); ok {
		return v, text
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(g.d.n(2) == 1)
		return v, fmt.Sprint(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(g.integer(t.Bits()-1, true))
		if v.OverflowInt(v.Int()) {
			v.SetInt(0)
		}
		return v, named(t, strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(g.integer(t.Bits(), false)))
		return v, named(t, strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(g.float())
		return v, named(t, strconv.FormatFloat(v.Float(), 'g', -1, t.Bits()))
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(g.float(), g.float()))
		return v, fmt.Sprint(v.Complex())
	case reflect.String:
		v.SetString(g.text())
		return v, named(t, strconv.Quote(v.String()))
	}
	return g.compound(v, depth)
}

// named writes a constant as its type where that is no built-in one.
func named(t reflect.Type, text string) string {
	if t.PkgPath() == "" {
		return text
	}
	return t.Name() + "(" + text + ")"
}

func (g *maker) compound(v reflect.Value, depth int) (reflect.Value, string) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Slice:
		return g.slice(v, depth)
	case reflect.Array:
		texts := make([]string, t.Len())
		for i := range texts {
			e, text := g.value(t.Elem(), depth+1)
			v.Index(i).Set(e)
			texts[i] = text
		}
		return v, typeName(t) + "{" + strings.Join(texts, ", ") + "}"
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		var texts []string
		n := g.length(depth, 5)
		for try := 0; try < 4*n && v.Len() < n; try++ { // keys may be equal
			k, kt := tableKey(g, t.Key(), depth+1)
			e, et := g.value(t.Elem(), depth+1)
			if !k.Comparable() || v.MapIndex(k).IsValid() {
				continue
			}
			v.SetMapIndex(k, e)
			texts = append(texts, kt+": "+et)
		}
		return v, typeName(t) + "{" + strings.Join(texts, ", ") + "}"
	case reflect.Pointer:
		if depth >= deepest || g.d.chance(1) {
			return v, "nil"
		}
		e, text := g.value(t.Elem(), depth+1)
		p := reflect.New(t.Elem())
		p.Elem().Set(e)
		v.Set(p.Convert(t))
		return v, "&" + text
	case reflect.Struct:
		return g.fields(v, depth)
	case reflect.Func:
		return g.function(t)
	case reflect.Interface:
		return g.held(v, depth)
	}
	panic(unsupported{t})
}

// tableKey makes a key of a table. One that is a text is often a word of another text of the case, one of any type often a text.
func tableKey(g *maker, t reflect.Type, depth int) (reflect.Value, string) {
	if t.Kind() == reflect.String && len(g.texts) > 0 && g.d.chance(6) {
		v := reflect.New(t).Elem()
		list := words.FindAllString(g.texts[g.d.n(len(g.texts))], mostHeard)
		if len(list) > 0 {
			v.SetString(list[g.d.n(len(list))])
			return v, named(t, strconv.Quote(v.String()))
		}
	}
	if t.Kind() == reflect.Interface && t.NumMethod() == 0 && g.d.chance(8) {
		k, text := g.value(reflect.TypeFor[string](), depth)
		return box(t, k.Interface()), text
	}
	return g.value(t, depth)
}

// fields fills the exported fields of a struct.
func (g *maker) fields(v reflect.Value, depth int) (reflect.Value, string) {
	t := v.Type()
	if !g.lib.ours(t) && t.PkgPath() != "" && opaque(t) && t.NumField() > 0 && depth == 0 {
		panic(unsupported{t}) // another package's secret
	}
	if text, ok := shaped(g, v, depth); ok {
		return v, text
	}
	var texts []string
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || depth >= deepest {
			continue
		}
		e, text := g.optional(f.Type, depth+1)
		if e.IsValid() && !e.IsZero() {
			v.Field(i).Set(e)
			texts = append(texts, f.Name+": "+text)
		}
	}
	return v, typeName(t) + "{" + strings.Join(texts, ", ") + "}"
}

// optional makes a value, or none where none can be made: a field may stay
// unset.
func (g *maker) optional(t reflect.Type, depth int) (v reflect.Value, text string) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(unsupported); !ok {
				panic(p)
			}
			v, text = reflect.Value{}, ""
		}
	}()
	if g.d.aim != nil {
		g.d.force(0)
	}
	if g.d.chance(5) {
		return v, ""
	}
	return g.value(t, depth)
}

// arguments makes the arguments of a function. A row of constants, where given,
// stands for the parameters that it fits.
func (g *maker) arguments(t reflect.Type, depth int, row []*Constant) ([]reflect.Value, string) {
	args, texts := make([]reflect.Value, t.NumIn()), make([]string, t.NumIn())
	numbers := 0
	for i := range args {
		step := g.d.step(depth, t.In(i), &numbers)
		if at := len(g.d.used); row != nil && row[i] != nil && !g.d.other(t.In(i)) {
			if v, ok := row[i].as(t.In(i)); ok {
				constantAt(g, at, v)
				g.hear(v)
				args[i], texts[i] = v, constantText(v)
				continue
			}
		}
		if g.few > 0 && depth == 1 && !step {
			args[i], texts[i] = g.again(t.In(i), depth)
		} else {
			args[i], texts[i] = g.value(t.In(i), depth)
		}
		if t.IsVariadic() && i == len(args)-1 {
			texts[i] += "..."
		}
	}
	return args, strings.Join(texts, ", ")
}

// hear remembers a text of the sources, as one that was drawn is.
func (g *maker) hear(v reflect.Value) {
	if v.Kind() == reflect.String && len(g.texts) < mostTexts {
		g.texts = append(g.texts, v.String())
	}
}

func constantText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return named(v.Type(), strconv.Quote(v.String()))
	case reflect.Slice:
		return typeName(v.Type()) + "(" + strconv.Quote(string(v.Bytes())) + ")"
	}
	return named(v.Type(), fmt.Sprint(v.Interface()))
}

func call(f reflect.Value, args []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

// typeName is the name of a type without the package under test.
func typeName(t reflect.Type) string {
	if t.Name() != "" && t.PkgPath() != "" {
		return t.Name()
	}
	return t.String()
}

// moment draws a time: most are between 1970 and 2100, others of any year, before 1970, or the zero one.
func (g *maker) moment() time.Time {
	switch g.d.n(10) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(int64(g.d.n(100)), 0).UTC()
	case 2:
		return time.Date(2000+g.d.n(30), time.Month(1+g.d.n(12)), 1+g.d.n(31), 0, 0, 0, 0, time.UTC)
	case 8:
		return time.Date(1+g.d.n(9999), time.Month(1+g.d.n(12)), 1+g.d.n(31), g.d.n(24), 0, 0, 0, time.UTC)
	case 9:
		return time.Unix(-int64(g.d.n(100_000)), int64(g.d.n(1_000_000_000))).UTC()
	}
	return time.Unix(int64(g.d.wide(4_102_444_800)), int64(g.d.n(2))*int64(g.d.n(1_000_000_000))).UTC()
}

// duration draws a length of time near the units that people use.
func (g *maker) duration() (v time.Duration) {
	from := len(g.d.used)
	defer func() { madeAt(g, from, place{kind: edgeDuration, whole: int64(v)}) }()
	if at, ok := g.d.target(edgeDuration); ok {
		g.d.force(7, uint64(at))
	}
	g.d.unspelled(spelledSpan)
	kind := g.d.n(spelledSpan + 1)
	if kind == spelledSpan {
		return time.Duration(g.d.wide(math.MaxUint64))
	}
	if kind == 7 {
		return g.lib.edges.durations[g.d.n(len(g.lib.edges.durations))]
	}
	unit := []time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}[kind]
	v = time.Duration(g.d.n(120)) * unit
	if g.d.chance(2) {
		v = -v
	}
	g.d.moderate(1)
	if g.d.chance(1) {
		v = math.MaxInt64
	}
	return v
}
