package widget

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"atoll/tui/plot"
)

// Dialog is a box over the screen. The top one gets all keys but ctrl+c. It
// opens only because the person asked for it.
type Dialog interface {
	Key(k tea.KeyPressMsg) Answer
	Paste(text string)
	View(st *Styles, w, h int) []string
	Click(x, y int) Answer // inside the box
	Wheel(by int)
}

// Answer is what a dialog makes of a key or a click: it may close, and then
// something is done; or it says why nothing is.
type Answer struct {
	Close bool
	Run   func() tea.Cmd // nil: nothing
	Why   string
}

// NewInput returns a line editor without a blinking cursor.
func NewInput(value string) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.SetStyles(inputStyles())
	in.CharLimit = 4096
	in.SetValue(plot.Clean(value))
	in.Focus()
	return in
}

// Typed gives a key to a line editor, or what was pasted, made safe.
func Typed(in *textinput.Model, msg tea.Msg) {
	if p, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: plot.Clean(p.Content)}
	}
	m, _ := in.Update(msg)
	*in = m
}

// Choice is one answer of a confirmation.
type Choice struct {
	Key, Label string
	Run        func() tea.Cmd // nil: just close
}

// Confirm asks before what is hard to take back. The first choice is the
// harmless one and the default.
type Confirm struct {
	Title   string
	Text    []string
	Choices []Choice
	cur     int
	Now     func() ([]string, []Choice) // text and choices as things stand; nil = they stay
}

// Follow makes the text true for what is known now.
func (c *Confirm) Follow() {
	if c.Now != nil {
		c.Text, c.Choices = c.Now()
		c.cur = min(c.cur, len(c.Choices)-1)
	}
}

func (c *Confirm) Key(k tea.KeyPressMsg) Answer {
	switch s := k.String(); s {
	case "esc", "q":
		return Answer{Close: true}
	case "left", "h", "shift+tab", "up", "k":
		c.cur = (c.cur + len(c.Choices) - 1) % len(c.Choices)
	case "right", "l", "tab", "down", "j":
		c.cur = (c.cur + 1) % len(c.Choices)
	case "enter":
		return c.pick(c.cur)
	default:
		for i, ch := range c.Choices {
			if ch.Key == s {
				return c.pick(i)
			}
		}
	}
	return Answer{}
}

func (c *Confirm) pick(i int) Answer { return Answer{Close: true, Run: c.Choices[i].Run} }

func (c *Confirm) Paste(string)          {}
func (c *Confirm) Wheel(int)             {}
func (c *Confirm) Click(int, int) Answer { return Answer{} }

func (c *Confirm) View(st *Styles, w, h int) []string {
	var row Line
	for i, ch := range c.Choices {
		if i > 0 {
			row.Gap(2)
		}
		label := " " + ch.Key + " " + ch.Label + " "
		if i == c.cur {
			row.Add(st.Selected, label)
		} else {
			row.Add(st.Plain, label)
		}
	}
	width := max(row.W, plot.Width(c.Title)+4)
	var body []string
	for _, t := range c.Text {
		for _, l := range WrapText(t, min(72, w-8)) {
			width = max(width, plot.Width(l))
			body = append(body, " "+st.Plain.S(l))
		}
	}
	body = append(body, "", " "+row.String())
	return dialogBox(st, c.Title, "", width+2, body)
}

// Prompt asks for a line of text.
type Prompt struct {
	title, hint string
	in          textinput.Model
	Check       func(text string) string // why it is no good, "" = fine
	bad         string
	run         func(text string) tea.Cmd
}

func NewPrompt(title, hint, value string, run func(text string) tea.Cmd) *Prompt {
	return &Prompt{title: title, hint: hint, in: NewInput(value), run: run}
}

func (p *Prompt) Key(k tea.KeyPressMsg) Answer {
	switch k.String() {
	case "esc":
		return Answer{Close: true}
	case "enter":
		text := strings.TrimSpace(p.in.Value())
		if p.Check != nil {
			if p.bad = p.Check(text); p.bad != "" {
				return Answer{}
			}
		}
		return Answer{Close: true, Run: func() tea.Cmd { return p.run(text) }}
	}
	Typed(&p.in, k)
	return Answer{}
}

func (p *Prompt) Paste(text string)     { Typed(&p.in, tea.PasteMsg{Content: text}) }
func (p *Prompt) Wheel(int)             {}
func (p *Prompt) Click(int, int) Answer { return Answer{} }

func (p *Prompt) View(st *Styles, w, h int) []string {
	width := min(70, w-6)
	p.in.SetWidth(width - 4)
	body := []string{" " + st.Accent.S("▸") + " " + p.in.View()}
	if p.bad != "" {
		body = append(body, " "+st.Bad.S(p.bad))
	}
	for _, l := range WrapText(p.hint, width-2) {
		body = append(body, " "+st.Label.S(l))
	}
	return dialogBox(st, p.title, st.Label.S("enter · esc"), width, body)
}

// dialogBox frames a body that is width cells wide.
func dialogBox(st *Styles, title, right string, width int, body []string) []string {
	return Box(st, st.Strong.S(title), right, width+2, len(body)+2, true, body)
}

// NotEmpty is the check of a prompt that wants some text, with what to say.
func NotEmpty(why string) func(string) string {
	return func(text string) string {
		if text == "" {
			return why
		}
		return ""
	}
}
