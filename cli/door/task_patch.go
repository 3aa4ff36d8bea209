package door

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store/record"
)

// patched is a tree while a patch is applied to it.
type patched struct {
	ctx     context.Context
	parent  agent.Tree
	modes   map[string]record.Mode // of the parent
	changes map[string]record.Change
}

// applied are the files that a patch changes, sorted: contents, modes, links, what
// it makes, deletes and renames. A patch that says what cannot be done is refused
// as a whole.
func applied(ctx context.Context, parent agent.Tree, patch string) ([]record.Change, error) {
	files, _, err := gitdiff.Parse(strings.NewReader(patch))
	if err != nil {
		return nil, bad("the patch cannot be read: %s", view.CleanLine(err.Error()))
	}
	if len(files) == 0 || len(files) > mostChanges {
		return nil, bad("the patch cannot be read: it names %d files, not 1 to %d", len(files), mostChanges)
	}
	p := &patched{ctx, parent, modesOf(parent), map[string]record.Change{}}
	plain := !strings.HasPrefix(patch, "diff --git ") && !strings.Contains(patch, "\ndiff --git ")
	for _, f := range files {
		if plain {
			f.OldName, f.NewName = bare(f.OldName), bare(f.NewName)
		}
		if err := p.apply(f); err != nil {
			return nil, err
		}
	}
	var out []record.Change
	for path, c := range p.changes {
		if _, there := p.modes[path]; there || c.Mode != record.Deleted {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y record.Change) int { return strings.Compare(x.Path, y.Path) })
	return out, nil
}

// bare is a name without the a/ or b/ that diff puts before it.
func bare(name string) string {
	if len(name) > 2 && (name[:2] == "a/" || name[:2] == "b/") {
		return name[2:]
	}
	return name
}

// read is a file as the patch has left it so far.
func (p *patched) read(path string) (mode record.Mode, data []byte, there bool, err error) {
	if c, ok := p.changes[path]; ok {
		return c.Mode, c.Data, c.Mode != record.Deleted, nil
	}
	mode, there = p.modes[path]
	if !there || mode == record.Submodule {
		return mode, nil, there, nil
	}
	data, err = p.parent.Read(p.ctx, path)
	return mode, data, there, err
}

// names are what a part of the patch reads and what it writes: one file, but where it
// renames or copies.
func names(f *gitdiff.File) (from, to string, err error) {
	from, to = f.OldName, f.NewName
	if f.IsNew {
		from = to
	}
	if f.IsDelete {
		to = from
	}
	for _, path := range []string{from, to} {
		if !inside(path) {
			return "", "", bad("%q is no path of a file inside the repository", view.CleanLine(path))
		}
	}
	return from, to, nil
}

// apply makes one part of the patch.
func (p *patched) apply(f *gitdiff.File) error {
	from, to, err := names(f)
	if err != nil {
		return err
	}
	mode, data, there, err := p.read(from)
	if err != nil {
		return err
	}
	_, _, taken, err := p.read(to)
	switch {
	case err != nil:
		return err
	case f.IsNew && there, from != to && taken:
		return misfit(to, "it is there already")
	case !f.IsNew && !there:
		return misfit(from, "it is not there")
	case f.IsDelete && (len(f.TextFragments) == 0 || mode == record.Submodule):
		p.changes[to] = record.Change{Path: to}
		return nil
	case f.IsBinary && f.BinaryFragment == nil:
		return bad("the patch does not tell how %s changes, which is binary: use git diff --binary, or changes", view.CleanLine(to))
	}
	if mode, err = modeAfter(f, mode); err != nil {
		return err
	}
	var after bytes.Buffer
	if err := gitdiff.Apply(&after, bytes.NewReader(data), f); err != nil {
		return misfit(from, err.Error())
	}
	if f.IsDelete && after.Len() > 0 {
		return misfit(to, "it is deleted, and has more lines")
	}
	if f.IsDelete || f.IsRename {
		p.changes[from] = record.Change{Path: from}
	}
	if !f.IsDelete {
		p.changes[to] = record.Change{Path: to, Mode: mode, Data: after.Bytes()}
	}
	return nil
}

func misfit(path, why string) error {
	return bad("the patch does not fit the parent: %s: %s", view.CleanLine(path), view.CleanLine(why))
}

// modeAfter is the mode that a part of a patch gives a file that had a mode, 0 for
// none.
func modeAfter(f *gitdiff.File, was record.Mode) (record.Mode, error) {
	mode := record.Mode(f.NewMode)
	if mode == 0 {
		mode = was
	}
	switch mode {
	case 0:
		return record.Regular, nil
	case record.Regular, record.Executable, record.Symlink:
		return mode, nil
	}
	return mode, bad("the patch gives %s the mode %06o: a candidate has files (100644), programs (100755) and symlinks (120000)", view.CleanLine(f.NewName), uint32(mode))
}
