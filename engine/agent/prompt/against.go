package prompt

import (
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// The bounds of what is compared for one inspiration.
const (
	againstFiles = 40
	againstBytes = 128 << 10 // of one file
	againstText  = 64 << 10  // of the whole difference
)

// Against is how other versions differ from the base, each a unified diff; "" where one was not looked at.
type Against struct {
	Inspirations []string // by inspiration
	Best         string   // of the best so far, where it is neither the base nor an inspiration
}

// differences compares other versions with the base. Files outside of the job's scope, large ones and
// those that are no text are left out.
func differences(ctx context.Context, j *agent.Job) (Against, error) {
	if j.Parent.Files == nil {
		return Against{}, nil
	}
	out := Against{Inspirations: make([]string, len(j.Inspirations))}
	compare := func(it *agent.Item) (string, error) {
		if it == nil || it.Files == nil {
			return "", nil
		}
		text, err := difference(ctx, j, it.Files)
		if err != nil {
			return "", fmt.Errorf("compare %s with the base: %w", it.ID, err)
		}
		return text, nil
	}
	var err error
	for i := range j.Inspirations {
		if out.Inspirations[i], err = compare(&j.Inspirations[i]); err != nil {
			return Against{}, err
		}
	}
	out.Best, err = compare(apart(j))
	return out, err
}

// apart is the best so far where it is neither the base nor an inspiration, else nil.
func apart(j *agent.Job) *agent.Item {
	if j.Background == nil || j.Background.Best == nil || j.Background.Best.ID == j.Parent.ID {
		return nil
	}
	best := j.Background.Best
	for i := range j.Inspirations {
		if j.Inspirations[i].ID == best.ID {
			return nil
		}
	}
	return best
}

// difference is the unified diff from the base to another tree.
func difference(ctx context.Context, j *agent.Job, other agent.Tree) (string, error) {
	base := map[string]record.File{}
	for _, f := range j.Parent.Files.Files() {
		base[f.Path] = f
	}
	var b strings.Builder
	left := againstFiles
	compare := func(path string, from, to agent.Tree) error {
		if left == 0 || b.Len() > againstText || !j.Allowed(path) {
			return nil
		}
		before, ok, err := readText(ctx, from, path)
		if err != nil || !ok {
			return err
		}
		after, ok, err := readText(ctx, to, path)
		if err != nil || !ok || before == after {
			return err
		}
		left--
		b.WriteString(udiff.Unified("a/"+path, "b/"+path, before, after))
		return nil
	}
	for _, f := range other.Files() {
		was, there := base[f.Path]
		delete(base, f.Path)
		if there && was.Hash == f.Hash && !f.Hash.IsZero() || f.Size > againstBytes || was.Size > againstBytes || !plainFile(f.Mode) {
			continue
		}
		from := j.Parent.Files
		if !there {
			from = nil
		}
		if err := compare(f.Path, from, other); err != nil {
			return "", err
		}
	}
	for _, f := range j.Parent.Files.Files() { // what the other one does not have
		if _, gone := base[f.Path]; !gone || f.Size > againstBytes || !plainFile(f.Mode) {
			continue
		}
		if err := compare(f.Path, j.Parent.Files, nil); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func plainFile(m record.Mode) bool { return m == record.Regular || m == record.Executable }

// readText reads a file; a nil tree has an empty one. ok is false for a file
// that is no text.
func readText(ctx context.Context, t agent.Tree, path string) (text string, ok bool, err error) {
	if t == nil {
		return "", true, nil
	}
	data, err := t.Read(ctx, path)
	return string(data), clean.IsText(data), err
}
