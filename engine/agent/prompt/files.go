package prompt

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// FileText is a file as a prompt shows it.
type FileText struct {
	Path   string
	Text   string
	Symbol string // where to look when only part of it fits; "" = at the beginning

	redacted bool // Text is not what the tree holds
}

// fenceFile shows a whole file.
func fenceFile(f FileText) string { return Fence("file "+f.Path, f.Text) }

// The bounds of what [ReadFiles] reads.
const (
	maxFiles   = 40
	maxBytes   = 256 << 10 // of all, unless a prompt has room for more
	maxEach    = 128 << 10
	maxListing = 200

	bytesPerToken = 4 // about, of ASCII
)

// ReadFiles reads the files that the job may change, most relevant first:
// those of its target, those that failures name, those that the parent or an
// inspiration changed, then the rest, small ones first; text files only. tokens
// is what the prompt may have; 0 = the usual. The second result lists further
// paths in scope, without content.
func ReadFiles(ctx context.Context, j agent.Job, t agent.Tree, tokens int) ([]FileText, []string, error) {
	most := max(maxBytes, int64(tokens)*bytesPerToken)
	files := relevant(&j, t.Files())
	var out []FileText
	var rest []string
	var total int64
	for _, f := range files {
		if len(out) < maxFiles && f.Size <= maxEach && total+max(f.Size, 0) <= most {
			data, err := t.Read(ctx, f.Path)
			if err != nil {
				return nil, nil, fmt.Errorf("read %q for the prompt: %w", f.Path, err)
			}
			if clean.IsText(data) && len(data) <= maxEach && total+int64(len(data)) <= most {
				total += int64(len(data))
				out = append(out, FileText{Path: f.Path, Text: string(data), Symbol: j.Target.Symbol})
				continue
			}
			if !clean.IsText(data) {
				continue
			}
		}
		if len(rest) < maxListing {
			rest = append(rest, f.Path)
		}
	}
	sort.Strings(rest)
	return out, rest, errors.Join(ctx.Err(), context.Cause(ctx))
}

// relevant sorts the files in scope by how much they matter to the job.
func relevant(j *agent.Job, files []record.File) []record.File {
	named := map[string]int{}
	mark := func(paths []string, rank int) {
		for _, p := range paths {
			named[p] = max(named[p], rank)
		}
	}
	mark(j.Parent.Changed, 2)
	for i := range j.Inspirations {
		mark(j.Inspirations[i].Changed, 1)
	}
	type ranked struct {
		file record.File
		rank int
	}
	var list []ranked
	for _, f := range files {
		if f.Mode != record.Regular && f.Mode != record.Executable || !j.Allowed(f.Path) {
			continue
		}
		rank := named[f.Path]
		if namedByFailure(j, f.Path) {
			rank += 4
		}
		if j.Target.Covers(f.Path) {
			rank += 8
		}
		list = append(list, ranked{f, rank})
	}
	sort.SliceStable(list, func(a, b int) bool {
		x, y := list[a], list[b]
		if x.rank != y.rank {
			return x.rank > y.rank
		}
		if x.file.Size != y.file.Size {
			return x.file.Size < y.file.Size
		}
		return x.file.Path < y.file.Path
	})
	out := make([]record.File, len(list))
	for i, r := range list {
		out[i] = r.file
	}
	return out
}

// namedByFailure reports whether an earlier failure names the file.
func namedByFailure(j *agent.Job, p string) bool {
	base := path.Base(p)
	if len(base) < 4 {
		base = p
	}
	for _, f := range j.Failures {
		if strings.Contains(f.Reason, base) || strings.Contains(f.Text, base) {
			return true
		}
	}
	return false
}

// Fitted returns the files of the view within the budget of the section being
// filled in: each may take half of what is left, what small ones do not use
// goes to the next, and a file that does not fit shows the lines around its
// symbol, else its beginning. Files without any room go to the listing.
func (f *filling) Fitted() []FileText {
	if f.budget <= 0 {
		return f.Files
	}
	left := f.budget - f.budget/20 // headings
	var out []FileText
	for i, file := range f.Files {
		need, room := Tokens(file.Text)+fenceTokens(file.Path), left
		if i < len(f.Files)-1 {
			room = max(left/2, left-f.behind(i))
		}
		if need <= room {
			out = append(out, file)
			left -= need
			continue
		}
		room -= fenceTokens(file.Path)
		if room < minWindow {
			f.Listing = append(f.Listing[:len(f.Listing):len(f.Listing)], file.Path)
			continue
		}
		text, cut := window(file, room)
		f.cut += cut
		out = append(out, FileText{Path: file.Path, Text: text})
		left -= Tokens(text) + fenceTokens(file.Path)
	}
	return out
}

// minWindow is the least number of tokens that a part of a file is shown in.
const minWindow = 60

func fenceTokens(p string) int { return 16 + Tokens(p)/2*3 }

// behind is what the files after the i-th would take.
func (f *filling) behind(i int) int {
	n := 0
	for _, file := range f.Files[i+1:] {
		n += Tokens(file.Text) + fenceTokens(file.Path)
	}
	return n
}

// window cuts a file to a number of tokens around its symbol.
func window(file FileText, budget int) (text string, cut int) {
	lines := strings.Split(strings.TrimSuffix(file.Text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = shorten(l, min(maxLineBytes, 2*budget))
	}
	from := 0
	if file.Symbol != "" {
		for i, l := range lines {
			if strings.Contains(l, file.Symbol) {
				from = i
				break
			}
		}
	}
	room := 4 * max(budget-20, 1)
	lo, hi := from, from // lines [lo, hi) stay; two lines forward for one back
	for used := 0; ; {
		grown := false
		for _, back := range []bool{false, false, true} {
			switch {
			case !back && hi < len(lines) && used+cost(lines[hi]) <= room:
				used += cost(lines[hi])
				hi++
				grown = true
			case back && lo > 0 && used+cost(lines[lo-1]) <= room:
				lo--
				used += cost(lines[lo])
				grown = true
			}
		}
		if !grown {
			break
		}
	}
	var out []string
	if lo > 0 {
		out = append(out, missing(lo))
	}
	out = append(out, lines[lo:hi]...)
	if hi < len(lines) {
		out = append(out, missing(len(lines)-hi))
	}
	return strings.Join(out, "\n"), lo + len(lines) - hi
}
