package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

var onOff = []string{"on", "off"}

func onOrOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Themes are the values of Console.Theme.
func Themes() []string { return []string{"auto", "dark", "light", "contrast-dark", "contrast-light"} }

// ColourNames are the keys of Console.Colours.
func ColourNames() []string { return widget.ColourNames() }

// appearance is how everything is drawn: theme, colours, characters.
type appearance struct {
	d        *pane.Shared
	opt      *Options
	graphics *graphics
	notices  *notices
	shown    func() tea.Cmd // reads what the visible panes miss
	plain    replacer       // of characters that the terminal has not; nil = it has all
}

// options are the rows of the screen of options.
func (p *appearance) options() []pane.Option {
	look := &p.opt.Console
	drawn := func() tea.Cmd { p.d.Gen++; return p.shown() }
	rows := []pane.Option{
		{ID: "theme", Group: "colours", Name: "theme", Doc: "Auto asks the terminal for its background.", Values: Themes(), Value: func() string { return cmp.Or(look.Theme, "auto") }, Set: p.setTheme},
		{ID: "palette", Group: "colours", Name: "heat map", Doc: "Cividis reads alike for the colour-blind, grey needs no colours.", Values: plot.PaletteNames(), Value: func() string { return p.d.Palette }, Set: p.setPalette},
		{ID: "characters", Group: "drawing", Name: "characters", Doc: "Plain ones are for terminals and fonts without lines and blocks.", Values: []string{"of the terminal", "plain"}, Value: func() string {
			if look.ASCII {
				return "plain"
			}
			return "of the terminal"
		}, Set: func(v string) tea.Cmd { look.ASCII = v == "plain"; p.setGlyphs(); return p.shown() }},
		{ID: "graphics", Group: "drawing", Name: "graphics", Doc: "Map and curves as images where the terminal has kitty's graphics or sixels; cells elsewhere.", Values: []string{"of the terminal", "off"}, Value: func() string {
			if p.graphics.off {
				return "off"
			}
			return "of the terminal"
		}, Set: func(v string) tea.Cmd { p.graphics.off = v == "off"; return p.shown() }},
		{ID: "long-lines", Group: "differences", Name: "long lines", Doc: "They go on below, or are cut and moved by the arrows.", Values: []string{"wrapped", "cut"}, Value: func() string {
			if p.d.Reading.Cut {
				return "cut"
			}
			return "wrapped"
		}, Set: func(v string) tea.Cmd { p.d.Reading.Cut = v == "cut"; return drawn() }},
		{ID: "columns", Group: "differences", Name: "columns", Doc: "Before and after side by side, or below each other.", Values: pane.ColumnNames[:], Value: func() string { return pane.ColumnNames[p.d.Reading.Columns] }, Set: func(v string) tea.Cmd {
			p.d.Reading.Columns = max(0, slices.Index(pane.ColumnNames[:], v))
			return drawn()
		}},
		{ID: "mouse", Group: "input", Name: "mouse", Doc: "Clicks and the wheel; off leaves them to the terminal, to select text.", Values: onOff, Value: func() string { return onOrOff(look.Mouse) }, Set: func(v string) tea.Cmd { look.Mouse = v == "on"; return nil }},
		{ID: "hints", Group: "input", Name: "hints", Doc: "What to press, at the start of the first runs.", Values: onOff, Value: func() string { return onOrOff(look.Hints) }, Set: func(v string) tea.Cmd { look.Hints = v == "on"; return nil }},
	}
	tell := &p.notices.opt
	for _, o := range [][2]string{{"best", "a new best"}, {"review", "something waits"}, {"pause", "a pause"}, {"end", "the end"}} {
		rows = append(rows, oneOf(&tell.On, o[0], "news-", "tell news of", o[1], "Told in the ways below, for who looks elsewhere."))
	}
	for _, o := range [][2]string{{"bell", "Rings the terminal."}, {"osc9", "The notification of iTerm2, Windows Terminal and others."}, {"osc777", "The notification of urxvt, foot, Ghostty and others."}} {
		rows = append(rows, oneOf(&tell.By, o[0], "notify-", "tell it by", o[0], o[1]))
	}
	return rows
}

// oneOf is an option that has one word in a list or not.
func oneOf(list *[]string, word, prefix, group, name, doc string) pane.Option {
	return pane.Option{
		ID: prefix + word, Group: group, Name: name, Doc: doc, Values: onOff,
		Value: func() string { return onOrOff(slices.Contains(*list, word)) },
		Set: func(v string) tea.Cmd {
			kept := slices.DeleteFunc(slices.Clone(*list), func(s string) bool { return s == word })
			if v == "on" {
				kept = append(kept, word)
			}
			*list = kept
			return nil
		},
	}
}

// setTheme draws everything in another theme. With auto the terminal is asked
// which it has, and answers later.
func (p *appearance) setTheme(name string) tea.Cmd {
	p.opt.Console.Theme = name
	p.d.Dark, p.d.Contrast = !strings.HasSuffix(name, "light"), strings.HasPrefix(name, "contrast")
	p.d.Restyle()
	if p.autoTheme() {
		return tea.RequestBackgroundColor
	}
	return nil
}

// autoTheme reports whether the terminal's background decides.
func (p *appearance) autoTheme() bool {
	return p.opt.Console.Theme == "auto" || p.opt.Console.Theme == ""
}

func (p *appearance) setPalette(name string) tea.Cmd {
	p.d.Palette = name
	p.d.Restyle()
	return nil
}

// setGlyphs chooses the characters anew.
func (p *appearance) setGlyphs() {
	p.d.Glyphs, p.plain = glyphsOf(p.opt), nil
	if r := widget.PlainGlyphs(p.d.Glyphs); r != nil {
		p.plain = r
	}
	p.d.Restyle()
}

// finish makes a frame of its lines, in the characters that the terminal has.
func (p *appearance) finish(lines []string) string {
	s := strings.Join(lines, "\n")
	if p.plain != nil {
		s = p.plain.Replace(s)
	}
	return s
}

// nextPalette goes to the next colours of the heat map and returns their name.
func (p *appearance) nextPalette() string {
	names := plot.PaletteNames()
	p.setPalette(names[(slices.Index(names, p.d.Palette)+1)%len(names)])
	return p.d.Palette
}
