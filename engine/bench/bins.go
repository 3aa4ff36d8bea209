package bench

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed bins_main.go.txt
var binsMain string

// bins measures packers: it compiles each beside a program that plays the
// instances of the example, with the compiler and the linker themselves, which
// takes a third of what go build does.
type bins struct {
	dir               string // scratch
	compiler, linker  string
	imports, packages string // what compiler and linker read of the standard library
}

// binsImports are the packages of the standard library that a candidate may use.
var binsImports = []string{"cmp", "container/heap", "errors", "fmt", "math", "math/bits", "os", "slices", "sort", "strconv", "strings"}

// binsTime is how long a candidate may play.
const binsTime = 5 * time.Second

// startBins prepares a folder with a copy of the example.
func startBins(ctx context.Context, dir, scratch string) (*bins, error) {
	b := &bins{dir: scratch}
	instances, err := os.ReadFile(filepath.Join(dir, "evaluator", "instances.go"))
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"instances.go": string(instances), "main.go": binsMain} {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	list, err := command(ctx, dir, "go",
		append([]string{"list", "-export", "-deps", "-f", "{{if .Standard}}packagefile {{.ImportPath}}={{.Export}}{{end}}"}, binsImports...)...)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, "=") {
			lines = append(lines, line)
		}
	}
	for tool, path := range map[string]*string{"compile": &b.compiler, "link": &b.linker} {
		out, err := command(ctx, dir, "go", "tool", "-n", tool)
		if err != nil {
			return nil, err
		}
		*path = strings.TrimSpace(out)
	}
	b.imports, b.packages = filepath.Join(scratch, "imports"), filepath.Join(scratch, "packages")
	if err := os.WriteFile(b.imports, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	lines = append(lines, "packagefile binpacking/packing="+filepath.Join(scratch, "packing.a"))
	return b, os.WriteFile(b.packages, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

func (b *bins) measure(ctx context.Context, files map[string]string) (map[string]float64, error) {
	compile := []string{"-o", "packing.a", "-p", "binpacking/packing", "-complete", "-c=1", "-importcfg", b.imports, "-pack"}
	var sources []string
	for path, text := range files {
		name := filepath.Base(path)
		if !strings.HasPrefix(path, "packing/") || strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") {
			continue
		}
		if err := os.WriteFile(filepath.Join(b.dir, "p_"+name), []byte(text), 0o600); err != nil {
			return nil, err
		}
		sources = append(sources, "p_"+name)
	}
	slices.Sort(sources)
	for _, step := range [][]string{
		slices.Concat([]string{b.compiler}, compile, sources),
		{b.compiler, "-o", "main.a", "-p", "main", "-complete", "-c=1", "-importcfg", b.packages, "-pack", "main.go", "instances.go"},
		{b.linker, "-o", "play", "-importcfg", b.packages, "-s", "-w", "main.a"},
	} {
		if _, err := command(ctx, b.dir, step[0], step[1:]...); err != nil {
			return nil, err
		}
	}
	ctx, done := context.WithTimeout(ctx, binsTime)
	defer done()
	out, err := command(ctx, b.dir, filepath.Join(b.dir, "play"))
	if err != nil {
		return nil, err
	}
	var metrics map[string]float64
	return metrics, json.Unmarshal([]byte(out), &metrics)
}

// command runs a program and returns what it printed; its error has the first
// line of what it complained.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=256MiB", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()+out.String()), "\n")
		return "", errors.Join(fmt.Errorf("%s: %s", filepath.Base(name), line), err)
	}
	return out.String(), nil
}
