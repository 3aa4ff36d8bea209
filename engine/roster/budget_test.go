package roster

import (
	"context"
	"errors"
	"sync"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/store"
	"atoll/store/record"
)

// books are books with a bound, kept in memory.
type books struct {
	mu              sync.Mutex
	limit, reserved float64
	spent           float64
	refused         chan struct{} // receives at each refusal
}

func (p *books) Reserve(_ context.Context, _ record.Lease, usd float64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spent+p.reserved+usd > p.limit {
		select {
		case p.refused <- struct{}{}:
		default:
		}
		return &store.BudgetError{Which: store.BudgetCost, Used: p.spent + p.reserved, Max: p.limit}
	}
	p.reserved += usd
	return nil
}

func (p *books) Settle(_ context.Context, _ record.Lease, reserved float64, u record.Usage) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved -= reserved
	p.spent += *u.CostUSD
	return nil
}

// alarms remembers what was reported.
type alarms struct{ spent, overbilled int }

func (b *alarms) Spent(*store.BudgetError)                  { b.spent++ }
func (b *alarms) Overbilled(record.JobID, float64, float64) { b.overbilled++ }
func cost(usd float64) record.Usage                         { return record.Usage{Requests: 1, CostUSD: &usd} }

func ledgerOf(b *Budget, job record.JobID) *jobLedger { return &jobLedger{p: b, lease: leaseOf(job)} }

func leaseOf(job record.JobID) record.Lease {
	return record.Lease{Job: record.Job{ID: job}, Attempt: 1}
}

func limited(p *books, b *alarms) *Budget {
	return NewBudget(1, p, b, func() float64 { return p.limit })
}

func TestMoneyOfTheExperiment(t *testing.T) {
	for _, c := range []struct {
		name              string
		asked, used       float64
		refused           bool
		spent, overbilled int
	}{
		{"a request that fits is paid for", 0.5, 0.4, false, 0, 0},
		{"one that nothing can make room for ends the run", 2, 0, true, 1, 0},
		{"a provider that bills more than it can is reported", 0.5, 0.6, false, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, rung := &books{limit: 1}, &alarms{}
			b := limited(p, rung)
			l := ledgerOf(b, 7)
			_, err := l.Reserve(t.Context(), c.asked, c.asked)
			if errors.Is(err, gateway.ErrBudget) != c.refused || (b.Refused(7) != nil) != c.refused {
				t.Fatalf("refused with %v, told as %v", err, b.Refused(7))
			}
			if !c.refused {
				if err := l.Settle(t.Context(), c.asked, cost(c.used)); err != nil || p.spent != c.used {
					t.Errorf("settled with %v, $%v are spent", err, p.spent)
				}
			}
			if rung.spent != c.spent || rung.overbilled != c.overbilled {
				t.Errorf("reported %+v", *rung)
			}
			if b.Forget(7); b.Refused(7) != nil {
				t.Error("a job that ended is still refused")
			}
		})
	}
}

func TestARequestWaitsForMoneyThatMayComeBack(t *testing.T) {
	for _, c := range []struct {
		name string
		used float64
		fits bool
	}{
		{"and goes on when enough did", 0.1, true},
		{"and is refused when it did not", 0.8, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &books{limit: 1, refused: make(chan struct{}, 1)}
			b := limited(p, &alarms{})
			first, second := ledgerOf(b, 1), ledgerOf(b, 2)
			if _, err := first.Reserve(t.Context(), 0.8, 0.8); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				_, err := second.Reserve(t.Context(), 0.5, 0.5)
				done <- err
			}()
			<-p.refused
			if err := first.Settle(t.Context(), 0.8, cost(c.used)); err != nil {
				t.Fatal(err)
			}
			if err := <-done; (err == nil) != c.fits {
				t.Errorf("the one that waited got %v", err)
			}
		})
	}
}

func TestARequestThatWaitsEndsWithItsJob(t *testing.T) {
	p := &books{limit: 1, refused: make(chan struct{}, 1)}
	b := limited(p, &alarms{})
	if _, err := ledgerOf(b, 1).Reserve(t.Context(), 0.8, 0.8); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled by ada")
	done := make(chan error, 1)
	go func() {
		_, err := ledgerOf(b, 2).Reserve(ctx, 0.5, 0.5)
		done <- err
	}()
	<-p.refused
	cancel(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Errorf("it ended with %v", err)
	}
}

func TestAnAttemptHasOneAccountAnAgent(t *testing.T) {
	b := limited(&books{limit: 1}, &alarms{})
	of := func(name string, job record.JobID, attempt int) *gateway.Account {
		return b.Account(name, 0)(agent.Job{Number: job, Attempt: attempt})
	}
	one := of("a", 1, 1)
	if of("a", 1, 1) != one {
		t.Error("a second request of an attempt has another account")
	}
	if of("a", 1, 2) == one || of("b", 1, 1) == one || of("a", 2, 1) == one {
		t.Error("attempts, agents or jobs share an account")
	}
	if b.Forget(1); of("a", 1, 1) == one {
		t.Error("the account of a job that ended is kept")
	}
}
