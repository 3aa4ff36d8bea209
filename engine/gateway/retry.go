package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atoll/store/record"
)

// maxAfter bounds what is waited for a provider that asks for it; of one that asks for
// more than longAfter a person is told, for each job would fail like the first.
const (
	maxAfter  = 10 * time.Minute
	longAfter = 15 * time.Minute
)

// circuitError is an [ErrCircuit] that ends after some time.
type circuitError struct {
	provider string
	after    time.Duration
	last     error
}

func (e *circuitError) Error() string {
	text := fmt.Sprintf("%s: %s, for %s more", e.provider, ErrCircuit, e.after.Round(time.Second))
	if e.last != nil {
		text += ": " + e.last.Error()
	}
	return text
}
func (e *circuitError) Is(target error) bool { return target == ErrCircuit }
func (e *circuitError) Unwrap() error        { return e.last }

// again reports whether another try may help, and how long the provider asks
// to wait before it.
func again(err error) (bool, time.Duration) {
	var p *ProviderError
	var cut *cutError
	var circuit *circuitError
	switch {
	case errors.As(err, &circuit):
		return true, circuit.after
	case errors.As(err, &cut):
		return cut.again, 0
	case errors.As(err, &p):
		switch {
		case p.Access != Served: // nothing but a person changes it
			return false, 0
		case p.Status == 0, p.Status == 408, p.Status == 409, p.Status == 425, p.Status == 429, p.Status >= 500, p.Status == 200:
			return true, p.After
		}
	}
	return false, 0
}

// blame tells the breaker how a request ended.
func (u *upstream) blame(ctx context.Context, err error) {
	var p *ProviderError
	var cut *cutError
	switch {
	case err == nil:
		u.breaker.result(true)
	case errors.As(err, &p):
		switch {
		case p.Status == 429, p.Access != Served: // it is alive
			u.breaker.undecided()
		case p.Status == 0, p.Status == 408, p.Status >= 500:
			u.breaker.result(false)
		default:
			u.breaker.result(true) // it is alive, and did not like this request
		}
	case errors.As(err, &cut) && cut.again && ctx.Err() == nil:
		u.breaker.result(false)
	default:
		u.breaker.undecided()
	}
}

// call sends a request until it brings an answer, or trying again is no use.
// The usage counts all of its requests.
func (g *Gateway) call(ctx context.Context, o *outgoing) (ans *answer, used record.Usage, err error) {
	ctx, release, err := o.account.hold(ctx)
	if err != nil {
		o.account.refused(err)
		return nil, used, err
	}
	defer release()
	o.account.hear(g.opt.Now())
	if err := g.allowed(o); err != nil {
		o.account.refused(err)
		return nil, used, err
	}
	if g.tape.replaying() {
		return g.replayed(ctx, o)
	}
	began := g.opt.Now()
	sent := 0
	var last error
	for {
		ans, err = g.try(ctx, o, last)
		if ans != nil {
			used = used.Add(ans.usage)
		}
		if !errors.Is(err, ErrCircuit) {
			sent++
		}
		if err == nil || !g.pause(ctx, o, sent, began, err) {
			break
		}
		if !errors.Is(err, ErrCircuit) {
			last = err
		}
	}
	switch {
	case errors.Is(err, ErrBudget):
		o.account.refused(err)
	case errors.Is(err, ErrAccess):
		o.account.deny(err)
	}
	var p *ProviderError
	if errors.As(err, &p) {
		p.Attempts = sent
	}
	if rerr := g.tape.record(o, ans, err); rerr != nil && err == nil {
		err = rerr
	}
	return ans, used, err
}

// try sends one request unless the circuit is open.
func (g *Gateway) try(ctx context.Context, o *outgoing, last error) (*answer, error) {
	if wait := o.to.breaker.allow(); wait > 0 {
		return nil, &circuitError{o.to.Name, wait, last}
	}
	ans, err := g.once(ctx, o)
	o.to.blame(ctx, err)
	return ans, err
}

// pause waits before another try after sent requests; false: there is none.
func (g *Gateway) pause(ctx context.Context, o *outgoing, sent int, began time.Time, err error) bool {
	ok, after := again(err)
	if !ok || ctx.Err() != nil {
		return false
	}
	if s, started := o.sink.(interface{ started() bool }); started && s.started() {
		return false
	}
	if sent >= o.attempts && !errors.Is(err, ErrCircuit) {
		return false
	}
	// Full jitter (Brooker, "Exponential backoff and jitter"), above what the
	// provider asked for.
	ceiling := min(g.opt.Backoff<<min(max(sent-1, 0), 20), g.opt.MaxBackoff)
	wait := min(after, maxAfter) + time.Duration(g.opt.Rand()*float64(ceiling))
	if g.opt.Now().Add(wait).Sub(began) > g.opt.Total {
		return false
	}
	return g.opt.Sleep(ctx, wait) == nil
}

// allowed refuses what a limit on money cannot hold.
func (g *Gateway) allowed(o *outgoing) error {
	if !o.account.strict || o.free {
		return nil
	}
	if _, known := g.opt.Prices.Of(o.model); !known {
		return fmt.Errorf("%w: %s at %s: add it to prices in the configuration (0 for a model that costs nothing), or lift the money budget",
			ErrUnknownPrice, o.model, o.to.Name)
	}
	return nil
}
