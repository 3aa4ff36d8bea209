package behavior_test

import (
	"strings"
	"testing"

	"atoll/engine/behavior"
)

func TestIgnoreFilesFollowGit(t *testing.T) {
	for _, tt := range []struct {
		name, text, path string
		ignored          bool
	}{
		{"a name at any depth", "foo.go", "a/b/foo.go", true},
		{"a name is not part of a name", "foo.go", "a/xfoo.go", false},
		{"a leading slash ties to the top", "/foo.go", "a/foo.go", false},
		{"a leading slash at the top", "/foo.go", "foo.go", true},
		{"a slash in the middle ties to the top", "a/foo.go", "b/a/foo.go", false},
		{"a star stops at a slash", "a/*.go", "a/b/c.go", false},
		{"a folder takes all below", "gen/", "a/gen/b/c.go", true},
		{"a folder pattern is not for files", "gen.go/", "gen.go", false},
		{"a plain name takes a folder too", "gen", "gen/c.go", true},
		{"two stars in front", "**/gen/x.go", "a/b/gen/x.go", true},
		{"two stars in front stand for nothing too", "**/x.go", "x.go", true},
		{"two stars in the middle", "a/**/x.go", "a/b/c/x.go", true},
		{"two stars in the middle stand for nothing too", "a/**/x.go", "a/x.go", true},
		{"two stars at the end", "a/**", "a/b/x.go", true},
		{"two stars at the end leave others", "a/**", "b/x.go", false},
		{"two stars that must go back", "**/a/b.go", "a/a/b.go", true},
		{"negation brings back", "*.go\n!keep.go", "keep.go", false},
		{"the last match wins", "!keep.go\n*.go", "keep.go", true},
		{"nothing comes back from an ignored folder", "gen/\n!gen/keep.go", "gen/keep.go", true},
		{"content of a folder, but for one", "gen/*\n!gen/keep.go", "gen/keep.go", false},
		{"a comment", "#foo.go\n", "foo.go", false},
		{"a quoted hash", "\\#foo.go", "#foo.go", true},
		{"a quoted exclamation mark", "\\!foo.go", "!foo.go", true},
		{"spaces at the end", "foo.go   ", "foo.go", true},
		{"a quoted space at the end", "foo.go\\ ", "foo.go", false},
		{"line ends of Windows", "foo.go\r\nbar.go\r\n", "foo.go", true},
		{"a question mark", "fo?.go", "foo.go", true},
		{"a class", "fo[a-p].go", "foo.go", true},
		{"a negated class", "fo[!a-p].go", "foo.go", false},
		{"a class with a bracket", "fo[]o].go", "foo.go", true},
		{"a class that is not closed", "fo[o.go", "fo[o.go", true},
		{"many stars", "*a*a*a*a*a*a*b.go", strings.Repeat("a", 60) + ".go", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := behavior.NewEligible(behavior.Options{Ignore: []behavior.IgnoreFile{{Text: tt.text}}})
			if got := !e.Match(tt.path, 100); got != tt.ignored {
				t.Errorf("ignored: %v", got)
			}
		})
	}
}

func TestAnIgnoreFileRulesItsOwnFolder(t *testing.T) {
	e := behavior.NewEligible(behavior.Options{Ignore: []behavior.IgnoreFile{
		{Dir: "a/b", Text: "!x.go\n/only.go"},
		{Dir: "", Text: "x.go"},
		{Dir: "a", Text: "y.go"},
	}})
	for path, want := range map[string]bool{
		"x.go": false, "a/x.go": false, "a/b/x.go": true, "y.go": true, "a/y.go": false, "a/b/y.go": false,
		"a/b/only.go": false, "a/b/c/only.go": true, "only.go": true, "ab/y.go": true,
	} {
		if got := e.Match(path, 1); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestWhichFilesShapeTheMap(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    behavior.Options
		path string
		size int64
		want bool
	}{
		{"source does", behavior.Options{}, "a/main.go", 10, true},
		{"a size that is not known is no hindrance", behavior.Options{}, "a/main.go", -1, true},
		{"capital letters in the extension", behavior.Options{}, "A.PY", 10, true},
		{"a file without extension by its name", behavior.Options{}, "sub/Makefile", 10, true},
		{"a dot file is no extension", behavior.Options{}, ".go", 10, false},
		{"data does not", behavior.Options{}, "data.json", 10, false},
		{"an empty file does not", behavior.Options{}, "main.go", 0, false},
		{"a large file does not", behavior.Options{}, "main.go", behavior.DefaultMaxBytes + 1, false},
		{"unless it may", behavior.Options{MaxBytes: 1 << 30}, "main.go", behavior.DefaultMaxBytes + 1, true},
		{"what others wrote does not", behavior.Options{}, "x/node_modules/y/z.js", 10, false},
		{"tests at the top do not", behavior.Options{}, "tests/a.py", 10, false},
		{"what a program wrote does not", behavior.Options{}, "api/v1.pb.go", 10, false},
		{"an exclusion", behavior.Options{Exclude: []string{"legacy/"}}, "legacy/a.go", 10, false},
		{"an inclusion of another kind", behavior.Options{Include: []string{"*.json"}}, "a/data.json", 10, true},
		{"an inclusion leaves out the rest", behavior.Options{Include: []string{"*.json"}}, "main.go", 10, false},
		{"an inclusion lifts what is built in", behavior.Options{Include: []string{"tests/"}}, "tests/a.py", 10, true},
		{"text of any kind where nothing is out of scope", behavior.Options{AnyKind: true}, "prompts/system.md", 10, true},
		{"but not what others wrote", behavior.Options{AnyKind: true}, "node_modules/a/readme.md", 10, false},
		{"a file in scope whatever its kind", behavior.Options{Scope: []string{"prompts/**"}}, "prompts/system.txt", 10, true},
		{"data out of scope does not", behavior.Options{Scope: []string{"prompts/**"}}, "data.yaml", 10, false},
		{"source out of scope does", behavior.Options{Scope: []string{"prompts/**"}}, "main.go", 10, true},
		{"a scope lifts what is built in", behavior.Options{Scope: []string{"tests/*.txt"}}, "tests/a.txt", 10, true},
		{"but not an exclusion of it", behavior.Options{Scope: []string{"conf"}, Exclude: []string{"conf/secret.yaml"}}, "conf/secret.yaml", 10, false},
		{"but not an exclusion", behavior.Options{Include: []string{"*.go"}, Exclude: []string{"b.go"}}, "b.go", 10, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := behavior.NewEligible(tt.o).Match(tt.path, tt.size); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestWhatAPersonMayHaveWrittenShapesTheMap(t *testing.T) {
	prose := strings.Repeat("One paragraph of a prompt is one line, however long it is. ", 60)
	for _, tt := range []struct {
		name, path, text string
		want             bool
	}{
		{"prose of long lines", "prompt.md", prose, true},
		{"source of long lines was minified", "a.js", "f(" + strings.Repeat("a,", 4000) + ")", false},
		{"binary data", "a.txt", "a\x00b", false},
		{"what a program wrote, by its own words", "a.yaml", "# @generated\na: 1\n", false},
		{"an empty file", "a.txt", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := behavior.NewEligible(behavior.Options{AnyKind: true}).Shapes(tt.path, []byte(tt.text)); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestWhatAProgramWroteDoesNotShapeTheMap(t *testing.T) {
	lines := strings.Repeat("x := f(1)\n", 500)
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"plain source", "package a\n" + lines, false},
		{"the mark of Go", "// Code generated by stringer; DO NOT EDIT.\npackage a\n", true},
		{"the mark of others", "/* @generated */\nx\n", true},
		{"a word far below", lines + "// Code generated by x; DO NOT EDIT.\n", false},
		{"source that speaks of generated things", "package a\n// the generated keys\n", false},
		{"binary", "\x7fELF\x00\x01", true},
		{"one long line", "var a=" + strings.Repeat("b(1),", 2000), true},
		{"one long string among lines", lines + "s := \"" + strings.Repeat("z", 4000) + "\"\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := behavior.NewEligible(behavior.Options{}).Shapes("a.go", []byte(tt.text)); got == tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("a/**/b\n!c\n[x", "a/b/c.go")
	f.Add("**\n***\n/**/", "x.go")
	f.Fuzz(func(_ *testing.T, text, path string) {
		e := behavior.NewEligible(behavior.Options{Ignore: []behavior.IgnoreFile{{Dir: "a", Text: text}, {Text: text}}, Exclude: []string{text}})
		e.Match(path, 1)
		e.Match("a/"+path+".go", 1)
	})
}
