package tuitest

import (
	"fmt"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// Terminal is an emulated terminal. It mends two faults of the emulator: tab
// stops beyond column 80, and characters whose bytes come in two pieces.
type Terminal struct {
	vt10x.Terminal
	left []byte // the beginning of a character
}

// NewTerminal returns a terminal of w x h cells.
func NewTerminal(w, h int) *Terminal {
	t := &Terminal{Terminal: vt10x.New(vt10x.WithSize(w, h))}
	for x := 9; x <= w; x += 8 {
		fmt.Fprintf(t, "\x1b[%dG\x1bH", x)
	}
	fmt.Fprint(t, "\x1b[H")
	return t
}

// Write draws p but for a character at its end that is not whole yet.
func (t *Terminal) Write(p []byte) (int, error) {
	b := append(t.left, p...)
	end := len(b)
	for i := end - 1; i >= 0 && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				end = i
			}
			break
		}
	}
	_, err := t.Terminal.Write(b[:end])
	t.left = append([]byte(nil), b[end:]...)
	return len(p), err
}
