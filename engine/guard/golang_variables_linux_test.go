package guard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// variableEdit is a change of testdata/go-variables: each first text becomes the second one.
type variableEdit struct {
	name  string
	where string // what behaves in another way; of several, parted by blanks, the one that is told shows the same
	edits []string
}

// told is what a report has of an edit, or the first that could be.
func (e variableEdit) told(report guard.Report) string {
	all := strings.Fields(e.where)
	for _, where := range all {
		if slices.ContainsFunc(report.Differences, func(d guard.Difference) bool { return d.Where == where }) {
			return where
		}
	}
	return all[0]
}

// ignoring are changes that no caller sees who leaves the variables as they are.
var ignoring = []variableEdit{
	{"a text that is written out", "page.Address", []string{"strings.Join(words, Joint)", `strings.Join(words, "-")`}},
	{"a table that the start makes of a list", "page.Title", []string{
		"\tfor _, s := range Short {\n\t\tif s == word {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}",
		"\treturn short[word]\n}\n\nvar short = func() map[string]bool {\n\tout := map[string]bool{}\n\tfor _, s := range Short {\n\t\tout[s] = true\n\t}\n\treturn out\n}()",
	}},
	{"a table that is asked by a switch", "page.Plain", []string{
		"if word, ok := Marks[string(r)]; ok {\n\t\t\tout.WriteString(word)\n\t\t} else {", "switch r {\n\t\tcase '&':\n\t\t\tout.WriteString(\"and\")\n\t\tcase '@':\n\t\t\tout.WriteString(\"at\")\n\t\tdefault:",
	}},
	{"a copy of an expression from the start", "page.Words", []string{"return Breaks.Split(text, -1) }", "return breaks.Split(text, -1) }\n\nvar breaks = Breaks"}},
	{"a function that is written out", "page.Lower", []string{"strings.Map(Fold, text)", "strings.Map(func(r rune) rune { return r | 0x20 }, text)"}},
	{"a field of a struct that is written out", "page.Cut", []string{"len(text) <= Config.Limit", "len(text) <= 12", "text[:Config.Limit]", "text[:12]"}},
	{"a text that the first call keeps", "page.Hex", []string{
		"{ return string(Digits[b>>4]) + string(Digits[b&15]) }", "{\n\tonce.Do(func() { digits = Digits })\n\treturn string(digits[b>>4]) + string(digits[b&15])\n}\n\nvar (\n\tonce   sync.Once\n\tdigits string\n)",
		"\t\"strings\"\n)", "\t\"strings\"\n\t\"sync\"\n)",
	}},
	{"a field behind a pointer, in what makes the receiver", "page.Page.Add page.Page.Full", []string{"limit: Defaults.Limit}", "limit: 3}"}},
}

// reading are changes that go on reading the variables.
var reading = []variableEdit{
	{"a join by hand", "", []string{"\treturn strings.Join(words, Joint), nil", "\tout := words[0]\n\tfor _, w := range words[1:] {\n\t\tout += Joint + w\n\t}\n\treturn out, nil"}},
	{"a quick way while the list is as it was", "", []string{
		"\tfor _, s := range Short {\n\t\tif s == word {", "\tif len(Short) == 0 || len(word) == 0 {\n\t\treturn false\n\t}\n\tfor i := range Short {\n\t\tif s := Short[i]; len(s) == len(word) && s == word {",
	}},
	{"a hint for the compiler that panics where a shorter text does not", "", []string{"{ return string(Digits[b>>4])", "{ _ = Digits[15]; return string(Digits[b>>4])"}},
	{"a copy for the length of a call", "", []string{"\tif len(text) <= Config.Limit {", "\tc := Config\n\tif len(text) <= c.Limit {", "text[:Config.Limit] + Config.More", "text[:c.Limit] + c.More"}},
	{"a pointer that is taken once", "", []string{"return &Page{limit: Defaults.Limit}", "d := Defaults; return &Page{limit: d.Limit}"}},
}

func mustCheckVariables(t *testing.T, cases int, list ...variableEdit) guard.Report {
	t.Helper()
	mustHave(t, "go")
	root := mustTree(t, "go-variables")
	was, err := os.ReadFile(filepath.Join(root, "page.go"))
	if err != nil {
		t.Fatal(err)
	}
	var edits []string
	for _, e := range list {
		for i := 0; i < len(e.edits); i += 2 {
			if strings.Count(string(was), e.edits[i]) != 1 {
				t.Fatalf("%s: page.go does not have %q once", e.name, e.edits[i])
			}
		}
		edits = append(edits, e.edits...)
	}
	return mustCheckEdited(t, guard.Options{Cases: cases, NoTests: true}, root, "page.go", edits...)
}

func TestAVariableThatIsNoLongerReadIsADifference(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module; TestANameThatIsGoneIsADifference stands for it")
	report := mustCheckVariables(t, 100, ignoring[0])
	wantWhere(t, report, ignoring[0].where)
	for _, d := range report.Differences {
		if !strings.HasPrefix(d.Input, "Joint = ") {
			t.Errorf("the input %s does not say what was set", d.Input)
		}
	}
}

func TestEachKindOfVariableThatIsNoLongerReadIsADifference(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module with eight changes; TestANameThatIsGoneIsADifference stands for it")
	report := mustCheckVariables(t, 500, ignoring...)
	for _, e := range ignoring {
		t.Run(e.name, func(t *testing.T) { wantWhere(t, report, e.told(report)) })
	}
	if len(report.Differences) != len(ignoring) {
		t.Errorf("there are %d differences, want one for each of %d changes", len(report.Differences), len(ignoring))
	}
}

func TestVariablesThatAreStillReadRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Slow(t, "compares a Go module with five changes; TestRefactoringsOfAPythonModuleRaiseNoAlarm stands for refactorings every day")
	wantWhere(t, mustCheckVariables(t, 600, reading...))
}
