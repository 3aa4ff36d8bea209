package e2e_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi/sixel"

	"atoll/config/suitetest"
)

// answers are what terminals say to the questions of the console.
const (
	kittyYes = "\x1b_Gi=31;OK\x1b\\"
	sixelYes = "\x1b[?62;4;22c\x1b[6;20;10t"
	neither  = "\x1b[?62;22c\x1b[6;20;10t"
)

var (
	kittyChunk = regexp.MustCompile(`\x1b_G([^;\x1b]*);([^\x1b]+)\x1b\\`)
	sixelImage = regexp.MustCompile(`(?s)\x1bP0?;1q(.*?)\x1b\\`)
)

// images are those that were written so far, whole ones alone.
func images(out string) (all []image.Image) {
	data := ""
	for _, m := range kittyChunk.FindAllStringSubmatch(out, -1) {
		if strings.Contains(m[1], "a=q") {
			continue
		}
		data += m[2]
		if strings.Contains(m[1], "m=1") {
			continue
		}
		if raw, err := base64.StdEncoding.DecodeString(data); err == nil {
			if img, err := png.Decode(bytes.NewReader(raw)); err == nil {
				all = append(all, img)
			}
		}
		data = ""
	}
	for _, m := range sixelImage.FindAllStringSubmatch(out, -1) {
		if img, err := (&sixel.Decoder{}).Decode(strings.NewReader(m[1])); err == nil {
			all = append(all, img)
		}
	}
	return all
}

// colours counts those of an image that are not transparent.
func colours(img image.Image) int {
	seen := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, a := img.At(x, y).RGBA(); a > 0xf000 {
				seen[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
			}
		}
	}
	return len(seen)
}

func TestTerminalsWithGraphicsGetImages(t *testing.T) {
	for name, answer := range map[string]string{"kitty": kittyYes + neither, "sixel": sixelYes} {
		t.Run(name, func(t *testing.T) {
			if name == "sixel" {
				suitetest.Full(t, "images in another form; kitty stands for it")
			}
			t.Parallel()
			l := newLab(t)
			_, value := l.best()
			cell := "[ " + value
			c := start(t, l, nil, cols, rows)
			c.wait("● paused")
			c.wait("/400 jobs")
			until(t, "the terminal is asked", patience, func() bool { return strings.Contains(c.output(), "\x1b[c") })
			c.press(answer) // in one piece, as terminals write it
			until(t, "map and curves are images of several colours", patience, func() bool {
				n := 0
				for _, img := range images(c.output()) {
					if img.Bounds().Dx() > 200 && colours(img) > 2 {
						n++
					}
				}
				return n >= 2
			})
			c.see("the cells of the map are blank", func(s string) bool { return !strings.Contains(s, cell) })
			c.press("?")
			c.see("cells under a dialog", func(s string) bool { return strings.Contains(s, "Keys here") && strings.Contains(s, cell) })
			c.press("esc", "f2")
			c.wait("graphics")
			c.press("/")
			c.text("graphics")
			c.press("enter", "right", "esc")
			c.see("cells again, as the option says", func(s string) bool { return strings.Contains(s, cell) })
			c.press("q")
			if code := c.end(); code != 0 {
				t.Errorf("ends with %d", code)
			}
		})
	}
}

func TestTerminalsWithoutGraphicsGetCells(t *testing.T) {
	l := newLab(t)
	_, value := l.best()
	c := start(t, l, nil, cols, rows)
	c.wait("/400 jobs")
	c.press(neither)
	c.press("3", "1")
	c.wait("[ " + value)
	if n := len(images(c.output())); n > 0 {
		t.Errorf("%d images are written", n)
	}
}
