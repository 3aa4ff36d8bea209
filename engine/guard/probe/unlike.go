package probe

import (
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The bounds of other values.
const (
	deepestSet    = 3
	mostWritten   = 8       // elements of a list that is told whole, and that may become longer or shorter
	largestSet    = 100_000 // a number of the code
	longestSet    = 20      // bytes of a text of the code
	mostChanged   = 1024    // elements of a list of which each is another one
	triesToDiffer = 8
)

// changer makes other values than those that variables hold.
type changer struct{ *maker }

// unlike is the value number n of those that a variable which holds v may be set to: near to it, but another.
// Errors are what callers compare with and not what they set.
func (g changer) unlike(v reflect.Value, n, depth int) (argument, bool) {
	if depth > deepestSet || v.Type().Implements(reflect.TypeFor[error]()) {
		return argument{}, false
	}
	for try := range triesToDiffer {
		a, ok := g.offer(v, n+try, depth)
		if ok && (v.Kind() == reflect.Func || !reflect.DeepEqual(a.value.Interface(), v.Interface())) {
			return a, true
		}
	}
	return argument{}, false
}

// offer is one of those values; it may be the same.
func (g changer) offer(v reflect.Value, n, depth int) (argument, bool) {
	t := v.Type()
	out := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[*regexp.Regexp]():
		return expression(v.Interface().(*regexp.Regexp), n), true
	case t == reflect.TypeFor[time.Time]():
		m := v.Interface().(time.Time).AddDate(0, n%14, n+1)
		return argument{reflect.ValueOf(m), "time " + m.Format(time.RFC3339Nano)}, true
	case t == reflect.TypeFor[*time.Location]():
		return argument{reflect.ValueOf(time.FixedZone("there", 3600*(n%12+1))), "time.FixedZone(\"there\", " + strconv.Itoa(3600*(n%12+1)) + ")"}, true
	case v.Kind() == reflect.Bool:
		out.SetBool(!v.Bool())
	case v.CanInt():
		out.SetInt(pickOther(g.lib.numbersBeside(v.Int()), v.Int(), n))
	case v.CanUint():
		out.SetUint(uint64(pickOther(g.lib.numbersBeside(int64(v.Uint())), int64(v.Uint()), n)) & (uint64(1)<<t.Bits() - 1))
	case v.CanFloat():
		f := v.Float()
		out.SetFloat(pickOther(append([]float64{f + 1, 2 * f, f / 2, 0.5, 2, 0, f + 0.25, 10}, g.lib.lits.NearFloats...), f, n))
	case v.Kind() == reflect.String:
		out.SetString(pickOther(g.lib.textsBeside(v.String()), v.String(), n))
	default:
		return g.offerCompound(v, n, depth)
	}
	return argument{out, constantText(out)}, true
}

// pickOther is the choice number n of those that are another value, or the same where none is.
func pickOther[T comparable](list []T, than T, n int) T {
	list = slices.DeleteFunc(list, func(x T) bool { return x == than })
	if len(list) == 0 {
		return than
	}
	return list[n%len(list)]
}

// numbersBeside are numbers for the place of one; below zero only where that is.
func (l *library) numbersBeside(v int64) []int64 {
	out := []int64{v + 1, v - 1, 2 * v, v / 2, 1, 2, 3, 0, 5, 10, 64}
	for _, k := range l.lits.NearInts {
		if k <= largestSet && k >= -largestSet {
			out = append(out, k)
		}
	}
	return slices.DeleteFunc(out, func(x int64) bool { return x < 0 && v >= 0 })
}

// textsBeside are texts for the place of one: short ones and those of the changed code. A long one, such as an
// alphabet, keeps its length, on which code may rely.
func (l *library) textsBeside(v string) []string {
	r := []rune(v)
	back := slices.Clone(r)
	slices.Reverse(back)
	if len(r) > mostWritten {
		return []string{string(r[1:]) + string(r[:1]), string(back), string(r[len(r)/2:]) + string(r[:len(r)/2]), "_" + string(r[1:])}
	}
	out := []string{"_", ".", "x", " ", v + v, "", "+", v + "x", strings.ToUpper(v), "é", "-", "0", string(back)}
	for _, s := range l.lits.NearStrings {
		if len(s) <= longestSet {
			out = append(out, s)
		}
	}
	return out
}

// expression is another regular expression: one that matches more, in other cases, or other texts.
func expression(re *regexp.Regexp, n int) argument {
	list := []string{"[a-e]", "[0-9]+", " ", "[^a-z]", `\s+|-`, "x+", "[A-Z_]"}
	if re != nil {
		of := "(?:" + re.String() + ")"
		list = append([]string{of + "|[a-e]", "(?i:" + re.String() + ")|[aeiou ]", of + "+|[ _]+", of + "?"}, list...)
	}
	text := list[n%len(list)]
	other, err := regexp.Compile(text)
	if err != nil { // of one that is written in POSIX syntax
		text = "[a-e]"
		other = regexp.MustCompile(text)
	}
	return argument{reflect.ValueOf(other), "regexp.MustCompile(" + strconv.Quote(text) + ")"}
}

// offerCompound is another list, table, function or object.
func (g changer) offerCompound(v reflect.Value, n, depth int) (argument, bool) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return g.otherList(v, n, depth)
	case reflect.Map:
		return g.otherTable(v, n, depth)
	}
	if list := g.lib.standIns(v); len(list) > 0 && n%2 == 0 {
		return list[n/2%len(list)], true
	}
	switch {
	case t.Kind() == reflect.Func:
		seen := len(g.seen)
		f, text := g.function(t)
		if t.NumOut() > 0 { // how often it is asked is no behaviour
			g.seen = g.seen[:seen]
		}
		return argument{f, text}, true
	case t == reflect.TypeFor[io.Writer]():
		x, text := writer(g.maker)
		return argument{box(t, x), text}, true
	case t.Kind() == reflect.Struct && g.lib.fielded(t), t.Kind() == reflect.Pointer && !v.IsNil() && g.lib.fielded(t.Elem()):
		if fields := g.differing(reflect.Indirect(v), depth); len(fields) > 0 {
			return g.withField(v, fields[n%len(fields)], n/len(fields), depth)
		}
	case t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct:
		at := reflect.New(t.Elem())
		if !v.IsNil() {
			at.Elem().Set(v.Elem())
		}
		a, ok := g.unlike(at.Elem(), n, depth+1)
		if ok {
			at.Elem().Set(a.value)
		}
		return argument{at, "&" + a.text}, ok
	}
	if t.Kind() == reflect.Interface && t.NumMethod() > 0 && g.lib.ours(t) || t.Kind() == reflect.Pointer && g.lib.ours(t.Elem()) {
		e, text := g.value(t, 1)
		return argument{e, text}, !e.IsNil()
	}
	return argument{}, false
}

// fielded reports a struct whose fields callers may set: one of the package, or without a name.
func (l *library) fielded(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && (t.Name() == "" || l.ours(t))
}

// differing are the exported fields of a struct of which other values can be made.
func (g changer) differing(v reflect.Value, depth int) []int {
	var out []int
	trial := changer{&maker{d: seeded(0), lib: g.lib, tame: true, small: true}}
	for i := range v.NumField() {
		quiet(func() string {
			if v.Type().Field(i).IsExported() {
				if _, ok := trial.unlike(v.Field(i), 0, depth+1); ok {
					out = append(out, i)
				}
			}
			return ""
		})
	}
	return out
}

// withField is a copy of a struct with another value in a field, behind a pointer where v is one.
func (g changer) withField(v reflect.Value, field, n, depth int) (argument, bool) {
	was := reflect.Indirect(v)
	at := reflect.New(was.Type())
	at.Elem().Set(was)
	a, ok := g.unlike(was.Field(field), n, depth+1)
	if !ok {
		return argument{}, false
	}
	at.Elem().Field(field).Set(a.value)
	text := typeName(was.Type()) + "{..., " + was.Type().Field(field).Name + ": " + a.text + "}"
	if v.Kind() == reflect.Pointer {
		return argument{at, "&" + text}, true
	}
	return argument{at.Elem(), text}, true
}

// standIns are what other exported names of the package hold that could stand in the variable.
func (l *library) standIns(v reflect.Value) []argument {
	var out []argument
	add := func(name string, x reflect.Value) {
		if x.IsValid() && x.Type().AssignableTo(v.Type()) {
			if x.Kind() == reflect.Func && (x.IsNil() || !v.IsNil() && v.Kind() == reflect.Func && x.Pointer() == v.Pointer()) {
				return
			}
			e := reflect.New(v.Type()).Elem()
			e.Set(x)
			out = append(out, argument{e, name})
		}
	}
	for _, x := range l.api.Values {
		add(x.Name, reflect.ValueOf(x.Value))
	}
	for _, f := range l.api.Funcs {
		add(f.Name, f.Value)
	}
	return out
}

// otherList is a list with other elements, or in another order, and one that is no long table with more of them or fewer.
func (g changer) otherList(v reflect.Value, n, depth int) (argument, bool) {
	t, length := v.Type(), v.Len()
	list := make([]reflect.Value, length)
	for i := range list {
		list[i] = v.Index(i)
	}
	what := ""
	kind := n % 7
	if length > mostWritten || t.Kind() == reflect.Array {
		kind = n % 4
	}
	if length > mostChanged {
		kind %= 2
	}
	switch {
	case kind == 0 && length > 1:
		slices.Reverse(list)
		what = "reversed"
	case kind == 1 && length > 0, kind == 3 && length > 0:
		at := n / 7 % length
		if kind == 1 {
			at = length - 1 - at
		}
		a, ok := g.unlike(list[at], n/7, depth+1)
		if !ok {
			return argument{}, false
		}
		list[at] = a.value
		what = "with " + a.text + " at " + strconv.Itoa(at)
	case kind == 2 && length > 0:
		for i := range list {
			if a, ok := g.unlike(list[i], n/7, depth+1); ok {
				list[i] = a.value
			}
		}
		what = "with other elements"
	case t.Kind() == reflect.Array:
		return argument{}, false
	case kind == 4 && length > 0:
		list = list[:length-1]
		what = "without the last"
	case kind == 5 && length > 0:
		list = list[1:]
		what = "without the first"
	default:
		of := reflect.Zero(t.Elem())
		if length > 0 {
			of = list[length-1]
		}
		a, ok := g.unlike(of, n/7, depth+1)
		if !ok {
			return argument{}, false
		}
		list = append(list, a.value)
		what = "with " + a.text + " more"
	}
	return listOf(t, list, what), true
}

// listOf makes a list of elements; a long one is told by how it came to be.
func listOf(t reflect.Type, list []reflect.Value, what string) argument {
	out := reflect.New(t).Elem()
	if t.Kind() == reflect.Slice {
		out.Set(reflect.MakeSlice(t, len(list), len(list)))
	}
	for i, e := range list {
		out.Index(i).Set(e)
	}
	if len(list) > mostWritten {
		return argument{out, "that " + what}
	}
	return argument{out, literal(out)}
}

// keysInOrder are the keys of a table in the order of their texts.
func keysInOrder(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(literal(a), literal(b)) })
	return keys
}

// otherTable is a table with a key more or less, or other values.
func (g changer) otherTable(v reflect.Value, n, depth int) (argument, bool) {
	t := v.Type()
	out := reflect.MakeMap(t)
	keys := keysInOrder(v)
	for _, k := range keys {
		out.SetMapIndex(k, v.MapIndex(k))
	}
	what := ""
	switch kind := n % 4; {
	case kind == 0 && len(keys) > 0:
		k := keys[n/4%len(keys)]
		a, ok := g.unlike(v.MapIndex(k), n/4, depth+1)
		if !ok {
			return argument{}, false
		}
		out.SetMapIndex(k, a.value)
		what = "with " + a.text + " at " + literal(k)
	case kind == 1 && len(keys) > 0:
		k := keys[n/4%len(keys)]
		out.SetMapIndex(k, reflect.Value{})
		what = "without " + literal(k)
	case kind == 2 && len(keys) > 0:
		for _, k := range keys {
			if a, ok := g.unlike(v.MapIndex(k), n/4, depth+1); ok {
				out.SetMapIndex(k, a.value)
			}
		}
		what = "with other values"
	default:
		k, e := reflect.Zero(t.Key()), reflect.Zero(t.Elem())
		if len(keys) > 0 {
			k, e = keys[n/4%len(keys)], v.MapIndex(keys[0])
		}
		key, ok := g.unlike(k, n/4, depth+1)
		if !ok || out.MapIndex(key.value).IsValid() {
			return argument{}, false
		}
		if a, ok := g.unlike(e, n/4+1, depth+1); ok { // and not the key
			e = a.value
		}
		out.SetMapIndex(key.value, e)
		what = "with " + literal(e) + " at " + key.text
	}
	if out.Len() > mostWritten {
		return argument{out, "that " + what}, true
	}
	return argument{out, literal(out)}, true
}

// literal is a value as the sources of Go have it, as far as it is plain.
func literal(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = literal(v.Index(i))
		}
		return typeName(v.Type()) + "{" + strings.Join(parts, ", ") + "}"
	case reflect.Map:
		var parts []string
		for _, k := range v.MapKeys() {
			parts = append(parts, literal(k)+": "+literal(v.MapIndex(k)))
		}
		slices.Sort(parts)
		return typeName(v.Type()) + "{" + strings.Join(parts, ", ") + "}"
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return constantText(v)
	}
	return typeName(v.Type())
}
