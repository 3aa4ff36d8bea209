package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"atoll/config"
)

func TestACacheMayBeAFolderBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	text := []byte("evaluator: {command: [a], caches: [go, ./node_modules, up/../deep, /abs, ~/x]}\n")
	for name, c := range map[string]struct {
		o    config.LoadOptions
		want []string
	}{
		"relative to the folder": {config.LoadOptions{Dir: dir, Data: text}, []string{"go", filepath.Join(dir, "node_modules"), filepath.Join(dir, "deep"), "/abs", "~/x"}},
		"relative to a file":     {config.LoadOptions{File: filepath.Join(dir, "other.yaml"), Data: text}, []string{"go", filepath.Join(dir, "node_modules"), filepath.Join(dir, "deep"), "/abs", "~/x"}},
		"there is no folder":     {config.LoadOptions{Data: text}, []string{"go", "./node_modules", "up/../deep", "/abs", "~/x"}},
	} {
		l, err := config.Load(c.o)
		if err != nil || !slices.Equal(l.Evaluator.Caches, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, l.Evaluator.Caches, err, c.want)
		}
	}
}
