package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

const tagged = `package kit

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// Words are the values of the fields of a struct.
func Words(x any) []string {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range v.NumField() {
		out = append(out, word(v.Field(i), v.Type().Field(i).Tag.Get("as")))
	}
	return out
}

func word(v reflect.Value, as string) string {
	if t, ok := v.Interface().(time.Time); ok && as == "milliseconds" {
		return strconv.FormatInt(t.UnixNano()/1e6, 10)
	}
	return fmt.Sprint(v.Interface())
}
`

const taggedTest = `package kit

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	for _, x := range []any{
		struct {
			N int ` + "`as:\"n\"`" + `
		}{3},
		struct {
			At time.Time ` + "`as:\"milliseconds\"`" + `
		}{time.Unix(5, 0)},
	} {
		if len(Words(x)) != 1 {
			t.Fail()
		}
	}
}
`

func TestWhatIsDoneWithTypesOfCallersIsComparedByThoseThatTestsHave(t *testing.T) {
	t.Parallel()
	mustHave(t, "go")
	root := mustTable(t, guard.Options{Cases: 600}, mustFiles(t, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": tagged, "kit_test.go": taggedTest}))
	for i, c := range []struct{ name, was, is, where string }{
		{"a time that its nanoseconds do not hold", "t.UnixNano()/1e6", "t.UnixMilli()", "kit.Words"},
		{"a number with a text of its own", "return fmt.Sprint(v.Interface())", "if v.CanInt() {\n\t\treturn strconv.FormatInt(v.Int(), 10)\n\t}\n\treturn fmt.Sprint(v.Interface())", "kit.Words"},
		{"the same in other words", "ok && as ==", `as != "" && ok && as ==`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if i > 0 {
				suitetest.Full(t, "compares a Go module; the case before it stands for it")
			}
			wantOnly(t, root.mustCheck(t, "kit.go", c.was, c.is), c.where)
		})
	}
}

// eachEditOfGo tries edits of kit.go, a file of a Go module, with so many inputs of a function; 0 for as many as usual.
func eachEditOfGo(t *testing.T, cases int, files map[string]string, list []edited) {
	t.Helper()
	root := mustTable(t, guard.Options{Cases: cases}, mustFiles(t, files))
	for _, c := range fewer(list, edited.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOnly(t, root.mustCheck(t, "kit.go", c.was, c.is), c.where)
		})
	}
}

const askedFor = `package kit

// Plain makes keys texts, in lists within it, too.
func Plain(m map[interface{}]interface{}) map[string]interface{} {
	out := map[string]interface{}{}
	for k, v := range m {
		if x, ok := v.([]interface{}); ok {
			list := []interface{}{}
			for _, e := range x {
				if inner, ok := e.(map[interface{}]interface{}); ok {
					e = Plain(inner)
				}
				list = append(list, e)
			}
			v = list
		}
		out[k.(string)] = v
	}
	return out
}

// Small reports a short whole number.
func Small(x any) bool {
	n, ok := x.(uint16)
	return ok && n < 300
}
`

func TestTypesThatCodeAsksForStandBehindInterfacesAndKeysOfAnyTypeAreTexts(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module for each edit; TestWhatIsDoneWithTypesOfCallersIsComparedByThoseThatTestsHave stands for it")
	mustHave(t, "go")
	eachEditOfGo(t, 0, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": askedFor}, []edited{
		{"tables in lists are exchanged in the caller's list", "\t\t\t\tif inner, ok := e.(map[interface{}]interface{}); ok {\n\t\t\t\t\te = Plain(inner)\n", "\t\t\t\tif inner, ok := e.(map[interface{}]interface{}); ok {\n\t\t\t\t\tx[len(list)], e = nil, Plain(inner)\n", "kit.Plain"},
		{"a list that was copied is the caller's", "\t\t\tv = list\n", "\t\t\tv = append(x[:0], list...)\n", "kit.Plain"},
		{"a bound of a type that nothing else has", "n < 300", "n < 200", "kit.Small"},
	})
}

const filledIn = `package kit

import (
	"errors"
	"reflect"
)

// Fill gives the fields of what dst points to the values of src where they have none.
func Fill(dst, src interface{}) error {
	d, s := reflect.ValueOf(dst), reflect.Indirect(reflect.ValueOf(src))
	if d.Kind() != reflect.Ptr || d.IsNil() || !s.IsValid() || d.Elem().Type() != s.Type() || s.Kind() != reflect.Struct {
		return errors.New("not two of one type")
	}
	for i := 0; i < s.NumField(); i++ {
		if f := d.Elem().Field(i); f.CanSet() && f.IsZero() {
			f.Set(s.Field(i))
		}
	}
	return nil
}
`

const filledInTest = `package kit

import "testing"

type settings struct {
	Name string
	Loud bool
	Max  int
}

func TestFill(t *testing.T) {
	s := settings{Name: "a"}
	if err := Fill(&s, settings{Name: "b", Max: 3}); err != nil || s.Max != 3 || s.Name != "a" {
		t.Error(s, err)
	}
	if Fill(s, 3) == nil {
		t.Error("no error")
	}
}
`

func TestTwoValuesOfAnyTypeAreOfOneTypeOfTheTestsWhereCodeReflects(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module for each edit; TestWhatIsDoneWithTypesOfCallersIsComparedByThoseThatTestsHave stands for it")
	mustHave(t, "go")
	eachEditOfGo(t, 300, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": filledIn, "kit_test.go": filledInTest}, []edited{
		{"a truth is not filled in", "f.CanSet() && f.IsZero()", "f.CanSet() && f.IsZero() && f.Kind() != reflect.Bool", "kit.Fill"},
		{"asked in another order", "f.CanSet() && f.IsZero()", "f.IsZero() && f.CanSet()", ""},
	})
}
