package behavior

import (
	"bytes"
	"path"
	"strings"
)

// DefaultMaxBytes is the size above which a file does not shape the map.
const DefaultMaxBytes = 512 << 10

// IgnoreFile is an ignore file of the root commit. Dir is the folder it lies
// in, "" for the top.
type IgnoreFile struct {
	Dir  string
	Text string
}

// Options say which files shape the map. All patterns have the syntax
// of gitignore(5): without a slash they match at any depth.
type Options struct {
	Include  []string // instead of the known kinds of source; also lifts the built-in exclusions
	Scope    []string // besides the known kinds of source, whatever their kind; also lifts the built-in exclusions
	AnyKind  bool     // text of any kind counts, not the known kinds of source alone
	Exclude  []string // besides the built-in exclusions
	MaxBytes int64    // 0: DefaultMaxBytes
	// Ignore lists the ignore files, in any order; a later one of the same
	// folder overrides an earlier one.
	Ignore []IgnoreFile
}

// Eligible decides which files of a commit shape the map. It is immutable and
// safe for concurrent use.
type Eligible struct {
	include  []pattern
	scope    []pattern
	anyKind  bool
	builtin  []pattern
	exclude  []pattern
	ignore   []scoped // folders before what lies in them
	maxBytes int64
	depth    int
}

// scoped are the patterns of one ignore file.
type scoped struct {
	dir      []string
	patterns []pattern
}

// NewEligible reads the options. Lines that are no pattern are skipped.
func NewEligible(o Options) *Eligible {
	e := &Eligible{
		include:  parsePatterns(o.Include),
		scope:    parsePatterns(o.Scope),
		anyKind:  o.AnyKind,
		builtin:  parsePatterns(excludedByDefault),
		exclude:  parsePatterns(o.Exclude),
		maxBytes: o.MaxBytes,
	}
	if e.maxBytes <= 0 {
		e.maxBytes = DefaultMaxBytes
	}
	for _, f := range o.Ignore {
		s := scoped{patterns: parsePatterns(strings.Split(f.Text, "\n"))}
		if dir := strings.Trim(path.Clean("/"+f.Dir), "/"); dir != "" {
			s.dir = strings.Split(dir, "/")
		}
		e.ignore = append(e.ignore, s)
		e.depth = max(e.depth, len(s.dir))
	}
	return e
}

func parsePatterns(lines []string) []pattern {
	var out []pattern
	for _, l := range lines {
		if p, ok := parsePattern(l); ok {
			out = append(out, p)
		}
	}
	return out
}

// Match reports whether the file shapes the map. Path is slash separated and
// relative to the top; size is in bytes, negative when it is not known. Empty
// files do not count.
func (e *Eligible) Match(name string, size int64) bool {
	if size == 0 || size > e.maxBytes || name == "" {
		return false
	}
	segs := strings.Split(name, "/")
	switch {
	case len(e.include) > 0:
		if !within(e.include, segs) {
			return false
		}
	case within(e.scope, segs):
	case !e.anyKind && !isSource(segs[len(segs)-1]), within(e.builtin, segs):
		return false
	}
	return !within(e.exclude, segs) && !e.ignored(segs)
}

// Shapes reports whether a file with this content shapes the map: it matches, and
// a person may have written it. Long lines speak against source, not against prose.
func (e *Eligible) Shapes(name string, content []byte) bool {
	if !e.Match(name, int64(len(content))) || isBinary(content) || saysGenerated(content) {
		return false
	}
	return !isSource(path.Base(name)) || !minified(content)
}

// within applies a list of patterns to a path and the folders above it, the
// last that matches wins; what lies in a matched folder is matched.
func within(patterns []pattern, segs []string) bool {
	for n := 1; n <= len(segs); n++ {
		verdict := false
		for _, p := range patterns {
			if p.match(segs[:n], n < len(segs)) {
				verdict = !p.negated
			}
		}
		if verdict {
			return true
		}
	}
	return false
}

// ignored asks the ignore files from the top down: of all patterns that match
// the last of the deepest file wins, and nothing brings back what lies in an
// ignored folder.
func (e *Eligible) ignored(segs []string) bool {
	for n := 1; n <= len(segs); n++ {
		verdict := false
		for depth := 0; depth <= min(e.depth, n-1); depth++ {
			for _, s := range e.ignore {
				if len(s.dir) != depth || !hasPrefix(segs[:n], s.dir) {
					continue
				}
				for _, p := range s.patterns {
					if p.match(segs[depth:n], n < len(segs)) {
						verdict = !p.negated
					}
				}
			}
		}
		if verdict {
			return true
		}
	}
	return false
}

func hasPrefix(path, dir []string) bool {
	if len(path) < len(dir) {
		return false
	}
	for i := range dir {
		if path[i] != dir[i] {
			return false
		}
	}
	return true
}

// isSource goes by the extension, or the name of a file without one.
func isSource(base string) bool {
	lower := strings.ToLower(base)
	ext := strings.TrimPrefix(path.Ext(lower), ".")
	if ext == "" || "."+ext == lower {
		return strings.Contains(sourceNames, " "+lower+" ")
	}
	return strings.Contains(sourceExtensions, " "+ext+" ") || strings.Contains(sourceNames, " "+lower+" ")
}

// Kinds of source, each between blanks.
const (
	sourceExtensions = " go py pyi pyx js jsx mjs cjs ts tsx mts cts rs java kt kts swift m mm c cc cpp cxx h hh hpp hxx " +
		"cu cuh cl cs fs fsx vb php rb scala groovy clj cljs cljc ex exs erl hrl hs elm ml mli lua pl pm r jl dart zig nim cr d " +
		"v sv vhd vhdl sql sh bash zsh fish ps1 awk tcl gd sol proto glsl hlsl wgsl metal lisp lsp scm rkt el f f90 f95 for " +
		"pas ada adb ads asm s nix odin vue svelte bzl star coffee pro "
	sourceNames = " dockerfile makefile gnumakefile justfile rakefile gemfile cmakelists.txt "
)

// excludedByDefault: tests, what others wrote, what programs wrote.
var excludedByDefault = []string{
	".git/", "node_modules/", "vendor/", "third_party/", "bower_components/", "Pods/",
	"build/", "dist/", "out/", "target/debug/", "target/release/", "__pycache__/", ".venv/", "venv/", ".tox/", "site-packages/",
	"/tests/", "testdata/", "__tests__/", "__snapshots__/",
	"*.min.js", "*.bundle.js", "*.pb.go", "*.pb.cc", "*.pb.h", "*_pb2.py", "*_pb2_grpc.py", "*.g.dart", "*.generated.*",
	"*_generated.go", "zz_generated*", "*.designer.cs", "bindata.go",
}

const (
	headLines  = 20
	headBytes  = 4 << 10
	binaryHead = 8000
	longLine   = 5000
	longMean   = 300
	shortFile  = 2 << 10
)

func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), binaryHead)], 0) >= 0
}

// saysGenerated looks for a head that says that a program wrote the file.
func saysGenerated(content []byte) bool {
	head := strings.ToLower(string(content[:min(len(content), headBytes)]))
	for n, line := range strings.Split(head, "\n") {
		if n == headLines {
			break
		}
		made := strings.Contains(line, "generated")
		if strings.Contains(line, "@generated") ||
			made && (strings.Contains(line, "do not edit") || strings.Contains(line, "do not modify")) ||
			strings.Contains(line, "automatically generated by") || strings.Contains(line, "autogenerated by") {
			return true
		}
	}
	return false
}

func minified(content []byte) bool {
	if len(content) < shortFile {
		return false
	}
	lines, length, longest := 1, 0, 0
	for _, c := range content {
		length++
		if c == '\n' {
			lines, length = lines+1, 0
		}
		longest = max(longest, length)
	}
	return longest > longLine && len(content)/lines > longMean/4 || len(content)/lines > longMean
}
