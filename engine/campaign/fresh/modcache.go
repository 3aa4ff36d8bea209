package fresh

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// ModuleCache is Go's module cache as a [Registry]. It only reads. It is not safe for
// concurrent use, and remembers what it read: one of a run says the same throughout.
type ModuleCache struct {
	root fs.FS
	seen map[string]Known
}

// NewModuleCache returns a registry over the folder that `go env GOMODCACHE` names.
func NewModuleCache(root fs.FS) *ModuleCache {
	return &ModuleCache{root: root, seen: map[string]Known{}}
}

// ModuleCacheDir is where the module cache lies, by the variables of an environment; "" = it
// cannot be told.
func ModuleCacheDir(getenv func(string) string) string {
	if dir := getenv("GOMODCACHE"); filepath.IsAbs(dir) {
		return dir
	}
	goPath, _, _ := strings.Cut(getenv("GOPATH"), string(filepath.ListSeparator))
	if home := getenv("HOME"); goPath == "" && filepath.IsAbs(home) {
		goPath = filepath.Join(home, "go")
	}
	if !filepath.IsAbs(goPath) {
		return ""
	}
	return filepath.Join(goPath, "pkg", "mod")
}

// Versions implements [Registry].
func (c *ModuleCache) Versions(modulePath string) Known {
	if k, ok := c.seen[modulePath]; ok {
		return k
	}
	k := c.read(modulePath)
	c.seen[modulePath] = k
	return k
}

// read collects what lies in cache/download/MODULE/@v: the file list, and a file each for
// what was downloaded (https://go.dev/ref/mod#module-cache).
func (c *ModuleCache) read(modulePath string) Known {
	k := Known{All: map[string]bool{}, Ready: map[string]bool{}}
	escaped, err := module.EscapePath(modulePath)
	if err != nil {
		return k
	}
	dir := path.Join("cache/download", escaped, "@v")
	if data, err := fs.ReadFile(c.root, path.Join(dir, "list")); err == nil && len(bytes.TrimSpace(data)) > 0 {
		if info, err := fs.Stat(c.root, path.Join(dir, "list")); err == nil {
			k.Listed = info.ModTime().UTC().Format("2006-01-02")
		}
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			if v, _, _ := strings.Cut(lines.Text(), " "); semver.IsValid(v) {
				k.All[v] = true
			}
		}
	}
	entries, err := fs.ReadDir(c.root, dir)
	if err != nil {
		return k
	}
	for _, e := range entries {
		ext := path.Ext(e.Name())
		v, err := module.UnescapeVersion(strings.TrimSuffix(e.Name(), ext))
		if err != nil || !semver.IsValid(v) || module.CanonicalVersion(v) != v {
			continue
		}
		switch ext {
		case ".info", ".mod":
			k.All[v] = true
		case ".zip":
			k.All[v], k.Ready[v] = true, true
		}
	}
	k.Releases = c.releases(dir, modulePath, k.All)
	return k
}

// releases are the versions that are neither pre-releases nor retracted by the newest one.
func (c *ModuleCache) releases(dir, modulePath string, all map[string]bool) []string {
	var out []string
	newest := ""
	for v := range all {
		if semver.Prerelease(v) != "" || semver.Build(v) == "+incompatible" {
			continue
		}
		out = append(out, v)
		if newest == "" || semver.Compare(v, newest) > 0 {
			newest = v
		}
	}
	semver.Sort(out)
	escaped, err := module.EscapeVersion(newest)
	if err != nil {
		return out
	}
	data, err := fs.ReadFile(c.root, path.Join(dir, escaped+".mod"))
	if err != nil {
		return out
	}
	f, err := modfile.ParseLax(modulePath, data, nil)
	if err != nil {
		return out
	}
	kept := out[:0]
	for _, v := range out {
		if !retracted(f, v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func retracted(f *modfile.File, v string) bool {
	for _, r := range f.Retract {
		if semver.Compare(r.Low, v) <= 0 && semver.Compare(v, r.High) <= 0 {
			return true
		}
	}
	return false
}
