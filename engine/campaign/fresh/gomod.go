package fresh

import (
	"fmt"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Registry tells what is known of the versions of a Go module.
type Registry interface {
	// Versions is what is known. What is not there at all is the zero value.
	Versions(modulePath string) Known
}

// Known is what is known of the versions of one module. All are valid semantic versions
// with their v; none is retracted.
type Known struct {
	Releases []string        // no pre-releases and no pseudo-versions
	All      map[string]bool // every version that exists as far as is known, with all kinds
	Ready    map[string]bool // those whose source lies here
	Listed   string          // day of the list of versions, 2026-01-31; "": there is no list
}

// Nothing is a registry that knows no module.
type Nothing struct{}

// Versions implements [Registry].
func (Nothing) Versions(string) Known { return Known{} }

// goMod takes in a go.mod.
func (r *reading) goMod(s Source) error {
	f, err := modfile.Parse(s.Path, s.Data, nil)
	if err != nil {
		return fmt.Errorf("it cannot be read as go.mod: %w", err)
	}
	for _, q := range f.Require {
		d := Dependency{Manifest: s.Path, Line: q.Syntax.Start.Line, Ecosystem: Go, Name: q.Mod.Path, Version: q.Mod.Version, Indirect: q.Indirect}
		if replaced(f, q.Mod) {
			d.Unknown = Replaced
		} else {
			r.askRegistry(&d)
		}
		r.list = append(r.list, d)
	}
	return nil
}

// replaced reports whether another module, or a folder, stands for a module.
func replaced(f *modfile.File, m module.Version) bool {
	return slices.ContainsFunc(f.Replace, func(p *modfile.Replace) bool {
		return p.Old.Path == m.Path && (p.Old.Version == "" || p.Old.Version == m.Version)
	})
}

// askRegistry holds a dependency against what is known of its module.
func (r *reading) askRegistry(d *Dependency) {
	if _, none := r.registry.(Nothing); none || r.registry == nil {
		d.Unknown = NoCache
		return
	}
	known := r.registry.Versions(d.Name)
	d.Listed = known.Listed
	newer := slices.DeleteFunc(slices.Clone(known.Releases), func(v string) bool { return semver.Compare(v, d.Version) <= 0 })
	slices.SortFunc(newer, semver.Compare)
	switch {
	case !known.All[d.Version]:
		d.Unknown = NoSuch
	case len(newer) > 0:
		d.Newest, d.Where, d.Behind = newer[len(newer)-1], "the module cache", len(newer)
		for i, v := range newer {
			if known.Ready[v] {
				d.Ready, d.Left = v, len(newer)-1-i
			}
		}
	case known.Listed == "":
		d.Unknown = NoList
	default:
		d.Newest, d.Where = d.Version, "the module cache"
	}
}
