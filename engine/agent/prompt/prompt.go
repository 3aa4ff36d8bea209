package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// ErrPrompt reports a template that cannot be read, parsed or filled in. Test
// with errors.Is.
var ErrPrompt = errors.New("bad prompt template")

// Prompts are the templates of all roles and operators. They do not change
// once read, so they may be used from many goroutines at once.
type Prompts struct {
	sheets map[string]*sheet
}

// New reads the built-in templates and lays those of dir over them by
// name: dir/coder.tmpl replaces the coder's, and of a file with many entries
// (operators, structural, angles) only the entries that it holds. An empty dir,
// or one that does not exist, leaves the built-in ones. The error is
// ErrPrompt, and names file and line.
func New(dir string) (*Prompts, error) {
	p := &Prompts{sheets: map[string]*sheet{}}
	names, err := fs.Glob(builtin, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := builtin.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := p.add(filepath.Base(name), string(text)); err != nil {
			return nil, err
		}
	}
	if err := p.overlay(dir); err != nil {
		return nil, err
	}
	return p, p.parse()
}

// overlay adds the files of dir.
func (p *Prompts) overlay(dir string) error {
	if dir == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tmpl"))
	if err != nil {
		return fmt.Errorf("%w: look for templates in %q: %w", ErrPrompt, dir, err)
	}
	sort.Strings(files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".tmpl")
		if p.sheets[name] == nil {
			return fmt.Errorf("%w: %s is no prompt of atoll; the names are %s", ErrPrompt, file, strings.Join(p.Names(), ", "))
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%w: read %s: %w", ErrPrompt, file, err)
		}
		if err := p.add(filepath.Base(file), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of all templates, sorted.
func (p *Prompts) Names() []string {
	names := make([]string, 0, len(p.sheets))
	for name := range p.sheets {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Source returns the text of a template as it is in force, to show it or to
// begin an own one from it.
func (p *Prompts) Source(name string) (string, error) {
	s := p.sheets[name]
	if s == nil {
		return "", fmt.Errorf("%w: %q", agent.ErrNoPrompt, name)
	}
	return s.source(), nil
}

// Render fills in the template of a role. The same view gives the same bytes.
// Errors are ErrNoPrompt and ErrPrompt.
func (p *Prompts) Render(role string, v View) (agent.Rendered, error) {
	s := p.sheets[role]
	if s == nil || s.library() {
		return agent.Rendered{}, fmt.Errorf("%w: %q", agent.ErrNoPrompt, role)
	}
	v = v.redacted()
	v.Role = role
	sections, err := p.fill(s, v, 0)
	if err != nil {
		return agent.Rendered{}, err
	}
	if h := height(sections, s, v.Tokens); h > 0 {
		if sections, err = p.fill(s, v, h); err != nil {
			return agent.Rendered{}, err
		}
	}
	out := agent.Rendered{Sections: sections}
	var user []string
	for _, sec := range sections {
		if sec.Name == "system" {
			out.System = sec.Text
			continue
		}
		user = append(user, sec.Text)
	}
	out.User = strings.Join(user, "\n\n") + "\n"
	for _, f := range v.Files {
		if f.redacted || !strings.Contains(out.User, fenceFile(f)) {
			out.Partial = append(out.Partial, f.Path)
		}
	}
	return out, nil
}

// fill makes the sections; those with a budget get at most most tokens (0: no
// such limit).
func (p *Prompts) fill(s *sheet, v View, most int) ([]agent.Section, error) {
	var out []agent.Section
	wide := v.widening(s)
	for _, part := range s.parts {
		f := &filling{View: v, prompts: p, budget: v.budgetOf(part, wide)}
		if most > 0 && f.budget > 0 {
			f.budget = min(f.budget, most)
		}
		text, err := f.run(part)
		if err != nil {
			return nil, err
		}
		if text == "" {
			continue
		}
		// The view is free of secrets already; this is for what templates say.
		sec := fit(agent.Section{Name: part.name, Text: agent.Redact(text, v.secrets...)}, f.budget, part.ends)
		sec.Cut += f.cut
		out = append(out, sec)
	}
	return out, nil
}

// filling is what a template sees while one of its sections is filled in: the
// view, and the budget of the section.
type filling struct {
	View
	prompts *Prompts
	budget  int // tokens; 0 = no limit
	cut     int // lines left out by Fitted
}

// run executes one part.
func (f *filling) run(part *part) (string, error) {
	var b strings.Builder
	if err := part.tmpl.Execute(&b, f); err != nil {
		return "", fmt.Errorf("%w: fill in section %s of %s: %w", ErrPrompt, part.name, part.file, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Instructions are those of the view's operator, from operators.tmpl.
func (f *filling) Instructions() (string, error) {
	return f.entry("operators", string(f.Operator))
}

// KindText is what the structural kind of the view means, from structural.tmpl.
func (f *filling) KindText() (string, error) { return f.entry("structural", f.Kind) }

// AngleText is one of the starting points of angles.tmpl, by the number of the
// job, so that seeds that follow each other look in different directions.
func (f *filling) AngleText() (string, error) {
	s := f.prompts.sheets["angles"]
	if len(s.parts) == 0 {
		return "", nil
	}
	n := int64(f.Job) - 1
	if n < 0 {
		n = 0
	}
	return f.run(s.parts[n%int64(len(s.parts))])
}

// Donor is the second parent of a crossover; nil = none.
func (f *filling) Donor() *Shown { return f.marked("second parent") }

// Working is the last version that worked, for a repair; nil = none.
func (f *filling) Working() *Shown { return f.marked("last version that worked") }

func (f *filling) marked(part string) *Shown {
	for i := range f.Inspirations {
		if f.Inspirations[i].Part == part {
			return &f.Inspirations[i]
		}
	}
	return nil
}

// entry fills in one entry of a library; an unknown one is empty.
func (f *filling) entry(library, name string) (string, error) {
	if p := f.prompts.sheets[library].part(name); p != nil {
		return f.run(p)
	}
	return "", nil
}

// templateFuncs are those that templates may use.
func templateFuncs() template.FuncMap {
	return template.FuncMap{
		"fence": Fence,
		"line":  oneLine,
		"clip":  func(n int, s string) string { return clean.Clip(clean.Line(s), n) },
		"cut":   func(n int, s string) string { return fit(agent.Section{Text: s}, n, false).Text },
		"ends":  func(n int, s string) string { return fit(agent.Section{Text: s}, n, true).Text },
		"join":  func(sep string, s []string) string { return strings.Join(s, sep) },
		"inc":   func(i int) int { return i + 1 },
		"about": about,
		"items": items,
	}
}

// oneLine is a text as one line of at most lineRunes.
func oneLine(s string) string { return clean.Clip(clean.Line(s), lineRunes) }

// about says which target something is about.
func about(target string) string {
	if target == "" {
		return ""
	}
	return "(" + clean.Clip(clean.Line(target), 80) + ") "
}

// items lists notes, a line each.
func items(notes []record.Note) string {
	var b strings.Builder
	for _, n := range notes {
		b.WriteString("- " + about(n.Target) + clean.Clip(clean.Line(n.Text), 600) + "\n")
	}
	return b.String()
}
