package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atoll/store/record"
)

// LineKind says what a line of a hunk is.
type LineKind byte

// The kinds of line: in both files, in the new one, in the old one.
const (
	LineSame    LineKind = ' '
	LineAdded   LineKind = '+'
	LineRemoved LineKind = '-'
)

// Line is one line of a hunk, without its newline. NoEOL marks the last line
// of a file that does not end in one.
type Line struct {
	Kind  LineKind
	Text  string
	NoEOL bool
}

// Hunk is a stretch of a file with its changes. Line numbers start at 1; of an
// empty side, Start is the line before it, so 0 for an empty file.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// FilePatch is the change of one file. A file whose kind changed has the
// whole old content removed and the whole new content added.
type FilePatch struct {
	record.FileDiff        // with Added and Removed counted
	Hunks           []Hunk // none when Binary or when only the mode changed
	Binary          bool
	Cut             int // lines of the hunks left out at the end
}

const (
	// MaxPatchLines is what [Repo.Patch] shows of one file.
	MaxPatchLines = 5000
	// maxLineDiff is the size of a file, either side, above which lines are
	// not compared: the file counts as binary.
	maxLineDiff = 8 << 20
	// binaryProbe is how far git looks for a zero byte to call a file binary.
	binaryProbe = 8000
)

// side is one version of a file.
type side struct {
	exist bool
	mode  record.Mode
	data  []byte
}

// load reads both versions of a difference. Of a submodule the text is what
// git shows.
func (r *Repo) load(ctx context.Context, d record.FileDiff) (old, now side, err error) {
	read := func(exist bool, mode record.Mode, h record.Hash) (side, error) {
		s := side{exist: exist, mode: mode}
		if !exist {
			return s, nil
		}
		if mode == record.Submodule {
			s.data = []byte("Subproject commit " + h.String() + "\n")
			return s, nil
		}
		var err error
		s.data, err = r.Blob(ctx, h)
		return s, err
	}
	if old, err = read(d.OldExist, d.OldMode, d.OldHash); err != nil {
		return old, now, err
	}
	if d.OldExist && d.NewExist && d.OldHash == d.NewHash {
		now = side{true, d.NewMode, old.data}
		return old, now, nil
	}
	now, err = read(d.NewExist, d.NewMode, d.NewHash)
	return old, now, err
}

// binary reports content that is not compared by lines.
func (s side) binary() bool {
	return len(s.data) > maxLineDiff || bytes.IndexByte(s.data[:min(len(s.data), binaryProbe)], 0) >= 0
}

// CountLines fills in Added and Removed of diffs; they stay -1 for binary
// files and those above 8 MiB.
func (r *Repo) CountLines(ctx context.Context, diffs []record.FileDiff) error {
	for i := range diffs {
		old, now, err := r.load(ctx, diffs[i])
		if err != nil {
			return fmt.Errorf("count the lines of %q: %w", diffs[i].Path, err)
		}
		if old.binary() || now.binary() {
			continue
		}
		_, diffs[i].Added, diffs[i].Removed = compare(old.data, now.data)
	}
	return nil
}

// comparison is two versions of a text and where they differ.
type comparison struct {
	old, now []string // lines with their newlines
	spans    []span
}

// compare finds the lines that differ.
func compare(a, b []byte) (c comparison, added, removed int) {
	c.old, c.now = splitLines(a), splitLines(b)
	c.spans = compareLines(c.old, c.now)
	for _, s := range c.spans {
		removed += s.oldTo - s.oldFrom
		added += s.newTo - s.newFrom
	}
	return c, added, removed
}

// hunks groups the differences with context lines around them.
func (c comparison) hunks(context int) []Hunk {
	var out []Hunk
	var h *Hunk
	at := 0 // first line of old not yet in a hunk
	same := func(from, to int) {
		for _, l := range c.old[from:to] {
			h.add(LineSame, l)
		}
	}
	for i, d := range c.spans {
		if h == nil || d.oldFrom-at > 2*context {
			if h != nil {
				same(at, min(at+context, len(c.old)))
				h.close()
			}
			from := max(d.oldFrom-context, at)
			out = append(out, Hunk{OldStart: from + 1, NewStart: from + 1 + d.newFrom - d.oldFrom})
			h = &out[len(out)-1]
			at = from
		}
		same(at, d.oldFrom)
		for _, l := range c.old[d.oldFrom:d.oldTo] {
			h.add(LineRemoved, l)
		}
		for _, l := range c.now[d.newFrom:d.newTo] {
			h.add(LineAdded, l)
		}
		at = d.oldTo
		if i == len(c.spans)-1 {
			same(at, min(at+context, len(c.old)))
			h.close()
		}
	}
	return out
}

func (h *Hunk) add(kind LineKind, line string) {
	text, ended := strings.CutSuffix(line, "\n")
	h.Lines = append(h.Lines, Line{kind, text, !ended})
	if kind != LineAdded {
		h.OldLines++
	}
	if kind != LineRemoved {
		h.NewLines++
	}
}

// close sets the start of an empty side to the line before it.
func (h *Hunk) close() {
	if h.OldLines == 0 {
		h.OldStart--
	}
	if h.NewLines == 0 {
		h.NewStart--
	}
}

// Patch compares two trees line by line, with context unchanged lines around
// each change. A file shows at most MaxPatchLines; Cut counts the rest.
func (r *Repo) Patch(ctx context.Context, a, b record.Hash, context int) ([]FilePatch, error) {
	diffs, err := r.DiffTrees(ctx, a, b)
	if err != nil {
		return nil, err
	}
	patches := make([]FilePatch, 0, len(diffs))
	for _, d := range diffs {
		old, now, err := r.load(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("compare %q: %w", d.Path, err)
		}
		p := patchOf(d, old, now, max(context, 0))
		p.cut(MaxPatchLines)
		patches = append(patches, p)
	}
	return patches, nil
}

// patchOf compares two versions of one file.
func patchOf(d record.FileDiff, old, now side, context int) FilePatch {
	p := FilePatch{FileDiff: d}
	if old.binary() || now.binary() {
		p.Binary = !bytes.Equal(old.data, now.data) || old.exist != now.exist
		return p
	}
	if kindOf(old.mode) != kindOf(now.mode) && old.exist && now.exist {
		gone, _, removed := compare(old.data, nil)
		come, added, _ := compare(nil, now.data)
		p.Added, p.Removed = added, removed
		p.Hunks = append(gone.hunks(context), come.hunks(context)...)
		return p
	}
	c, added, removed := compare(old.data, now.data)
	p.Added, p.Removed, p.Hunks = added, removed, c.hunks(context)
	return p
}

// kindOf tells files, links and submodules apart, whatever their permissions.
func kindOf(m record.Mode) record.Mode { return m & 0o170000 }

// cut shortens the hunks to limit lines in all.
func (p *FilePatch) cut(limit int) {
	for i := range p.Hunks {
		if n := len(p.Hunks[i].Lines); n <= limit {
			limit -= n
			continue
		}
		p.Cut = -limit
		for _, h := range p.Hunks[i:] {
			p.Cut += len(h.Lines)
		}
		p.Hunks[i].Lines = p.Hunks[i].Lines[:limit]
		p.Hunks = p.Hunks[:i+1]
		if limit == 0 {
			p.Hunks = p.Hunks[:i]
		}
		return
	}
}
