package widget

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/textinput"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"atoll/tui/plot"
)

// Style is a set of SGR parameters. Text drawn through it is foreign until
// proven otherwise: S, Fit and Right clean it first. Pieces that are styled
// already are joined, never drawn through a second style.
type Style struct{ SGR string }

const reset = "\x1b[m"

// S returns text in this style.
func (s Style) S(text string) string { return s.Wrap(plot.Clean(text)) }

// Fit returns text in exactly w cells.
func (s Style) Fit(text string, w int) string { return s.Wrap(plot.Fit(plot.Clean(text), w)) }

// Right returns text in exactly w cells, on the right.
func (s Style) Right(text string, w int) string { return s.Wrap(plot.FitRight(plot.Clean(text), w)) }

func (s Style) Wrap(t string) string {
	if s.SGR == "" || t == "" {
		return t
	}
	return "\x1b[" + s.SGR + "m" + t + reset
}

// Styles are the only colours of the console, by meaning. They are built for
// one background and one colour profile and never changed.
type Styles struct {
	Plain    Style // what is told
	Strong   Style // figures that count
	Label    Style // words beside figures
	Border   Style
	Accent   Style // focus, and what waits for a person
	Ident    Style // #341, c128, (12,5)
	Good     Style
	Bad      Style
	Warn     Style
	Selected Style // the row under the cursor: reversed, visible in any theme
	Marked   Style
	Key      Style // a key in the help bar
	Off      Style // what cannot be done now
	Banner   Style
	Match    Style // what was searched for
	Diff     DiffStyles
	Syntax   SyntaxStyles
	Lines    [4]Style // series of a chart: best, mean, QD, coverage
}

// DiffStyles colour what changed.
type DiffStyles struct {
	Added, Removed, AddedBG, RemovedBG, Hunk Style
	AddedWord, RemovedWord                   Style // the words that differ, on top of the line's own
}

// SyntaxStyles colour source code.
type SyntaxStyles struct{ Keyword, Name, Text, Number, Comment Style }

// tone is one colour in all the depths a terminal may have.
type tone struct {
	rgb  string // RRGGBB
	c256 int
	c16  int // 30..37, 90..97; 0 = the default foreground
}

func (t tone) sgr(p colorprofile.Profile, background bool) string {
	shift := 0
	if background {
		shift = 10
	}
	switch p {
	case colorprofile.TrueColor:
		v, err := strconv.ParseUint(t.rgb, 16, 32)
		if err != nil {
			return ""
		}
		return strconv.Itoa(38+shift) + ";2;" + strconv.Itoa(int(v>>16)) + ";" + strconv.Itoa(int(v>>8&255)) + ";" + strconv.Itoa(int(v&255))
	case colorprofile.ANSI256:
		return strconv.Itoa(38+shift) + ";5;" + strconv.Itoa(t.c256)
	case colorprofile.ANSI:
		if t.c16 > 0 {
			return strconv.Itoa(t.c16 + shift)
		}
	}
	return ""
}

// NewStyles builds the styles of a background and a profile.
func NewStyles(dark bool, p colorprofile.Profile) *Styles {
	pick := func(d, l tone) tone {
		if dark {
			return d
		}
		return l
	}
	fg := func(d, l tone, attrs ...string) Style {
		return Style{Join(append(attrs, pick(d, l).sgr(p, false))...)}
	}
	bg := func(d, l tone) Style { return Style{pick(d, l).sgr(p, true)} }
	bold, faint, reverse, underline := "1", "", "7", "4"
	if p < colorprofile.ANSI { // no colour: attributes carry what they can
		faint = "2"
	}
	if p == colorprofile.NoTTY {
		bold, faint, reverse, underline = "", "", "", ""
	}
	s := &Styles{}
	s.Strong = Style{bold}
	s.Label = fg(tone{"8C8F98", 245, 90}, tone{"6A6D75", 242, 90}, faint)
	s.Border = fg(tone{"3E424B", 238, 90}, tone{"C4C7CE", 251, 37}, faint)
	s.Accent = fg(tone{"E9B44C", 179, 33}, tone{"A65F00", 130, 33}, bold)
	s.Ident = fg(tone{"8DB4D8", 110, 36}, tone{"2F6A9F", 25, 34})
	s.Good = fg(tone{"57C29A", 78, 32}, tone{"00795A", 29, 32})
	s.Bad = fg(tone{"F07F5A", 209, 31}, tone{"B84300", 130, 31})
	s.Warn = fg(tone{"E9B44C", 179, 33}, tone{"A65F00", 130, 33})
	s.Selected = Style{reverse}
	s.Marked = s.Accent
	s.Key = fg(tone{"C9CCD4", 252, 0}, tone{"33363D", 236, 0}, bold)
	s.Off = fg(tone{"5A5E68", 240, 90}, tone{"A9ACB4", 248, 37}, faint)
	s.Banner = Style{Join(bold, pick(tone{"F07F5A", 209, 31}, tone{"B84300", 130, 31}).sgr(p, false), reverse)}
	s.Diff.Added, s.Diff.Removed = s.Good, s.Bad
	s.Diff.AddedBG = bg(tone{"14301F", 22, 0}, tone{"DDF4E4", 194, 0})
	s.Diff.RemovedBG = bg(tone{"3A1A16", 52, 0}, tone{"FBE3DC", 224, 0})
	s.Diff.AddedWord = bg(tone{"1F6B43", 28, 0}, tone{"9BE0B0", 157, 0})
	s.Diff.RemovedWord = bg(tone{"7A2E22", 88, 0}, tone{"F5B5A4", 217, 0})
	if p < colorprofile.ANSI256 { // backgrounds of sixteen colours drown the text
		s.Diff.AddedWord, s.Diff.RemovedWord = Style{Join(bold, underline)}, Style{Join(bold, underline)}
	}
	s.Diff.Hunk = fg(tone{"8DB4D8", 110, 36}, tone{"2F6A9F", 25, 34})
	s.Syntax.Keyword = fg(tone{"C79BD8", 176, 35}, tone{"8A3BA6", 91, 35})
	s.Syntax.Name = fg(tone{"8DB4D8", 110, 36}, tone{"2F6A9F", 25, 34})
	s.Syntax.Text = fg(tone{"B5C98A", 150, 32}, tone{"4E7A1E", 64, 32})
	s.Syntax.Number = fg(tone{"E0B183", 180, 33}, tone{"9A5A1E", 94, 33})
	s.Syntax.Comment = s.Label
	s.Match = Style{Join(bold, reverse)}
	s.Lines = [4]Style{
		fg(tone{"57C29A", 78, 32}, tone{"00795A", 29, 32}),
		fg(tone{"8C8F98", 245, 90}, tone{"6A6D75", 242, 90}),
		fg(tone{"8DB4D8", 110, 36}, tone{"2F6A9F", 25, 34}),
		fg(tone{"C79BD8", 176, 35}, tone{"8A3BA6", 91, 35}),
	}
	return s
}

// inputStyles are those of a line editor: plain, with a cursor that does not
// blink, so that nothing ticks while nobody types.
func inputStyles() textinput.Styles {
	var s textinput.Styles
	plain := lipgloss.NewStyle()
	s.Focused = textinput.StyleState{Text: plain, Placeholder: plain.Faint(true), Suggestion: plain, Prompt: plain}
	s.Blurred = s.Focused
	s.Cursor.Blink = false
	return s
}

func Join(parts ...string) string {
	kept := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ";")
}

// Look returns what plots need of the styles.
func (s *Styles) Look(g plot.Glyphs) plot.Look {
	return plot.Look{
		Faint: s.Border.SGR, Number: s.Label.SGR, Strong: s.Key.SGR, Accent: s.Accent.SGR,
		Cursor: s.Selected.SGR, Glyphs: g,
	}
}

// State returns the style of a word for a state of a job, a candidate or an
// experiment.
func (s *Styles) State(word string) Style {
	switch word {
	case "running", "placed", "elite", "done", "approve":
		return s.Good
	case "failed", "rejected", "broken", "error", "reject":
		return s.Bad
	case "held", "paused", "draining", "warn":
		return s.Accent
	case "queued", "cancelled", "duplicate", "stopped", "debug":
		return s.Label
	}
	return s.Plain
}
