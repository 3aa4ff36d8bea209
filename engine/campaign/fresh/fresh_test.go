package fresh_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"atoll/engine/campaign/fresh"
)

// moduleCache knows three modules: one with a list and some sources, one that was only
// downloaded, and one with a retraction.
func moduleCache() *fresh.ModuleCache {
	day := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), ModTime: day} }
	return fresh.NewModuleCache(fstest.MapFS{
		"cache/download/example.com/!listed/@v/list":       file("v1.0.0\nv1.1.0\nv1.2.0\nv1.3.0-rc.1\n"),
		"cache/download/example.com/!listed/@v/v1.0.0.zip": file(""),
		"cache/download/example.com/!listed/@v/v1.1.0.zip": file(""),
		"cache/download/example.com/used/@v/v0.4.0.info":   file("{}"),
		"cache/download/example.com/newer/@v/v0.4.0.info":  file("{}"),
		"cache/download/example.com/newer/@v/v0.5.0.mod":   file("module example.com/newer\n"),
		"cache/download/example.com/regret/@v/list":        file("v1.0.0\nv1.1.0\nv1.2.0\n"),
		"cache/download/example.com/regret/@v/v1.2.0.mod":  file("module example.com/regret\n\nretract [v1.1.0, v1.2.0]\n"),
	})
}

const goMod = `module example.com/m

go 1.22

require (
	example.com/Listed v1.0.0
	example.com/far v1.0.0 // indirect
	example.com/newer v0.4.0
	example.com/regret v1.0.0
	example.com/swapped v1.0.0
	example.com/used v0.4.0
)

replace example.com/swapped => ../swapped
`

func TestWhatTheModuleCacheKnowsOfGoModules(t *testing.T) {
	list, bad := fresh.Read([]fresh.Source{{Path: "sub/go.mod", Data: []byte(goMod)}}, moduleCache())
	if len(bad) != 0 {
		t.Fatalf("it cannot read %q", bad)
	}
	for _, c := range []struct {
		name string
		want fresh.Dependency
	}{
		{"a release above it is known, and the source of one between", fresh.Dependency{Name: "example.com/Listed", Line: 6, Version: "v1.0.0", Newest: "v1.2.0", Where: "the module cache", Listed: "2026-03-04", Behind: 2, Ready: "v1.1.0", Left: 1}},
		{"an indirect one that is not there", fresh.Dependency{Name: "example.com/far", Line: 7, Indirect: true, Version: "v1.0.0", Unknown: fresh.NoSuch}},
		{"a newer one that was only downloaded", fresh.Dependency{Name: "example.com/newer", Line: 8, Version: "v0.4.0", Newest: "v0.5.0", Where: "the module cache", Behind: 1}},
		{"newer ones that are retracted", fresh.Dependency{Name: "example.com/regret", Line: 9, Version: "v1.0.0", Newest: "v1.0.0", Where: "the module cache", Listed: "2026-03-04"}},
		{"one that is replaced", fresh.Dependency{Name: "example.com/swapped", Line: 10, Version: "v1.0.0", Unknown: fresh.Replaced}},
		{"one without a list", fresh.Dependency{Name: "example.com/used", Line: 11, Version: "v0.4.0", Unknown: fresh.NoList}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Manifest, c.want.Ecosystem = "sub/go.mod", fresh.Go
			if !slices.Contains(list, c.want) {
				t.Errorf("got %+v\nwant among them %+v", list, c.want)
			}
		})
	}
}

func TestWhatATreeKnowsOfItsOwnPackages(t *testing.T) {
	sources := []fresh.Source{
		{Path: "package.json", Data: []byte(`{"dependencies": {"lodash": "^4.17.0", "left-pad": "1.3.0"}, "devDependencies": {"link": "file:../link"}}`)},
		{Path: "package-lock.json", Data: []byte(`{"lockfileVersion": 3, "packages": {"": {"version": "9.9.9"}, "node_modules/lodash": {"version": "4.17.15"}, "node_modules/left-pad": {"version": "1.3.0"},
			"node_modules/a/node_modules/lodash": {"version": "4.17.21"}, "packages/w/node_modules/left-pad": {"version": "1.2.0"}}}`)},
		{Path: "packages/w/package.json", Data: []byte(`{"dependencies": {"left-pad": "^1.0.0"}}`)},
		{Path: "old/package-lock.json", Data: []byte(`{"lockfileVersion": 1, "dependencies": {"lodash": {"version": "4.17.20", "dependencies": {"left-pad": {"version": "1.1.0"}}}}}`)},
		{Path: "requirements.txt", Data: []byte("# what runs\nnumpy==1.26.0  # numbers\nRequests[socks]>=2.0 ; python_version > '3'\n-r more.txt\nhttps://example.com/x.whl\n")},
		{Path: "requirements-dev.txt", Data: []byte("NumPy == 1.26.4 --hash=sha256:00\nrich===13.0\n")},
		{Path: "pyproject.toml", Data: []byte("[project]\ndependencies = [\n  \"requests>=2\",\n]\n[tool.poetry.dependencies]\npython = \"^3.10\"\nrich = {version = \"13.1.0\", extras = [\"x\"]}\n")},
		{Path: "svc/poetry.lock", Data: []byte("[[package]]\nname = \"requests\"\nversion = \"2.31.0\"\n[[package]]\nname = \"rich\"\nversion = \"13.7.1rc1\"\n")},
		{Path: "svc/pyproject.toml", Data: []byte("[project]\ndependencies = [\"requests\"]\n")},
		{Path: "node_modules/x/package.json", Data: []byte(`{"dependencies": {"y": "1.0.0"}}`)},
	}
	list, bad := fresh.Read(sources, fresh.Nothing{})
	if len(bad) != 0 {
		t.Fatalf("it cannot read %q", bad)
	}
	got := map[string]string{}
	for _, d := range list {
		got[d.Place()] = strings.Join([]string{d.Version, d.Newest, d.Where, string(d.Unknown)}, "|")
	}
	for _, c := range []struct{ name, place, want string }{
		{"the lock file says what a range came to, and another part of it has a newer one", "package.json:lodash", "4.17.15|4.17.21|package-lock.json|"},
		{"nothing newer in the tree is no knowledge", "package.json:left-pad", "1.3.0|||" + string(fresh.NotListed)},
		{"a workspace has its own", "packages/w/package.json:left-pad", "1.2.0|1.3.0|package-lock.json|"},
		{"a folder has no version", "package.json:link", "|||" + string(fresh.NoVersion)},
		{"another list of requirements has a newer one", "requirements.txt:numpy", "1.26.0|1.26.4|requirements-dev.txt|"},
		{"bounds alone fix nothing", "requirements.txt:requests", "|||" + string(fresh.NoVersion)},
		{"a table of Poetry fixes a version", "requirements-dev.txt:rich", "13.0|13.1.0|pyproject.toml|"},
		{"pre-releases are no releases", "pyproject.toml:rich", "13.1.0|||" + string(fresh.NotListed)},
		{"the lock file beside it", "svc/pyproject.toml:requests", "2.31.0|||" + string(fresh.NotListed)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got[c.place] != c.want {
				t.Errorf("%s is %q, want %q", c.place, got[c.place], c.want)
			}
		})
	}
	if _, there := got["node_modules/x/package.json:y"]; there {
		t.Error("what a package brings along counts as the tree's own")
	}
}

func TestManifestsThatCannotBeReadAreTold(t *testing.T) {
	list, bad := fresh.Read([]fresh.Source{
		{Path: "go.mod", Data: []byte("modul x\n")}, {Path: "package.json", Data: []byte("{")}, {Path: "pyproject.toml", Data: []byte("= 1")},
	}, moduleCache())
	if len(list) != 0 || len(bad) != 3 {
		t.Errorf("got %v and %q", list, bad)
	}
}

func TestWithoutAModuleCacheNothingIsSaidOfGoModules(t *testing.T) {
	list, _ := fresh.Read([]fresh.Source{{Path: "go.mod", Data: []byte("module m\n\nrequire example.com/x v1.0.0\n")}}, fresh.Nothing{})
	if len(list) != 1 || list[0].Unknown != fresh.NoCache {
		t.Errorf("got %+v", list)
	}
}

func TestTheModuleCacheIsFoundAsGoFindsIt(t *testing.T) {
	for _, c := range []struct {
		name, want string
		env        map[string]string
	}{
		{"by its own variable", "/c", map[string]string{"GOMODCACHE": "/c", "GOPATH": "/p", "HOME": "/h"}},
		{"in the first folder of GOPATH", "/p/pkg/mod", map[string]string{"GOPATH": "/p:/q", "HOME": "/h"}},
		{"below the home", "/h/go/pkg/mod", map[string]string{"HOME": "/h"}},
		{"nowhere", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fresh.ModuleCacheDir(func(k string) string { return c.env[k] }); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
