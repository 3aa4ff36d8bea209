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
	python  *regexp.Regexp // SomeError: words
	frame   *regexp.Regexp // File "x.py", line 3
	compile *regexp.Regexp // a.go:3:4: words, a.c:3:4: error: words
	rustc   *regexp.Regexp // error[E0308]: words
	arrow   *regexp.Regexp // --> src/a.rs:3:4
	goFail  *regexp.Regexp // --- FAIL: TestX
	goLine  *regexp.Regexp // x_test.go:3: words
	panics  *regexp.Regexp // panic: words
	pytest  *regexp.Regexp // FAILED a.py::test - words
	node    *regexp.Regexp // TypeError: words
	nodeBad *regexp.Regexp // not ok 3 - words, and how other test programs of node name a test
	make    *regexp.Regexp // make: words, make[1]: words
	digits  *regexp.Regexp
	Private *regexp.Regexp // folders of a sandbox on the lower rungs
}

func NewTelling() *Telling {
	return &Telling{
		python:  regexp.MustCompile(`^([A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit|Warning|Failure|Timeout|Expired|Iteration)\w*)(:.*)?$`),
		frame:   regexp.MustCompile(`^\s*File "([^"]+)", line (\d+)`),
		compile: regexp.MustCompile(`^(\./)?([\w./+-]+\.(go|c|cc|cpp|cxx|h|hpp|rs|zig|swift|java|kt|ts|tsx|js|hs|f90|jl)):(\d+)(:\d+)?: (\S.*)$`),
		rustc:   regexp.MustCompile(`^(error(\[E\d+\])?|fatal error): \S`),
		arrow:   regexp.MustCompile(`^\s*--> (\S+?:\d+)(:\d+)?$`),
		goFail:  regexp.MustCompile(`^\s*--- FAIL: (\S+)`),
		goLine:  regexp.MustCompile(`^\s+(\S+\.go:\d+): (\S.*)$`),
		panics:  regexp.MustCompile(`^(panic|fatal error|thread '.*' panicked at|terminate called)(:| |,)\S*.*$`),
		pytest:  regexp.MustCompile(`^(FAILED|ERROR) \S`),
		node:    regexp.MustCompile(`^(Uncaught )?([A-Z]\w*)?Error\b.*: \S`),
		nodeBad: regexp.MustCompile(`^\s*(not ok \d+ - \S|FAIL {2}\S|● \S.* › |✘ \[fail\]: \S|✖ \S.* \()`),
		Private: regexp.MustCompile(`/[^\s"':=]*/atoll-box-[^/\s]+/(?:[^\s"':]*?/)?(tree|scratch|control|bin)\b`),
		make:    regexp.MustCompile(`^g?make(\[\d+\])?: `),
		digits:  regexp.MustCompile(`0x[0-9a-fA-F]+|\d+(\.\d+)?`),
	}
}

// Line returns the one line to show for what a program wrote, or nothing when
// it wrote nothing. strip are folders whose names are taken out.
func (t *Telling) Line(stderr, stdout string, strip ...string) string {
	err, out := lines(stderr, strip), lines(stdout, strip)
	for _, find := range []func([]string) string{t.fromPython, t.fromCompiler, t.fromGoTest, t.fromPanic, t.fromPytest, t.fromNode} {
		for _, text := range [][]string{err, out} {
			if l := find(text); l != "" {
				return OneLine(l, MaxReason)
			}
		}
	}
	for _, any := range []bool{false, true} { // what make says of it tells the least
		for _, text := range [][]string{err, out} {
			for _, line := range slices.Backward(text) {
				if l := strings.TrimSpace(line); l != "" && (any || !t.make.MatchString(l)) {
					return OneLine(l, MaxReason)
				}
			}
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
			words := m[6]
			if strings.HasPrefix(words, "warning:") || strings.HasPrefix(words, "note:") {
				continue
			}
			return m[2] + ":" + m[4] + ": " + words
		}
		if t.rustc.MatchString(l) && !strings.HasPrefix(l, "fatal error: all goroutines") && !strings.HasPrefix(l, "fatal error: runtime") {
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
	for _, l := range text {
		if t.panics.MatchString(l) {
			return l
		}
	}
	return ""
}

func (t *Telling) fromPytest(text []string) string {
	for _, l := range text {
		if t.pytest.MatchString(l) {
			return l
		}
	}
	return ""
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
		for _, l := range text {
			if form.MatchString(l) {
				return l
			}
		}
	}
	return ""
}

// Signature names an error so that two runs of the same fault agree: numbers,
// addresses and letter case fall away.
func (t *Telling) Signature(class, stage, reason string) string {
	return class + "|" + stage + "|" + t.digits.ReplaceAllString(strings.ToLower(reason), "#")
}
