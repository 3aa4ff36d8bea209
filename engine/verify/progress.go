package verify

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"atoll/engine/guard"
	"atoll/engine/sandbox"
	"atoll/engine/view"
)

// tellEvery is how long a step of a verification is silent.
const tellEvery = 15 * time.Second

// meteredBox is a sandbox that counts the processor time of what it ran.
type meteredBox struct {
	*sandbox.Box
	used atomic.Int64 // nanoseconds
	told atomic.Int64 // the most that was told so far
}

// Run implements [guard.Runner].
func (b *meteredBox) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	res, err := b.Box.Run(ctx, s)
	b.used.Add(int64(res.CPU))
	return res, err
}

// now is the processor time of what ended and of what runs. It never falls: what has just ended is
// not counted for a moment, neither as the one nor as the other.
func (b *meteredBox) now() time.Duration {
	return b.atLeast(time.Duration(b.used.Load()) + running("/proc", os.Getpid()))
}

// atLeast is the time that was used, or what was told before where that is more.
func (b *meteredBox) atLeast(used time.Duration) time.Duration {
	for {
		before := b.told.Load()
		if int64(used) <= before {
			return time.Duration(before)
		}
		if b.told.CompareAndSwap(before, int64(used)) {
			return used
		}
	}
}

// progress is what is done now.
type progress struct {
	mu    sync.Mutex
	what  string
	since time.Time
	cases int
}

// doing takes note of what a comparison begins with, and of the inputs compared until then.
func (p *progress) doing(d guard.Doing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.cases, p.since = d.What, d.Cases, time.Now()
}

// text is "looking for inputs of kit.f since 30s, 12 inputs compared before": what was compared until that began.
func (p *progress) text(now time.Time) string {
	text := p.now(now)
	if text != "" {
		text += ", "
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return text + view.Plural(p.cases, "input") + " compared before"
}

// now is "recording the calls of the tests since 30s", "" before anything began.
func (p *progress) now(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.what == "" {
		return ""
	}
	return view.CleanLine(p.what) + " since " + now.Sub(p.since).Round(time.Second).String()
}

// tellComparing says what is compared and, now and then until quiet is called, for how long, what is
// done just then and how much of the processor time was used that it may take. Quiet returns how long it took.
func (c *check) tellComparing(box *meteredBox, p *progress) (quiet func() time.Duration) {
	c.tell("comparing behaviour where %s changed, by up to %s of processor time", someFiles(c.report.Files), comparing)
	return c.tellEach(tellEvery, func(now time.Time, took time.Duration) string { return comparingText(took, box.now(), p.text(now)) })
}

// tellFirst tells of the first difference that a comparison found, while it looks for others.
func (c *check) tellFirst(d guard.Difference) {
	then := "others are looked for before it is refused"
	if c.q.Accepted {
		then = "that was approved; others are looked for"
	}
	c.tell("it behaves in another way: %s; %s", d, then)
}

// tellLong says now and then that a step is still under way until quiet is called.
func (c *check) tellLong(what string) (quiet func() time.Duration) {
	return c.tellEach(tellEvery, func(_ time.Time, took time.Duration) string {
		return fmt.Sprintf("still %s, for %s", what, took.Round(time.Second))
	})
}

// tellEach tells a text now and then until quiet is called, which returns how long it took.
func (c *check) tellEach(every time.Duration, text func(now time.Time, took time.Duration) string) (quiet func() time.Duration) {
	done, gone := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(gone)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				c.tell("%s", text(now, now.Sub(began)))
			}
		}
	}()
	return func() time.Duration {
		close(done)
		<-gone
		return time.Since(began)
	}
}

// tellMinimising says that a change is made smaller and, now and then until quiet is called,
// what is looked at just then.
func (c *check) tellMinimising(edits, stretches int, p *progress) (quiet func() time.Duration) {
	c.tell("looking for what brings nothing in %s and %s of the change", view.Plural(edits, "edit"), view.Plural(stretches, "part"))
	return c.tellEach(tellEvery, func(now time.Time, took time.Duration) string { return minimisingText(took, p.now(now)) })
}

// minimisingText is "still looking for what brings nothing, for 30s: measuring it without a.go:3 since 4s".
func minimisingText(took time.Duration, doing string) string {
	return fmt.Sprintf("still looking for what brings nothing, for %s: %s", took.Round(time.Second), doing)
}

// comparingText is "still comparing behaviour, for 30s of at most 1h0m0s with 21s of up to 15m0s of
// processor time: comparing kit.f since 4s, 44 inputs compared before".
func comparingText(took, used time.Duration, doing string) string {
	return fmt.Sprintf("still comparing behaviour, for %s of at most %s with %s of up to %s of processor time: %s",
		took.Round(time.Second), mostComparing, used.Round(time.Second), comparing, doing)
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
