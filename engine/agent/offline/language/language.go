package language

import (
	"bytes"
	"path"
	"strings"
	"sync"
)

// Layout says how a language groups lines into statements.
type Layout uint8

const (
	LayoutText   Layout = iota // words and numbers, no statements
	LayoutData                 // keys and values, one item per line
	LayoutIndent               // Python
	LayoutBrace                // the C family, Go, Rust, Java, JavaScript
	LayoutLines                // statements by line with end words: shell, Ruby, Lua
)

// Language describes a language as far as its tokens go. Values are shared and
// never changed.
type Language struct {
	Name     string
	Layout   Layout
	line     []string // starts of line comments
	block    [2]string
	quotes   string // characters that open a string
	triple   bool   // """ and ''' open strings
	raw      byte   // quote of strings that span lines
	span     bool   // every string may span lines
	chars    bool   // ' opens a character or a lifetime (Rust)
	regex    bool   // / opens a regular expression where an operand is due
	dollar   bool   // $1 is a name
	Minus    bool   // a minus that touches a number may belong to it
	Weight   float64
	Imports  []string // first words of lines whose numbers stay
	unitWord bool     // numbers may carry a unit: 12px, 30s
}

var (
	slash  = []string{"//"}
	hashed = []string{"#"}
	stars  = [2]string{"/*", "*/"}
)

// All maps a file name extension to its language.
var All = sync.OnceValue(func() map[string]*Language {
	m := map[string]*Language{}
	put := func(l *Language, exts string) {
		for _, e := range strings.Fields(exts) {
			m[e] = l
		}
	}
	put(&Language{
		Name: "go", Layout: LayoutBrace, line: slash, block: stars, quotes: `"'`, raw: '`', Minus: true, Weight: 1,
		Imports: []string{"import", "package"},
	}, ".go")
	put(&Language{
		Name: "python", Layout: LayoutIndent, line: hashed, quotes: `"'`, triple: true, Minus: true, Weight: 1,
		Imports: []string{"import", "from"},
	}, ".py .pyw .pyx .pyi")
	put(&Language{
		Name: "javascript", Layout: LayoutBrace, line: slash, block: stars, quotes: `"'`, raw: '`', regex: true, Minus: true, Weight: 1,
		Imports: []string{"import", "export"},
	}, ".js .mjs .cjs .jsx .ts .mts .cts .tsx")
	put(&Language{
		Name: "rust", Layout: LayoutBrace, line: slash, block: stars, quotes: `"`, span: true, chars: true, Minus: true, Weight: 1,
		Imports: []string{"use", "extern", "mod"},
	}, ".rs")
	put(&Language{
		Name: "c", Layout: LayoutBrace, line: slash, block: stars, quotes: `"'`, Minus: true, Weight: 1,
		Imports: []string{"#include", "#pragma", "#version", "#line", "import", "using", "package"},
	},
		".c .h .cc .cpp .cxx .hpp .hh .hxx .cu .cuh .java .kt .kts .scala .cs .swift .dart .zig .d .glsl .hlsl .metal .frag .vert .comp .wgsl .m .mm .groovy .proto .v .sv")
	put(&Language{
		Name: "php", Layout: LayoutBrace, line: []string{"//", "#"}, block: stars, quotes: `"'`, span: true, dollar: true, Minus: true, Weight: 1,
		Imports: []string{"use", "require", "include", "namespace"},
	}, ".php")
	put(&Language{
		Name: "shell", Layout: LayoutLines, line: hashed, quotes: `"'`, raw: '`', span: true, dollar: true, Weight: 0.7,
		Imports: []string{"source", "."},
	}, ".sh .bash .zsh .fish .ksh")
	put(&Language{
		Name: "ruby", Layout: LayoutLines, line: hashed, quotes: `"'`, span: true, Minus: true, Weight: 1,
		Imports: []string{"require", "require_relative", "gem", "load"},
	}, ".rb .ex .exs .jl .pl .pm .r .nim .cr")
	put(&Language{
		Name: "lua", Layout: LayoutLines, line: []string{"--"}, block: [2]string{"--[[", "]]"}, quotes: `"'`, Minus: true, Weight: 1,
		Imports: []string{"require"},
	}, ".lua")
	put(&Language{
		Name: "haskell", Layout: LayoutText, line: []string{"--"}, block: [2]string{"{-", "-}"}, quotes: `"`, Minus: false, Weight: 0.7,
		Imports: []string{"import", "module", "open"},
	}, ".hs .elm .ml .mli .fs .fsx")
	put(&Language{Name: "sql", Layout: LayoutText, line: []string{"--"}, block: stars, quotes: `"'`, span: true, Minus: true, Weight: 0.6}, ".sql")
	put(&Language{Name: "lisp", Layout: LayoutText, line: []string{";"}, quotes: `"`, span: true, Minus: true, Weight: 0.7}, ".lisp .cl .el .scm .clj .cljs .rkt")
	put(&Language{Name: "latex", Layout: LayoutText, line: []string{"%"}, Minus: true, Weight: 0.1}, ".tex")
	put(&Language{
		Name: "css", Layout: LayoutText, block: stars, quotes: `"'`, Minus: true, Weight: 0.4, unitWord: true,
		Imports: []string{"@import", "@charset"},
	}, ".css .scss .less")
	put(&Language{Name: "yaml", Layout: LayoutData, line: hashed, quotes: `"'`, span: true, Minus: true, Weight: 0.6, unitWord: true}, ".yaml .yml")
	put(&Language{Name: "toml", Layout: LayoutData, line: hashed, quotes: `"'`, triple: true, Minus: true, Weight: 0.6, unitWord: true}, ".toml")
	put(&Language{Name: "ini", Layout: LayoutData, line: []string{"#", ";"}, quotes: `"`, Minus: true, Weight: 0.6, unitWord: true}, ".ini .cfg .conf .properties .env .cnf")
	put(&Language{Name: "json", Layout: LayoutData, line: slash, block: stars, quotes: `"`, Minus: true, Weight: 0.6}, ".json .jsonc .json5 .jsonl .geojson")
	put(&Language{Name: "csv", Layout: LayoutText, quotes: `"`, Minus: true, Weight: 0.3}, ".csv .tsv")
	put(&Language{Name: "make", Layout: LayoutText, line: hashed, dollar: true, Weight: 0.2}, ".mk .cmake .mak")
	put(&Language{Name: "text", Layout: LayoutText, Minus: true, Weight: 0.3, unitWord: true}, ".txt .dat .data .params .in .tbl .sol")
	put(&Language{Name: "prose", Layout: LayoutText, Minus: true, Weight: 0.02, unitWord: true}, ".md .rst .adoc .org .html .htm .xml .svg")
	return m
})

// plain is the language of a file whose name says nothing.
var plain = &Language{Name: "plain", Layout: LayoutText, Minus: true, Weight: 0.1, unitWord: true}

// Of returns the language of a path, or nil for names that are never
// edited: binary formats, lock files and manifests that pin versions.
func Of(p string) *Language {
	base := path.Base(p)
	if skippedName(base) {
		return nil
	}
	ext := path.Ext(base)
	if ext == "" {
		return plain
	}
	if l := All()[ext]; l != nil {
		return l
	}
	return All()[strings.ToLower(ext)]
}

// pinned reports files that pin versions or belong to tools.
func pinned(base string) bool {
	switch base {
	case "go.mod", "go.sum", "go.work", "go.work.sum", "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml",
		"yarn.lock", "Cargo.toml", "Cargo.lock", "pyproject.toml", "poetry.lock", "requirements.txt", "setup.cfg", "Pipfile",
		"Gemfile", "composer.json", "composer.lock", "pom.xml", "build.gradle", "flake.lock", "mix.lock", "pubspec.yaml",
		"tsconfig.json", "environment.yml", "Makefile", "Dockerfile", "CODEOWNERS", "VERSION", "LICENSE", "LICENSE.txt",
		"COPYING", "NOTICE", "AUTHORS", "CHANGELOG", "atoll.yaml":
		return true
	}
	return false
}

// skippedName reports names that no offline edit touches.
func skippedName(base string) bool {
	if pinned(base) || strings.HasPrefix(base, ".") {
		return true
	}
	for _, s := range []string{
		".lock", "-lock.json", "-lock.yaml", ".min.js", ".min.css", ".pb.go", "_pb2.py", ".map",
		"_generated.go", ".gen.go", ".generated.ts", ".sum", ".snap", ".golden",
	} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// SkippedDir reports paths below vendored or generated folders.
func SkippedDir(p string) bool {
	for p != "" {
		i := strings.IndexByte(p, '/')
		if i < 0 {
			return false
		}
		switch p[:i] {
		case "vendor", "node_modules", "third_party", ".git", ".github", ".venv", "venv", "dist", "__pycache__", "target", "generated":
			return true
		}
		p = p[i+1:]
	}
	return false
}

// IsTest reports files that measure rather than run.
func IsTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") ||
		strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || base == "conftest.py" ||
		strings.Contains("/"+p, "/tests/") || strings.Contains("/"+p, "/test/") || strings.Contains("/"+p, "/testdata/")
}

// LooksGenerated reports content that a tool wrote, a binary, or lines so long
// that nobody wrote them. It reads at most the first 4 KiB closely.
func LooksGenerated(src []byte) bool { return marked(src) || longLines(src) }

// longLines reports lines so long that nobody wrote them: packed code, or a table.
func longLines(src []byte) bool {
	longest, run := 0, 0
	for _, c := range src[:min(len(src), 4096)] {
		if c == '\n' {
			longest, run = max(longest, run), 0
		} else {
			run++
		}
	}
	return max(longest, run) > 2000
}

// marked reports a binary, or content that says it was generated.
func marked(src []byte) bool {
	head := src[:min(len(src), 4096)]
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	text := string(head)
	if i := strings.Index(text, "DO NOT EDIT"); i >= 0 && strings.Contains(strings.ToLower(text[max(0, i-200):i]), "generated") {
		return true
	}
	return strings.Contains(text, "@generated")
}

// Packed reports code of long lines that does not say it was generated: an edit of it
// makes sense where there is nothing else to edit.
func Packed(src []byte) bool { return longLines(src) && !marked(src) }
