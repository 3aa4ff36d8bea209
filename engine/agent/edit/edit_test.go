package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/edit"
	"atoll/store/record"
)

const before = "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 2\n}\n"

func editTree() agenttest.Tree {
	return agenttest.Tree{
		"a.go": before, "dos.txt": "alpha\r\nbeta\r\ngamma\r\n", "deep/x/y.go": "package y\n\nvar v = 1\n", "noend.txt": "first\nlast", "twice.txt": "x\ny\nx\ny\n",
		"drift.txt": "q\nx\nr\nonly\nx\n",
		"indent.py": "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n",
	}
}

func block(path, search, replace string) string {
	return path + "\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
}

func TestEditsThatApply(t *testing.T) {
	changed := strings.Replace(before, "return 1", "return 10", 1)
	for _, tc := range []struct {
		name   string
		format edit.Format
		answer string
		path   string
		want   string // "-" = deleted
	}{
		{"an exact block", edit.Blocks, block("a.go", "\treturn 1\n", "\treturn 10\n"), "a.go", changed},
		{"a block in a fence, its path in the text", edit.Blocks, "I change `a.go`:\n\n```go\n" + block("a.go", "\treturn 1\n", "\treturn 10\n") + "```\n", "a.go", changed},
		{"a block whose path is in the fence", edit.Blocks, "```go a.go\n<<<<<<< SEARCH\n\treturn 1\n=======\n\treturn 10\n>>>>>>> REPLACE\n```", "a.go", changed},
		{"a bold path with a colon", edit.Blocks, block("**a.go**:", "\treturn 1\n", "\treturn 10\n"), "a.go", changed},
		{"spaces where the file has tabs", edit.Blocks, block("a.go", "func one() int {\n    return 1\n}\n", "func one() int {\n    return 10\n}\n"), "a.go", changed},
		{"white space at the ends of lines", edit.Blocks, block("a.go", "\treturn 1  \n", "\treturn 10\n"), "a.go", changed},
		{"blank lines around the search", edit.Blocks, block("a.go", "\n\treturn 1\n\n\n", "\n\treturn 10\n\n"), "a.go", changed},
		{
			"indentation that was lost", edit.Blocks, block("indent.py", "def g(self):\n    return 2\n", "def g(self):\n    if self:\n        return 3\n    return 2\n"), "indent.py",
			"class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        if self:\n            return 3\n        return 2\n",
		},
		{
			"indentation that is too deep", edit.Blocks, block("indent.py", "            return 2\n", "            return 3\n"), "indent.py",
			"class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 3\n",
		},
		{"a part of a line", edit.Blocks, block("deep/x/y.go", "v = 1\n", "v = 22\n"), "deep/x/y.go", "package y\n\nvar v = 22\n"},
		{"a path that is the end of one in the tree", edit.Blocks, block("x/y.go", "var v = 1\n", "var v = 2\n"), "deep/x/y.go", "package y\n\nvar v = 2\n"},
		{"line ends of DOS stay", edit.Blocks, block("dos.txt", "beta\n", "one\ntwo\n"), "dos.txt", "alpha\r\none\r\ntwo\r\ngamma\r\n"},
		{"a search with line ends of DOS", edit.Blocks, strings.ReplaceAll(block("a.go", "\treturn 1\n", "\treturn 10\n"), "\n", "\r\n"), "a.go", changed},
		{"a last line without its end stays so", edit.Blocks, block("noend.txt", "last\n", "very last\n"), "noend.txt", "first\nvery last"},
		{"an empty replacement removes lines", edit.Blocks, block("noend.txt", "first\n", ""), "noend.txt", "last"},
		{"an empty search makes a file", edit.Blocks, block("new/b.go", "", "package b\n"), "new/b.go", "package b\n"},
		{"two blocks, the second without its path", edit.Blocks, block("a.go", "\treturn 1\n", "\treturn 9\n") + "\n" + block("", "\treturn 9\n", "\treturn 10\n"), "a.go", changed},
		{"reasoning before the edits", edit.Blocks, "<think>\n" + block("a.go", "nonsense\n", "x\n") + "</think>\n" + block("a.go", "\treturn 1\n", "\treturn 10\n"), "a.go", changed},
		{"a deletion", edit.Blocks, "INTENT: less\nDELETE FILE: dos.txt\n", "dos.txt", "-"},
		{"a diff", edit.Diff, "--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n func one() int {\n-\treturn 1\n+\treturn 10\n }\n", "a.go", changed},
		{"a diff with wrong counts and lines", edit.Diff, "```diff\n--- a/a.go\n+++ b/a.go\n@@ -77,9 +80,1 @@\n func one() int {\n-\treturn 1\n+\treturn 10\n }\n```\nDone.", "a.go", changed},
		{"a diff without lines", edit.Diff, "--- a.go\n+++ a.go\n@@ ... @@\n func one() int {\n-\treturn 1\n+\treturn 10\n }\n", "a.go", changed},
		{"the line decides between equal places", edit.Diff, "--- a/twice.txt\n+++ b/twice.txt\n@@ -3,1 +3,1 @@\n-x\n+z\n", "twice.txt", "x\ny\nz\ny\n"},
		{
			"two hunks, the second moved by the first", edit.Diff, "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,4 @@\n package a\n+\n+// more\n \n@@ -7,3 +9,3 @@\n func two() int {\n-\treturn 2\n+\treturn 3\n }\n", "a.go",
			strings.Replace(strings.Replace(before, "package a\n", "package a\n\n// more\n", 1), "return 2", "return 3", 1),
		},
		{"an earlier hunk says how far the lines are off", edit.Diff, "--- a/drift.txt\n+++ b/drift.txt\n@@ -1,1 +1,1 @@\n-only\n+one\n@@ -2,1 +2,1 @@\n-x\n+z\n", "drift.txt", "q\nx\nr\none\nz\n"},
		{"a diff whose first line of context is wrong", edit.Diff, "--- a/a.go\n+++ b/a.go\n@@ -2,4 +2,4 @@\n // not there\n func one() int {\n-\treturn 1\n+\treturn 10\n }\n", "a.go", changed},
		{"a diff keeps the context as the file has it", edit.Diff, "--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n func one()  int {\n-    return 1\n+    return 10\n }\n", "a.go", changed},
		{"a diff of a new file", edit.Diff, "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n", "n.txt", "one\ntwo\n"},
		{"a diff that deletes", edit.Diff, "--- a/dos.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-alpha\n-beta\n-gamma\n", "dos.txt", "-"},
		{"a diff where blocks were asked for", edit.Blocks, "--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n func one() int {\n-\treturn 1\n+\treturn 10\n }\n", "a.go", changed},
		{"blocks where a diff was asked for", edit.Diff, block("a.go", "\treturn 1\n", "\treturn 10\n"), "a.go", changed},
		{"a whole file", edit.Whole, "INTENT: ten\n\na.go\n```go\n" + changed + "```\n", "a.go", changed},
		{"a whole file with fences in it", edit.Whole, "doc.md\n````\n# T\n```go\nx\n```\nend\n````\n", "doc.md", "# T\n```go\nx\n```\nend\n"},
		{"a whole file with a fence of the same length in it", edit.Whole, "doc.md\n```md\n# T\n```go\nx\n```\nend\n```\n", "doc.md", "# T\n```go\nx\n```\nend\n"},
		{"a whole file keeps line ends of DOS", edit.Whole, "dos.txt\n```\nalpha\nbeta!\n```\n", "dos.txt", "alpha\r\nbeta!\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := editTree()
			edits, err := edit.Parse(tc.format, tc.answer, []string{"a.go", "dos.txt"})
			if err != nil {
				t.Fatal(err)
			}
			changes, err := edit.Apply(t.Context(), tree, edits, edit.Scope{})
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) != 1 || changes[0].Path != tc.path {
				t.Fatalf("got changes %v", changes)
			}
			got := string(changes[0].Data)
			if changes[0].Mode == record.Deleted {
				got = "-"
			}
			if got != tc.want {
				t.Errorf("got\n%q\nwant\n%q", got, tc.want)
			}
		})
	}
}

func TestEditsThatDoNot(t *testing.T) {
	for _, tc := range []struct {
		name   string
		format edit.Format
		answer string
		want   string
	}{
		{"nothing at all", edit.Blocks, "I think the code is fine as it is.", "no edit"},
		{"lines that are not there, with the closest place", edit.Blocks, block("a.go", "func two() int {\n\treturn 5\n}\n", "x\n"), `closest place is line 7, where line 2 of the search is "return 5" and the file has "return 2"`},
		{"lines that occur twice", edit.Blocks, block("twice.txt", "x\n", "z\n"), "occur 2 times (at lines 1, 3)"},
		{"a block without its end", edit.Blocks, "a.go\n<<<<<<< SEARCH\nx\n=======\ny\n", "does not end"},
		{"a block without its middle", edit.Blocks, "a.go\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", "no ======="},
		{"a file that is not there", edit.Blocks, block("zz.go", "x\n", "y\n"), "no such file"},
		{"a file that is there already", edit.Blocks, block("a.go", "", "y\n"), "the file exists"},
		{"no path", edit.Blocks, block("", "x\n", "y\n"), "name the file"},
		{"a path that climbs", edit.Blocks, block("../a.go", "", "y\n"), "out of the repository"},
		{"an absolute path", edit.Blocks, block("/etc/passwd", "", "y\n"), "not relative"},
		{"git's own files", edit.Blocks, block("x/.GIT/config", "", "y\n"), "git's own"},
		{"a file out of scope", edit.Blocks, block("deep/x/y.go", "var v = 1\n", "y\n"), "may not be changed"},
		{"a file where a folder is needed", edit.Blocks, block("a.go/b.go", "", "y\n"), "a.go is a file"},
		{"a file that was shown in part", edit.Whole, "dos.txt\n```\nx\n```\n", "only a part"},
		{"a fence that is not closed", edit.Whole, "a.go\n```go\npackage a\n", "does not end"},
		{"a hunk that does not fit", edit.Diff, "--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n func six() int {\n-\treturn 6\n+\treturn 10\n }\n", "hunk 1 of 1"},
		{"a diff without hunks", edit.Diff, "--- a/a.go\n+++ b/a.go\n", "no hunk"},
		{"a diff that makes what exists", edit.Diff, "--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+x\n", "exists already"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			edits, err := edit.Parse(tc.format, tc.answer, []string{"a.go", "dos.txt"})
			if err == nil {
				scope := edit.Scope{Allowed: func(p string) bool { return p != "deep/x/y.go" }, Partial: []string{"dos.txt"}}
				_, err = edit.Apply(t.Context(), editTree(), edits, scope)
			}
			var problem *edit.Error
			if !errors.As(err, &problem) || !strings.Contains(problem.Feedback(), tc.want) {
				t.Errorf("got %v, want an Error with %q", err, tc.want)
			}
		})
	}
}

func TestEditsAreMadeAllOrNone(t *testing.T) {
	answer := block("a.go", "\treturn 1\n", "\treturn 10\n") + block("a.go", "missing\n", "x\n") + block("twice.txt", "missing\n", "x\n")
	edits, err := edit.Parse(edit.Blocks, answer, nil)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := edit.Apply(t.Context(), editTree(), edits, edit.Scope{})
	var problem *edit.Error
	if changes != nil || !errors.As(err, &problem) || len(problem.Problems) != 2 || !strings.HasPrefix(problem.Problems[0], "edit 2 of 3, a.go (line 8 of the answer)") {
		t.Errorf("got %v, %q", changes, problem)
	}
}

func TestEditsOfLargeFiles(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "line %d\n\n", i)
	}
	tree := agenttest.Tree{"big.txt": b.String()}
	var answer strings.Builder
	for i := range 200 {
		answer.WriteString(block("big.txt", fmt.Sprintf("line  %d\n", i*50), fmt.Sprintf("changed %d\n", i)))
	}
	edits, err := edit.Parse(edit.Blocks, answer.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := edit.Apply(t.Context(), tree, edits, edit.Scope{})
	if err != nil || strings.Count(string(changes[0].Data), "changed") != 200 {
		t.Errorf("got %v", err)
	}
}

func FuzzEdits(f *testing.F) {
	f.Add(block("a.go", "\treturn 1\n", "\treturn 10\n"), uint8(0))
	f.Add("a.go\n```go\nx\n```\n", uint8(1))
	f.Add("--- a/a.go\n+++ b/a.go\n@@ -3,3 +3,3 @@\n func one() int {\n-\treturn 1\n+\treturn 10\n }\n", uint8(2))
	f.Add("--- a/a.go\n+++ b/a.go\n@@ -0,0 @@\n\n@@ @@\n+x\n", uint8(2))
	f.Add("<think></think><<<<<<< SEARCH\n=======\n>>>>>>> REPLACE", uint8(0))
	f.Fuzz(func(t *testing.T, answer string, which uint8) {
		format := []edit.Format{edit.Blocks, edit.Whole, edit.Diff}[which%3]
		edits, err := edit.Parse(format, answer, []string{"a.go"})
		var problem *edit.Error
		if err != nil {
			if !errors.As(err, &problem) {
				t.Fatalf("got %v", err)
			}
			return
		}
		tree := editTree()
		changes, err := edit.Apply(t.Context(), tree, edits, edit.Scope{Allowed: func(p string) bool { return p != "dos.txt" }})
		if err != nil && !errors.As(err, &problem) {
			t.Fatalf("got %v", err)
		}
		for _, c := range changes {
			if c.Path == "dos.txt" || strings.HasPrefix(c.Path, "/") || strings.HasPrefix(c.Path, "..") || c.Path == "" {
				t.Fatalf("a change of %q", c.Path)
			}
			if c.Mode != record.Deleted && string(c.Data) == tree[c.Path] && tree[c.Path] != "" {
				t.Fatalf("%q did not change", c.Path)
			}
		}
	})
}
