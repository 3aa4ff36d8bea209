package prompt

import (
	"context"
	"fmt"
	"math"

	"atoll/engine/agent"
)

// Program is a file of another candidate, whole.
type Program struct {
	ID   string // of the candidate
	Part string // the best of those shown, or the farthest from the base
	Path string
	Text string
}

// programBytes bounds one file that is shown whole.
const programBytes = 32 << 10

// programs reads the files in which two of the inspirations differ from the base:
// the best, and of the others the one that differs in most lines. Files outside of the job's
// scope, large ones and those that are no text are left out.
func programs(ctx context.Context, j *agent.Job, against []string) ([]Program, error) {
	best, value := -1, math.Inf(-1)
	for i := range j.Inspirations {
		if !differs(j, i, against) || j.Inspirations[i].Objective == nil {
			continue
		}
		v := *j.Inspirations[i].Objective
		if j.Direction == "minimize" {
			v = -v
		}
		if v > value {
			best, value = i, v
		}
	}
	far, lines := -1, 0
	for i := range j.Inspirations {
		if i == best || !differs(j, i, against) {
			continue
		}
		if n := changedLines(against[i]); n > lines {
			far, lines = i, n
		}
	}
	var out []Program
	for _, pick := range []struct {
		at   int
		part string
	}{{best, "the best of the other versions"}, {far, "the one farthest from the base"}} {
		if pick.at < 0 {
			continue
		}
		files, err := whole(ctx, j, &j.Inspirations[pick.at], pick.part)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
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
