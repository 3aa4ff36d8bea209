package survey

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// test runs a command of the tests as a stage will, with the protected files read-only. What
// it needs to write of them is lent to it.
func (s *lender) test(ctx context.Context, watched bool, command ...string) (Sample, error) {
	return s.lending(func() (Sample, error) {
		return s.Lab.Run(ctx, eval.Options{Command: wordy(command), Caches: s.d.Caches, Env: s.Lab.Env, Timeout: testPatience, Output: output.OutputFile, Protected: s.d.Protected}, watched)
	})
}

// lender is what a survey takes back of the protection for a run that writes.
type lender struct{ *survey }

// mostLent bounds how often a run is repeated because a write was refused.
const mostLent = 4

// lending repeats a run that fails because a protected file is written, each time with less
// protected, as long as what it says tells which.
func (s *lender) lending(run func() (Sample, error)) (Sample, error) {
	for i := 0; ; i++ {
		sample, err := run()
		if err != nil || sample.Raw.Exit == 0 || sample.Raw.TimedOut || i == mostLent {
			return sample, err
		}
		said := refusals(string(sample.Raw.Stderr) + string(sample.Raw.Stdout))
		if len(said) == 0 || !s.loosen(said) && !s.free(said) {
			return sample, nil
		}
	}
}

// lent notes what of the protection was taken back for a run, to be told once it is known
// that the run works with it, or else undone.
type lent struct {
	protected []string // before
	notes     []string
	files     []string // committed ones that are not protected any more
}

// lend begins to note; the function that it returns tells what was lent, or undoes it.
func (s *lender) lend() func(works bool) {
	s.lent = lent{protected: s.d.Protected}
	return func(works bool) {
		if !works {
			s.d.Protected, s.lent = s.lent.protected, lent{}
		}
		s.written = union(s.written, s.lent.files)
		for _, text := range s.lent.notes {
			note(s.survey, text)
		}
		s.lent = lent{}
	}
}

// quotedPath finds the file that a line speaks of, and place that of the code that speaks.
var (
	quotedPath = regexp.MustCompile(`['"]([^'"]*[./][^'"]*)['"]`)
	place      = regexp.MustCompile(`\S+?:(?:\d+\b| line \d+:)`)
)

// refusals are the files of the tree that lines quote which tell of a refused write, or
// else those lines.
func refusals(text string) []string {
	var quoted, lines []string
	elsewhere := false
	for l := range strings.SplitSeq(text, "\n") {
		if !readOnly.MatchString(l) {
			continue
		}
		if m := quotedPath.FindStringSubmatch(l); m == nil {
			lines = append(lines, place.ReplaceAllString(l, ""))
		} else if !strings.HasPrefix(m[1], "/") || strings.HasPrefix(m[1], sandbox.TreeDir+"/") {
			quoted = append(quoted, m[1])
		} else {
			elsewhere = true
		}
	}
	if len(quoted) > 0 || elsewhere {
		return quoted
	}
	return lines
}

// wholeFolder finds globs that protect a folder as a whole, what is not there yet included.
var wholeFolder = regexp.MustCompile(`^([^*?\[\]{}\\]+)/\*\*$`)

// loosen protects the files of folders one by one in which a write was refused, so that a run
// may write new ones beside them; what a candidate adds there is refused as before. It
// reports whether there was such a folder.
func (s *lender) loosen(said []string) bool {
	var named, all []string
	for _, g := range s.d.Protected {
		if m := wholeFolder.FindStringSubmatch(g); m != nil {
			all = append(all, g)
			if slices.ContainsFunc(said, func(l string) bool { return strings.Contains(l, m[1]+"/") }) {
				named = append(named, g)
			}
		}
	}
	if len(named) == 0 {
		named = all // told relative to a folder
	}
	s.d.Protected = slices.Clone(s.d.Protected)
	for i, g := range s.d.Protected {
		if slices.Contains(named, g) {
			s.d.Protected[i] = g + "/*"
			s.lent.notes = append(s.lent.notes, fmt.Sprintf("new files are written in %s while the root runs, so its files are protected one by one: %s/*", strings.TrimSuffix(g, "/**"), g))
		}
	}
	return len(named) > 0
}

// free takes back the protection of committed files of which a write was refused. It reports
// whether there were any.
func (s *lender) free(said []string) bool {
	written := func(name string) []string {
		word := regexp.MustCompile(`(?:^|[^\w.-])` + regexp.QuoteMeta(name) + `(?:[^\w.-]|$)`)
		return slices.DeleteFunc(slices.Clone(said), func(l string) bool { return !word.MatchString(l) })
	}
	var whole, base []string
	for _, f := range s.Lab.Files {
		if !covered(s.d.Protected, f) {
			continue
		}
		if len(written(f)) > 0 {
			whole = append(whole, f)
		} else if len(written(path.Base(f))) > 0 {
			base = append(base, f)
		}
	}
	if len(whole) == 0 {
		whole = base // told relative to a folder
	}
	for _, f := range whole {
		s.d.Protected = s.Lab.without(s.d.Protected, f)
		s.lent.files = append(s.lent.files, f)
		s.lent.notes = append(s.lent.notes, "CHECK "+f+": it is written while the root is measured, so it is not protected: look at what a candidate does to it")
	}
	return len(whole) > 0
}

// without are globs that protect what others do, but for a file: folders that it is not in,
// and the files beside it by name.
func (l *Lab) without(globs []string, file string) []string {
	var out []string
	for _, g := range globs {
		if !covered([]string{g}, file) {
			out = union(out, []string{g})
			continue
		}
		other := func(f string) bool { return f == file || !covered([]string{g}, f) }
		for _, f := range slices.DeleteFunc(slices.Clone(l.Files), other) {
			glob := escape(f)
			for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
				in := func(f string) bool { return strings.HasPrefix(f, dir+"/") }
				if slices.ContainsFunc(l.Files, func(f string) bool { return in(f) && other(f) }) {
					break
				}
				glob = escape(dir) + "/**/*"
			}
			out = union(out, []string{glob})
		}
	}
	return out
}
