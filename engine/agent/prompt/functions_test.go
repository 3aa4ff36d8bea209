package prompt_test

import (
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/prompt"
)

const (
	goBefore = `package p

import "fmt"

// Pack packs.
func Pack(items []int) int {
	sum := 0
	for _, n := range items {
		sum += n
	}
	return sum
}

func gone() {}

func other() { fmt.Println("other") }
`
	pyBefore = `import math

class Packer:
    def pack(self, items):
        total = 0
        for i in items:
            total += i
        return total

    def name(self):
        return "packer"

LIMIT = 3
`
)

func TestTheChangedFunctionsAreShownWhole(t *testing.T) {
	change := func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }
	for _, tc := range []struct {
		name          string
		path          string
		before, after string
		want          []string // places
		hold, lack    string
	}{
		{"a line inside a Go function", "p.go", goBefore, change(goBefore, "sum += n", "sum += 2 * n"), []string{"p.go, Pack from line 6"}, "return sum", "other"},
		{"a line that went", "p.go", goBefore, change(goBefore, "\tsum := 0\n", ""), []string{"p.go, Pack from line 6"}, "return sum", "other"},
		{"a function that went shows no neighbour", "p.go", goBefore, change(goBefore, "func gone() {}\n\n", ""), nil, "", ""},
		{"a new function", "p.go", goBefore, goBefore + "\nfunc fresh() int { return 1 }\n", []string{"p.go, fresh from line 18"}, "return 1", "Pack"},
		{"a new file", "new.go", "", "package p\n\nfunc a() {}\n\nfunc b() {}\n", []string{"new.go, a from line 3", "new.go, b from line 5"}, "func b", ""},
		{"a method of a Python class, and not the class", "p.py", pyBefore, change(pyBefore, "total += i", "total += i * 2"), []string{"p.py, Packer.pack from line 4"}, "return total", "packer"},
		{"what lies in no function is left to the diff", "p.py", pyBefore, change(pyBefore, "LIMIT = 3", "LIMIT = 4"), nil, "", ""},
		{"a file that went", "p.go", goBefore, "", nil, "", ""},
		{"prose has no functions", "README.md", "one\n", "two\n", nil, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, after := agenttest.Tree{"x": "x"}, agenttest.Tree{"x": "x"}
			if tc.before != "" {
				before[tc.path] = tc.before
			}
			if tc.after != "" {
				after[tc.path] = tc.after
			}
			got, err := prompt.ChangedFunctions(t.Context(), before, after, []string{tc.path})
			if err != nil {
				t.Fatal(err)
			}
			var places []string
			all := ""
			for _, f := range got {
				places = append(places, f.Path)
				all += f.Text
			}
			if strings.Join(places, "; ") != strings.Join(tc.want, "; ") {
				t.Errorf("got %q, want %q", places, tc.want)
			}
			if !strings.Contains(all, tc.hold) || tc.lack != "" && strings.Contains(all, tc.lack) {
				t.Errorf("got\n%s\nwant %q in it and %q not", all, tc.hold, tc.lack)
			}
		})
	}
}

func TestTheReviewerReadsTheChangedFunctions(t *testing.T) {
	after := strings.Replace(goBefore, "sum += n", "sum += 2 * n", 1)
	files, err := prompt.ChangedFunctions(t.Context(), agenttest.Tree{"p.go": goBefore}, agenttest.Tree{"p.go": after}, []string{"p.go"})
	if err != nil {
		t.Fatal(err)
	}
	out := render(t, agent.RoleReviewer, prompt.View{Goal: "pack", Diff: "-\tsum += n\n+\tsum += 2 * n\n", Tree: prompt.Tree{Files: files}, Asked: prompt.Asked{Answer: agent.ReviewAnswer}})
	for _, want := range []string{"The changed functions as they are now, whole", "function in p.go, Pack from line 6", "for _, n := range items {", "VERDICT: accept"} {
		if !strings.Contains(out.User, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, out.User)
		}
	}
}
