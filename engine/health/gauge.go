package health

import (
	"context"
	"path"
	"slices"
	"sync"

	"atoll/engine/campaign/audit"
	"atoll/store/record"
)

// maxBytes is the size above which a source file is not measured.
const maxBytes = 1 << 20

// keep bounds the files that a gauge remembers beside those of its root.
const keep = 4096

// Gauge measures trees, each file once. It is safe for concurrent use.
type Gauge struct {
	may func(path string) bool

	mu    sync.Mutex
	marks audit.Marks
	root  map[blob]*audit.Piece
	rest  map[blob]*audit.Piece
}

// blob is a file as it is measured: its name tells the language.
type blob struct {
	path string
	hash record.Hash
}

// Reader reads files of a tree.
type Reader interface {
	Read(ctx context.Context, path string) ([]byte, error)
}

// NewGauge returns a gauge for trees that grew out of a root, and the root's figures. may
// tells which files count: those that candidates may change. files are those of the root.
func NewGauge(ctx context.Context, may func(path string) bool, files []record.File, read Reader) (*Gauge, Figures, error) {
	g := &Gauge{may: may}
	pieces, err := g.pieces(ctx, files, read, nil)
	if err != nil {
		return nil, Figures{}, err
	}
	report := audit.Join(pieces)
	// What the root marks counts from here on, and is what measured it already.
	g.marks, g.root, g.rest = report.Marks, g.rest, nil
	return g, figuresOf(&report), nil
}

// Measure returns the figures of a tree.
func (g *Gauge) Measure(ctx context.Context, files []record.File, read Reader) (Figures, error) {
	pieces, err := g.pieces(ctx, files, read, g.marks)
	if err != nil {
		return Figures{}, err
	}
	report := audit.Join(pieces)
	return figuresOf(&report), nil
}

// pieces measures the files that count, but for those that it remembers. Nil marks are the
// tree's own.
func (g *Gauge) pieces(ctx context.Context, files []record.File, read Reader, marks audit.Marks) ([]*audit.Piece, error) {
	var out []*audit.Piece
	for _, f := range files {
		if !counts(f) || !g.may(f.Path) {
			continue
		}
		p, err := g.piece(ctx, blob{f.Path, f.Hash}, read, marks)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func counts(f record.File) bool {
	return f.Mode != record.Symlink && f.Mode != record.Submodule && audit.Reads(f.Path)
}

// piece is one file, measured or remembered.
func (g *Gauge) piece(ctx context.Context, b blob, read Reader, marks audit.Marks) (*audit.Piece, error) {
	g.mu.Lock()
	p := g.root[b]
	if p == nil {
		p = g.rest[b]
	}
	g.mu.Unlock()
	if p != nil {
		return p, nil
	}
	data, err := read.Read(ctx, b.path)
	if err != nil {
		return nil, err
	}
	s := audit.Source{Path: b.path, Data: data}
	switch {
	case len(data) > maxBytes:
		p = audit.Unmeasured(b.path)
	case marks == nil:
		p = audit.MeasureOwn(s)
	default:
		p = audit.MeasureFile(marks, s)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rest == nil || g.root != nil && len(g.rest) >= keep {
		g.rest = map[blob]*audit.Piece{}
	}
	g.rest[b] = p
	return p, nil
}

// Covers reports whether a file of this name has a figure of health.
func Covers(figure, file string) bool {
	return audit.Reads(file) && (figure != Cognitive || path.Ext(file) == ".go")
}

// unread are the files of a report that cannot be read and that another could.
func unread(now, root []string) []string {
	return slices.DeleteFunc(slices.Clone(now), func(p string) bool { return slices.Contains(root, p) })
}
