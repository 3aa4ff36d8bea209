package probe

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"math"
	"math/big"
	"math/rand"
	"net/url"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// known makes values of the standard library's types.
func (g *maker) known(t reflect.Type, depth int) (reflect.Value, string, bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		m := g.moment()
		return reflect.ValueOf(m), "time " + m.Format(time.RFC3339Nano), true
	case reflect.TypeFor[time.Duration]():
		d := g.duration()
		return reflect.ValueOf(d), fmt.Sprintf("%d /* %s */", int64(d), d), true
	case reflect.TypeFor[time.Month]():
		m := time.Month(1 + g.d.n(12))
		return reflect.ValueOf(m), m.String(), true
	case reflect.TypeFor[*big.Int]():
		i := big.NewInt(g.integer(63, true))
		if g.d.chance(5) {
			i.Mul(i, big.NewInt(g.integer(63, true)))
		}
		return reflect.ValueOf(i), "big.Int " + i.String(), true
	case reflect.TypeFor[*big.Float]():
		f := float64(g.d.n(1_000_000)) / 64
		return reflect.ValueOf(big.NewFloat(f)), fmt.Sprintf("big.NewFloat(%g)", f), true
	case reflect.TypeFor[*big.Rat]():
		a, b := int64(g.d.n(1000)), int64(1+g.d.n(1000))
		return reflect.ValueOf(big.NewRat(a, b)), fmt.Sprintf("big.NewRat(%d, %d)", a, b), true
	case reflect.TypeFor[*url.URL]():
		u, err := url.Parse(g.text())
		if err != nil {
			u = &url.URL{Path: "/"}
		}
		return reflect.ValueOf(u), "url " + strconv.Quote(u.String()), true
	case reflect.TypeFor[*bytes.Buffer]():
		s := g.text()
		return reflect.ValueOf(bytes.NewBufferString(s)), "bytes.NewBufferString(" + strconv.Quote(s) + ")", true
	case reflect.TypeFor[*strings.Builder]():
		return reflect.ValueOf(&strings.Builder{}), "new(strings.Builder)", true
	case reflect.TypeFor[*rand.Rand]():
		n := int64(g.d.n(100))
		return reflect.ValueOf(rand.New(rand.NewSource(n))), fmt.Sprintf("rand.New(rand.NewSource(%d))", n), true
	case reflect.TypeFor[error]():
		if g.d.n(3) == 0 {
			return reflect.Zero(t), "nil", true
		}
		s := g.random(6)
		return box(t, errors.New(s)), "errors.New(" + strconv.Quote(s) + ")", true
	}
	return furnishing{g}.value(t)
}

// box puts a value into an interface type.
func box(t reflect.Type, x any) reflect.Value {
	v := reflect.New(t).Elem()
	v.Set(reflect.ValueOf(x))
	return v
}

// held makes a value for an interface.
func (g *maker) held(v reflect.Value, depth int) (reflect.Value, string) {
	t := v.Type()
	if t.NumMethod() == 0 {
		return g.anything(v, depth)
	}
	if depth < deepest {
		list, own := g.lib.implementers(t), g.lib.own(t)
		if n := len(list) + len(own); n > 0 {
			at := sameKind(g, t, g.d.n(n))
			if at >= len(list) {
				e, text := g.owned(own[at-len(list)], depth)
				v.Set(e)
				return v, text
			}
			e, text := g.value(list[at], depth+1)
			if e.Kind() == reflect.Pointer && e.IsNil() {
				return v, "nil"
			}
			v.Set(e)
			return v, text
		}
	}
	if list := breaking(t); len(list) > 0 && g.d.chance(3) {
		x, text := list[g.d.n(len(list))].make(g)
		v.Set(reflect.ValueOf(x))
		return v, text
	}
	for _, r := range recipes() {
		if r.t.Implements(t) {
			x, text := r.make(g)
			v.Set(reflect.ValueOf(x))
			return v, text
		}
	}
	panic(unsupported{t})
}

// recipe makes a value that has the methods of an interface.
type recipe struct {
	t    reflect.Type
	make func(*maker) (any, string)
}

func recipes() []recipe {
	return []recipe{
		{reflect.TypeFor[*strings.Reader](), stream},
		{reflect.TypeFor[*bytes.Buffer](), writer},
		{reflect.TypeFor[sort.StringSlice](), sorter},
		{reflect.TypeFor[rand.Source64](), source},
		{reflect.TypeFor[context.Context](), background},
		{reflect.TypeFor[worded](), stringer},
		{reflect.TypeFor[*opened](), file},
		{reflect.TypeOf(fnv.New32a()), sum32},
		{reflect.TypeOf(fnv.New64a()), sum64},
		{reflect.TypeOf(binary.LittleEndian), byteOrder},
		{reflect.TypeFor[color.RGBA](), shade},
		{reflect.TypeFor[*image.RGBA](), picture},
	}
}

func stream(g *maker) (any, string) {
	s := g.text()
	return strings.NewReader(s), "strings.NewReader(" + strconv.Quote(s) + ")"
}

// writer hands out a buffer; what was written to it is an output.
func writer(g *maker) (any, string) {
	b := &bytes.Buffer{}
	g.seen = append(g.seen, func() string { return "wrote " + strconv.Quote(b.String()) })
	return b, "new(bytes.Buffer)"
}

// breaking are the recipes for streams that fail in the middle and have the methods of an
// interface.
func breaking(t reflect.Type) []recipe {
	list := []recipe{{reflect.TypeFor[*brokenWriter](), (*maker).broken}, {reflect.TypeFor[*brokenReader](), (*maker).cut}}
	return slices.DeleteFunc(list, func(r recipe) bool { return !r.t.Implements(t) })
}

var errBroken = errors.New("broken")

// brokenWriter takes so many bytes, in whatever pieces they come, and no more.
type brokenWriter struct {
	left int
	took []byte
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.took, w.left = append(w.took, p[:n]...), w.left-n
	if n < len(p) {
		return n, errBroken
	}
	return n, nil
}

func (g *maker) broken() (any, string) {
	w := &brokenWriter{left: g.d.n(12)}
	text := fmt.Sprintf("a writer that takes %d bytes", w.left)
	g.seen = append(g.seen, func() string { return "wrote " + strconv.Quote(string(w.took)) })
	return w, text
}

// brokenReader gives its text, and then an error.
type brokenReader struct{ r *strings.Reader }

func (r *brokenReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil {
		err = errBroken
	}
	return n, err
}

func (g *maker) cut() (any, string) {
	s := g.text()
	return &brokenReader{strings.NewReader(s)}, "a reader that breaks behind " + strconv.Quote(s)
}

func sorter(g *maker) (any, string) {
	var list sort.StringSlice
	for range g.d.n(6) {
		list = append(list, g.random(3))
	}
	g.seen = append(g.seen, func() string { return fmt.Sprintf("order %q", []string(list)) })
	return list, fmt.Sprintf("sort.StringSlice%q", []string(list))
}

func source(g *maker) (any, string) {
	n := int64(g.d.n(100))
	return rand.NewSource(n), fmt.Sprintf("rand.NewSource(%d)", n)
}

func background(g *maker) (any, string) {
	if g.d.chance(2) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx, "a context that is cancelled"
	}
	return context.Background(), "context.Background()"
}

type worded string

func (w worded) String() string { return string(w) }

// failure is an error that a caller gives as a value of any type.
type failure string

func (f failure) Error() string { return string(f) }

func stringer(g *maker) (any, string) {
	s := g.text()
	return worded(s), "Stringer " + strconv.Quote(s)
}

// simpleAny is how deep values of any type are neither lists nor tables.
const simpleAny = 3

// anything makes a value for an empty interface.
func (g *maker) anything(v reflect.Value, depth int) (reflect.Value, string) {
	if t, ok := callersType(g, depth); ok {
		e, text := g.value(t, depth+1)
		v.Set(e)
		return v, text
	}
	types := []reflect.Type{
		nil, reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
		reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]string](), reflect.TypeFor[[]int](), reflect.TypeFor[int64](),
		reflect.TypeFor[worded](), reflect.TypeFor[failure](),
	}
	if depth >= simpleAny {
		types = types[:5]
	}
	for _, e := range [...]struct {
		kind edgeKind
		at   uint64 // where its type stands in the list
	}{{edgeInt, 1}, {edgeText, 2}, {edgeFloat, 3}} {
		if g.d.aimedAt(e.kind) {
			g.d.force(e.at)
		}
	}
	t := types[g.d.n(len(types))]
	if t == nil {
		return v, "nil"
	}
	e, text := g.value(t, depth+1)
	v.Set(e)
	switch t {
	case reflect.TypeFor[int64]():
		text = "int64(" + text + ")"
	case reflect.TypeFor[worded]():
		text = "Stringer " + strconv.Quote(e.String())
	case reflect.TypeFor[failure]():
		text = "error " + strconv.Quote(e.String())
	}
	return v, text
}

// function makes a function whose results depend on its arguments alone. One of
// two equal parameters that answers like a comparison is an order.
func (g *maker) function(t reflect.Type) (reflect.Value, string) {
	if iterates(t) {
		return furnishing{g}.iterator(t)
	}
	salt := g.d.n(8)
	text := fmt.Sprintf("func%d", salt)
	pair := t.NumIn() == 2 && t.In(0) == t.In(1) && t.NumOut() == 1
	var calls []string
	fails := t.NumOut() == 1 && t.Out(0) == reflect.TypeFor[error]()
	visits := t.NumOut() == 0 || fails || t.NumOut() == 1 && t.Out(0).Kind() == reflect.Bool && !pair
	if visits {
		g.seen = append(g.seen, func() string { return "called with " + strings.Join(calls, " ") })
	}
	lib, small := g.lib, g.small
	f := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		texts := make([]string, len(args))
		for i, a := range args {
			texts[i] = (&shower{lib: lib, plain: true}).show(a)
		}
		if visits && len(calls) < 200 {
			calls = append(calls, "("+strings.Join(texts, ", ")+")")
		}
		if salt == writing && len(calls) < mostWriting {
			lib.write(args, texts)
		}
		out := make([]reflect.Value, t.NumOut())
		for i := range out {
			if pair && ordering(salt).order(args, texts, t.Out(i), &out[i]) {
				continue
			}
			inner := &maker{d: seeded(hash(append(texts, strconv.Itoa(salt), strconv.Itoa(i))...)), lib: lib, small: small}
			switch {
			case t.Out(i) == reflect.TypeFor[error](): // most calls go well, and of some functions half
				out[i] = reflect.Zero(t.Out(i))
				if n := inner.d.n(8); n == 7 || n > 3 && salt > 5 {
					out[i] = box(t.Out(i), errors.New("refused"))
				}
			case visits:
				out[i] = reflect.ValueOf((inner.d.n(4) > 0) == (salt%2 == 0)).Convert(t.Out(i)) // most go on, or few
			case salt == even && t.Out(i).Kind() == reflect.String:
				out[i] = reflect.ValueOf(string([]byte{'a' + byte(inner.d.n(4)), 'b' + byte(inner.d.n(4))})).Convert(t.Out(i))
			default:
				out[i], _ = inner.value(t.Out(i), 2)
			}
		}
		return out
	})
	return f, text
}

// One of the eight functions that are made gives texts of one length: which of two that are equal in a measure counts shows there.
const even = 4

// One of the eight functions that are made writes to what it is handed, in the first of its calls.
const (
	writing     = 7
	mostWriting = 8
)

// write has a function of a caller set a field of what it is handed: an event or a node carries what its callbacks say.
func (l *library) write(args []reflect.Value, texts []string) {
	for _, a := range args {
		if a.Kind() != reflect.Pointer || a.IsNil() || a.Type().Elem().Kind() != reflect.Struct || !l.ours(a.Type().Elem()) {
			continue
		}
		var fields []reflect.Value
		for i := range a.Elem().NumField() {
			f := a.Elem().Field(i)
			if k := f.Kind(); f.CanSet() && (k <= reflect.Float64 && k >= reflect.Bool && k != reflect.Uintptr || k == reflect.String || f.Type() == reflect.TypeFor[error]()) {
				fields = append(fields, f)
			}
		}
		if len(fields) == 0 {
			continue
		}
		inner := &maker{d: seeded(hash(texts...)), lib: l, tame: true, small: true}
		f := fields[inner.d.n(len(fields))]
		if f.Type() == reflect.TypeFor[error]() {
			f.Set(box(f.Type(), errors.New("refused")))
			continue
		}
		v, _ := inner.value(f.Type(), simpleAny)
		f.Set(v)
	}
}

// ordering is how a function of a caller puts values in an order.
type ordering int

// Two of the eight functions that are made know only a part of what a value is: what they call equal differs, as records do
// that are ordered by a key. One is backwards.
const (
	byPart    ordering = 6
	byOther   ordering = 3
	backwards ordering = 5
)

// order answers a comparison of two values by their size, or by their text.
func (o ordering) order(args []reflect.Value, texts []string, out reflect.Type, into *reflect.Value) bool {
	part := o == byPart || o == byOther
	if part {
		texts = []string{beginning(texts[0]), beginning(texts[1])}
	}
	c := strings.Compare(texts[0], texts[1])
	switch {
	case args[0].CanInt():
		c = compare(args[0].Int()>>o.shift(), args[1].Int()>>o.shift())
	case args[0].CanUint():
		c = compare(args[0].Uint()>>o.shift(), args[1].Uint()>>o.shift())
	case args[0].CanFloat() && part:
		c = compare(math.Floor(args[0].Float()/2), math.Floor(args[1].Float()/2))
	case args[0].CanFloat():
		c = compare(args[0].Float(), args[1].Float())
	}
	if o == backwards {
		c = -c
	}
	switch out.Kind() {
	case reflect.Bool:
		*into = reflect.ValueOf(c < 0).Convert(out)
	case reflect.Int:
		*into = reflect.ValueOf(c).Convert(out)
	default:
		return false
	}
	return out.Kind() == reflect.Bool || args[0].Kind() != reflect.Int // func(int, int) int is more often a step than an order
}

// shift is by how many bits whole numbers are cut off.
func (o ordering) shift() int {
	if o == byPart || o == byOther {
		return 1
	}
	return 0
}

// beginning is where a text as it is shown begins, without its case: its first character, and of a struct the first field.
func beginning(text string) string {
	if strings.HasPrefix(strings.TrimLeft(text, "&"), "{") {
		first, _, _ := strings.Cut(text, " ")
		return first
	}
	runes := []rune(strings.ToLower(text))
	return string(runes[:min(2, len(runes))])
}

func compare[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
