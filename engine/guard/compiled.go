package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// A sandbox forgets what the compiler left in the cache of Go: what a candidate wrote there is
// not to be believed. So the probe and all that the root's package imports would be compiled for
// every comparison. They are compiled once for a tree, alone, without any of a candidate's code, and what
// that adds to the cache is laid into it before each build.

// compiledName is the file of it beside the binaries, kept that file in a sandbox.
const (
	compiledName = "compiled.tar"
	kept         = binDir + "/" + compiledName
)

// mostCompiled bounds it, in bytes: what is larger is compiled each time.
const mostCompiled = 96 << 20

// keeping runs a command and keeps what it adds to the cache of Go. Where a tool is
// missing nothing is kept.
const keeping = `
here=$PWD
list() { cd "$GOCACHE" && find . -type f | LC_ALL=C sort; cd "$here"; }
[ -n "$GOCACHE" ] || exit 0
list >"$TMPDIR/was"
"$@"
list | LC_ALL=C comm -13 "$TMPDIR/was" - >"$TMPDIR/new"
tar -cf ` + kept + ` -C "$GOCACHE" -T "$TMPDIR/new" || rm -f ` + kept + `
exit 0
`

// laying runs a command with what was kept in the cache.
const laying = `[ -n "$GOCACHE" ] && tar -xf ` + kept + ` -C "$GOCACHE" 2>/dev/null; exec "$@"`

// compiler runs the words of a command of Go in a script. What is made once for all checks runs in the
// sandbox itself, which counts for none of them.
func (m *goCheck) compiler(ctx context.Context, box Runner, v *view, p *goPackage, args []string, script string, files []record.Change, host string) (sandbox.Result, error) {
	spec := m.spec(v, m.env, append([]string{"sh", "-c", script, "sh"}, args...), p.dir, files, host, true)
	within(&spec, buildWork)
	spec.Limits.Memory = max(m.g.o.Memory, 3<<30)
	res, err := box.Run(ctx, spec)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// precompile lays what the compiler makes of the probe and of what a package of the root imports into a folder
// from which binaries are built, once for the tree. A tree that has no name is compiled as it is asked.
func (m *goCheck) precompile(ctx context.Context, p *goPackage, hosts ...string) error {
	id := m.root.tree.ID
	if id == "" {
		return nil
	}
	data, err := m.g.compiled.of(ctx, id+"\x00"+p.dir, func() ([]byte, error) { return m.keep(ctx, p, hosts[0]) })
	if err != nil || len(data) == 0 {
		return err
	}
	for _, host := range hosts {
		if err := os.WriteFile(filepath.Join(host, compiledName), data, 0o644); err != nil {
			return fmt.Errorf("lay what was compiled: %w", err)
		}
	}
	return nil
}

// keep compiles the root's package with an empty bridge.
func (m *goCheck) keep(ctx context.Context, p *goPackage, host string) ([]byte, error) {
	files, err := m.harness(m.root, p, goAPI{}, nil, false, nil)
	if err != nil {
		return nil, err
	}
	args := []string{"go", "test", "-c", "-vet=off", "-o", "/dev/null", "-cover", "-covermode=set", "-coverpkg=" + p.path, "."}
	if _, err := m.compiler(ctx, m.g.box, m.root, p, args, keeping, files, host); err != nil {
		return nil, err
	}
	name := filepath.Join(host, compiledName)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []byte{}, nil
	case err != nil:
		return nil, fmt.Errorf("read what was compiled: %w", err)
	case info.Size() > mostCompiled || !info.Mode().IsRegular():
		return []byte{}, os.Remove(name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read what was compiled: %w", err)
	}
	return data, nil
}
