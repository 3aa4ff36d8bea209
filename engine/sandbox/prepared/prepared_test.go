package prepared_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/engine/sandbox/prepared"
)

func TestOnlyPlainCommandsOfPythonAreRead(t *testing.T) {
	for line, want := range map[string]string{
		"python3 /e/a.py":               "python3|/e/a.py",
		"/usr/bin/python3.11 /e/a.py x": "/usr/bin/python3.11|/e/a.py",
		"python3 -I -S -Bu /e/a.py -c":  "python3 -I -S -Bu|/e/a.py",
		"python3 -c pass":               "",
		"python3 -m module":             "",
		"python3 -X dev /e/a.py":        "",
		"python3 -i /e/a.py":            "",
		"python3 a.py":                  "",
		"python3 /e/../a.py":            "",
		"python3 /e":                    "",
		"python3":                       "",
		"python3 -B":                    "",
		"pypy3 /e/a.py":                 "",
		"sh /e/a.py":                    "",
	} {
		c, ok := prepared.Parse(strings.Fields(line))
		got := ""
		if ok {
			got = strings.Join(c.Options, " ") + "|" + c.Script
		}
		if got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}

func TestWhatShapesAnInterpreterIsNamed(t *testing.T) {
	for _, tc := range []struct {
		line string
		env  []string
		why  string
	}{
		{"python3 /a.py", []string{"PYTHONHASHSEED=0"}, ""},
		{"python3 -S -B /a.py", []string{"PYTHONHASHSEED=7", "PYTHONPATH="}, ""},
		{"python3 /a.py", nil, "hash seed"},
		{"python3 /a.py", []string{"PYTHONHASHSEED=random"}, "hash seed"},
		{"python3 -I /a.py", []string{"PYTHONHASHSEED=0"}, "-I"},
		{"python3 -BE /a.py", []string{"PYTHONHASHSEED=0"}, "-BE"},
		{"python3 /a.py", []string{"PYTHONHASHSEED=0", "PYTHONPATH=/x"}, "PYTHONPATH"},
	} {
		c, ok := prepared.Parse(strings.Fields(tc.line))
		if !ok {
			t.Fatalf("%q is no command", tc.line)
		}
		if why := c.Shaped(slices.Clone(tc.env)); tc.why == "" && why != "" || !strings.Contains(why, tc.why) {
			t.Errorf("%q with %q: %q, want %q", tc.line, tc.env, why, tc.why)
		}
	}
}
