package gateway

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"atoll/store/record"
)

// Ledger keeps money. Reserve sets aside what a request can cost at most, or,
// where less is left and nothing is to come back, what is left, down to least:
// the request is then cut to it. It returns what it set aside, or an error that
// is [ErrBudget] when not even least is left; any other error stops the request
// too. Settle gives back what was reserved and counts what was used; it is called
// exactly once for each reservation, also when the request was cancelled. Both
// are safe for concurrent use.
type Ledger interface {
	Reserve(ctx context.Context, least, most float64) (usd float64, err error)
	Settle(ctx context.Context, reserved float64, u record.Usage) error
}

// Budget is a ledger in memory: a limit in US dollars, shared by all who hold
// it. It asks Next as well when there is one.
type Budget struct {
	limit float64
	next  Ledger

	mu       sync.Mutex
	reserved float64
	spent    float64
	usage    record.Usage
	change   chan struct{} // closed when less is reserved
}

var _ Ledger = (*Budget)(nil)

// NewBudget returns a budget of usd dollars; 0 is no limit. next may be nil.
func NewBudget(usd float64, next Ledger) *Budget {
	return &Budget{limit: usd, next: next, change: make(chan struct{})}
}

// Reserve implements [Ledger]. What does not fit beside requests in flight waits for
// them.
func (b *Budget) Reserve(ctx context.Context, least, most float64) (float64, error) {
	for _, usd := range []float64{least, most} {
		if math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
			return 0, fmt.Errorf("%w: $%v cannot be reserved", ErrBudget, usd)
		}
	}
	took, err := b.wait(ctx, least, most)
	if err != nil || b.next == nil {
		return took, err
	}
	got, err := b.next.Reserve(ctx, least, took)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free(took - got)
	return got, err
}

// wait takes money, as soon as there is enough or nothing in flight can give any back.
func (b *Budget) wait(ctx context.Context, least, most float64) (float64, error) {
	for {
		took, change, err := b.take(least, most)
		if change == nil {
			return took, err
		}
		select {
		case <-change:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// free gives a reservation back. The caller holds the lock.
func (b *Budget) free(usd float64) {
	b.reserved = max(0, b.reserved-usd)
	if b.reserved < 1e-12 { // what rounding left
		b.reserved = 0
	}
	close(b.change)
	b.change = make(chan struct{})
}

// take sets money aside, or says what to wait for.
func (b *Budget) take(least, most float64) (usd float64, change <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if left := b.limit - b.spent - b.reserved; b.limit > 0 && most > left {
		if b.reserved > 0 && least <= b.limit-b.spent {
			return 0, b.change, nil
		}
		if left < least {
			return 0, nil, fmt.Errorf("%w: it can cost up to $%.4f, and of $%g there are $%.4f spent and $%.4f reserved: raise the budget, or lower max_tokens",
				ErrBudget, most, b.limit, b.spent, b.reserved)
		}
		most = left
	}
	b.reserved += most
	return most, nil, nil
}

// Settle implements [Ledger].
func (b *Budget) Settle(ctx context.Context, reserved float64, u record.Usage) error {
	b.mu.Lock()
	b.free(reserved)
	if u.CostUSD != nil {
		b.spent += *u.CostUSD
	}
	b.usage = b.usage.Add(u)
	b.mu.Unlock()
	if b.next == nil {
		return nil
	}
	return b.next.Settle(ctx, reserved, u)
}

// Spent returns the dollars settled and those reserved now.
func (b *Budget) Spent() (spent, reserved float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent, b.reserved
}

// Account is who pays for requests: one job, or one call that assists. It is
// safe for concurrent use.
type Account struct {
	name   string
	strict bool
	ledger *Budget

	mu    sync.Mutex
	stop  error     // why nothing more is sent; nil: it goes on
	broke error     // a budget refused a request of a client: none of them is sent any more
	heard time.Time // when a request of it began or left, or a provider last said something to it
	total Totals
	ends  map[int]context.CancelCauseFunc // requests in flight
	next  int
}

// AccountOptions describe an account. Name tells the accounts of one recording
// apart and must be the same when it is replayed ("#12"). Ledger may be nil.
// LimitUSD is the account's own limit, 0 for none. Limited says that the ledger
// has a money budget, so that what has no price is refused.
type AccountOptions struct {
	Name     string
	Ledger   Ledger
	LimitUSD float64
	Limited  bool
}

// Totals are what an account used.
type Totals struct {
	Usage   record.Usage
	Sent    int // requests that left, retries counted
	Refused int // requests that were refused before they left
	Asked   int // requests of clients that were admitted
	Excess  int // requests of clients above the number that the job may make; none left
	// Denied is the refusal of a provider that lasts, an [ErrAccess]; nil: none. An
	// endpoint asks no provider any more after it.
	Denied error
	// Notes say what was changed in a client's requests, or what was odd, each once.
	Notes []string
}

// NewAccount returns an account that nothing was charged to.
func NewAccount(o AccountOptions) *Account {
	return &Account{
		name: o.Name, strict: o.Limited || o.LimitUSD > 0, ledger: NewBudget(o.LimitUSD, o.Ledger),
		ends: map[int]context.CancelCauseFunc{},
	}
}

// Totals returns what was used so far.
func (a *Account) Totals() Totals {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.total
	t.Notes = append([]string(nil), t.Notes...)
	return t
}

// Stop ends the requests in flight and refuses all further ones with err.
func (a *Account) Stop(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		a.stop = err
	}
	for _, end := range a.ends {
		end(err)
	}
}

// hold ties a request to the account; the returned function lets go of it.
func (a *Account) hold(ctx context.Context) (context.Context, func(), error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		return nil, nil, a.stop
	}
	ctx, cancel := context.WithCancelCause(ctx)
	id := a.next
	a.next++
	a.ends[id] = cancel
	return ctx, func() {
		a.mu.Lock()
		delete(a.ends, id)
		a.mu.Unlock()
		cancel(nil)
	}, nil
}

// hear notes a sign of life.
func (a *Account) hear(at time.Time) {
	a.mu.Lock()
	a.heard = at
	a.mu.Unlock()
}

// Heard returns when a request of the account began or left last, or a provider last sent
// words of an answer, and whether one is waited for now. Zero: never.
func (a *Account) Heard() (at time.Time, asking bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.heard, len(a.ends) > 0
}

func (a *Account) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.total.Notes {
		if n == text {
			return
		}
	}
	if len(a.total.Notes) < 50 {
		a.total.Notes = append(a.total.Notes, text)
	}
}

// refused counts a request that did not leave because of err. One that follows a
// provider's refusal says nothing of a budget.
func (a *Account) refused(err error) {
	if errors.Is(err, ErrAccess) {
		return
	}
	a.mu.Lock()
	a.total.Refused++
	a.mu.Unlock()
}

// admit counts a client's request, the most-th at most; 0 is no limit. After a refusal
// for money there is none: its job is over, and is charged for nothing more.
func (a *Account) admit(most int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broke != nil {
		a.total.Refused++
		return a.broke
	}
	if most > 0 && a.total.Asked >= most {
		a.total.Excess++
		return fmt.Errorf("%w: %d were made", ErrRequests, most)
	}
	a.total.Asked++
	return nil
}

// breaks notes that a budget refused a request of a client.
func (a *Account) breaks(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broke == nil {
		a.broke = err
	}
}

// deny notes a provider's refusal that lasts.
func (a *Account) deny(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.total.Denied == nil {
		a.total.Denied = err
	}
}

// settle counts one request that was sent. More than was reserved stops the
// account: the bound does not hold with this provider.
func (a *Account) settle(ctx context.Context, reserved float64, u record.Usage) error {
	u, ok := u.Bounded()
	if !ok {
		a.note(fmt.Sprintf("a request is said to have used more than can be: %d tokens in and %d out are counted, and $%g at most", u.InputTokens, u.OutputTokens, record.MostUSD))
	}
	err := a.ledger.Settle(context.WithoutCancel(ctx), reserved, u)
	a.mu.Lock()
	a.total.Usage = a.total.Usage.Add(u)
	a.total.Sent++
	a.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("settle the cost of a request: %w", err)
		a.Stop(err)
		return err
	}
	const slack = 1e-9 // rounding
	if a.strict && u.CostUSD != nil && *u.CostUSD > reserved+slack {
		text := fmt.Sprintf("the provider billed $%.6f for a request that could cost $%.6f at most", *u.CostUSD, reserved)
		a.note(text)
		a.Stop(fmt.Errorf("%w: %s: check the price table and the provider", ErrBudget, text))
	}
	return nil
}

// Settles reports whether a ledger counts what the account uses, so that
// nobody else must.
func (a *Account) Settles() bool { return a.ledger.next != nil }
