package audit

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Coverage is which lines of which files the tests ran, as a test tool wrote it: line
// by line true or false, lines without code left out. The paths are the tool's own,
// which may begin with a module or a folder outside.
type Coverage map[string]map[int]bool

// coverageFiles are where test tools leave their profiles.
var coverageFiles = []string{"coverage.out", "cover.out", "coverage.txt", "lcov.info", "coverage.lcov", "coverage/lcov.info"}

// HoldsCoverage reports whether a file of the tree has the name of a profile.
func HoldsCoverage(name string) bool { return slices.Contains(coverageFiles, name) }

// ReadCoverage reads a profile of `go test -coverprofile` or an lcov file, which coverage.py
// (`coverage lcov`), c8, gcov and others write. The error names the line.
func ReadCoverage(data []byte) (Coverage, error) {
	c := Coverage{}
	read := c.lcovLine
	if bytes.HasPrefix(data, []byte("mode:")) {
		read = c.goLine
	}
	file := ""
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "mode:") {
			continue
		}
		var err error
		if file, err = read(file, line); err != nil {
			return nil, fmt.Errorf("coverage: line %d: %w", i+1, err)
		}
	}
	if len(c) == 0 {
		return nil, fmt.Errorf("coverage: it covers no file; write it by go test -coverprofile=FILE or coverage lcov -o FILE")
	}
	return c, nil
}

// goLine takes FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT. A line of several blocks
// counts as run when one of them ran.
func (c Coverage) goLine(_, line string) (string, error) {
	name, rest, ok := strings.Cut(line, ".go:")
	var from, fromColumn, to, toColumn, statements, count int
	if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &from, &fromColumn, &to, &toColumn, &statements, &count); !ok || err != nil || to-from > 1e6 {
		return "", fmt.Errorf("%q is no block of a profile of go test", line)
	}
	for l := from; l <= to; l++ {
		c.mark(name+".go", l, count > 0)
	}
	return "", nil
}

// lcovLine takes SF:FILE and DA:LINE,COUNT; other records say nothing of lines.
func (c Coverage) lcovLine(file, line string) (string, error) {
	if name, ok := strings.CutPrefix(line, "SF:"); ok {
		return name, nil
	}
	if line == "end_of_record" {
		return "", nil
	}
	rest, ok := strings.CutPrefix(line, "DA:")
	if !ok {
		if key, _, found := strings.Cut(line, ":"); !found || len(key) > 5 || strings.ToUpper(key) != key {
			return file, fmt.Errorf("%q is neither a profile of go test nor a record of lcov", line)
		}
		return file, nil
	}
	fields := strings.Split(rest, ",")
	n, err := strconv.Atoi(fields[0])
	if err != nil || len(fields) < 2 || file == "" {
		return file, fmt.Errorf("%q is no line of a file", line)
	}
	count, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return file, fmt.Errorf("%q has no count", line)
	}
	c.mark(file, n, count > 0)
	return file, nil
}

func (c Coverage) mark(file string, line int, ran bool) {
	if c[file] == nil {
		c[file] = map[int]bool{}
	}
	c[file][line] = c[file][line] || ran
}

// of returns the lines of a file of the tree: those under its own path, or under the one
// whose end it is, as the packages of Go are named.
func (c Coverage) of(name string) map[int]bool {
	if lines, ok := c[name]; ok {
		return lines
	}
	var found map[int]bool
	best := ""
	for p, lines := range c {
		p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
		if strings.HasSuffix(p, "/"+name) && (best == "" || len(p) < len(best) || len(p) == len(best) && p < best) {
			best, found = p, lines
		}
	}
	return found
}

// percent is the share of the lines from first to last that ran; ok is false when none
// of them is known.
func percent(lines map[int]bool, first, last int) (share float64, ok bool) {
	ran, all := 0, 0
	for n, r := range lines {
		if n < first || n > last {
			continue
		}
		all++
		if r {
			ran++
		}
	}
	return 100 * float64(ran) / float64(max(all, 1)), all > 0
}

// Covered reports whether the coverage of any file is known.
func (r *Report) Covered() bool {
	return slices.ContainsFunc(r.Files, func(f File) bool { return f.Coverage != nil })
}

// Cover writes into a report what the tests ran, in percent of lines, of every file
// and function that the profile knows.
func (r *Report) Cover(c Coverage) {
	for i := range r.Files {
		f := &r.Files[i]
		lines := c.of(f.Path)
		if share, ok := percent(lines, 0, 1<<30); ok {
			f.Coverage = &share
		}
		for k := range f.Functions {
			fn := &f.Functions[k]
			if share, ok := percent(lines, fn.Line, fn.Line+fn.Lines-1); ok {
				fn.Coverage = &share
			}
		}
	}
}
