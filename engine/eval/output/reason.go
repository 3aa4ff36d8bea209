package output

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Telling finds the most telling line of what a failed program wrote. The
// search goes from the forms that name their cause best to the last line.
type Telling struct {
	python   *regexp.Regexp // SomeError: words
	frame    *regexp.Regexp // File "x.py", line 3
	compile  *regexp.Regexp // a.go:3:4: words, a.c:3:4: error: words
	beside   *regexp.Regexp // what a compiler says at a place beside errors
	tsc      *regexp.Regexp // a.ts(3,4): error TS2304: words, a.ts:3:4 - error TS2304: words
	linker   *regexp.Regexp // a.c:(.text+0x1d): undefined reference to `f'
	rustc    *regexp.Regexp // error[E0308]: words
	cargo    *regexp.Regexp // error: could not compile ..., which stands behind the errors
	arrow    *regexp.Regexp // --> src/a.rs:3:4
	goFail   *regexp.Regexp // --- FAIL: TestX
	goLine   *regexp.Regexp // x_test.go:3: words
	panics   *regexp.Regexp // panic: words
	pytest   *regexp.Regexp // FAILED a.py::test - words
	node     *regexp.Regexp // TypeError: words
	nodeBad  *regexp.Regexp // not ok 3 - words, and how other test programs of node name a test
	make     *regexp.Regexp // make: words, make[1]: words
	died     *regexp.Regexp // bash: line 1: 17 Segmentation fault ./words big.txt
	excerpt  *regexp.Regexp // | ^~~~, 12 |  int x: the lines of a source that a message is about
	harmless *regexp.Regexp // a.c:3:4: warning: words, 1 warning generated.
	figure   *regexp.Regexp // 12.5, ms = 12.5, 0.137 seconds, real 0m0.1s: a result
	digits   *regexp.Regexp
	Private  *regexp.Regexp // folders of a sandbox on the lower rungs
}

func NewTelling() *Telling {
	return &Telling{
		python:   regexp.MustCompile(`^([A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit|Warning|Failure|Timeout|Expired|Iteration)\w*)(:.*)?$`),
		frame:    regexp.MustCompile(`^\s*File "([^"]+)", line (\d+)`),
		compile:  regexp.MustCompile(`^(\./)?([\w./+-]+\.(go|c|cc|cpp|cxx|h|hpp|rs|zig|swift|java|kt|ts|tsx|js|hs|f90|jl)):(\d+)(:\d+)?: (\S.*)$`),
		beside:   regexp.MustCompile(`^(warning|note|remark): `),
		tsc:      regexp.MustCompile(`^(\S+\.[cm]?[jt]sx?)(?:\((\d+),\d+\): |:(\d+):\d+ - )(error TS\d+: \S.*)$`),
		linker:   regexp.MustCompile(`: (undefined reference to|multiple definition of|error: undefined symbol:) \S`),
		rustc:    regexp.MustCompile(`^(error(\[E\d+\])?|fatal error): \S`),
		cargo:    regexp.MustCompile(`^error: (test failed|could not compile|build failed|aborting due to|\d+ targets? failed)`),
		arrow:    regexp.MustCompile(`^\s*--> (\S+?:\d+)(:\d+)?$`),
		goFail:   regexp.MustCompile(`^\s*--- FAIL: (\S+)`),
		goLine:   regexp.MustCompile(`^\s+(\S+\.go:\d+): (\S.*)$`),
		panics:   regexp.MustCompile(`^(panic|fatal error|thread '.*'( \(\d+\))? panicked at|terminate called)(:| |,)\S*.*$`),
		pytest:   regexp.MustCompile(`^(FAILED|ERROR) \S`),
		node:     regexp.MustCompile(`^\s*(Uncaught )?([A-Z]\w*)?Error\b.*: \S`),
		nodeBad:  regexp.MustCompile(`^\s*(not ok \d+ - \S|FAIL {2}\S|● \S.* › |✘ \[fail\]: \S|✖ \S.* \()`),
		Private:  regexp.MustCompile(`/[^\s"':=]*/atoll-box-[^/\s]+/(?:[^\s"':]*?/)?(tree|scratch|control|bin)\b`),
		make:     regexp.MustCompile(`^g?make(\[\d+\])?: `),
		died:     regexp.MustCompile(`^(?:\S+: (?:line )?\d+: +\d+ )?((?:Segmentation fault|Bus error|Floating point exception|Illegal instruction)(?: +\(core dumped\))?(?: +\S.*)?)$`),
		excerpt:  regexp.MustCompile(`^\s*\d*\s*\|( |$)|^[\s^~]+$|^\s+at .*:\d+:\d+\)?$`),
		harmless: regexp.MustCompile(`: (warning|note): |^\d+ (warning|error)s?\b.* generated|^compilation terminated|: In [a-z ]*function |^In file included from |^collect2: error: ld returned|^cc1\w*: (all|some) warnings`),
		figure:   regexp.MustCompile(`^\s*([\w./%-]+\s*=\s*)?[-+]?\d[\d.,]*([eE][-+]?\d+)?\s*([numµ]?s|secs?|seconds?|minutes?|bytes?|[kKMG]i?B|%|ns/op)?\s*$|^(real|user|sys)\s+\S+$`),
		digits:   regexp.MustCompile(`0x[0-9a-fA-F]+|\d+(\.\d+)?`),
	}
}

// Line returns the one line to show for what a program wrote, or nothing when
// it wrote nothing. strip are folders whose names are taken out.
func (t *Telling) Line(stderr, stdout string, strip ...string) string {
	err, out := lines(stderr, strip), lines(stdout, strip)
	for _, find := range []func([]string) string{t.fromPython, t.fromCompiler, t.fromGoTest, t.fromPanic, t.fromPytest, t.fromNode, t.fromCrash} {
		for _, text := range [][]string{err, out} {
			if l := find(text); l != "" {
				return OneLine(l, MaxReason)
			}
		}
	}
	little := []*regexp.Regexp{t.excerpt, t.harmless, t.figure, t.make} // the least telling first
	for n := len(little); n >= 0; n-- {
		for _, text := range [][]string{err, out} {
			if l := last(text, little[:n]...); l != "" {
				return OneLine(l, MaxReason)
			}
		}
	}
	return ""
}

// last is the last line that is not empty and has none of some forms, "" for none.
func last(text []string, but ...*regexp.Regexp) string {
	for _, line := range slices.Backward(text) {
		if strings.TrimSpace(line) != "" && !slices.ContainsFunc(but, func(form *regexp.Regexp) bool { return form.MatchString(line) }) {
			return line
		}
	}
	return ""
}

func lines(text string, strip []string) []string {
	text = Clean(text)
	for _, s := range strip {
		if strings.Trim(s, "/") != "" {
			text = strings.ReplaceAll(text, strings.TrimSuffix(s, "/")+"/", "")
		}
	}
	return strings.Split(text, "\n")
}

// fromPython takes the last exception line of the last traceback, with the
// place of its innermost frame.
func (t *Telling) fromPython(text []string) string {
	start := -1
	for i, l := range text {
		if strings.HasPrefix(strings.TrimSpace(l), "Traceback (most recent call last)") {
			start = i
		}
		if start < 0 && t.frame.MatchString(l) { // a SyntaxError has no traceback line
			start = i
		}
	}
	if start < 0 {
		return ""
	}
	place, found := "", ""
	for _, l := range text[start:] {
		if m := t.frame.FindStringSubmatch(l); m != nil {
			place = path.Base(m[1]) + ":" + m[2]
		}
		if t.python.MatchString(l) {
			found = l
			break
		}
	}
	if found == "" {
		// An exception whose name says nothing: the first line that is not
		// indented after the frames.
		for _, l := range text[start+1:] {
			if l != "" && l[0] != ' ' && l[0] != '\t' {
				found = l
				break
			}
		}
	}
	if found != "" && place != "" {
		return found + " (" + place + ")"
	}
	return found
}

func (t *Telling) fromCompiler(text []string) string {
	for i, l := range text {
		if m := t.compile.FindStringSubmatch(l); m != nil {
			if t.beside.MatchString(m[6]) {
				continue
			}
			return m[2] + ":" + m[4] + ": " + m[6]
		}
		if m := t.tsc.FindStringSubmatch(l); m != nil {
			return m[1] + ":" + m[2] + m[3] + ": " + m[4]
		}
		if t.linker.MatchString(l) {
			return l
		}
		if t.rustc.MatchString(l) && !t.cargo.MatchString(l) && !strings.HasPrefix(l, "fatal error: all goroutines") && !strings.HasPrefix(l, "fatal error: runtime") {
			for _, next := range text[i+1 : min(i+4, len(text))] {
				if m := t.arrow.FindStringSubmatch(next); m != nil {
					return m[1] + ": " + l
				}
			}
			return l
		}
	}
	return ""
}

func (t *Telling) fromGoTest(text []string) string {
	for i, l := range text {
		m := t.goFail.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		// The message stands after the line in plain output, and a subtest's
		// own FAIL line is more telling than its parent's.
		for _, next := range text[i+1 : min(i+8, len(text))] {
			if sub := t.goFail.FindStringSubmatch(next); sub != nil {
				m = sub
				continue
			}
			if at := t.goLine.FindStringSubmatch(next); at != nil {
				return m[1] + ": " + at[1] + ": " + at[2]
			}
		}
		return m[1] + " failed"
	}
	return ""
}

func (t *Telling) fromPanic(text []string) string {
	for i, l := range text {
		if !t.panics.MatchString(l) {
			continue
		}
		if strings.HasSuffix(l, ":") && i+1 < len(text) { // Rust says where, and what in the next line
			return l + " " + text[i+1]
		}
		return l
	}
	return ""
}

// fromCrash takes what a shell or make says of a program that a signal ended: that program itself
// could not say it. One that aborts says why before.
func (t *Telling) fromCrash(text []string) string {
	for _, line := range slices.Backward(text) {
		if m := t.died.FindStringSubmatch(line); m != nil {
			return strings.Join(strings.Fields(m[1]), " ")
		}
	}
	for _, line := range slices.Backward(text) {
		switch EndUnderMake(line) {
		case "segmentation fault", "bus error", "floating point exception", "illegal instruction", "killed",
			"error 132", "error 135", "error 136", "error 139": // 128 + the signal of a shell's program
			return line
		}
	}
	return ""
}

// endUnderMake reads: make[1]: *** [Makefile:4: bench] Segmentation fault (core dumped).
var endUnderMake = regexp.MustCompile(`(?i)^g?make(?:\[\d+\])?: \*\*\* \[.*\] (.+?)(?: \(core dumped\))?\s*$`)

// EndUnderMake is how a command of make ended badly, by make's line about it and in small
// letters: the words of a signal, or "error 2". It is "" for other lines.
func EndUnderMake(line string) string {
	if m := endUnderMake.FindStringSubmatch(line); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// fromPytest takes what its summary says of the first test, and where that names no cause the
// first line of an error.
func (t *Telling) fromPytest(text []string) string {
	named, cause := "", ""
	for _, l := range text {
		if rest, ok := strings.CutPrefix(l, "E   "); ok && cause == "" {
			cause = strings.TrimSpace(rest)
		}
		if named == "" && t.pytest.MatchString(l) {
			named = l
		}
	}
	if named == "" || cause == "" || strings.Contains(named, " - ") {
		return OrElse(named, cause)
	}
	return named + " - " + cause
}

// fromPytestError finds the error in pytest's own rendering of a traceback,
// where the lines of the error begin with E.
func (t *Telling) fromPytestError(text string) string {
	last := ""
	for _, l := range lines(text, nil) {
		if rest, ok := strings.CutPrefix(l, "E "); ok {
			rest = strings.TrimSpace(rest)
			if t.python.MatchString(rest) {
				return rest
			}
			last = rest
		} else if t.python.MatchString(l) {
			last = l
		}
	}
	return last
}

func (t *Telling) fromNode(text []string) string {
	for _, form := range []*regexp.Regexp{t.node, t.nodeBad} {
		for i, l := range text {
			if form.MatchString(l) {
				return l + tapError(l, text[i+1:]) + valuesBehind(l, text[i+1:])
			}
		}
	}
	return ""
}

// tapError is the error that the lines behind a failed test of the Test Anything Protocol tell: ": 3 !== 4"; "" where
// they tell none.
func tapError(line string, below []string) string {
	if !strings.HasPrefix(strings.TrimSpace(line), "not ok ") {
		return ""
	}
	for i, l := range below {
		l = strings.TrimSpace(l)
		rest, is := strings.CutPrefix(l, "error:")
		switch {
		case l == "..." || strings.HasPrefix(l, "not ok ") || strings.HasPrefix(l, "ok "):
			return ""
		case !is:
			continue
		}
		rest = strings.Trim(strings.TrimSpace(rest), `'"`)
		if strings.HasPrefix(rest, "|") && i+1 < len(below) { // a text of several lines
			rest = strings.TrimSpace(below[i+1])
			rest += valuesBehind(rest, below[i+2:])
		}
		return ": " + rest
	}
	return ""
}

// valuesBehind are the values that a line of node announces by the colon at its end: "1 !== 2", or those of a
// difference; "" where it announces none.
func valuesBehind(line string, below []string) string {
	if !strings.HasSuffix(strings.TrimSpace(line), ":") {
		return ""
	}
	const most = 4 // lines
	var values []string
	for _, l := range below {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "at ") || strings.HasPrefix(l, "code: ") || len(values) == most || l == "" && len(values) > 0 && values[len(values)-1] != "+ actual - expected" {
			break
		}
		if strings.Trim(l, "^~ ") != "" { // marks below a difference tell nothing
			values = append(values, l)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return " " + strings.Join(values, " ")
}

// Signature names an error so that two runs of the same fault agree: numbers,
// addresses and letter case fall away.
func (t *Telling) Signature(class, stage, reason string) string {
	return class + "|" + stage + "|" + t.digits.ReplaceAllString(strings.ToLower(reason), "#")
}
