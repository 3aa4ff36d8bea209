package audit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/campaign/fresh"
)

// Look adds what the manifests of a tree say about its dependencies. A nil registry knows no
// Go module.
func (r *Report) Look(manifests []fresh.Source, registry fresh.Registry) {
	r.Dependencies, r.Unreadable = fresh.Read(manifests, registry)
}

// behind is how many newer releases of a dependency are known. One of which nothing can
// be said is an error that is no [ErrNoPlace].
func (r *Report) behind(place string) (float64, error) {
	manifest, _, named := strings.Cut(place, ":")
	if !named {
		return 0, fmt.Errorf("%s is a figure of a dependency: write %s go.mod:MODULE", Behind, Behind)
	}
	var names []string
	for i := range r.Dependencies {
		d := &r.Dependencies[i]
		switch {
		case d.Place() != place:
			if d.Manifest == manifest {
				names = append(names, d.Name)
			}
		case d.Unknown != "":
			return 0, fmt.Errorf("it is not known whether %s is behind: %s", clean.Line(d.Name), d.Unknown)
		default:
			return float64(d.Behind), nil
		}
	}
	for _, bad := range r.Unreadable {
		if strings.HasPrefix(bad, manifest+": ") {
			return 0, fmt.Errorf("%w: %s", ErrNoPlace, clean.Line(bad))
		}
	}
	_, name, _ := strings.Cut(place, ":")
	if len(names) == 0 {
		return 0, fmt.Errorf("%w: the tree has no manifest %s with dependencies", ErrNoPlace, manifest)
	}
	return 0, fmt.Errorf("%w: %s does not ask for %s; it asks for %s", ErrNoPlace, manifest, name, near(name, names))
}

// staleFinding is a direct dependency of which newer releases are known.
func staleFinding(d *fresh.Dependency) (Finding, bool) {
	if d.Indirect || d.Behind == 0 {
		return Finding{}, false
	}
	figure := Behind + " " + d.Place()
	g := Finding{
		Key: "audit:" + Behind + ":" + d.Place(), Path: d.Manifest, Line: d.Line, Figure: figure, Value: float64(d.Behind),
		Over: []Measure{{Figure: figure, Value: float64(d.Behind)}}, Priority: 1,
	}
	from := d.Where
	if d.Listed != "" {
		from += ", list of " + d.Listed
	}
	g.Text = fmt.Sprintf("Raise %s - %s is at %s, and %s is known (%s)", d.Manifest, d.Name, d.Version, d.Newest, from)
	if d.Ecosystem == fresh.Go && d.Ready != "" {
		g.Bound, g.Key = float64(d.Left), g.Key+"@"+d.Ready // a later release is another task
		g.Over[0].Bound = g.Bound
		g.Remedy = &Remedy{
			Command: inFolder(d.Manifest, "go get "+d.Name+"@"+d.Ready), Proof: inFolder(d.Manifest, "go vet ./... && go test ./..."),
			Scope: []string{d.Manifest, path.Join(path.Dir(d.Manifest), "go.sum")},
		}
		if d.Ready != d.Newest {
			g.Text += "; " + d.Ready + " lies here"
		}
	}
	return g, true
}

// inFolder is a command in the folder of a file.
func inFolder(file, command string) string {
	dir := path.Dir(file)
	if dir == "." {
		return command
	}
	return "cd '" + strings.ReplaceAll(dir, "'", `'\''`) + "' && " + command
}

// dependencies names one that is new and behind, or further behind than at the root.
func (j *judgement) dependencies() string {
	for i := range j.now.Dependencies {
		d := &j.now.Dependencies[i]
		if d.Place() == j.place || d.Unknown != "" || d.Indirect {
			continue
		}
		k := slices.IndexFunc(j.root.Dependencies, func(o fresh.Dependency) bool { return o.Place() == d.Place() })
		was := 0.0
		if k >= 0 {
			was = float64(j.root.Dependencies[k].Behind)
		}
		if text := j.worse(d.Place(), float64(d.Behind), was, k >= 0); text != "" {
			return text
		}
	}
	return ""
}

// Freshness sums up in words what is known of the direct dependencies: a line for people,
// "" where the tree asks for none.
func (r *Report) Freshness() string {
	n, behind, current := 0, 0, 0
	unknown := map[fresh.Reason]int{}
	for i := range r.Dependencies {
		d := &r.Dependencies[i]
		if d.Indirect {
			continue
		}
		n++
		switch {
		case d.Unknown != "":
			unknown[d.Unknown]++
		case d.Behind > 0:
			behind++
		default:
			current++
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("dependencies: %d asked for; %d behind, %d at the newest release known here", n, behind, current)
	for _, why := range fresh.Reasons() {
		if k := unknown[why]; k > 0 {
			text += fmt.Sprintf("; of %d nothing can be said: %s", k, why)
		}
	}
	return text
}
