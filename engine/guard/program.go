package guard

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"atoll/engine/sandbox"
)

// Program is what a compiler makes of a change.
type Program string

// What a change is to the compiler.
const (
	Unknown   Program = ""          // no Go code, or no Go here
	Broken    Program = "broken"    // it does not build
	Identical Program = "identical" // the same machine code
	Other     Program = "other"
)

// Compile says what the Go compiler makes of a change of Go files. The machine
// code of a whole package is compared, so that what no program reaches counts.
func (g *Guard) Compile(ctx context.Context, root, candidate Tree, changed []string) (Program, error) {
	var dirs []string
	for _, f := range changed {
		if !isGo(f) {
			return Unknown, nil
		}
		if dir := path.Dir(f); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	c := &check{g: g}
	env := g.surround(ctx, "go", "gcc")
	result := Identical
	for _, dir := range dirs {
		was, err := c.listing(ctx, env, root, dir)
		if err != nil || was == "" {
			return Unknown, err
		}
		is, err := c.listing(ctx, env, candidate, dir)
		switch {
		case err != nil:
			return Unknown, err
		case is == "":
			return Broken, nil
		case is != was:
			result = Other
		}
	}
	return result, nil
}

// listing is a hash of a package's machine code; "" when it does not build.
// Columns of the source are no part of the listing, lines are.
func (c *check) listing(ctx context.Context, env surroundings, t Tree, dir string) (string, error) {
	v := &view{tree: t}
	script := `out="$TMPDIR/listing"; go build -o /dev/null -gcflags=-S . 2>"$out" || exit 1; sha256sum <"$out"`
	spec := c.spec(v, env, []string{"sh", "-c", script}, dir, nil, "", false)
	spec.Limits.Wall, spec.Limits.Memory = buildWork, max(c.g.o.Memory, 3<<30)
	res, err := c.g.box.Run(ctx, spec)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if res.Exit != 0 {
		return "", nil
	}
	return strings.TrimSpace(string(res.Stdout)), nil
}

// Reached is how much of a file's code its tests run.
type Reached struct {
	File       string `json:"file"`
	Statements int    `json:"statements"` // blocks of statements that run as one
	Ran        int    `json:"ran"`

	blocks map[block]bool
}

// Runs reports whether the tests run a line; known is false for a line without
// code.
func (r *Reached) Runs(line int) (ran, known bool) {
	for b, hit := range r.blocks {
		if b.from <= line && line <= b.to {
			ran, known = ran || hit, true
		}
	}
	return ran, known
}

// Coverage runs the Go tests of a tree and says what they reach, by file; none
// where the tests tell nothing.
func (g *Guard) Coverage(ctx context.Context, t Tree) ([]Reached, error) {
	v, err := open(t)
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	c := &check{g: g}
	env := g.surround(ctx, "go", "gcc")
	var out []Reached
	for _, f := range v.files {
		if path.Base(f) != "go.mod" || strings.Contains("/"+f, "/vendor/") || strings.Contains("/"+f, "/testdata/") {
			continue
		}
		dir, modulePath, ok := moduleOf(v, f)
		if !ok {
			continue
		}
		args := []string{"go", "test", "-vet=off", "-covermode=set", "-coverpkg=./...", "-coverprofile=" + sandbox.TreeDir + "/" + profileName, "./..."}
		spec := c.spec(v, env, args, dir, nil, "", false)
		spec.Limits.Wall, spec.Limits.Memory, spec.Product = buildWork, max(g.o.Memory, 3<<30), profileName
		res, err := g.box.Run(ctx, spec)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		profile := coverage{}
		profile.add(res.Product)
		for name, blocks := range profile {
			r := Reached{File: path.Join(dir, strings.TrimPrefix(name, modulePath+"/")), blocks: blocks, Statements: len(blocks)}
			for _, ran := range blocks {
				if ran {
					r.Ran++
				}
			}
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Reached) int { return strings.Compare(a.File, b.File) })
	return out, nil
}
