package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile(`\bTest[A-Z]\w+`)
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Z]\w+)\(`)
)

// TestEveryTestThatTheDocumentsNameIsThere keeps tables of what is held by tests from
// naming tests that were renamed or dropped.
func TestEveryTestThatTheDocumentsNameIsThere(t *testing.T) {
	there := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range testName.FindAllString(string(text), -1) {
			if !there[name] {
				t.Errorf("%s names %s, which is no test", page, name)
			}
		}
	}
}

// TestEveryRowOfHostileCasesNamesItsTest reads the tables of docs/security.md whose last
// column is "test".
func TestEveryRowOfHostileCasesNamesItsTest(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, in := 0, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			in = false
		case last == "test":
			in = true
		case in && !strings.HasPrefix(last, "---"):
			rows++
			if !testName.MatchString(last) {
				t.Errorf("no test holds %q", line)
			}
		}
	}
	if rows < 40 {
		t.Errorf("%d rows name a test, want the tables of hostile cases", rows)
	}
}
