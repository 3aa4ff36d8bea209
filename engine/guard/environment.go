package guard

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// binDir is where binaries of a tree are inside the sandbox.
const binDir = "/atoll/guard"

// surroundings are what programs of one language need besides the tree.
type surroundings struct {
	env    []string
	mounts []sandbox.Mount
	caches []sandbox.Mount
}

// surround finds a program and makes the environment of processes that need it.
func (g *Guard) surround(ctx context.Context, programs ...string) surroundings {
	get := func(name string) string { v, _ := g.o.LookupEnv(name); return v }
	s := surroundings{}
	search := get("PATH")
	if f, ok := g.box.(Finder); ok {
		mounts, dirs := f.Interpreters(ctx, programs...)
		s.mounts = mounts
		search = strings.Join(append(slices.Clone(dirs), search), string(filepath.ListSeparator))
	}
	s.env = []string{
		"PATH=" + search, "HOME=" + sandbox.HomeDir, "TMPDIR=" + sandbox.TmpDir, "LC_ALL=C.UTF-8", "LANG=C.UTF-8", "TZ=UTC", "NO_COLOR=1",
		// One order of sets and one sequence of unseeded random numbers.
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "GODEBUG=randautoseed=0,randseednop=0",
		"GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local", "GOPROXY=off", "GOSUMDB=off", "GO_TELEMETRY_CHILD=2",
	}
	home := get("HOME")
	cache := func(name, host, at string) {
		if host == "" || !filepath.IsAbs(host) {
			return
		}
		at = sandbox.CacheDir + "/" + at
		s.caches = append(s.caches, sandbox.Mount{Host: host, At: at, Write: true, Optional: true})
		s.env = append(s.env, name+"="+at)
	}
	if slices.Contains(programs, "go") {
		goPath, _, _ := strings.Cut(get("GOPATH"), string(filepath.ListSeparator))
		cache("GOCACHE", first(get("GOCACHE"), join(get("XDG_CACHE_HOME"), "go-build"), join(home, ".cache", "go-build")), "go-build")
		cache("GOMODCACHE", first(get("GOMODCACHE"), join(goPath, "pkg", "mod"), join(home, "go", "pkg", "mod")), "go-mod")
	}
	return s
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func join(base string, rest ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, rest...)...)
}

// spec is one command in a tree with more files on top. host is mounted as
// binDir, to be written when write is set.
func (c *check) spec(v *view, s surroundings, args []string, dir string, more []record.Change, host string, write bool) sandbox.Spec {
	spec := sandbox.Spec{
		Args: args, Dir: dir, Base: v.tree.Base, Delta: v.with(more...), Env: slices.Clone(s.env),
		Mounts: slices.Clone(s.mounts), Caches: s.caches,
		Limits: sandbox.Limits{Memory: c.g.o.Memory, Procs: 1024, Output: 4 << 20, Disk: 2 << 30},
	}
	if host != "" {
		spec.Mounts = append(spec.Mounts, sandbox.Mount{Host: host, At: binDir, Write: write})
	}
	return spec
}
