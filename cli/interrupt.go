package cli

import (
	"bufio"
	"context"
	"os"
	"sync"
)

// interrupts passes signals to whoever listens. While nobody does, the first one
// ends the context of the verb, and a second one the program: a verb that is slow to
// hear must not hold its terminal.
type interrupts struct {
	mu   sync.Mutex
	ears []chan os.Signal // the last one hears
}

// listen returns where the next signals come, until done is called: verbs that run an
// engine have more than one way to end.
func (i *interrupts) listen() (signals <-chan os.Signal, done func()) {
	ear := make(chan os.Signal, 4)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ears = append(i.ears, ear)
	return ear, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		for n, e := range i.ears {
			if e == ear {
				i.ears = append(i.ears[:n], i.ears[n+1:]...)
				return
			}
		}
	}
}

// heard reports whether somebody listened.
func (i *interrupts) heard(s os.Signal) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.ears) == 0 {
		return false
	}
	select {
	case i.ears[len(i.ears)-1] <- s:
	default: // it has enough of them
	}
	return true
}

// interruptible returns a context that ends with errInterrupted at a signal that
// nobody listens for, and where the reader of out is gone. done stops the passing on of
// signals.
func (a *App) interruptible(ctx context.Context) (_ context.Context, out *piped, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	out = a.heed(func() { cancel(errInterrupted) })
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-quit:
				return
			case s := <-a.Signals:
				if a.interrupts.heard(s) {
					continue
				}
				if ctx.Err() != nil && a.Exit != nil {
					a.Exit(exitInterrupted)
				}
				cancel(errInterrupted)
			}
		}
	}()
	return ctx, out, func() {
		close(quit)
		<-gone
		cancel(nil)
	}
}

// readLine reads one line, or gives up when ctx ends; then the read goes on until the
// program ends, for nothing wakes a terminal.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type answer struct {
		line string
		err  error
	}
	came := make(chan answer, 1)
	go func() {
		line, err := in.ReadString('\n')
		came <- answer{line, err}
	}()
	select {
	case a := <-came:
		return a.line, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
