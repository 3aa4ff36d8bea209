package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/config"
	"atoll/examples"
)

// Open makes the problem of an example, with values of its configuration that were set
// otherwise. The caller closes it.
func Open(ctx context.Context, name string, set ...config.Flag) (Problem, error) {
	dir, err := os.MkdirTemp("", "atoll-bench-")
	if err != nil {
		return Problem{}, fmt.Errorf("make a scratch folder: %w", err)
	}
	clear := func() { _ = os.RemoveAll(dir) }
	p, err := open(ctx, name, filepath.Join(dir, "example"), dir, set)
	if err != nil {
		clear()
		return p, fmt.Errorf("prepare the example %s: %w", name, err)
	}
	stop := p.Close
	p.Close = func() {
		if stop != nil {
			stop()
		}
		clear()
	}
	return p, nil
}

// Names are the examples that can be measured here, in memory and without a sandbox.
func Names() []string {
	return []string{"circle-packing", "circle-packing-32", "circle-packing-optimiser", "bin-packing", "deceptive"}
}

func open(ctx context.Context, name, dir, scratch string, set []config.Flag) (Problem, error) {
	if err := examples.Copy(name, dir); err != nil {
		return Problem{}, err
	}
	loaded, err := config.Load(config.LoadOptions{Dir: dir, Flags: set})
	if err != nil {
		return Problem{}, err
	}
	p := Problem{Name: name, Config: loaded.Config}
	if p.Root, err = texts(dir); err != nil {
		return p, err
	}
	switch name {
	case "deceptive":
		p.Measure = plant
	case "circle-packing", "circle-packing-32", "circle-packing-optimiser":
		c, err := startCircles(dir)
		if err != nil {
			return p, err
		}
		p.Measure, p.Close = c.measure, c.close
	case "bin-packing":
		b, err := startBins(ctx, dir, scratch)
		if err != nil {
			return p, err
		}
		p.Measure = b.measure
	default:
		return p, fmt.Errorf("there is no way to measure %s here", name)
	}
	return p, nil
}

// texts reads all files of a folder.
func texts(dir string) (map[string]string, error) {
	out := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		out[path] = string(data)
		return err
	})
	return out, err
}
