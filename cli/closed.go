package cli

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"
)

// exitClosed is how a shell tells a program that ended because nobody read what it
// wrote: 128 and the number of SIGPIPE.
const exitClosed = 128 + int(syscall.SIGPIPE)

// piped is a writer whose reader may leave, as that of `atoll run | head` does. From then
// on it takes what is written without a word, and gone was called once.
type piped struct {
	io.Writer
	left atomic.Bool
	gone func()
}

// Write implements [io.Writer].
func (p *piped) Write(text []byte) (int, error) {
	if p.left.Load() {
		return len(text), nil
	}
	n, err := p.Writer.Write(text)
	if !errors.Is(err, syscall.EPIPE) {
		return n, err
	}
	if p.left.CompareAndSwap(false, true) {
		p.gone()
	}
	return len(text), nil
}

// heed has output that nobody reads any more end the verb as an interruption does. The
// result reports whether that happened. What is a terminal stays as it is.
func (a *App) heed(interrupt func()) (left func() bool) {
	if a.IsTTY != nil && a.IsTTY(a.Out) {
		return func() bool { return false }
	}
	out := &piped{Writer: a.Out, gone: func() {
		if !a.interrupts.heard(syscall.SIGPIPE) {
			interrupt()
		}
	}}
	a.Out = out
	return out.left.Load
}
