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

// preferences are the rows of the screen of options.
func (a *app) preferences() []pane.Option {
	look := &a.opt.Console
	drawn := func() tea.Cmd { a.d.Gen++; return a.shown() }
	rows := []pane.Option{
		{ID: "theme", Group: "colours", Name: "theme", Doc: "Auto asks the terminal for its background.", Values: []string{"auto", "dark", "light", "contrast-dark", "contrast-light"}, Value: func() string { return cmp.Or(look.Theme, "auto") }, Set: a.setTheme},
		{ID: "palette", Group: "colours", Name: "heat map", Doc: "Cividis reads alike for the colour-blind, grey needs no colours.", Values: plot.PaletteNames(), Value: func() string { return a.d.Palette }, Set: a.setPalette},
		{ID: "characters", Group: "drawing", Name: "characters", Doc: "Plain ones are for terminals and fonts without lines and blocks.", Values: []string{"of the terminal", "plain"}, Value: func() string {
			if look.ASCII {
				return "plain"
			}
			return "of the terminal"
		}, Set: func(v string) tea.Cmd { look.ASCII = v == "plain"; a.setGlyphs(); return a.shown() }},
		{ID: "graphics", Group: "drawing", Name: "graphics", Doc: "Map and curves as images where the terminal has kitty's graphics or sixels; cells elsewhere.", Values: []string{"of the terminal", "off"}, Value: func() string {
			if a.graphics.off {
				return "off"
			}
			return "of the terminal"
		}, Set: func(v string) tea.Cmd { a.graphics.off = v == "off"; return a.shown() }},
		{ID: "long-lines", Group: "differences", Name: "long lines", Doc: "They go on below, or are cut and moved by the arrows.", Values: []string{"wrapped", "cut"}, Value: func() string {
			if a.d.Reading.Cut {
				return "cut"
			}
			return "wrapped"
		}, Set: func(v string) tea.Cmd { a.d.Reading.Cut = v == "cut"; return drawn() }},
		{ID: "columns", Group: "differences", Name: "columns", Doc: "Before and after side by side, or below each other.", Values: pane.ColumnNames[:], Value: func() string { return pane.ColumnNames[a.d.Reading.Columns] }, Set: func(v string) tea.Cmd {
			a.d.Reading.Columns = max(0, slices.Index(pane.ColumnNames[:], v))
			return drawn()
		}},
		{ID: "mouse", Group: "input", Name: "mouse", Doc: "Clicks and the wheel; off leaves them to the terminal, to select text.", Values: onOff, Value: func() string { return onOrOff(look.Mouse) }, Set: func(v string) tea.Cmd { look.Mouse = v == "on"; return nil }},
		{ID: "hints", Group: "input", Name: "hints", Doc: "What to press, at the start of the first runs.", Values: onOff, Value: func() string { return onOrOff(look.Hints) }, Set: func(v string) tea.Cmd { look.Hints = v == "on"; return nil }},
	}
	tell := &a.notices.opt
	for _, o := range [][2]string{{"best", "a new best"}, {"review", "something waits"}, {"pause", "a pause"}, {"end", "the end"}} {
		rows = append(rows, a.oneOf(&tell.On, o[0], "news-", "tell news of", o[1], "Told in the ways below, for who looks elsewhere."))
	}
	for _, o := range [][2]string{{"bell", "Rings the terminal."}, {"osc9", "The notification of iTerm2, Windows Terminal and others."}, {"osc777", "The notification of urxvt, foot, Ghostty and others."}} {
		rows = append(rows, a.oneOf(&tell.By, o[0], "notify-", "tell it by", o[0], o[1]))
	}
	return rows
}

// oneOf is an option that has one word in a list or not.
func (a *app) oneOf(list *[]string, word, prefix, group, name, doc string) pane.Option {
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
func (a *app) setTheme(name string) tea.Cmd {
	a.opt.Console.Theme = name
	a.d.Dark, a.d.Contrast = !strings.HasSuffix(name, "light"), strings.HasPrefix(name, "contrast")
	a.d.Restyle()
	if a.autoTheme() {
		return tea.RequestBackgroundColor
	}
	return nil
}

// autoTheme reports whether the terminal's background decides.
func (a *app) autoTheme() bool {
	return a.opt.Console.Theme == "auto" || a.opt.Console.Theme == ""
}

func (a *app) setPalette(name string) tea.Cmd {
	a.d.Palette = name
	a.d.Restyle()
	return nil
}

// setGlyphs chooses the characters anew.
func (a *app) setGlyphs() {
	a.d.Glyphs, a.glyphs = glyphsOf(&a.opt), nil
	if r := widget.PlainGlyphs(a.d.Glyphs); r != nil {
		a.glyphs = r
	}
	a.d.Restyle()
}
