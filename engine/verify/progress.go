package verify

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"atoll/engine/guard"
	"atoll/engine/sandbox"
	"atoll/engine/view"
)

// tellEvery is how long a comparison of behaviour is silent.
const tellEvery = 15 * time.Second

// meteredBox is a sandbox that counts the processor time of what it ran.
type meteredBox struct {
	*sandbox.Box
	used atomic.Int64 // nanoseconds
}

// Run implements [guard.Runner].
func (b *meteredBox) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	res, err := b.Box.Run(ctx, s)
	b.used.Add(int64(res.CPU))
	return res, err
}

// tellComparing says what is compared and, now and then until quiet is called, for how long and
// how much of the processor time was used that it may take. Quiet returns how long it took.
func (c *check) tellComparing(box *meteredBox) (quiet func() time.Duration) {
	c.tell("comparing behaviour where %s changed, by up to %s of processor time", someFiles(c.report.Files), comparing)
	done, gone := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(gone)
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				c.tell("%s", comparingText(now.Sub(began), time.Duration(box.used.Load())))
			}
		}
	}()
	return func() time.Duration {
		close(done)
		<-gone
		return time.Since(began)
	}
}

// comparingText is "still comparing behaviour, for 30s of at most 1h0m0s: processes that ended
// used 21s of up to 15m0s of processor time".
func comparingText(took, used time.Duration) string {
	return fmt.Sprintf("still comparing behaviour, for %s of at most %s: processes that ended used %s of up to %s of processor time",
		took.Round(time.Second), mostComparing, used.Round(time.Second), comparing)
}

// comparedText is "compared 44 inputs of 3 functions where a.go changed, for 42s with 31s of
// processor time: the same", or why nothing was.
func comparedText(r *guard.Report, files []string, took, used time.Duration) string {
	if r.Cases == 0 {
		return view.CleanLine(r.Summary())
	}
	found := "the same"
	if n := len(r.Differences); n > 0 {
		found = view.Plural(n, "difference")
	}
	return fmt.Sprintf("compared %s of %s where %s changed, for %s with %s of processor time: %s", view.Plural(r.Cases, "input"),
		view.Plural(r.Functions, "function"), someFiles(files), took.Round(time.Second), used.Round(time.Second), found)
}

// someFiles names a few files and counts the others.
func someFiles(files []string) string {
	const most = 3
	if n := len(files) - most; n > 0 {
		return strings.Join(files[:most], ", ") + fmt.Sprintf(" and %s", view.Plural(n, "more file"))
	}
	return strings.Join(files, ", ")
}
