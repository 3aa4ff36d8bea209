package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// tools remembers where programs really are.
type tools struct {
	mu    sync.Mutex
	found map[string]tool
}

// tool is where one program really is: the folders (or the file) that it needs
// and the folder that belongs on PATH.
type tool struct {
	needs []string
	path  string
}

// questions make a program say where it lives: a version manager's shim on PATH
// is a script that would find nothing inside a sandbox. The first line of the
// answer is the program, the others are folders that it needs.
var questions = map[string][]string{
	"python": {"-c", "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)"},
	"node":   {"-p", "process.execPath"},
	"ruby":   {"-e", "puts RbConfig.ruby; puts RbConfig::CONFIG['prefix']"},
	"perl":   {"-e", "print $^X"},
	"go":     {"env", "GOROOT"},
	"rustc":  {"--print", "sysroot"},
}

// answering are the programs that another one answers for, from the same
// folder: cargo lives where rustc does.
var answering = map[string]string{"cargo": "rustc"}

// answersFolder are the programs whose answer is the folder above bin.
var answersFolder = map[string]bool{"go": true, "rustc": true}

// Interpreters finds the named programs outside, through shims and symlinks, and
// returns what must be mounted for them (nothing for what the system folders
// already hold) and the folders for PATH, in the order of the names and before
// the system's own. A program that is not found is left out: the command that
// needs it fails with 127. Answers are remembered.
func (b *Box) Interpreters(ctx context.Context, names ...string) ([]Mount, []string) {
	var mounts []Mount
	var path []string
	for _, name := range names {
		t := b.locate(ctx, name)
		for _, need := range t.needs {
			m := Mount{Host: need, At: need}
			if !b.system.covered(need) && !slices.Contains(mounts, m) {
				mounts = append(mounts, m)
			}
		}
		if t.path != "" && !slices.Contains(path, t.path) {
			path = append(path, t.path)
		}
	}
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		if !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	return mounts, path
}

// locate answers from memory, or asks.
func (b *Box) locate(ctx context.Context, name string) tool {
	b.tools.mu.Lock()
	defer b.tools.mu.Unlock()
	if t, ok := b.tools.found[name]; ok {
		return t
	}
	t, here := b.here(name)
	if !here {
		t = find(ctx, name)
	}
	if ctx.Err() == nil {
		if b.tools.found == nil {
			b.tools.found = map[string]tool{}
		}
		b.tools.found[name] = t
	}
	return t
}

// here finds a program in the system folders, which every sandbox sees; nobody
// has to ask it anything.
func (b *Box) here(name string) (tool, bool) {
	found, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(found) {
		return tool{}, err != nil
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil || !b.system.covered(found) || !b.system.covered(real) {
		return tool{}, false
	}
	return tool{path: filepath.Dir(found)}, true
}

// find looks a program up on PATH, asks it where it lives, and follows what it is
// written in.
func find(ctx context.Context, name string) tool {
	found, err := exec.LookPath(name)
	if err != nil {
		return tool{}
	}
	if found, err = filepath.Abs(found); err != nil {
		return tool{}
	}
	base, asked := strings.TrimRight(filepath.Base(name), "0123456789."), found
	if other, ok := answering[base]; ok {
		base, asked = other, filepath.Join(filepath.Dir(found), other)
	}
	if args, ok := questions[base]; ok {
		if lines := ask(ctx, asked, args); len(lines) > 0 {
			return answered(base, lines)
		}
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil {
		return tool{}
	}
	t := tool{needs: home(real), path: filepath.Dir(found)}
	if !slices.ContainsFunc(t.needs, func(need string) bool { return inside(found, need) }) {
		t.needs = append(t.needs, found) // the symlink's own place, as a file
	}
	for _, interpreter := range shebang(real) {
		u := find(ctx, interpreter)
		t.needs = append(t.needs, u.needs...)
	}
	return t
}

// answered turns a program's answer into a tool.
func answered(base string, lines []string) tool {
	if answersFolder[base] {
		return tool{needs: safe(lines[:1]), path: filepath.Join(lines[0], "bin")}
	}
	real, err := filepath.EvalSymlinks(lines[0])
	if err != nil {
		real = lines[0]
	}
	return tool{needs: safe(append(home(real), lines[1:]...)), path: filepath.Dir(lines[0])}
}

// ask runs a program with a question and returns the lines of its answer that
// are absolute paths.
func ask(ctx context.Context, program string, args []string) []string {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a shim on a busy machine is slow
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); filepath.IsAbs(line) {
			lines = append(lines, filepath.Clean(line))
		}
	}
	return lines
}

// home returns the folder that a program was installed into: the one above bin,
// or above lib/node_modules. Where that would be a person's home or the root, it
// is the file alone.
func home(real string) []string {
	if i := strings.Index(real, "/lib/node_modules/"); i > 0 {
		return safe([]string{real[:i]}, real)
	}
	dir := filepath.Dir(real)
	if filepath.Base(dir) == "bin" {
		return safe([]string{filepath.Dir(dir)}, real)
	}
	return []string{real}
}

// safe drops folders that would show a person's files: the root, a home, what
// holds homes, and the mixed ~/.local and ~/.cargo, of whomever and wherever they
// are. The others stand in for what was dropped.
func safe(dirs []string, others ...string) []string {
	own, _ := os.UserHomeDir()
	var list []string
	for _, d := range dirs {
		wide := d == "/" || strings.Count(d, "/") < 2 && d != "/usr" && d != "/opt" ||
			own != "" && inside(own, d) || inside("/home", d) || filepath.Dir(d) == "/home" ||
			filepath.Base(d) == ".local" || cargoHome(d)
		if wide {
			list = append(list, others...)
		} else {
			list = append(list, d)
		}
	}
	return slices.Compact(list)
}

// cargoHome reports whether a folder is what CARGO_HOME names: beside the programs
// in its bin it has the keys of registries. A toolchain has bin/cargo, too, and lib.
func cargoHome(dir string) bool {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	return filepath.Base(dir) == ".cargo" || slices.ContainsFunc([]string{"credentials.toml", "credentials", ".crates.toml"}, has) ||
		(has("bin/rustup") || has("bin/cargo")) && !has("lib")
}

// shebang returns the programs that a script names in its first line.
func shebang(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	line, _ := bufio.NewReaderSize(f, 512).ReadSlice('\n')
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	words := strings.Fields(string(rest))
	if len(words) > 0 && filepath.Base(words[0]) == "env" {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") || strings.Contains(w, "=") })
	}
	if len(words) == 0 {
		return nil
	}
	return words[:1]
}
