package widget

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Strengthen makes the styles of high contrast: nothing grey or faint, colours far
// from the background, and weight where colour alone would tell.
func (s *Styles) Strengthen(dark bool, p colorprofile.Profile) {
	pick := func(d, l tone, attrs ...string) Style {
		t := l
		if dark {
			t = d
		}
		return Style{Join(append(attrs, t.sgr(p, false))...)}
	}
	plain := pick(tone{"FFFFFF", 231, 97}, tone{"000000", 16, 30})
	s.Label, s.Border, s.Off, s.Syntax.Comment = plain, plain, plain, plain
	s.Plain, s.Strong = plain, Style{Join("1", plain.SGR)}
	s.Accent = pick(tone{"FFD700", 220, 93}, tone{"7A3E00", 94, 33}, "1")
	s.Marked, s.Warn = s.Accent, s.Accent
	s.Ident = pick(tone{"87D7FF", 117, 96}, tone{"00308F", 18, 34}, "1")
	s.Good = pick(tone{"5FFF87", 84, 92}, tone{"005F00", 22, 32}, "1")
	s.Bad = pick(tone{"FF8787", 210, 91}, tone{"AF0000", 124, 31}, "1")
	s.Key = Style{Join("1", "4", plain.SGR)}
	s.Diff.Added, s.Diff.Removed = s.Good, s.Bad
	s.Diff.AddedBG, s.Diff.RemovedBG = Style{}, Style{}
	s.Lines = [4]Style{s.Good, plain, s.Ident, s.Accent}
}

// ColourNames are the colours that a person can replace.
func ColourNames() []string {
	return slices.Sorted(maps.Keys((&Styles{}).named()))
}

// named are the styles that have a colour of a name.
func (s *Styles) named() map[string][]*Style {
	return map[string][]*Style{
		"accent": {&s.Accent, &s.Marked}, "ident": {&s.Ident}, "good": {&s.Good, &s.Diff.Added, &s.Lines[0]}, "bad": {&s.Bad, &s.Diff.Removed},
		"warn": {&s.Warn}, "label": {&s.Label}, "border": {&s.Border},
	}
}

// Own replaces colours by those of a person, #rrggbb by one of [ColourNames]. What is
// none of these is left out.
func (s *Styles) Own(colours map[string]string, p colorprofile.Profile) {
	by := s.named()
	for name, colour := range colours {
		rgb := strings.TrimPrefix(colour, "#")
		v, err := strconv.ParseUint(rgb, 16, 32)
		if err != nil || len(rgb) != 6 {
			continue
		}
		level := func(shift int) int { return (int(v>>shift&255)*5 + 127) / 255 }
		t := tone{rgb: rgb, c256: 16 + 36*level(16) + 6*level(8) + level(0)}
		for _, st := range by[name] {
			if sgr := t.sgr(p, false); sgr != "" {
				*st = Style{sgr}
			}
		}
	}
}
