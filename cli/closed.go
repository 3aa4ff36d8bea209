package cli

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
)

// exitClosed is how a shell tells a program that ended because nobody read what it
// wrote: 128 and the number of SIGPIPE.
const exitClosed = 128 + int(syscall.SIGPIPE)

// piped is a writer whose reader may leave, as that of `atoll run | head` does. From then
// on it takes what is written without a word, and gone was called once. Another error, such
// as that of a full disk, it keeps: most that is printed is printed without looking.
type piped struct {
	io.Writer
	left atomic.Bool
	gone func()
	lost atomic.Pointer[error]
}

// Write implements [io.Writer].
func (p *piped) Write(text []byte) (int, error) {
	if p.left.Load() {
		return len(text), nil
	}
	n, err := p.Writer.Write(text)
	if !errors.Is(err, syscall.EPIPE) {
		if err != nil {
			p.lost.CompareAndSwap(nil, &err)
		}
		return n, err
	}
	if p.left.CompareAndSwap(false, true) {
		p.gone()
	}
	return len(text), nil
}

// failed is what could not be written, where somebody would have read it.
func (p *piped) failed() error {
	if err := p.lost.Load(); err != nil {
		return fmt.Errorf("not all of the output could be written: %w", *err)
	}
	return nil
}

// heed has output that nobody reads any more end the verb as an interruption does. What is
// a terminal stays as it is, and nothing is known of it.
func (a *App) heed(interrupt func()) *piped {
	out := &piped{Writer: a.Out, gone: func() {
		if !a.interrupts.heard(syscall.SIGPIPE) {
			interrupt()
		}
	}}
	if a.IsTTY == nil || !a.IsTTY(a.Out) {
		a.Out = out
	}
	return out
}
