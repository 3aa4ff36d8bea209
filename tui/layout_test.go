package tui

import (
	"strings"
	"testing"

	"atoll/tui/pane"
)

// drawLayout draws the rectangles in units of 10 columns and 4 rows.
func drawLayout(w, h int, rects map[pane.ID]rect) string {
	names := map[pane.ID]string{pane.Niches: "n", pane.Jobs: "j", pane.Curves: "c", pane.Review: "r", pane.Log: "l", pane.Header: "H", pane.Help: "h", pane.Doctor: "d"}
	var b strings.Builder
	for y := 0; y < h; y += 4 {
		for x := 5; x < w; x += 10 {
			for id, r := range rects {
				if r.contains(x, y) {
					b.WriteString(names[id])
				}
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

func TestLayoutPictures(t *testing.T) {
	for _, c := range []struct {
		name   string
		w, h   int
		zoom   zoom
		focus  pane.ID
		screen pane.ID
		want   string
	}{
		{"a large screen shows all panes", 120, 40, zoomNormal, pane.Niches, pane.None, `
HHHHHHHHHHHH
nnnnnnjjjjjj
nnnnnnjjjjjj
nnnnnnjjjjjj
nnnnnnjjjjjj
nnnnnnjjjjjj
nnnnnncccccc
nnnnnncccccc
nnnnnncccccc
rrrrrrllllll`},
		{"80 x 24 keeps grid and jobs", 80, 24, zoomNormal, pane.Niches, pane.None, `
HHHHHHHH
nnnnjjjj
nnnnjjjj
nnnnjjjj
nnnnjjjj
nnnnjjjj`},
		{"at 80 x 24 the focused pane takes the place of the jobs", 80, 24, zoomNormal, pane.Log, pane.None, `
HHHHHHHH
nnnnllll
nnnnllll
nnnnllll
nnnnllll
nnnnllll`},
		{"60 x 16 shows one pane", 60, 16, zoomNormal, pane.Curves, pane.None, `
HHHHHH
cccccc
cccccc
cccccc`},
		{"a narrow and tall screen stacks", 80, 50, zoomNormal, pane.Niches, pane.None, `
HHHHHHHH
nnnnnnnn
nnnnnnnn
nnnnnnnn
nnnnnnnn
nnnnnnnn
nnnnnnnn
jjjjjjjj
jjjjjjjj
cccccccc
rrrrrrrr
llllllll
llllllll`},
		{"half zoom gives the focused pane the larger side", 120, 24, zoomHalf, pane.Jobs, pane.None, `
HHHHHHHHHHHH
nnnnjjjjjjjj
nnnnjjjjjjjj
nnnnjjjjjjjj
nnnnjjjjjjjj
nnnnjjjjjjjj`},
		{"a screen covers the dashboard", 120, 24, zoomNormal, pane.Niches, pane.Doctor, `
HHHHHHHHHHHH
dddddddddddd
dddddddddddd
dddddddddddd
dddddddddddd
dddddddddddd`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := drawLayout(c.w, c.h, layout(c.w, c.h, c.zoom, c.focus, c.screen))
			if want := strings.TrimSpace(c.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Rectangles cover the screen without overlap, whatever its size.
func TestLayoutCovers(t *testing.T) {
	for w := 1; w <= 250; w += 3 {
		for h := 1; h <= 80; h++ {
			for focus := pane.Niches; focus <= pane.Log; focus++ {
				for _, z := range []zoom{zoomNormal, zoomHalf, zoomFull} {
					rects := layout(w, h, z, focus, pane.None)
					area := 0
					for id, r := range rects {
						if r.X < 0 || r.Y < 0 || r.W < 1 || r.H < 1 || r.X+r.W > w || r.Y+r.H > h {
							t.Fatalf("%dx%d: pane %d leaves the screen: %+v", w, h, id, r)
						}
						area += r.W * r.H
						for other, o := range rects {
							if other != id && r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H {
								t.Fatalf("%dx%d: panes %d and %d overlap", w, h, id, other)
							}
						}
					}
					if area != w*h {
						t.Fatalf("%dx%d zoom %d focus %d: %d of %d cells covered", w, h, z, focus, area, w*h)
					}
					if _, ok := rects[focus]; !ok && w >= floorW && h >= floorH {
						t.Fatalf("%dx%d zoom %d: the focused pane %d is not shown", w, h, z, focus)
					}
				}
			}
		}
	}
}
