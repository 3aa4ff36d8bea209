package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
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
// takes a third of what go build does. Programs that differ in the numbers of
// their tables alone are compiled once, and read them.
type bins struct {
	dir               string // scratch
	compiler, linker  string
	imports, packages string   // what compiler and linker read of the standard library
	kept              []string // compiled programs, the one that was used last at the end
}

// binsKept is how many compiled programs are kept, of 1.3 MB each.
const binsKept = 64

// binsImports are the packages of the standard library that a candidate may use.
var binsImports = []string{"cmp", "container/heap", "errors", "fmt", "math", "math/bits", "os", "slices", "sort", "strconv", "strings"}

// binsTime is how long a candidate may take in all; the processor works on it for 5 s at most.
const binsTime = time.Minute

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
	sources := packerFiles(files)
	rest, numbers := cutNumbers(sources)
	if len(numbers) > 0 {
		rest["numbers.go"] = binsNumbers
		if program, err := b.program(ctx, rest); err == nil {
			return b.play(ctx, program, numbers)
		}
		// What the compiler says is to be about the candidate.
	}
	program, err := b.program(ctx, sources)
	if err != nil {
		return nil, err
	}
	return b.play(ctx, program, nil)
}

// packerFiles are the Go files of a packer, by the names that they have in the scratch folder.
func packerFiles(files map[string]string) map[string]string {
	out := map[string]string{}
	for path, text := range files {
		name := filepath.Base(path)
		if strings.HasPrefix(path, "packing/") && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			out["p_"+name] = text
		}
	}
	return out
}

// program compiles a package beside what plays it, if that was not done, and returns its folder.
func (b *bins) program(ctx context.Context, sources map[string]string) (string, error) {
	names := slices.Sorted(maps.Keys(sources))
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(sources[name]), sources[name])
	}
	program := hex.EncodeToString(sum.Sum(nil)) // the folder of it
	if i := slices.Index(b.kept, program); i >= 0 {
		b.kept = append(slices.Delete(b.kept, i, i+1), program)
		return program, nil
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(sources[name]), 0o600); err != nil {
			return "", err
		}
	}
	compile := []string{"-o", "packing.a", "-p", "binpacking/packing", "-complete", "-c=1", "-importcfg", b.imports, "-pack"}
	for _, step := range [][]string{
		slices.Concat([]string{b.compiler}, compile, names),
		{b.compiler, "-o", "main.a", "-p", "main", "-complete", "-c=1", "-importcfg", b.packages, "-pack", "main.go", "instances.go"},
		{b.linker, "-o", "play", "-importcfg", b.packages, "-s", "-w", "main.a"},
	} {
		if _, err := runWith(ctx, b.dir, "GOGC=off", nil, step[0], step[1:]...); err != nil { // they end before it would matter
			return "", err
		}
	}
	if err := os.Mkdir(filepath.Join(b.dir, program), 0o700); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(b.dir, "play"), filepath.Join(b.dir, program, "play")); err != nil {
		return "", err
	}
	if b.kept = append(b.kept, program); len(b.kept) > binsKept {
		oldest := b.kept[0]
		b.kept = b.kept[1:]
		return program, os.RemoveAll(filepath.Join(b.dir, oldest))
	}
	return program, nil
}

// play runs a program, which may read numbers.
func (b *bins) play(ctx context.Context, program string, numbers []float64) (map[string]float64, error) {
	ctx, done := context.WithTimeout(ctx, binsTime)
	defer done()
	var in []byte
	for _, v := range numbers {
		in = binary.LittleEndian.AppendUint64(in, math.Float64bits(v))
	}
	out, err := runWith(ctx, b.dir, "", in, filepath.Join(b.dir, program, "play"))
	if err != nil {
		return nil, err
	}
	var metrics map[string]float64
	return metrics, json.Unmarshal([]byte(out), &metrics)
}

// command runs a program and returns what it printed.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	return runWith(ctx, dir, "", nil, name, args...)
}

// runWith runs a program with one setting more, or none, and something to read, or nothing.
// Its error has the first line of what the program complained.
func runWith(ctx context.Context, dir, setting string, in []byte, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=256MiB", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local")
	if setting != "" {
		cmd.Env = append(cmd.Env, setting)
	}
	if in != nil {
		cmd.Stdin = bytes.NewReader(in)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()+out.String()), "\n")
		return "", errors.Join(fmt.Errorf("%s: %s", filepath.Base(name), line), err)
	}
	return out.String(), nil
}
