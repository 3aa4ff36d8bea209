// Package examples holds the targets that come with atoll and run out of the
// box: each a small repository with a start that can be improved, an evaluator
// that is hard to fool, and an atoll.yaml.
//
// Its nouns are [Example], what is known about one, and [Copy], which writes
// one into a folder.
//
// Caveats: the folders begin with an underscore so that their Go files stay
// out of this module, and a go.mod is kept as go.mod.txt because a folder with
// a go.mod cannot be embedded. Copy gives it its own name.
package examples

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed all:_autoscaler all:_bin-packing all:_circle-packing all:_circle-packing-32 all:_circle-packing-optimiser all:_deceptive
var files embed.FS

// ErrUnknown reports a name that is no example.
var ErrUnknown = errors.New("no such example")

// Example describes one target.
type Example struct {
	Name        string
	Title       string // one line
	Goal        string // what the search is for, one sentence
	Language    string
	NeedsPython bool     // python3 on the PATH
	NeedsGo     bool     // go on the PATH
	Objective   string   // metric searched on
	Start       float64  // objective of the root
	Warm        []string // command to run once in the folder, so that the first evaluation finds warm caches; nil: none
}

// List returns the examples, the one for the first minute first.
func List() []Example {
	return []Example{
		{
			Name: "circle-packing", Title: "26 circles in the unit square", Language: "Python", NeedsPython: true,
			Goal:      "Place 26 circles in the unit square so that the sum of their radii is as large as possible.",
			Objective: "sum_radii", Start: 2.1406,
		},
		{
			Name: "bin-packing", Title: "Online bin packing: which bin takes the next item?", Language: "Go", NeedsGo: true,
			Goal:      "Use fewer bins than best fit on items of Weibull distributed sizes.",
			Objective: "excess_pct", Start: 4.153155400349218,
			Warm: []string{"sh", "-c", "sh evaluator/quick.sh && go build -ldflags='-s -w' -o .play ./play && rm -f .play && " +
				"go build -ldflags='-s -w' -o .evaluator ./evaluator && rm -f .evaluator"},
		},
		{
			Name: "autoscaler", Title: "A production system under load: what should run?", Language: "Python", NeedsPython: true,
			Goal:      "Let a small production system cost as little as it can, where failed and slow requests count as money.",
			Objective: "score", Start: 11.384014527528258,
		},
		{
			Name: "deceptive", Title: "Two modules that only run together", Language: "plain text",
			Goal:      "Set the dials of two modules that cost power on their own and fight half way.",
			Objective: "power", Start: 50,
		},
		{
			Name: "circle-packing-optimiser", Title: "26 circles in the unit square, by a program that relaxes them", Language: "Python", NeedsPython: true,
			Goal:      "Improve a small optimiser so that the sum of the radii of its 26 circles is as large as possible.",
			Objective: "sum_radii", Start: 2.263711413325827,
		},
		{
			Name: "circle-packing-32", Title: "32 circles in the unit square", Language: "Python", NeedsPython: true,
			Goal:      "Place 32 circles in the unit square so that the sum of their radii is as large as possible.",
			Objective: "sum_radii", Start: 2.6336,
		},
	}
}

// Find returns one example, or an error that wraps [ErrUnknown] and names them.
func Find(name string) (Example, error) {
	var all []string
	for _, e := range List() {
		if e.Name == name {
			return e, nil
		}
		all = append(all, e.Name)
	}
	return Example{}, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(all, ", "))
}

// Copy writes the example into dir, which is made when it is missing. It
// replaces nothing: a file that exists already is an error that wraps
// [fs.ErrExist], and nothing was written then.
func Copy(name, dir string) error {
	if _, err := Find(name); err != nil {
		return err
	}
	paths, err := list(name)
	if err != nil {
		return fmt.Errorf("copy example %s: %w", name, err)
	}
	for p := range paths {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(p))); err == nil {
			return fmt.Errorf("copy example %s: %s is there already; choose an empty folder: %w", name, filepath.Join(dir, p), fs.ErrExist)
		}
	}
	for p, source := range paths {
		data, err := files.ReadFile(source)
		if err == nil {
			err = write(filepath.Join(dir, filepath.FromSlash(p)), data)
		}
		if err != nil {
			return fmt.Errorf("copy example %s: %w", name, err)
		}
	}
	return nil
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(string(data), "#!") {
		mode = 0o755
	}
	return os.WriteFile(name, data, mode)
}

// list returns the embedded file of each path of the copy.
func list(name string) (map[string]string, error) {
	paths := map[string]string{}
	root := "_" + name
	err := fs.WalkDir(files, root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths[copied(strings.TrimPrefix(p, root+"/"))] = p
		}
		return err
	})
	return paths, err
}

// copied is the name in the copy of a file in the binary.
func copied(p string) string {
	if path.Base(p) == "go.mod.txt" {
		return strings.TrimSuffix(p, ".txt")
	}
	return p
}
