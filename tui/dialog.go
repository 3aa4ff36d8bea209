package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/plot"
)

// dialog is a box over the screen. The top one gets all keys but ctrl+c. It
// opens only because the person asked for it.
type dialog interface {
	key(a *app, k tea.KeyPressMsg) tea.Cmd
	paste(text string)
	view(d *desk, w, h int) []string
	click(a *app, x, y int) tea.Cmd // inside the box
	wheel(by int)
}

func (a *app) push(dl dialog) tea.Cmd {
	a.dialogs = append(a.dialogs, dl)
	return nil
}

func (a *app) pop() {
	if n := len(a.dialogs); n > 0 {
		a.dialogs = a.dialogs[:n-1]
	}
}

// newInput returns a line editor without a blinking cursor.
func newInput(value string) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.SetStyles(inputStyles())
	in.CharLimit = 4096
	in.SetValue(plot.Clean(value))
	in.Focus()
	return in
}

// typed gives a key to a line editor, or what was pasted, made safe.
func typed(in *textinput.Model, msg tea.Msg) {
	if p, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: plot.Clean(p.Content)}
	}
	m, _ := in.Update(msg)
	*in = m
}

// choice is one answer of a confirmation.
type choice struct {
	key, label string
	run        func(a *app) tea.Cmd // nil: just close
}

// confirm asks before what is hard to take back. The first choice is the
// harmless one and the default.
type confirm struct {
	title   string
	text    []string
	choices []choice
	cur     int
	now     func(s *view.Snapshot) ([]string, []choice) // text and choices as things stand; nil = they stay
}

// follow makes the text true for what is known now.
func (c *confirm) follow(s *view.Snapshot) {
	if c.now != nil {
		c.text, c.choices = c.now(s)
		c.cur = min(c.cur, len(c.choices)-1)
	}
}

func (c *confirm) key(a *app, k tea.KeyPressMsg) tea.Cmd {
	switch s := k.String(); s {
	case "esc", "q":
		a.pop()
		return nil
	case "left", "h", "shift+tab", "up", "k":
		c.cur = (c.cur + len(c.choices) - 1) % len(c.choices)
	case "right", "l", "tab", "down", "j":
		c.cur = (c.cur + 1) % len(c.choices)
	case "enter":
		return c.pick(a, c.cur)
	default:
		for i, ch := range c.choices {
			if ch.key == s {
				return c.pick(a, i)
			}
		}
	}
	return nil
}

func (c *confirm) pick(a *app, i int) tea.Cmd {
	a.pop()
	if run := c.choices[i].run; run != nil {
		return run(a)
	}
	return nil
}

func (c *confirm) paste(string)                 {}
func (c *confirm) wheel(int)                    {}
func (c *confirm) click(*app, int, int) tea.Cmd { return nil }

func (c *confirm) view(d *desk, w, h int) []string {
	var row line
	for i, ch := range c.choices {
		if i > 0 {
			row.gap(2)
		}
		label := " " + ch.key + " " + ch.label + " "
		if i == c.cur {
			row.add(d.st.Selected, label)
		} else {
			row.add(d.st.Plain, label)
		}
	}
	width := max(row.w, plot.Width(c.title)+4)
	var body []string
	for _, t := range c.text {
		for _, l := range wrapText(t, min(72, w-8)) {
			width = max(width, plot.Width(l))
			body = append(body, " "+d.st.Plain.S(l))
		}
	}
	body = append(body, "", " "+row.String())
	return dialogBox(d, c.title, "", width+2, body)
}

// prompt asks for a line of text.
type prompt struct {
	title, hint string
	in          textinput.Model
	check       func(text string) string // why it is no good, "" = fine
	bad         string
	run         func(a *app, text string) tea.Cmd
}

func newPrompt(title, hint, value string, run func(a *app, text string) tea.Cmd) *prompt {
	return &prompt{title: title, hint: hint, in: newInput(value), run: run}
}

func (p *prompt) key(a *app, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		a.pop()
		return nil
	case "enter":
		text := strings.TrimSpace(p.in.Value())
		if p.check != nil {
			if p.bad = p.check(text); p.bad != "" {
				return nil
			}
		}
		a.pop()
		return p.run(a, text)
	}
	typed(&p.in, k)
	return nil
}

func (p *prompt) paste(text string)            { typed(&p.in, tea.PasteMsg{Content: text}) }
func (p *prompt) wheel(int)                    {}
func (p *prompt) click(*app, int, int) tea.Cmd { return nil }

func (p *prompt) view(d *desk, w, h int) []string {
	width := min(70, w-6)
	p.in.SetWidth(width - 4)
	body := []string{" " + d.st.Accent.S("▸") + " " + p.in.View()}
	if p.bad != "" {
		body = append(body, " "+d.st.Bad.S(p.bad))
	}
	for _, l := range wrapText(p.hint, width-2) {
		body = append(body, " "+d.st.Label.S(l))
	}
	return dialogBox(d, p.title, d.st.Label.S("enter · esc"), width, body)
}

// dialogBox frames a body that is width cells wide.
func dialogBox(d *desk, title, right string, width int, body []string) []string {
	return box(d.st, d.st.Strong.S(title), right, width+2, len(body)+2, true, body)
}
