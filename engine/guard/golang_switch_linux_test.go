package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const quotedFields = `package kit

import "errors"

var errText = errors.New("bad text")

// Fields are the values of "name=value" parts between blanks, in quotes or without.
func Fields(line string) ([]string, error) {
	var out []string
	for i := 0; i < len(line); {
		for i < len(line) && line[i] != '=' {
			i++
		}
		i++
		if i >= len(line) || line[i] != '"' {
			start := i
			for i < len(line) && line[i] > ' ' {
				i++
			}
			if start < len(line) {
				out = append(out, line[start:i])
			}
			continue
		}
		end := i + 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			return out, errText
		}
		text, err := plain(line[i+1 : end])
		if err != nil {
			return out, err
		}
		out, i = append(out, text), end+1
	}
	return out, nil
}

func plain(s string) (string, error) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case '"', '\\', '/', '\'':
			b = append(b, s[i])
		case 'n':
			b = append(b, '\n')
		default:
			return "", errText
		}
	}
	return string(b), nil
}
`

const quotedFieldsTest = `package kit

import "testing"

func TestFields(t *testing.T) {
	for line, n := range map[string]int{"a=1 b=\"two words\" c=\"x\\ny\"": 3, "": 0, "level=info": 1} {
		if got, err := Fields(line); err != nil || len(got) != n {
			t.Error(line, got, err)
		}
	}
}
`

func TestEachCaseOfASwitchIsMetByTheInputsOfGoCode(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module for each edit; TestMarksStayOnTheirLinesAndInTheFunctionsThatAreWatched looks at the marks")
	mustHave(t, "go")
	eachEditOfGo(t, 300, map[string]string{"go.mod": "module kit\n\ngo 1.17\n", "kit.go": quotedFields, "kit_test.go": quotedFieldsTest}, []edited{
		{"an escaped quote is no longer known", `'/', '\'':`, `'/':`, "kit.Fields"},
		{"an escaped stroke is no longer known", `'/', '\'':`, `'\'':`, "kit.Fields"},
		{"the same in another order", `'"', '\\', '/', '\'':`, `'\'', '/', '\\', '"':`, ""},
	})
}
