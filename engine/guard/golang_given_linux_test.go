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
			root := mustFiles(t, map[string]string{"go.mod": "module kit\n\ngo 1.22\n", "kit.go": tagged, "kit_test.go": taggedTest})
			wantOnly(t, mustCheckEdited(t, guard.Options{Cases: 600}, root, "kit.go", c.was, c.is), c.where)
		})
	}
}
