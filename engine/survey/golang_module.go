package survey

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"atoll/engine/eval"
)

// goModule is the Go module of the checkout, as the go command knows it.
type goModule struct {
	lab    *Lab
	env    []string     // of this process, for the go command
	origin string       // where the repository was cloned from, as host/owner/name; "": not known
	say    func(string) // a finding, one sentence
	doing  func(most time.Duration, format string, args ...any)
	found  bool // go.mod lies at the top
}

// uncompiled is a line of the go command about code that does not compile.
var uncompiled = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*`)

// warm compiles everything once outside of the sandbox, as the person's own go
// command would: evaluations then compile what a candidate changed, and no more.
// -trimpath makes what was compiled the same in every folder. It returns what a person
// does first where something is missing.
func (m *goModule) warm(ctx context.Context) (next string) {
	if !slices.Contains(m.lab.Files, "go.mod") {
		why, next := m.moduleless()
		m.say(why)
		return next
	}
	m.found = true
	m.doing(firstPatience, "compiling once, so that the build cache is warm")
	out, err := m.command(ctx, "test", "-trimpath", "-vet=off", "-run=^$", "-exec=true", "./...")
	if err == nil {
		m.doing(firstPatience, "compiling once more, for the clock of processor time")
		m.warmClock(ctx)
		_, _ = m.command(ctx, "tool", "-n", "pprof") // which the go command compiles where it is first asked for
		return ""
	}
	m.say("the go command says: " + cmp.Or(telling(out), err.Error()))
	switch {
	case strings.Contains(out, "no required module provides"):
		next = "`go mod tidy && git add go.* && git commit -m \"Name all modules\"`, then `atoll init --force`"
		m.say("go.mod does not name all modules that are imported: " + next)
	case missing.MatchString(out):
		next = "`go mod download`, then `atoll init --force`"
		m.say("modules are missing from the module cache: run " + next)
	default:
		if line := uncompiled.FindString(out); line != "" {
			next = "mend what does not compile (" + strings.TrimSpace(line) + ") and commit that, then `atoll init --force`"
		}
	}
	return next
}

// moduleless says that no go.mod lies at the top, and what to do then.
func (m *goModule) moduleless() (why, next string) {
	if text := m.lab.nested(); text != "" {
		return "there is no go.mod at the top of the repository, but " + text, "write these lines into atoll.yaml, then `atoll doctor --deep`"
	}
	name := m.ownPath()
	if name == "" {
		name = "example.com/NAME"
	}
	next = "`go mod init " + name + " && go mod tidy && git add go.* && git commit -m \"Add go.mod\"`, then `atoll init --force`"
	return "there is no go.mod, which the go command needs: " + next, next
}

// folders are those below the top that hold Go files.
func (m *goModule) folders() []string {
	var dirs []string
	for _, f := range m.lab.Files {
		if d := path.Dir(f); path.Ext(f) == ".go" && d != "." && !slices.Contains(dirs, d) && !elsewhere(f) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// elsewhere reports whether a file belongs to others, or is data.
func elsewhere(f string) bool {
	return strings.Contains("/"+f, "/vendor/") || strings.Contains("/"+f, "/testdata/")
}

// warmClock compiles what measures processor time, too.
func (m *goModule) warmClock(ctx context.Context) {
	root, err := m.command(ctx, "env", "GOROOT")
	if err != nil {
		return
	}
	dir := filepath.Join(m.lab.tmp, "clock")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return
	}
	if flag, err := eval.GoClock(dir, strings.TrimSpace(root)); err == nil && flag != "" {
		_, _ = m.command(ctx, "test", flag, "-trimpath", "-vet=off", "-run=^$", "-exec=true", "./...") // a cache that stays cold is slower, and no more
	}
}

var missing = regexp.MustCompile(`missing go\.sum entry|module lookup disabled|cannot find module|dial tcp|proxy`)

// command runs the go command outside of the sandbox in the checkout. It
// compiles and lists; it starts nothing that it built.
func (m *goModule) command(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, firstPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = m.lab.Base
	cmd.Env = append(slices.Clone(m.env), "GOFLAGS=-buildvcs=false")
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrWaitDelay): // it ended well, and something that it began still holds its output
		err = nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("it did not end within %s", firstPatience)
	}
	return string(out), err
}

// importPath is the import path of the module.
func (m *goModule) importPath(ctx context.Context) (string, error) {
	out, err := m.command(ctx, "list", "-m")
	return strings.TrimSpace(out), err
}

// relative turns import paths into patterns such as ./sub.
func (m *goModule) relative(ctx context.Context, packages []string) []string {
	module, err := m.importPath(ctx)
	if err != nil || module == "" {
		return packages
	}
	var list []string
	for _, p := range packages {
		list = append(list, "./"+strings.TrimPrefix(strings.TrimPrefix(p, module), "/"))
	}
	return list
}

// benchFolders are the packages with benchmarks, as ./folder, and the folders of other modules with benchmarks:
// the go command runs those of one module.
func (m *goModule) benchFolders() (list, others []string) {
	var modules []string
	for _, f := range m.lab.Files {
		if path.Base(f) == "go.mod" && path.Dir(f) != "." {
			modules = append(modules, path.Dir(f))
		}
	}
	for _, f := range m.lab.Files {
		if !strings.HasSuffix(f, "_test.go") || elsewhere(f) {
			continue
		}
		if data, err := m.lab.Read(f); err != nil || !bytes.Contains(data, []byte("\nfunc Benchmark")) {
			continue
		}
		if i := slices.IndexFunc(modules, func(dir string) bool { return strings.HasPrefix(f, dir+"/") }); i >= 0 {
			others = union(others, modules[i:i+1])
			continue
		}
		list = union(list, []string{"./" + path.Dir(f)})
	}
	return list, others
}

// sources are the files of the module that packages are built from, as globs; nil where
// that cannot be told. A package of tests alone has no sources: it is what the tests
// import that they run.
func (m *goModule) sources(ctx context.Context, packages []string) []string {
	base, err := filepath.EvalSymlinks(m.lab.Base)
	if err != nil {
		return nil
	}
	const dirs = "{{if not .Standard}}{{if or .GoFiles .CgoFiles}}{{.Dir}}{{end}}{{end}}"
	out, err := m.command(ctx, append([]string{"list", "-deps", "-f", dirs}, packages...)...)
	if err != nil {
		return nil
	}
	bare, err := m.command(ctx, append([]string{"list", "-f", "{{if not (or .GoFiles .CgoFiles)}}{{.ImportPath}}{{end}}"}, packages...)...)
	if err != nil {
		return nil
	}
	if tests := strings.Fields(bare); len(tests) > 0 {
		run, err := m.command(ctx, append([]string{"list", "-deps", "-test", "-f", `{{if not (or .ForTest (eq .Name "main"))}}` + dirs + "{{end}}"}, tests...)...)
		if err != nil {
			return nil
		}
		out += run
	}
	var globs []string
	for dir := range strings.Lines(out) {
		rel, err := filepath.Rel(base, strings.TrimSpace(dir))
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		globs = append(globs, path.Join(filepath.ToSlash(rel), "*.go"))
	}
	slices.Sort(globs)
	return slices.Compact(globs)
}
