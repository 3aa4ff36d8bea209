package survey

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheSourcesOfBenchmarks(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module example.com/x\n\ngo 1.22\n",
		"stem/stem.go":        "package stem\n\nimport \"example.com/x/word\"\n\nvar W = word.W\n",
		"stem/stem_test.go":   "package stem\n",
		"word/word.go":        "package word\n\nvar W = 1\n",
		"vocab/vocab_test.go": "package vocab\n\nimport (\n\t\"testing\"\n\n\t\"example.com/x/stem\"\n)\n\nfunc BenchmarkStem(b *testing.B) { _ = stem.W }\n",
		"tool/main.go":        "package main\n\nfunc main() {}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := &goModule{lab: &Lab{Base: dir}, env: os.Environ()}
	for _, tc := range []struct {
		name     string
		packages []string
		want     []string
	}{
		{"a package with what it imports", []string{"./stem"}, []string{"stem/*.go", "word/*.go"}},
		{"a package of tests alone has those of what the tests import", []string{"./vocab"}, []string{"stem/*.go", "word/*.go"}},
		{"both together", []string{"./vocab", "./word"}, []string{"stem/*.go", "word/*.go"}},
		{"a command", []string{"./tool"}, []string{"tool/*.go"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := m.sources(t.Context(), tc.packages); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAGoCommandWhoseOutputSomethingElseStillHoldsIsNoFailure(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\nsleep 30 &\necho ok\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	m := &goModule{lab: &Lab{Base: dir}, env: os.Environ()}
	if out, err := m.command(t.Context(), "list"); err != nil || out != "ok\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestAModuleThatGoModDoesNotNameIsNamedByTidying(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.22\n", "x.go": "package x\n\nimport _ \"example.org/other\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	m := &goModule{lab: &Lab{Base: dir, Files: []string{"go.mod", "x.go"}}, env: os.Environ(), say: func(s string) { said = append(said, s) }, doing: func(time.Duration, string, ...any) {}}
	if next := m.warm(t.Context()); !strings.HasPrefix(next, "`go mod tidy && ") {
		t.Errorf("next is %q, said is %q", next, said)
	}
}

func TestWhatToDoWithoutAModule(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []string
		want  string
	}{
		{"none", []string{"a.go", "vendor/x/go.mod"}, "then `atoll init --force`"},
		{"one below", []string{"a.go", "sub/go.mod"}, "{name: measure}]}\n  gate: {scope: [\"sub/**/*.go\"]}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := &goModule{lab: &Lab{Files: tc.files}}
			if got, next := m.moduleless(); next == "" || !strings.HasSuffix(got, tc.want) {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestAModuleIsNamedAsItsOwnCodeImportsIt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a test of another package", map[string]string{"b36.go": "package base36\n", "x_test.go": "package base36_test\n\nimport \"example.org/u/base36\"\n"}, "example.org/u/base36"},
		{"of a later version", map[string]string{"b36.go": "package base36\n", "x_test.go": "package base36_test\n\nimport \"example.org/u/base36/v2\"\n"}, "example.org/u/base36/v2"},
		{"a package below", map[string]string{"a.go": "package a\n\nimport \"example.org/u/a/sub/deep\"\n", "sub/deep/d.go": "package deep\n"}, "example.org/u/a"},
		{"another's package of the same name", map[string]string{"a.go": "package a\n\nimport \"example.org/pkg/errors\"\n", "errors/d.go": "package errors\n"}, ""},
		{"nothing but the standard library", map[string]string{"a.go": "package a\n\nimport \"encoding/json\"\n", "json/d.go": "package json\n"}, ""},
		{"a test imports what is called like the package but for go", map[string]string{"s.go": "package slug\n", "x_test.go": "package slug_test\n\nimport (\n\t\"example.org/u/assert\"\n\t\"example.org/u/go-slug\"\n)\n"}, "example.org/u/go-slug"},
		{"a program below does", map[string]string{"s.go": "package slug\n", "slug/main.go": "package main\n\nimport \"example.org/u/slug.go\"\n"}, "example.org/u/slug.go"},
		{"the package at the top cannot import itself", map[string]string{"s.go": "package errors\n\nimport \"example.org/pkg/errors\"\n"}, ""},
		{"the comment behind the package clause", map[string]string{"s.go": "package slug // import \"example.org/slug\"\n\nimport \"example.org/u/other\"\n"}, "example.org/slug"},
		{"a comment elsewhere says nothing", map[string]string{"s.go": "package slug\n\n// import \"example.org/slug\"\nvar A = 1\n"}, ""},
		{"no file, so where it was cloned from", map[string]string{"s.go": "package slug\n", "ORIGIN": "example.org/u/slug"}, "example.org/u/slug"},
		{"a file before where it was cloned from", map[string]string{"s_test.go": "package slug_test\n\nimport \"example.org/u/slug\"\n", "ORIGIN": "example.org/fork/slug"}, "example.org/u/slug"},
	} {
		dir := t.TempDir()
		var files []string
		for name, text := range tc.files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			files = append(files, name)
		}
		if got := (&goModule{lab: &Lab{Base: dir, Files: files}, origin: tc.files["ORIGIN"]}).ownPath(); got != tc.want {
			t.Errorf("%s: it is %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestBenchmarksOfOtherModulesAreNoneOfThisOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n", "x_test.go": "package x\n\nfunc BenchmarkX() {}\n", "sub/y_test.go": "package y\n\nfunc BenchmarkY() {}\n", "none/z_test.go": "package z\n",
		"bench/go.mod": "module example.com/x/bench\n", "bench/deep/b_test.go": "package deep\n\nfunc BenchmarkB() {}\n", "benches/c_test.go": "package benches\n\nfunc BenchmarkC() {}\n", "empty/go.mod": "module example.com/x/empty\n",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	slices.Sort(files)
	list, others := (&goModule{lab: &Lab{Base: dir, Files: files}}).benchFolders()
	if !slices.Equal(list, []string{"./benches", "./sub", "./."}) || !slices.Equal(others, []string{"bench"}) {
		t.Errorf("folders %q, of others %q", list, others)
	}
}
