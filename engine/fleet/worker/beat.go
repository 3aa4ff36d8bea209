package worker

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/engine/fleet/wire"
)

// beats says that the worker lives until ctx ends.
func (w *Worker) beats(ctx context.Context) {
	for {
		a, err := w.ask(ctx, wire.Ask{Kind: wire.AskBeat, Beat: w.pulse()})
		if err == nil {
			w.follow(ctx, a)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(2*time.Second, w.lease()/5)):
		}
	}
}

// pulse is what a beat says.
func (w *Worker) pulse() *wire.Beat {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := &wire.Beat{Running: []string{}, Load: load(), Done: w.done, Failed: w.failed}
	for id := range w.running {
		b.Running = append(b.Running, id)
	}
	slices.Sort(b.Running)
	return b
}

// follow does what the answer to a beat says.
func (w *Worker) follow(ctx context.Context, a wire.Answer) {
	switch {
	case a.Greet: // a coordinator that was started again
		if err := w.greet(ctx); err != nil {
			w.goAway(err.Error())
		}
	case a.Leave:
		w.goAway(a.Why)
	case a.Drain:
		w.Drain()
	}
	for _, id := range a.Stop {
		w.stop(id)
	}
}

// obey carries out an order of the coordinator.
func (w *Worker) obey(msg *nats.Msg) {
	o, err := wire.Decode[wire.Order](msg.Data)
	if err != nil {
		return
	}
	switch o.Kind {
	case wire.OrderStop:
		w.stop(o.Task)
	case wire.OrderMeasure:
		select {
		case w.orders <- o.Data:
		default: // it comes again
		}
	case wire.OrderDrain:
		w.Drain()
	}
}

// stop breaks off a task.
func (w *Worker) stop(id string) {
	w.mu.Lock()
	cancel := w.running[id]
	w.mu.Unlock()
	if cancel != nil {
		cancel(errStopped)
	}
}

// load is that of one minute by processor, 0 where the system does not tell.
func load() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	word, _, _ := strings.Cut(string(data), " ")
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return 0
	}
	return v / float64(runtime.NumCPU())
}
