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

// differences tells how the inspirations differ from the base, by inspiration. Files outside of the
// job's scope, large ones and those that are no text are left out.
func differences(ctx context.Context, j *agent.Job) ([]string, error) {
	if j.Parent.Files == nil {
		return nil, nil
	}
	out := make([]string, len(j.Inspirations))
	for i := range j.Inspirations {
		other := &j.Inspirations[i]
		if other.Files == nil {
			continue
		}
		text, err := difference(ctx, j, other.Files)
		if err != nil {
			return nil, fmt.Errorf("compare %s with the base: %w", other.ID, err)
		}
		out[i] = text
	}
	return out, nil
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
