package work

import (
	"context"
	"strings"
	"sync"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// fakeHost keeps what a job has to say beside its result.
type fakeHost struct {
	mu     sync.Mutex
	paused []string
}

var _ Host = (*fakeHost)(nil)

func (h *fakeHost) Note(string, record.JobID, string, ...time.Time)             {}
func (h *fakeHost) Decide(context.Context, record.Decision) (record.Seq, error) { return 0, nil }
func (h *fakeHost) Wake()                                                       {}
func (h *fakeHost) Exhausted(b *store.BudgetError)                              { h.Pause("exhausted: " + b.Which) }

func (h *fakeHost) StoreFailed(err error)           { h.Pause("store failed: " + err.Error()) }
func (h *fakeHost) RootSick(string)                 {}
func (h *fakeHost) RootFailed(record.Class, string) {}
func (h *fakeHost) Pause(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paused = append(h.paused, why)
}

func (h *fakeHost) told() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.paused, "\n")
}

func number(v float64) *float64 { return &v }
