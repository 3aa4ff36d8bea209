package audit_test

import (
	"errors"
	"strings"
	"testing"

	"atoll/engine/campaign/audit"
	"atoll/engine/campaign/fresh"
)

// shelf is a registry of one module, of which the source of v1.1.0 lies here.
type shelf struct{}

func (shelf) Versions(path string) fresh.Known {
	if path != "example.com/a" && path != "example.com/b" {
		return fresh.Known{}
	}
	return fresh.Known{
		Releases: []string{"v1.0.0", "v1.1.0", "v1.2.0"}, All: map[string]bool{"v1.0.0": true, "v1.1.0": true, "v1.2.0": true},
		Ready: map[string]bool{"v1.0.0": true, "v1.1.0": true}, Listed: "2026-03-04",
	}
}

// requires is the report of a tree with one go.mod.
func requires(text string) *audit.Report {
	r := audit.Run(nil)
	r.Look([]fresh.Source{{Path: "go.mod", Data: []byte("module m\n\n" + text)}}, shelf{})
	return &r
}

func TestADependencyThatIsBehindIsAFindingWithARemedy(t *testing.T) {
	r := requires("require (\n\texample.com/a v1.0.0\n\texample.com/other v0.1.0\n\texample.com/b v1.0.0 // indirect\n)\n")
	found := r.Findings(audit.Bounds{}, nil)
	if len(found) != 1 {
		t.Fatalf("there are %d findings, want the one of the direct dependency: %+v", len(found), found)
	}
	f := found[0]
	if got, want := f.String(), "go.mod:4: p1 example.com/a is at v1.0.0, and v1.2.0 is known (the module cache, list of 2026-03-04); v1.1.0 lies here"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if f.Remedy == nil || f.Remedy.Command != "go get example.com/a@v1.1.0" || f.Value != 2 || f.Bound != 1 || f.OutOfReach() {
		t.Errorf("its remedy is %+v, from %g to %g", f.Remedy, f.Value, f.Bound)
	}
	if got, want := r.Freshness(), "dependencies: 2 asked for; 1 behind, 0 at the newest release known here; of 1 nothing can be said: "+string(fresh.NoSuch); got != want {
		t.Errorf("in sum %q, want %q", got, want)
	}
	if got := requires("require example.com/a v1.1.0\n").Findings(audit.Bounds{}, nil); len(got) != 1 || !got[0].OutOfReach() {
		t.Errorf("what takes a network to mend is %+v", got)
	}
}

func TestHowFarADependencyIsBehind(t *testing.T) {
	r := requires("require (\n\texample.com/a v1.0.0\n\texample.com/other v0.1.0\n)\n")
	if v, err := r.Figure("behind go.mod:example.com/a"); v != 2 || err != nil {
		t.Errorf("got %g, %v", v, err)
	}
	for _, c := range []struct {
		name, figure, says string
		noPlace            bool
	}{
		{"no dependency", "behind go.mod", "is a figure of a dependency", false},
		{"one that is not asked for", "behind go.mod:example.com/c", "it asks for example.com/a", true},
		{"another manifest", "behind sub/go.mod:example.com/a", "no manifest sub/go.mod", true},
		{"one of which nothing is known", "behind go.mod:example.com/other", string(fresh.NoSuch), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := r.Figure(c.figure)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want it to say %q", err, c.says)
			}
			if got := errors.Is(err, audit.ErrNoPlace); got != c.noPlace {
				t.Errorf("that there is no such place: %t, want %t", got, c.noPlace)
			}
		})
	}
}

func TestARaisedDependencyIsJudgedAgainstTheRoot(t *testing.T) {
	root := requires("require (\n\texample.com/a v1.0.0\n\texample.com/b v1.1.0\n)\n")
	within := audit.Condition{Figure: "behind go.mod:example.com/a", Bound: 1}
	for _, c := range []struct {
		name, text string
		holds      bool
		says       string
	}{
		{"raised", "require (\n\texample.com/a v1.1.0\n\texample.com/b v1.1.0\n)\n", true, "is 1"},
		{"not raised", "require (\n\texample.com/a v1.0.0\n\texample.com/b v1.1.0\n)\n", false, "is 2"},
		{"given up", "require example.com/b v1.1.0\n", true, "is gone"},
		{"to a version that nobody knows", "require (\n\texample.com/a v1.9.0\n\texample.com/b v1.1.0\n)\n", false, string(fresh.NoSuch)},
		{"replaced by a folder", "require (\n\texample.com/a v1.0.0\n\texample.com/b v1.1.0\n)\n\nreplace example.com/a => ./a\n", false, string(fresh.Replaced)},
		{"another one lowered for it", "require (\n\texample.com/a v1.1.0\n\texample.com/b v1.0.0\n)\n", false, "example.com/b grew worse, from 1 to 2"},
		{"the manifest made unreadable", "requiring example.com/a\n", false, "go.mod"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ok, detail := audit.Judge(root, requires(c.text), within)
			if ok != c.holds || !strings.Contains(detail, c.says) {
				t.Errorf("it holds: %t (%s), want %t and %q", ok, detail, c.holds, c.says)
			}
		})
	}
}
