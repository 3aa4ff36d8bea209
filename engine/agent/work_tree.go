package agent

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"atoll/store/record"
)

// writeTree writes the files of a tree into a folder, never outside of it.
// Submodules become empty folders.
func WriteTree(ctx context.Context, dir string, t Tree) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer func() { _ = root.Close() }()
	for _, f := range t.Files() {
		if err := writeEntry(ctx, root, t, f); err != nil {
			return fmt.Errorf("write %s into the work tree: %w", f.Path, err)
		}
	}
	return nil
}

func writeEntry(ctx context.Context, root *os.Root, t Tree, f record.File) error {
	if f.Mode == record.Submodule {
		return root.MkdirAll(f.Path, 0o755)
	}
	data, err := t.Read(ctx, f.Path)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	if f.Mode == record.Symlink {
		return root.Symlink(string(data), f.Path)
	}
	return root.WriteFile(f.Path, data, f.Mode.Perm())
}

// plainPrompt is the prompt without templates.
func PlainPrompt(_ context.Context, j Job, _ Tree) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "You are editing the program in the current folder. Goal: %s\n", j.Goal)
	list := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n%s:\n- %s\n", title, strings.Join(lines, "\n- "))
		}
	}
	list("Rules", j.Constraints)
	list("Accepted when", j.Acceptance)
	if j.Target.Name != "" {
		fmt.Fprintf(&b, "\nWork on %s (%s). %s\n", j.Target.Name, strings.Join(j.Target.Files, ", "), j.Target.Hint)
	}
	if j.Metric != "" && j.Parent.Objective != nil {
		fmt.Fprintf(&b, "\nThe program now scores %s = %g; %s it.\n", j.Metric, *j.Parent.Objective, j.Direction)
	}
	b.WriteString("\nEdit the files in place. Do not commit, do not ask. End with one line that says what you changed.\n")
	return b.String(), nil
}
