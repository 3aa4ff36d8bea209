package image

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// Layout sums up how a type and all that it leads to lie in memory. It is an error
// where one of them cannot be written.
func Layout(t reflect.Type) (sum [32]byte, err error) {
	var text strings.Builder
	fmt.Fprintln(&text, "1", runtime.GOARCH)
	if err := describe(&text, t, map[reflect.Type]bool{}); err != nil {
		return sum, err
	}
	return sha256.Sum256([]byte(text.String())), nil
}

func describe(text *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) error {
	fmt.Fprintln(text, t, t.Kind(), t.Size())
	if seen[t] {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintln(text, f.Name, f.Offset)
			if err := describe(text, f.Type, seen); err != nil {
				return fmt.Errorf("%s.%s: %w", t, f.Name, err)
			}
		}
	case reflect.Map:
		if err := describe(text, t.Key(), seen); err != nil {
			return err
		}
		return describe(text, t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return describe(text, t.Elem(), seen)
	case reflect.Chan, reflect.Interface, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("a %s cannot be written", t.Kind())
	}
	return nil
}

// flats knows which types hold no pointer.
type flats map[reflect.Type]bool

func (f flats) flat(t reflect.Type) (flat bool) {
	if known, ok := f[t]; ok {
		return known
	}
	defer func() { f[t] = flat }()
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !f.flat(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return f.flat(t.Elem())
	case reflect.Map, reflect.Pointer, reflect.Slice, reflect.String, reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return false
	}
	return true
}
