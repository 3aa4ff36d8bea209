package edit

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"atoll/store/record"
)

// Tree holds the files that edits are made in.
type Tree interface {
	Files() []record.File
	Read(ctx context.Context, path string) ([]byte, error)
}

// Scope says what edits may touch. Allowed nil allows every path. Partial
// are files that the model saw in part: they are never replaced as a whole.
type Scope struct {
	Allowed func(path string) bool
	Partial []string
}

// Apply makes edits in a tree, in order, all or none, and returns the
// changes sorted by path; files that end as they were are left out. Errors: an
// [*Error] with all problems, or what reading the tree brought.
func Apply(ctx context.Context, t Tree, edits []Edit, scope Scope) ([]record.Change, error) {
	a := &applier{ctx: ctx, tree: t, scope: scope, files: map[string]*edited{}, byPath: map[string]record.File{}}
	for _, f := range t.Files() {
		a.byPath[f.Path] = f
	}
	var problems []string
	for i, e := range edits {
		problem, err := a.apply(e)
		if err != nil {
			return nil, err
		}
		if problem != nil {
			problems = append(problems, fmt.Sprintf("edit %d of %d, %s (line %d of the answer): %s", i+1, len(edits), nameOr(e.Path), e.Line, problem.Problems[0]))
		}
	}
	if len(problems) > 0 {
		return nil, &Error{Problems: problems}
	}
	return a.changes(), nil
}

func nameOr(name string) string {
	if name == "" {
		return "no file named"
	}
	return name
}

// edited is a file while edits are made in it.
type edited struct {
	path   string
	mode   record.Mode
	before []byte
	exists bool // in the tree
	there  bool // now
	text   *textFile
}

type applier struct {
	ctx    context.Context
	tree   Tree
	scope  Scope
	files  map[string]*edited
	byPath map[string]record.File
}

// apply makes one edit. A problem is the model's, an error is not.
func (a *applier) apply(e Edit) (*Error, error) {
	name, problem := a.resolve(e)
	if problem != nil {
		return problem, nil
	}
	f, problem, err := a.open(name)
	if problem != nil || err != nil {
		return problem, err
	}
	switch {
	case e.Delete:
		if !f.there {
			return editProblem("there is no such file to delete"), nil
		}
		f.there, f.text = false, newTextFile("")
	case e.Whole != nil:
		return a.whole(f, *e.Whole), nil
	case e.Block != nil:
		return f.block(*e.Block), nil
	default:
		return f.hunks(e), nil
	}
	return nil, nil
}

// resolve checks a path. A name that is the end of exactly one path in the
// tree means that path.
func (a *applier) resolve(e Edit) (string, *Error) {
	name := e.Path
	if name == "" {
		return "", editProblem("name the file: write its path on the line before the edit")
	}
	if path.IsAbs(name) || strings.ContainsAny(name, "\x00\n\\") {
		return "", editProblem("the path is not relative to the repository")
	}
	name = path.Clean(name)
	if name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return "", editProblem("the path leads out of the repository")
	}
	for _, part := range strings.Split(name, "/") {
		if strings.EqualFold(part, ".git") {
			return "", editProblem("the path leads into git's own files")
		}
	}
	if _, ok := a.byPath[name]; !ok && a.files[name] == nil && e.wantsFile() {
		if full := a.ending(name); full != "" {
			name = full
		}
	}
	if a.scope.Allowed != nil && !a.scope.Allowed(name) {
		return "", editProblem("this file may not be changed")
	}
	return name, nil
}

// wantsFile reports an edit of a file that exists.
func (e Edit) wantsFile() bool {
	switch {
	case e.Block != nil:
		return !allBlank(e.Block.Search)
	case e.Whole != nil || e.Create:
		return false
	}
	return true
}

func (a *applier) ending(name string) string {
	full := ""
	for p := range a.byPath {
		if strings.HasSuffix(p, "/"+name) {
			if full != "" {
				return ""
			}
			full = p
		}
	}
	return full
}

func (a *applier) open(name string) (*edited, *Error, error) {
	if f := a.files[name]; f != nil {
		return f, nil, nil
	}
	f := &edited{path: name, mode: record.Regular, text: newTextFile("")}
	if entry, ok := a.byPath[name]; ok {
		if entry.Mode != record.Regular && entry.Mode != record.Executable {
			return nil, editProblem("it is a link or a submodule, which cannot be edited"), nil
		}
		data, err := a.tree.Read(a.ctx, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read %q to edit it: %w", name, err)
		}
		f.mode, f.before, f.exists, f.there, f.text = entry.Mode, data, true, true, newTextFile(string(data))
	} else if clash := a.clash(name); clash != "" {
		return nil, editProblem("%s is a file, so nothing can be below it", clash), nil
	}
	a.files[name] = f
	return f, nil, nil
}

// clash finds a file where the path needs a folder.
func (a *applier) clash(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := a.byPath[dir]; ok {
			return dir
		}
	}
	return ""
}

func (a *applier) whole(f *edited, text string) *Error {
	if f.exists && slices.Contains(a.scope.Partial, f.path) {
		return editProblem("only a part of this file was shown, so it cannot be written as a whole: use SEARCH/REPLACE blocks for it")
	}
	if n := strings.Count(string(f.before), "\n"); f.exists && n > 40 && strings.Count(text, "\n") < n/3 && elided(text) {
		return editProblem("the file is shortened with a comment instead of its code: write all of it")
	}
	crlf := f.exists && f.text.end() == "\r\n"
	f.text = newTextFile(text)
	if crlf {
		for i, end := range f.text.ends {
			if end == "\n" {
				f.text.ends[i] = "\r\n"
			}
		}
	}
	f.there = true
	return nil
}

// elided reports a comment that stands for code that was left out.
func elided(text string) bool {
	lower := strings.ToLower(text)
	for _, mark := range []string{"rest of the code", "rest of code", "existing code", "remains unchanged", "unchanged code", "remain the same", "... rest", "rest of the file"} {
		if strings.Contains(lower, mark) {
			return true
		}
	}
	return false
}

func (f *edited) block(b Block) *Error {
	if allBlank(b.Search) {
		if f.there && !allBlank(f.text.lines) {
			return editProblem("the file exists, so SEARCH must hold the lines to replace; it is empty")
		}
		f.text, f.there = newTextFile(joined(b.Replace)), true
		return nil
	}
	if !f.there {
		return editProblem("there is no such file; to make it, leave SEARCH empty")
	}
	m, err := f.text.find(b.Search, -1)
	if err != nil {
		return f.within(b, err)
	}
	replace := b.Replace
	if m.n < len(b.Search) {
		replace = trimBlank(replace)
	}
	lines := make([]string, len(replace))
	for i, l := range replace {
		lines[i] = m.shift(l)
	}
	f.text.replace(m.at, m.n, lines)
	return nil
}

// within tries a search that is a part of a single line.
func (f *edited) within(b Block, missing *Error) *Error {
	search := trimBlank(b.Search)
	if len(search) != 1 || len(strings.TrimSpace(search[0])) < 4 || strings.HasPrefix(missing.Problems[0], "the lines to search for occur") {
		return missing
	}
	part := strings.TrimSpace(search[0])
	whole := f.text.String()
	if strings.Count(whole, part) != 1 {
		return missing
	}
	text := strings.TrimSpace(strings.Join(trimBlank(b.Replace), "\n"))
	f.text = newTextFile(strings.Replace(whole, part, text, 1))
	return nil
}

func (f *edited) hunks(e Edit) *Error {
	switch {
	case !f.there && !e.Create:
		return editProblem("there is no such file; to make it, write --- /dev/null above +++ %s", f.path)
	case e.Create && f.there && !allBlank(f.text.lines):
		return editProblem("the diff makes a file that exists already: write its change against the lines that are there")
	}
	drift := 0
	f.there = true
	for i, h := range e.Hunks {
		var problem *Error
		if drift, problem = f.text.applyHunk(h, drift); problem != nil {
			return editProblem("hunk %d of %d: %s", i+1, len(e.Hunks), problem.Problems[0])
		}
	}
	return nil
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// changes lists what differs from the tree.
func (a *applier) changes() []record.Change {
	var out []record.Change
	for name, f := range a.files {
		data := []byte(f.text.String())
		switch {
		case !f.there && f.exists:
			out = append(out, record.Change{Path: name, Mode: record.Deleted})
		case f.there && (!f.exists || !bytes.Equal(data, f.before)):
			out = append(out, record.Change{Path: name, Mode: f.mode, Data: data})
		}
	}
	slices.SortFunc(out, func(x, y record.Change) int { return strings.Compare(x.Path, y.Path) })
	return out
}
