package survey

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"atoll/store/record"
)

// manifest is what package.json says that init asks for.
type manifest struct {
	Name            string            `json:"name"`
	Main            string            `json:"main"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
}

// manifest reads the package.json of a folder; that of none is empty.
func (l *Lab) manifest(folder string) (m manifest) {
	if text, err := l.Read(path.Join(folder, "package.json")); err != nil || json.Unmarshal(text, &m) != nil {
		return manifest{}
	}
	return m
}

// rivals are the cases of a suite that are named as other packages, and those named as this one.
func (l *Lab) rivals(program string, metrics []record.Metric) (others, own []string) {
	here, beside := l.manifest("."), l.manifest(path.Dir(program))
	known := func(name string) bool {
		for _, list := range []map[string]string{here.Dependencies, here.DevDependencies, beside.Dependencies, beside.DevDependencies} {
			if _, found := list[name]; found {
				return true
			}
		}
		return false
	}
	for _, m := range metrics[min(1, len(metrics)):] { // the first is the mean
		words := strings.Fields(strings.TrimSuffix(m.Name, " "+m.Unit))
		switch {
		case here.Name != "" && slices.Contains(words, here.Name):
			own = append(own, m.Name)
		case slices.ContainsFunc(words, known):
			others = append(others, m.Name)
		}
	}
	return others, own
}

// suiteObjective says what the mean of a suite counts. Where it counts other packages, which no candidate makes faster, the
// one case that is named as this package is the objective.
func suiteObjective(s *survey, metrics []record.Metric) {
	others, own := s.Lab.rivals(s.d.Found, metrics)
	switch {
	case len(others) == 0 || s.m.Objective != "" && s.m.Objective != metrics[0].Name:
		return
	case len(own) == 1:
		s.m.Objective = own[0]
		note(s, fmt.Sprintf("%q alone counts: the mean of all has cases of other packages, which no candidate makes faster: %s", own[0], someOf(others, 6)))
	default:
		note(s, fmt.Sprintf("CHECK evaluator.objective: %q counts cases of other packages, which no candidate makes faster: %s; name a case of this one, or take the others out of the benchmark", metrics[0].Name, someOf(others, 6)))
	}
}

// stem is the name of a file up to its first dot.
var stem = regexp.MustCompile(`^[^.]*`)

// template is the committed file that the build of a project of JavaScript makes its main file of, where that is in
// another language and no source has such a name; "" for none.
func (l *Lab) template(has func(string) bool) (of, made string) {
	m := l.manifest(".")
	if made = path.Clean(m.Main); m.Main == "" || m.Scripts["build"] == "" || slices.Contains(l.Files, made) || slices.Contains(l.Files, made+".js") {
		return "", ""
	}
	for _, f := range l.Files {
		base := path.Base(f)
		if stem.FindString(base) != stem.FindString(path.Base(made)) || strings.HasSuffix(f, ".d.ts") || benchFolder.MatchString(path.Base(path.Dir(f))) {
			continue
		}
		if has(f) {
			return "", ""
		}
		if templates.MatchString(base) {
			of = f
		}
	}
	return of, made
}

// templates finds files of which others are made.
var templates = regexp.MustCompile(`(?i)\.(?:jst|dot|ejs|hbs|mustache|tmpl|tpl|in|pegjs|peggy|jison|ne|re)$`)

// fromTemplate has candidates change the template that the sources are made of.
func fromTemplate(s *survey) {
	of, made := s.Lab.template(s.sources.has)
	if of == "" {
		return
	}
	s.d.Scope, s.Look.Scope, s.sources.scope = []string{escape(of)}, []string{escape(of)}, []string{escape(of)}
	note(s, fmt.Sprintf("CHECK gate.scope: %s is not committed: `npm run build` makes it of %s, so candidates may change that alone, and what measures has to build it first (npm run --silent build && ...)", made, of))
}
