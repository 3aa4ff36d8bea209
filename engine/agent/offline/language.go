package offline

import (
	"path"
	"strings"
	"sync"
)

// layout says how a language groups lines into statements.
type layout uint8

const (
	layoutText   layout = iota // words and numbers, no statements
	layoutData                 // keys and values, one item per line
	layoutIndent               // Python
	layoutBrace                // the C family, Go, Rust, Java, JavaScript
	layoutLines                // statements by line with end words: shell, Ruby, Lua
)

// lang describes a language as far as its tokens go. Values are shared and
// never changed.
type lang struct {
	name     string
	layout   layout
	line     []string // starts of line comments
	block    [2]string
	quotes   string // characters that open a string
	triple   bool   // """ and ''' open strings
	raw      byte   // quote of strings that span lines
	span     bool   // every string may span lines
	chars    bool   // ' opens a character or a lifetime (Rust)
	regex    bool   // / opens a regular expression where an operand is due
	dollar   bool   // $1 is a name
	minus    bool   // a minus that touches a number may belong to it
	weight   float64
	imports  []string // first words of lines whose numbers stay
	unitWord bool     // numbers may carry a unit: 12px, 30s
}

var (
	slash  = []string{"//"}
	hashed = []string{"#"}
	stars  = [2]string{"/*", "*/"}
)

// languages maps a file name extension to its language.
var languages = sync.OnceValue(func() map[string]*lang {
	m := map[string]*lang{}
	put := func(l *lang, exts string) {
		for _, e := range strings.Fields(exts) {
			m[e] = l
		}
	}
	put(&lang{name: "go", layout: layoutBrace, line: slash, block: stars, quotes: `"'`, raw: '`', minus: true, weight: 1,
		imports: []string{"import", "package"}}, ".go")
	put(&lang{name: "python", layout: layoutIndent, line: hashed, quotes: `"'`, triple: true, minus: true, weight: 1,
		imports: []string{"import", "from"}}, ".py .pyw .pyx .pyi")
	put(&lang{name: "javascript", layout: layoutBrace, line: slash, block: stars, quotes: `"'`, raw: '`', regex: true, minus: true, weight: 1,
		imports: []string{"import", "export"}}, ".js .mjs .cjs .jsx .ts .mts .cts .tsx")
	put(&lang{name: "rust", layout: layoutBrace, line: slash, block: stars, quotes: `"`, span: true, chars: true, minus: true, weight: 1,
		imports: []string{"use", "extern", "mod"}}, ".rs")
	put(&lang{name: "c", layout: layoutBrace, line: slash, block: stars, quotes: `"'`, minus: true, weight: 1,
		imports: []string{"#include", "#pragma", "#version", "#line", "import", "using", "package"}},
		".c .h .cc .cpp .cxx .hpp .hh .hxx .cu .cuh .java .kt .kts .scala .cs .swift .dart .zig .d .glsl .hlsl .metal .frag .vert .comp .wgsl .m .mm .groovy .proto .v .sv")
	put(&lang{name: "php", layout: layoutBrace, line: []string{"//", "#"}, block: stars, quotes: `"'`, span: true, dollar: true, minus: true, weight: 1,
		imports: []string{"use", "require", "include", "namespace"}}, ".php")
	put(&lang{name: "shell", layout: layoutLines, line: hashed, quotes: `"'`, raw: '`', span: true, dollar: true, weight: 0.7,
		imports: []string{"source", "."}}, ".sh .bash .zsh .fish .ksh")
	put(&lang{name: "ruby", layout: layoutLines, line: hashed, quotes: `"'`, span: true, minus: true, weight: 1,
		imports: []string{"require", "require_relative", "gem", "load"}}, ".rb .ex .exs .jl .pl .pm .r .nim .cr")
	put(&lang{name: "lua", layout: layoutLines, line: []string{"--"}, block: [2]string{"--[[", "]]"}, quotes: `"'`, minus: true, weight: 1,
		imports: []string{"require"}}, ".lua")
	put(&lang{name: "haskell", layout: layoutText, line: []string{"--"}, block: [2]string{"{-", "-}"}, quotes: `"`, minus: false, weight: 0.7,
		imports: []string{"import", "module", "open"}}, ".hs .elm .ml .mli .fs .fsx")
	put(&lang{name: "sql", layout: layoutText, line: []string{"--"}, block: stars, quotes: `"'`, span: true, minus: true, weight: 0.6}, ".sql")
	put(&lang{name: "lisp", layout: layoutText, line: []string{";"}, quotes: `"`, span: true, minus: true, weight: 0.7}, ".lisp .cl .el .scm .clj .cljs .rkt")
	put(&lang{name: "latex", layout: layoutText, line: []string{"%"}, minus: true, weight: 0.1}, ".tex")
	put(&lang{name: "css", layout: layoutText, block: stars, quotes: `"'`, minus: true, weight: 0.4, unitWord: true,
		imports: []string{"@import", "@charset"}}, ".css .scss .less")
	put(&lang{name: "yaml", layout: layoutData, line: hashed, quotes: `"'`, span: true, minus: true, weight: 0.6, unitWord: true}, ".yaml .yml")
	put(&lang{name: "toml", layout: layoutData, line: hashed, quotes: `"'`, triple: true, minus: true, weight: 0.6, unitWord: true}, ".toml")
	put(&lang{name: "ini", layout: layoutData, line: []string{"#", ";"}, quotes: `"`, minus: true, weight: 0.6, unitWord: true}, ".ini .cfg .conf .properties .env .cnf")
	put(&lang{name: "json", layout: layoutData, line: slash, block: stars, quotes: `"`, minus: true, weight: 0.6}, ".json .jsonc .json5 .jsonl .geojson")
	put(&lang{name: "csv", layout: layoutText, quotes: `"`, minus: true, weight: 0.3}, ".csv .tsv")
	put(&lang{name: "make", layout: layoutText, line: hashed, dollar: true, weight: 0.2}, ".mk .cmake .mak")
	put(&lang{name: "text", layout: layoutText, minus: true, weight: 0.3, unitWord: true}, ".txt .dat .data .params .in .tbl .sol")
	put(&lang{name: "prose", layout: layoutText, minus: true, weight: 0.02, unitWord: true}, ".md .rst .adoc .org .html .htm .xml .svg")
	return m
})

// plain is the language of a file whose name says nothing.
var plain = &lang{name: "plain", layout: layoutText, minus: true, weight: 0.1, unitWord: true}

// languageOf returns the language of a path, or nil for names that are never
// edited: binary formats, lock files and manifests that pin versions.
func languageOf(p string) *lang {
	base := path.Base(p)
	if skippedName(base) {
		return nil
	}
	ext := path.Ext(base)
	if ext == "" {
		return plain
	}
	if l := languages()[ext]; l != nil {
		return l
	}
	return languages()[strings.ToLower(ext)]
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
	for _, s := range []string{".lock", "-lock.json", "-lock.yaml", ".min.js", ".min.css", ".pb.go", "_pb2.py", ".map",
		"_generated.go", ".gen.go", ".generated.ts", ".sum", ".snap", ".golden"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// skippedDir reports paths below vendored or generated folders.
func skippedDir(p string) bool {
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

// isTest reports files that measure rather than run.
func isTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") ||
		strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || base == "conftest.py" ||
		strings.Contains("/"+p, "/tests/") || strings.Contains("/"+p, "/test/") || strings.Contains("/"+p, "/testdata/")
}

// looksGenerated reports content that a tool wrote, a binary, or lines so long
// that nobody wrote them. It reads at most the first 4 KiB closely.
func looksGenerated(src []byte) bool {
	head := src
	if len(head) > 4096 {
		head = head[:4096]
	}
	longest, run := 0, 0
	for _, c := range head {
		switch {
		case c == 0:
			return true
		case c == '\n':
			longest, run = max(longest, run), 0
		default:
			run++
		}
	}
	if max(longest, run) > 2000 {
		return true
	}
	text := string(head)
	if i := strings.Index(text, "DO NOT EDIT"); i >= 0 && strings.Contains(strings.ToLower(text[max(0, i-200):i]), "generated") {
		return true
	}
	return strings.Contains(text, "@generated")
}
