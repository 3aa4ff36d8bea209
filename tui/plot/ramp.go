package plot

import (
	"fmt"
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Glyphs says which characters a terminal can show.
type Glyphs int

// The sets of characters: everything, blocks and square corners (the Linux
// console has no braille), plain ASCII.
const (
	Braille Glyphs = iota
	Blocks
	ASCII
)

// Palettes are the names NewRamp knows.
var palettes = map[string]palette{
	"viridis": {
		stops: []string{"#440154", "#482878", "#3E4A89", "#31688E", "#26828E", "#1F9E89", "#35B779", "#6DCD59", "#B4DE2C", "#FDE725"},
		c256:  []int{53, 54, 61, 31, 67, 36, 42, 113, 191, 227},
	},
	"cividis": {
		stops: []string{"#00204D", "#00336F", "#39486B", "#575C6D", "#707173", "#8A8779", "#A69D75", "#C4B56C", "#E4CF5B", "#FFEA46"},
		c256:  []int{235, 24, 60, 242, 243, 102, 144, 179},
	},
	"magma": {
		stops: []string{"#180F3D", "#440F76", "#721F81", "#9E2F7F", "#CD4071", "#F1605D", "#FD9668", "#FECA8D", "#FCFDBF"},
		c256:  []int{53, 54, 90, 126, 162, 168, 204, 210, 216, 223, 230},
	},
	"grey": {
		stops: []string{"#303030", "#F4F4F4"},
		c256:  []int{236, 239, 242, 245, 248, 251, 254},
	},
}

type palette struct {
	stops []string
	c256  []int
}

// PaletteNames returns the palettes in the order a person cycles them.
func PaletteNames() []string { return []string{"viridis", "cividis", "magma", "grey"} }

// Ramp maps values in [0,1] to what a cell shows, from worst to best. It is
// immutable.
type Ramp struct {
	Name  string
	steps []step
	shade bool // characters in place of colours
}

type step struct {
	fg, bg string // SGR parameters, "" in a shade ramp
	ink    string // SGR parameters of a readable mark on bg
	char   rune   // shade ramps
	luma   float64
}

// NewRamp builds the table of a palette for a colour profile. The 256-colour
// tables are made by hand so that brightness never falls: automatic conversion
// gives 14 colours of viridis with 3 inversions. Without 256 colours
// characters carry the value.
func NewRamp(name string, p colorprofile.Profile, g Glyphs) *Ramp {
	pal, ok := palettes[name]
	if !ok {
		name, pal = "viridis", palettes["viridis"]
	}
	r := &Ramp{Name: name}
	switch {
	case g == ASCII: // no digit, no letter that is read as one, and no mark of a niche
		r.shades(".:;=%&@")
	case p == colorprofile.TrueColor:
		var stops []color.Color
		for _, s := range pal.stops {
			stops = append(stops, lipgloss.Color(s))
		}
		for _, c := range lipgloss.Blend1D(256, stops...) {
			r.add(c, "2;%d;%d;%d")
		}
	case p == colorprofile.ANSI256:
		for _, n := range pal.c256 {
			c := xterm(n)
			l := luma(c)
			code := fmt.Sprintf("5;%d", n)
			r.steps = append(r.steps, step{fg: "38;" + code, bg: "48;" + code, ink: ink(l), luma: l})
		}
	default:
		r.shades("░▒▓█")
	}
	return r
}

func (r *Ramp) shades(chars string) {
	r.shade = true
	for _, c := range chars {
		r.steps = append(r.steps, step{char: c})
	}
}

func (r *Ramp) add(c color.Color, format string) {
	cr, cg, cb, _ := c.RGBA()
	code := fmt.Sprintf(format, cr>>8, cg>>8, cb>>8)
	l := luma(c)
	r.steps = append(r.steps, step{fg: "38;" + code, bg: "48;" + code, ink: ink(l), luma: l})
}

// Shade reports whether characters carry the values.
func (r *Ramp) Shade() bool { return r.shade }

func (r *Ramp) at(t float64) *step {
	if !(t > 0) { // NaN too
		return &r.steps[0]
	}
	if t >= 1 {
		return &r.steps[len(r.steps)-1]
	}
	return &r.steps[min(int(t*float64(len(r.steps))), len(r.steps)-1)]
}

// luma is the relative luminance of WCAG 2.
func luma(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 65535
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// ink picks black or white by equal contrast. Fixed codes of the 256-colour
// cube: bold black would turn grey on many terminals.
func ink(l float64) string {
	if l > 0.179 {
		return "38;5;16"
	}
	return "38;5;231"
}

// xterm returns the standard colour of a code from 16 to 255.
func xterm(n int) color.Color {
	if n >= 232 {
		v := uint8(8 + 10*(n-232))
		return color.RGBA{v, v, v, 255}
	}
	n -= 16
	level := func(i int) uint8 {
		if i == 0 {
			return 0
		}
		return uint8(55 + 40*i)
	}
	return color.RGBA{level(n / 36), level(n / 6 % 6), level(n % 6), 255}
}

// Legend draws the ramp as a bar of w cells.
func (r *Ramp) Legend(w int) string {
	var p painter
	for i := range max(w, 0) {
		t := 0.5
		if w > 1 {
			t = float64(i) / float64(w-1)
		}
		s := r.at(t)
		if r.shade {
			p.put("", string(s.char))
			continue
		}
		p.put(s.bg, " ")
	}
	return p.line()
}

// Inversions counts how often brightness falls from one step to the next; a
// ramp that people can read has none.
func (r *Ramp) Inversions() int {
	n := 0
	for i := 1; i < len(r.steps); i++ {
		if r.steps[i].luma < r.steps[i-1].luma-1e-9 {
			n++
		}
	}
	return n
}
