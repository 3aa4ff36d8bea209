package tui_test

import (
	"context"
	"os"
	"sort"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"

	"atoll/config/suitetest"
	"atoll/engine/view"
	"atoll/tui"
	"atoll/tui/tuitest"
)

// drain is a terminal of 200x60 cells that takes everything and counts it.
func drain(t *testing.T) (tty *os.File, bytes *atomic.Int64) {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err == nil {
		err = pty.Setsize(ptmx, &pty.Winsize{Cols: 200, Rows: 60})
	}
	if err != nil {
		t.Fatal(err)
	}
	bytes = &atomic.Int64{}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		buf := make([]byte, 1<<16)
		for {
			n, err := ptmx.Read(buf)
			bytes.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = ptmx.Close()
		<-gone
	})
	return tty, bytes
}

// storm publishes events at a rate for a while and returns what each call of
// Publish took, in rising order.
func storm(feed *view.Feed, rate int, span time.Duration) []time.Duration {
	base := tuitest.Snapshot(32)
	var took []time.Duration
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(span); time.Now().Before(end); {
		<-tick.C
		for range rate / 100 {
			s := *base
			began := time.Now()
			feed.Publish(&s)
			took = append(took, time.Since(began))
		}
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	return took
}

// TestFiveThousandEventsASecond measures what a storm of events costs with a
// console of 200x60 that shows them, less what the same storm costs without.
func TestFiveThousandEventsASecond(t *testing.T) {
	suitetest.Full(t, "a flood of events; TestEveryActionRunsEverywhere stands for it")
	if testing.Short() {
		t.Skip("a measurement of time")
	}
	const rate, span = 5000, 2 * time.Second
	before := tuitest.ProcessorTime(t)
	storm(view.NewFeed(), rate, span)
	alone := tuitest.ProcessorTime(t) - before

	feed := view.NewFeed()
	tty, written := drain(t)
	feed.Publish(tuitest.Snapshot(32))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- tui.Run(ctx, tui.Options{Feed: feed, Now: tuitest.Now, Input: tty, Output: tty, Color: "always", Env: []string{"TERM=xterm-256color"}, Console: tui.Console{Theme: "dark"}})
	}()
	for written.Load() < 5000 { // the first frame
		time.Sleep(time.Millisecond)
	}
	before = tuitest.ProcessorTime(t)
	took := storm(feed, rate, span)
	cost := tuitest.ProcessorTime(t) - before - alone
	cancel()
	<-done
	share := cost.Seconds() / span.Seconds()
	t.Logf("%d events, %d bytes to the terminal: the console takes %.1f %% of a core; Publish takes %s in the middle, %s at 99 %%, %s at most",
		len(took), written.Load(), 100*share, took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
	if p99 := took[len(took)*99/100]; p99 > time.Millisecond {
		t.Errorf("Publish takes %s at 99 %%: the console delays the engine", p99)
	}
	if share > 0.25 { // the aim is 10 % on an idle machine
		t.Errorf("the console takes %.1f %% of a core", 100*share)
	}
}
