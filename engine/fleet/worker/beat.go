package worker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/engine/fleet/wire"
	"atoll/engine/work"
)

// beats says that the worker lives until ctx ends.
func (w *Worker) beats(ctx context.Context) {
	for {
		if w.due(w.o.Now()) {
			if a, err := w.ask(ctx, wire.Ask{Kind: wire.AskBeat, Beat: w.pulse()}); err == nil {
				w.follow(ctx, a)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.between()):
		}
	}
}

// between is how often a worker says that it lives.
func (w *Worker) between() time.Duration { return pace(w.lease()) }

func pace(lease time.Duration) time.Duration { return min(2*time.Second, lease/5) }

// due reports whether a beat says something that was not said since the last one: the
// results of a machine whose tasks are all young say as much.
func (w *Worker) due(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	between := pace(w.lives())
	if now.Sub(w.beat) >= 4*between || now.Sub(w.told) >= between/2 {
		return true
	}
	for _, at := range w.running {
		if now.Sub(at.since) >= between {
			return true
		}
	}
	return false
}

// pulse is what a beat says.
func (w *Worker) pulse() *wire.Beat {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beat = w.o.Now()
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
		w.sentAway()
	}
	for _, id := range a.Stop {
		w.stop(id)
	}
}

// obey carries out an order of the coordinator.
func (w *Worker) obey(msg *nats.Msg) {
	o, err := wire.Decode[wire.Order](msg.Data)
	if err != nil || o.Session != w.session { // of a worker that had the name before
		return
	}
	switch {
	case o.Kind == wire.OrderStop:
		w.stop(o.Task)
	case o.Kind == wire.OrderMeasure && o.Next != nil:
		select {
		case w.orders <- *o.Next:
		default: // its lease runs out
		}
	case o.Kind == wire.OrderPipe && o.Pipe != nil:
		w.mu.Lock()
		t := w.tunnels[o.Pipe.Task]
		w.mu.Unlock()
		if t != nil {
			t.take(o.Pipe)
		}
	case o.Kind == wire.OrderDrain:
		w.sentAway()
	}
}

// sentAway ends the worker since a person drained the machine, and says so.
func (w *Worker) sentAway() {
	w.drainOnce.Do(func() {
		w.o.Say("info", fmt.Sprintf("drained: finishing what runs, and ending then; `atoll fleet resume %s` on the machine of the run lets it start again", w.o.Name))
		close(w.drained)
	})
}

// stop breaks off a task.
func (w *Worker) stop(id string) {
	w.mu.Lock()
	k, runs := w.running[id]
	w.mu.Unlock()
	if runs {
		k.cancel(errStopped)
	}
}

// load is that of one minute by processor, 0 where the system does not tell.
func load() float64 {
	if l := work.MachineLoad(); l != nil {
		return *l
	}
	return 0
}
