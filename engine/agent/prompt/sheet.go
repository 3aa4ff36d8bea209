package prompt

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// builtin holds the default templates.
//
//go:embed templates/*.tmpl
var builtin embed.FS

// libraries are the files whose sections are entries to choose from, not parts
// of one prompt. The blocks of shared.tmpl may be used by every template.
const sharedName = "shared"

// sheet is one template file: text before the first heading is a comment, and
// each heading "=== name 400 ends" begins a section, its budget in tokens (none:
// never cut), and which part of it stays when it is cut (the beginning, or
// with "ends" both ends). The file is split before it is parsed, so nothing
// that is filled in can begin a section.
type sheet struct {
	name  string
	lead  string // comment before the first heading; for shared.tmpl all of it
	more  string // shared.tmpl of the experiment; its blocks win
	parts []*part
}

// part is one section of a file.
type part struct {
	file   string
	name   string
	budget int
	ends   bool
	line   int // of the heading
	text   string
	tmpl   *template.Template
}

func (s *sheet) library() bool {
	switch s.name {
	case "operators", "structural", "angles", sharedName:
		return true
	}
	return false
}

func (s *sheet) part(name string) *part {
	for _, p := range s.parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// source writes the file again.
func (s *sheet) source() string {
	var b strings.Builder
	b.WriteString(s.lead + s.more)
	for _, p := range s.parts {
		b.WriteString("=== " + p.name)
		if p.budget > 0 {
			b.WriteString(" " + strconv.Itoa(p.budget))
		}
		if p.ends {
			b.WriteString(" ends")
		}
		b.WriteString("\n" + p.text)
	}
	return b.String()
}

// add splits a file and lays it over what is known under its name.
func (p *Prompts) add(file, text string) error {
	s := &sheet{name: strings.TrimSuffix(file, ".tmpl")}
	var cur *part
	for i, line := range strings.SplitAfter(text, "\n") {
		if s.name != sharedName && strings.HasPrefix(line, "=== ") {
			var err error
			if cur, err = heading(file, i+1, line); err != nil {
				return err
			}
			if s.part(cur.name) != nil {
				return fmt.Errorf("%w: %s line %d: a second section %q; give it another name", ErrPrompt, file, i+1, cur.name)
			}
			s.parts = append(s.parts, cur)
			continue
		}
		if cur == nil {
			s.lead += line
		} else {
			cur.text += line
		}
	}
	if s.name != sharedName && len(s.parts) == 0 {
		return fmt.Errorf("%w: %s has no section; begin each with a line like \"=== goal 400\"", ErrPrompt, file)
	}
	old := p.sheets[s.name]
	if old == nil || !s.library() {
		p.sheets[s.name] = s
		return nil
	}
	p.sheets[s.name] = old.over(s)
	return nil
}

// over lays the entries of a later library over those of s.
func (s *sheet) over(later *sheet) *sheet {
	if s.name == "angles" {
		return later // a list: all of it counts
	}
	out := &sheet{name: s.name, lead: s.lead}
	if s.name == sharedName {
		out.more = later.lead
		return out
	}
	for _, p := range s.parts {
		if q := later.part(p.name); q != nil {
			p = q
		}
		out.parts = append(out.parts, p)
	}
	for _, p := range later.parts {
		if s.part(p.name) == nil {
			out.parts = append(out.parts, p)
		}
	}
	return out
}

// heading reads "=== name [tokens] [ends]".
func heading(file string, n int, line string) (*part, error) {
	words := strings.Fields(line)[1:]
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: %s line %d: the section has no name; write \"=== goal 400\"", ErrPrompt, file, n)
	}
	p := &part{file: file, name: words[0], line: n}
	for _, w := range words[1:] {
		if w == "ends" {
			p.ends = true
			continue
		}
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("%w: %s line %d: %q is neither a number of tokens nor \"ends\"", ErrPrompt, file, n, w)
		}
		p.budget = v
	}
	return p, nil
}

// parse compiles all sections with the shared blocks.
func (p *Prompts) parse() error {
	shared := p.sheets[sharedName]
	base, err := template.New(sharedName + ".tmpl").Funcs(templateFuncs()).Option("missingkey=error").Parse(shared.lead)
	if err == nil {
		base, err = base.Parse(shared.more)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPrompt, err)
	}
	for _, s := range p.sheets {
		for _, part := range s.parts {
			t, err := base.Clone()
			if err != nil {
				return fmt.Errorf("%w: shared.tmpl: %w", ErrPrompt, err)
			}
			// Empty lines in front make the parser's line numbers those of the file.
			if part.tmpl, err = t.New(part.file).Parse(strings.Repeat("\n", part.line) + part.text); err != nil {
				return fmt.Errorf("%w: %w", ErrPrompt, err)
			}
		}
	}
	return nil
}
