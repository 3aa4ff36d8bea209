package prompt

import (
	"context"
	"fmt"

	"atoll/engine/agent"
)

// Program is a file of another candidate, whole.
type Program struct {
	ID   string // of the candidate
	Part string // the best so far, the best of those shown, or the farthest from the base
	Path string
	Text string
}

// programBytes bounds one file that is shown whole.
const programBytes = 32 << 10

// programs reads the files in which other versions differ from the base: those of the best so far, of the
// best of the inspirations, and of the one of the others that differs in most lines. Files outside of the
// job's scope, large ones and those that are no text are left out.
func programs(ctx context.Context, j *agent.Job, against Against) ([]Program, error) {
	best, far := best(j, against.Inspirations), -1
	lines := 0
	for i := range j.Inspirations {
		if i == best || !differs(j, i, against.Inspirations) {
			continue
		}
		if n := changedLines(against.Inspirations[i]); n > lines {
			far, lines = i, n
		}
	}
	var out []Program
	read := func(it *agent.Item, part string) error {
		files, err := whole(ctx, j, it, part)
		out = append(out, files...)
		return err
	}
	if against.Best != "" {
		if err := read(j.Background.Best, "the best so far"); err != nil {
			return nil, err
		}
	}
	if best >= 0 {
		if err := read(&j.Inspirations[best], "the best of the other versions"); err != nil {
			return nil, err
		}
	}
	if far >= 0 {
		if err := read(&j.Inspirations[far], "the one farthest from the base"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// best is the inspiration with the best objective of those that differ from the base, -1 where none does.
func best(j *agent.Job, against []string) int {
	best := -1
	for i := range j.Inspirations {
		it := &j.Inspirations[i]
		if !differs(j, i, against) || it.Objective == nil {
			continue
		}
		if best < 0 || j.Ahead(*it.Objective, *j.Inspirations[best].Objective) {
			best = i
		}
	}
	return best
}

// differs reports whether an inspiration differs from the base in text.
func differs(j *agent.Job, i int, against []string) bool {
	return i < len(against) && against[i] != "" && j.Inspirations[i].Files != nil
}

// whole reads the files of a candidate that differ from the base.
func whole(ctx context.Context, j *agent.Job, it *agent.Item, part string) ([]Program, error) {
	base := filesOf(j.Parent.Files)
	var out []Program
	for _, f := range it.Files.Files() {
		was, there := base[f.Path]
		if there && was.Hash == f.Hash && !f.Hash.IsZero() || f.Size > programBytes || !plainFile(f.Mode) || !j.Allowed(f.Path) {
			continue
		}
		text, ok, err := readText(ctx, it.Files, f.Path)
		if err != nil {
			return nil, fmt.Errorf("read %q of %s for the prompt: %w", f.Path, it.ID, err)
		}
		if old := ""; ok && len(text) <= programBytes {
			if there {
				if old, _, err = readText(ctx, j.Parent.Files, f.Path); err != nil {
					return nil, fmt.Errorf("read %q for the prompt: %w", f.Path, err)
				}
			}
			if old != text {
				out = append(out, Program{ID: it.ID.String(), Part: part, Path: f.Path, Text: text})
			}
		}
	}
	return out, nil
}

// changedLines counts the lines of a unified diff that come or go.
func changedLines(diff string) int {
	n := 0
	for i := range len(diff) {
		if (i == 0 || diff[i-1] == '\n') && (diff[i] == '+' || diff[i] == '-') {
			n++
		}
	}
	return n
}

// Whole returns the programs that fit into the budget of the section being filled
// in, in order; none is cut.
func (f *filling) Whole() []Program {
	left := f.budget
	var out []Program
	for _, p := range f.Programs {
		need := Tokens(p.Text) + 2*fenceTokens(p.Path)
		if f.budget > 0 && need > left {
			continue
		}
		left -= need
		out = append(out, p)
	}
	return out
}
