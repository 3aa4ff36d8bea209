package tui

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"

	"atoll/tui/pane"
	"atoll/tui/widget"
)

// graphics shows map and curves as images where the terminal says that it has them:
// by the protocol of kitty, or as sixels. Their cells stay blank then, and the images
// are written once the frame is on the screen. Under a dialog or a toast, and
// everywhere else, there are cells.
type graphics struct {
	off    bool // a person wants cells
	kitty  bool // what the terminal answered
	sixel  bool
	cell   image.Point // pixels of a cell; zero = unknown
	placed []placed    // in the frame that was drawn last
	sent   string      // what is on the screen
	busy   bool        // a frame is awaited, or images are made
	era    int         // grows when the terminal forgot what it shows
	at     time.Time   // when images were sent last
	turn   int         // which of two numbers the images of kitty have now
}

// placed is one image of a frame.
type placed struct {
	at   image.Rectangle // cells of the screen
	key  string          // changes when the picture does
	draw func(cw, ch int) image.Image
}

// graphicsMsg says that a frame should be on the screen by now; imagesMsg that its
// images are made.
type (
	graphicsMsg struct{}
	imagesMsg   struct {
		key string
		seq string
	}
)

// frameShown is how long a frame may take to the terminal.
const frameShown = 80 * time.Millisecond

// asked are the questions for a terminal: does it know images of kitty, which
// attributes has it (4 is sixels), how large is a cell. One that knows none of
// them stays silent, and has cells.
func (g *graphics) asked(env []string) tea.Cmd {
	switch term := lookupEnv(env, "TERM"); {
	case g.off || term == "" || term == "dumb" || term == "linux" || !strings.Contains(term, "-") && term != "foot":
		return nil
	}
	question := ansi.RequestPrimaryDeviceAttributes + ansi.WindowOp(16)
	if lookupEnv(env, "TMUX") == "" { // it would show the question
		question = ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") + question
	}
	return tea.Raw(question)
}

// answered takes an answer of the terminal.
func (g *graphics) answered(msg tea.Msg) {
	switch m := msg.(type) {
	case uv.KittyGraphicsEvent:
		g.kitty = g.kitty || string(m.Payload) == "OK"
	case uv.PrimaryDeviceAttributesEvent:
		g.sixel = slices.Contains(m, 4)
	case uv.CellSizeEvent:
		if m.Width > 0 && m.Height > 0 {
			g.cell = image.Pt(m.Width, m.Height)
		}
	}
}

// pictured reports whether images are shown.
func (a *app) pictured() bool {
	g := &a.graphics
	return !g.off && (g.kitty || g.sixel && g.cell.X > 0) && !a.d.Ramp().Shade() && len(a.dialogs) == 0 && !a.at.tooSmall()
}

// blank takes the cells of a pane's images out of its body, and notes where they
// go. Bodies come from a cache: the lines are copied.
func (a *app) blank(id pane.ID, r rect, lines []string) []string {
	p, ok := a.panes.ByID[id].(pane.Pictured)
	if !ok || !a.pictured() {
		return lines
	}
	lines = slices.Clone(lines)
	top := a.at.h - 1 - len(a.toasts.shown) // of what lies over the panes
	for i, pic := range p.Pictures() {
		at := pic.At.Add(image.Pt(r.X+1, r.Y+1)).Intersect(image.Rect(r.X+1, r.Y+1, r.X+r.W-1, r.Y+r.H-1))
		if at != pic.At.Add(image.Pt(r.X+1, r.Y+1)) || at.Empty() || at.Max.Y > top {
			continue
		}
		box := widget.Fill(nil, at.Dx(), at.Dy())
		widget.Splice(lines, box, at.Min.X-r.X, at.Min.Y-r.Y)
		key := fmt.Sprint(id, i, at, a.d.Snap.Version, a.d.Gen, a.panes.ByID[id].Revision())
		a.graphics.placed = append(a.graphics.placed, placed{at, key, pic.Draw})
	}
	return lines
}

// wanted names what should be on the screen.
func (g *graphics) wanted() string {
	if len(g.placed) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, g.era)
	for _, p := range g.placed {
		b.WriteString(" " + p.key)
	}
	return b.String()
}

// graphicsDue waits for the frame that follows a message: it may show something else
// than what was sent.
func (a *app) graphicsDue() tea.Cmd {
	g := &a.graphics
	if g.busy || !a.pictured() && g.sent == "" {
		return nil
	}
	g.busy = true
	return a.after(max(frameShown, imagesEvery-time.Since(g.at)), graphicsMsg{})
}

// imagesEvery is how often images are sent at most.
const imagesEvery = 400 * time.Millisecond

// framed decides what becomes of a frame that is on the screen by now.
func (a *app) framed() tea.Cmd {
	g := &a.graphics
	switch want := g.wanted(); {
	case want == g.sent:
		g.busy = false
		return nil
	case want == "":
		return g.clear()
	}
	g.at = time.Now()
	return g.images()
}

// images makes those of the last frame, outside the screen's goroutine.
func (g *graphics) images() tea.Cmd {
	want, cell, turn := g.wanted(), g.cell, g.turn
	if cell.X == 0 {
		cell = image.Pt(10, 20) // kitty scales to the cells
	}
	g.turn = 1 - turn
	type made struct {
		at  image.Rectangle
		img image.Image
	}
	var all []made
	for _, p := range g.placed {
		if img := p.draw(cell.X, cell.Y); img != nil {
			all = append(all, made{p.at, img})
		}
	}
	isKitty := g.kitty
	return pane.Guard("graphics", func() tea.Msg {
		var b bytes.Buffer
		b.WriteString(ansi.SaveCursor)
		for i, m := range all {
			b.WriteString(ansi.CursorPosition(m.at.Min.X+1, m.at.Min.Y+1))
			if isKitty {
				writeKitty(&b, m.img, m.at, kittyNumber+2*i+turn)
			} else {
				writeSixel(&b, m.img)
			}
		}
		for i := 0; isKitty && i < mostImages; i++ { // those of the frame before
			b.WriteString(ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", kittyNumber+2*i+1-turn), "q=2"))
		}
		b.WriteString(ansi.RestoreCursor)
		return imagesMsg{want, b.String()}
	})
}

// kittyNumber is the first number of images, mostImages how many a frame may have.
const (
	kittyNumber = 7300
	mostImages  = 8
)

func writeKitty(b *bytes.Buffer, img image.Image, at image.Rectangle, number int) {
	_ = kitty.EncodeGraphics(b, img, &kitty.Options{ // a buffer takes everything
		Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, ID: number,
		Columns: at.Dx(), Rows: at.Dy(), DoNotMoveCursor: true, Quiet: 2, Chunk: true,
	})
}

// writeSixel writes an image in whole colours, and in whole bands of six lines: a
// band that is not would reach into the cells below.
func writeSixel(b *bytes.Buffer, img image.Image) {
	r := img.Bounds()
	whole := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()/6*6))
	for y := range whole.Rect.Dy() {
		for x := range whole.Rect.Dx() {
			if c, ok := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); ok && c.A >= 128 {
				whole.SetRGBA(x, y, color.RGBA{c.R, c.G, c.B, 255})
			}
		}
	}
	var data bytes.Buffer
	if err := (&sixel.Encoder{}).Encode(&data, whole); err == nil {
		b.WriteString(ansi.SixelGraphics(0, 1, 0, data.Bytes()))
	}
}

// showImages writes images that were made, unless another frame is shown by now.
func (a *app) showImages(m imagesMsg) tea.Cmd {
	g := &a.graphics
	g.busy = false
	if g.wanted() != m.key {
		return a.graphicsDue()
	}
	g.sent = m.key
	return tea.Raw(m.seq)
}

// clear takes images of kitty from the screen where no frame has any; sixels are
// overwritten by cells.
func (g *graphics) clear() tea.Cmd {
	g.busy, g.sent = false, ""
	if !g.kitty {
		return nil
	}
	var b strings.Builder
	for i := range 2 * mostImages {
		b.WriteString(ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", kittyNumber+i), "q=2"))
	}
	return tea.Raw(b.String())
}
