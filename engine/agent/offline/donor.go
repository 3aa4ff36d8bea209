package offline

import (
	"context"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// donor is an elite that gives parts to the parent.
type donor struct {
	id     record.CandidateID
	files  agent.Tree
	better bool
	paths  []string // files that may change and differ from the parent's
}

// read returns a donor's content of a path, or nil when it has no such file.
func (d *donor) read(ctx context.Context, path string) ([]byte, error) {
	if _, ok := findFile(d.files.Files(), path); !ok {
		return nil, nil
	}
	return d.files.Read(ctx, path)
}

// maxDonorFiles bounds how many differing files one crossover considers.
const maxDonorFiles = 64

// donor lists the files in which an inspiration differs.
func (e *editing) donor(it agent.Item) *donor {
	d := &donor{id: it.ID, files: it.Files, better: e.job.Better(it)}
	a, b := e.base.Files(), it.Files.Files()
	i, j := 0, 0
	for (i < len(a) || j < len(b)) && len(d.paths) < maxDonorFiles {
		var f record.File
		switch {
		case j == len(b) || i < len(a) && a[i].Path < b[j].Path:
			i++ // a file the donor lacks stays
			continue
		case i == len(a) || b[j].Path < a[i].Path:
			f = b[j]
			j++
		default:
			f = b[j]
			same := a[i].Hash == f.Hash && !f.Hash.IsZero()
			i, j = i+1, j+1
			if same {
				continue
			}
		}
		if _, ok := e.consider(f); ok {
			d.paths = append(d.paths, f.Path)
		}
	}
	return d
}

// pair is a file of the parent and the donor's version of it.
type pair struct {
	src   *language.Source
	other []byte
}

// difference is a literal whose aligned number in the donor is another one.
type difference struct {
	lit   literal
	text  string // as the donor writes it
	value float64
}

// differences lists the aligned numbers in which two versions differ. All is
// false when they also differ in structure.
func differences(p pair) (out []difference, all bool) {
	toks := language.Lex(p.other, p.src.Lang)
	all = sameStructure(p.src.Data, p.src.Toks, p.other, toks)
	pairs := alignTokens(p.src.Data, p.src.Toks, p.other, toks)
	for _, lit := range literals(p.src.Data, p.src.Lang, p.src.Toks) {
		j := pairs[lit.tok]
		if j < 0 || toks[j].Kind != language.Number || !p.src.Within(lit.start, lit.end) {
			continue
		}
		o, ok := parseLiteral(p.other, toks[j])
		if ok && o.value != lit.value {
			out = append(out, difference{lit, toks[j].Text(p.other), o.value})
		}
	}
	return out, all
}
