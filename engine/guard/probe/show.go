package probe

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FloatMark stands before each number that may differ by rounding, so that the
// asker can compare it as a number.
const FloatMark = "\x01"

// shower writes outcomes as text: what a caller can see of a value, and nothing
// of how it is kept.
type shower struct {
	lib     *library
	plain   bool // floats without a mark
	passive bool // nothing is read, and no method is asked that takes something away
	most    int  // bytes of the value that is written
	pointed int  // values that pointers within others led to
	asks    int  // how deep it is in answers to questions
	seen    []uintptr
	heard   []string // texts of the case, for questions
}

const (
	deepestShown = 7
	longestShown = 64 << 10
)

// What a case tells of values is bounded, too: a node that knows its parent leads to all of its tree, and each of a list of nodes does.
const (
	mostOfCase  = 64 << 10
	restOfCase  = 1 << 10 // of each value behind that
	mostPointed = 200     // values that pointers within others lead to, of each value
)

// show writes one value.
func (s *shower) show(v reflect.Value) string {
	var b strings.Builder
	s.pointed = 0
	if s.most = 4 * longestShown; s.lib.told > mostOfCase {
		s.most = restOfCase
	}
	s.value(&b, v, 0)
	s.lib.told += b.Len()
	text := b.String()
	if len(text) > longestShown {
		text = text[:longestShown] + fmt.Sprintf("... and %d bytes more, hash %x", len(text)-longestShown, hash(text[longestShown:]))
	}
	return text
}

func (s *shower) value(b *strings.Builder, v reflect.Value, depth int) {
	if !v.IsValid() {
		b.WriteString("nil")
		return
	}
	if depth > deepestShown || b.Len() > s.most {
		b.WriteString("...")
		return
	}
	if s.special(b, v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		b.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		s.float(b, v.Float(), v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		s.float(b, real(v.Complex()), 64)
		b.WriteString("+i*")
		s.float(b, imag(v.Complex()), 64)
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	case reflect.Slice, reflect.Array:
		s.list(b, v, depth)
	case reflect.Map:
		s.table(b, v, depth)
	case reflect.Pointer:
		s.pointer(b, v, depth)
	case reflect.Interface:
		s.held(b, v, depth)
	case reflect.Struct:
		s.fields(b, v, depth)
	case reflect.Func:
		s.function(b, v, depth)
	case reflect.Chan:
		s.channel(b, v, depth)
	default:
		b.WriteString(map[bool]string{true: "nil", false: v.Kind().String()}[v.IsZero()])
	}
}

func (s *shower) float(b *strings.Builder, f float64, bits int) {
	if f == 0 {
		f = 0 // minus zero is zero
	}
	if !s.plain && !math.IsNaN(f) && !math.IsInf(f, 0) {
		b.WriteString(FloatMark)
	}
	b.WriteString(strconv.FormatFloat(f, 'g', -1, bits))
}

// special writes errors, times and what other packages know to write.
func (s *shower) special(b *strings.Builder, v reflect.Value) bool {
	t := v.Type()
	if !v.CanInterface() || (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && v.IsNil() {
		return false
	}
	switch x := v.Interface().(type) {
	case error:
		b.WriteString(s.failure(x))
		return true
	case time.Time:
		b.WriteString("time " + x.Round(0).Format(time.RFC3339Nano) + " " + x.Location().String())
		return true
	case fmt.Stringer:
		foreign := t
		if foreign.Kind() == reflect.Pointer {
			foreign = foreign.Elem()
		}
		if foreign.PkgPath() != "" && !s.lib.ours(foreign) && v.Kind() != reflect.Interface && opaque(foreign) {
			text, _ := quiet(func() string { return strconv.Quote(x.String()) })
			b.WriteString(foreign.Name() + " " + text)
			return true
		}
	}
	return false
}

// failure writes an error: its text, and which of the package's errors it is.
func (s *shower) failure(err error) string {
	text, ok := quiet(err.Error)
	if !ok {
		return "error (" + text + ")"
	}
	out := "error " + strconv.Quote(text)
	for _, e := range s.lib.api.Errors {
		if known, ok := e.Value.(error); ok && known != nil && is(err, known) {
			out += " is " + e.Name
		}
	}
	if is(err, io.EOF) {
		out += " is io.EOF"
	}
	return out
}

func is(err, target error) (yes bool) {
	defer func() { _ = recover() }() // errors may hold what cannot be compared
	return errors.Is(err, target)
}

// list writes a slice or an array, with a mark for nil.
func (s *shower) list(b *strings.Builder, v reflect.Value, depth int) {
	s.none(b, v)
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		b.WriteString(strconv.Quote(string(v.Bytes())))
		return
	}
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i == 2000 {
			fmt.Fprintf(b, "and %d more", v.Len()-i)
			break
		}
		s.value(b, v.Index(i), depth+1)
	}
	b.WriteByte(']')
}

// none marks a list or a table that is nil.
func (s *shower) none(b *strings.Builder, v reflect.Value) {
	if !s.plain && v.Kind() != reflect.Array && v.IsNil() {
		b.WriteString(NilMark)
	}
}

func (s *shower) table(b *strings.Builder, v reflect.Value, depth int) {
	s.none(b, v)
	var rows []string
	for it := v.MapRange(); it.Next(); {
		var row strings.Builder
		s.value(&row, it.Key(), depth+1)
		row.WriteByte(':')
		s.value(&row, it.Value(), depth+1)
		rows = append(rows, row.String())
	}
	slices.Sort(rows)
	b.WriteString("map[" + strings.Join(rows, " ") + "]")
}

func (s *shower) pointer(b *strings.Builder, v reflect.Value, depth int) {
	if v.IsNil() {
		b.WriteString("nil")
		return
	}
	if slices.Contains(s.seen, v.Pointer()) {
		b.WriteString("&seen")
		return
	}
	if depth > 2 {
		if s.pointed++; s.pointed > mostPointed {
			b.WriteString("&...")
			return
		}
	}
	s.seen = append(s.seen, v.Pointer())
	defer func() { s.seen = s.seen[:len(s.seen)-1] }()
	b.WriteByte('&')
	s.value(b, v.Elem(), depth+1)
}

// held writes what an interface holds. Values of the package are seen through
// the interface alone: which type stands behind it is nobody's business.
func (s *shower) held(b *strings.Builder, v reflect.Value, depth int) {
	if v.IsNil() {
		b.WriteString("nil")
		return
	}
	if r, ok := v.Interface().(io.Reader); ok && v.NumMethod() > 0 {
		if s.passive {
			b.WriteString("what is read")
			return
		}
		text, _ := quiet(func() string {
			data, err := io.ReadAll(io.LimitReader(r, longestShown))
			return fmt.Sprintf("reads %q %v", data, err)
		})
		b.WriteString(text)
		return
	}
	e := v.Elem()
	if v.NumMethod() > 0 && e.Type().PkgPath() != "" || e.Kind() == reflect.Pointer && v.NumMethod() > 0 {
		b.WriteString("{" + s.lib.keyed(e) + s.observed(v, v.Type()) + s.asked(v) + "}")
		return
	}
	if e.Type().PkgPath() == "" && e.Kind() != reflect.String && e.Kind() != reflect.Map && e.Kind() != reflect.Slice {
		b.WriteString(e.Type().String() + " ")
	}
	s.value(b, e, depth+1)
}

// fields writes the exported fields of a struct, and for one with others what
// its methods tell.
func (s *shower) fields(b *strings.Builder, v reflect.Value, depth int) {
	t := v.Type()
	b.WriteByte('{')
	first := true
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			continue
		}
		if !first {
			b.WriteByte(' ')
		}
		first = false
		b.WriteString(t.Field(i).Name + ":")
		s.value(b, v.Field(i), depth+1)
	}
	if opaque(t) && s.lib.ours(t) && depth <= 3 {
		if !v.CanAddr() {
			p := reflect.New(t)
			p.Elem().Set(v)
			v = p.Elem()
		}
		if text := s.observed(v.Addr(), reflect.PointerTo(t)); text != "" {
			b.WriteString(" " + text)
		}
	}
	b.WriteByte('}')
}

// function writes what a returned function does: an iterator what it yields, one
// without parameters its first two answers.
func (s *shower) function(b *strings.Builder, v reflect.Value, depth int) {
	t := v.Type()
	if v.IsNil() {
		b.WriteString("nil")
		return
	}
	inner := &shower{lib: s.lib, plain: s.plain, passive: s.passive}
	switch {
	case s.passive:
		b.WriteString("func")
	case iterates(t):
		n := 0
		yield := reflect.MakeFunc(t.In(0), func(args []reflect.Value) []reflect.Value {
			for _, a := range args {
				b.WriteString(" " + inner.show(a))
			}
			n++
			return []reflect.Value{reflect.ValueOf(n < 50).Convert(t.In(0).Out(0))}
		})
		b.WriteString("yields")
		text, _ := quiet(func() string { v.Call([]reflect.Value{yield}); return "" })
		b.WriteString(text)
	case t.NumIn() == 0 && t.NumOut() > 0 && depth < 2:
		for range 2 {
			text, _ := quiet(func() string { return inner.results(v.Call(nil)) })
			b.WriteString("func gives " + text + " ")
		}
	default:
		b.WriteString("func")
	}
}

// results writes the results of a call.
func (s *shower) results(out []reflect.Value) string {
	texts := make([]string, len(out))
	for i, v := range out {
		texts[i] = s.show(v)
	}
	return strings.Join(texts, ", ")
}

// quiet calls f and writes a panic as text; ok is false for one.
func quiet(f func() string) (text string, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			text, ok = panicText(p), false
		}
	}()
	return f(), true
}

// panicText writes a panic. What the runtime says of an index depends on how the
// code is written, so that its panics are all one; and addresses differ between two
// programs, so that of a value that holds any the type alone is told.
func panicText(p any) string {
	switch x := p.(type) {
	case noValue:
		return "no value: " + x.text
	case unsupported:
		return "no value of " + x.t.String()
	case runtime.Error:
		return "panic: runtime error"
	case error:
		return "panic: " + x.Error()
	case string:
		if strings.HasPrefix(x, "reflect") {
			return "panic: reflect"
		}
		return "panic: " + x
	case fmt.Stringer:
		return "panic: " + x.String()
	}
	if t := reflect.TypeOf(p); !plainType(t, 0) {
		return "panic: " + t.String()
	}
	return fmt.Sprintf("panic: %v", p)
}
