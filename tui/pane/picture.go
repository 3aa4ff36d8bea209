package pane

import "image"

// Picture is a part of a body that a terminal with graphics can show as an image in
// place of its cells.
type Picture struct {
	At   image.Rectangle // cells of the body
	Draw func(cw, ch int) image.Image
}

// Pictured is a pane with such parts. They are those of the last body.
type Pictured interface{ Pictures() []Picture }
