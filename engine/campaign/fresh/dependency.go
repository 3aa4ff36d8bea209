package fresh

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Ecosystem is where versions of a dependency come from.
type Ecosystem string

// The ecosystems whose manifests are read.
const (
	Go     Ecosystem = "go"
	Node   Ecosystem = "npm"
	Python Ecosystem = "python"
)

// Source is one file of the tree.
type Source struct {
	Path string // with slashes, relative to the top of the tree
	Data []byte
}

// Dependency is one entry of a manifest. Versions are written as their ecosystem does.
type Dependency struct {
	Manifest  string    `json:"manifest"`
	Line      int       `json:"line,omitempty"` // from 1; 0: not known
	Ecosystem Ecosystem `json:"ecosystem"`
	Name      string    `json:"name"`
	Indirect  bool      `json:"indirect,omitempty"` // of Go: another module needs it
	Version   string    `json:"version,omitempty"`  // that the tree fixes, by a lock file where it has one; "": it fixes none
	Newest    string    `json:"newest,omitempty"`   // release that is known; "": none is
	Where     string    `json:"where,omitempty"`    // Newest is known from: the module cache, or a file of the tree
	Listed    string    `json:"listed,omitempty"`   // day on which the module cache's list was written, 2026-01-31
	Behind    int       `json:"behind"`             // releases known that are newer than Version
	// Ready is the newest release whose source lies in the module cache, so that it can be
	// built without a network, and Left how many newer ones there are; "": none that is newer
	// than Version.
	Ready   string `json:"ready,omitempty"`
	Left    int    `json:"left,omitempty"`
	Unknown Reason `json:"unknown,omitempty"` // why nothing can be said; "": something can
}

// Reason is why nothing can be said of a dependency, in words.
type Reason string

// The reasons.
const (
	NoCache   Reason = "there is no module cache here"
	NoList    Reason = "the module cache has no list of its versions, which go list -m -u all would fetch"
	NoSuch    Reason = "the module cache does not know the version that go.mod asks for"
	Replaced  Reason = "go.mod replaces it"
	NoVersion Reason = "the tree fixes no version of it"
	NoRelease Reason = "its version is no release that can be compared"
	NotListed Reason = "no file here lists its versions, and the tree has no newer one elsewhere"
)

// Reasons lists them all.
func Reasons() []Reason {
	return []Reason{NoCache, NoList, NoSuch, Replaced, NoVersion, NoRelease, NotListed}
}

// Place names a dependency in a figure: go.mod:golang.org/x/mod.
func (d *Dependency) Place() string { return d.Manifest + ":" + d.Name }

// Reads reports whether a file of this name says something about dependencies.
func Reads(file string) bool {
	for _, part := range strings.Split(path.Dir(file), "/") {
		if part == "node_modules" || part == "vendor" || part == "testdata" || strings.HasPrefix(part, ".") && part != "." {
			return false
		}
	}
	return readerOf(file) != nil
}

// reader takes what a file says into a reading. What cannot be read is an error in
// words for people.
type reader func(r *reading, s Source) error

func readerOf(file string) reader {
	switch base := path.Base(file); {
	case base == "go.mod":
		return (*reading).goMod
	case base == "package.json":
		return (*reading).packageJSON
	case base == "package-lock.json", base == "npm-shrinkwrap.json":
		return (*reading).packageLock
	case base == "pyproject.toml":
		return (*reading).pyproject
	case base == "poetry.lock", base == "uv.lock", base == "pdm.lock":
		return (*reading).pythonLock
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return (*reading).requirements
	}
	return nil
}

// pin is a version of a package that some file of the tree fixes.
type pin struct{ version, file string }

// key names a package across files.
type key struct {
	ecosystem Ecosystem
	name      string
}

// reading is what the files of a tree say.
type reading struct {
	registry Registry
	list     []Dependency
	pins     map[key][]pin
	locks    map[string]map[string]string // versions by name, by the folder of the lock file and the ecosystem
}

// Read returns the dependencies of all manifests among the files, by manifest and name, and
// which files could not be read, with the reason.
func Read(sources []Source, registry Registry) (list []Dependency, bad []string) {
	r := &reading{registry: registry, pins: map[key][]pin{}, locks: map[string]map[string]string{}}
	sources = slices.Clone(sources)
	slices.SortFunc(sources, func(a, b Source) int { return cmp.Compare(a.Path, b.Path) })
	for _, s := range sources {
		if !Reads(s.Path) {
			continue
		}
		if err := readerOf(s.Path)(r, s); err != nil {
			bad = append(bad, s.Path+": "+err.Error())
		}
	}
	for i := range r.list {
		if d := &r.list[i]; d.Ecosystem != Go {
			r.compare(d)
		}
	}
	slices.SortStableFunc(r.list, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(a.Manifest, b.Manifest), cmp.Compare(a.Name, b.Name))
	})
	return r.list, bad
}

func (r *reading) pin(e Ecosystem, name, version, file string) {
	if numbers(version) != nil {
		r.pins[key{e, name}] = append(r.pins[key{e, name}], pin{version, file})
	}
}

// lock keeps the version that a lock file fixes for the manifests of its own folder, or of
// one below it.
func (r *reading) lock(e Ecosystem, name, version, file, below string) {
	at := string(e) + " " + path.Join(path.Dir(file), below)
	if r.locks[at] == nil {
		r.locks[at] = map[string]string{}
	}
	r.locks[at][name] = version
	r.pin(e, name, version, file)
}

// locked is the version that a lock file fixes for a folder: its own one, or that of the
// nearest folder above.
func (r *reading) locked(e Ecosystem, name, dir string) string {
	for {
		if v := r.locks[string(e)+" "+dir][name]; v != "" || dir == "." {
			return v
		}
		dir = path.Dir(dir)
	}
}

// compare holds a dependency of npm or Python against the rest of the tree.
func (r *reading) compare(d *Dependency) {
	if v := r.locked(d.Ecosystem, d.Name, path.Dir(d.Manifest)); v != "" {
		d.Version = v
	}
	if d.Version == "" {
		d.Unknown = NoVersion
		return
	}
	if numbers(d.Version) == nil {
		d.Unknown = NoRelease
		return
	}
	newer := map[string]string{}
	for _, p := range r.pins[key{d.Ecosystem, d.Name}] {
		if compareNumbers(p.version, d.Version) > 0 && newer[p.version] == "" {
			newer[p.version] = p.file
		}
	}
	if len(newer) == 0 {
		d.Unknown = NotListed
		return
	}
	for v, file := range newer {
		if d.Newest == "" || compareNumbers(v, d.Newest) > 0 {
			d.Newest, d.Where = v, file
		}
	}
	d.Behind = len(newer)
}
