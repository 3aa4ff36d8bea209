package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"atoll/engine/gateway"
	"atoll/store/record"
)

// dear answers as expensively as a request allows: every token it may write,
// and an input token for nearly every byte it was sent.
func dear(in int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		sse(w)
		chatPart(w, "x")
		chatEnd(w, "stop", in, 100)
	}
}

func TestBudgetHoldsWithEightCallers(t *testing.T) {
	f := newFake(t, dear(300))
	o, _ := options(gateway.Chat, f.URL)
	o.Prices = gateway.Prices{{Model: "m", Input: 100, Output: 1000}}
	g := mustNew(t, o)
	const limit = 2.0 // an answer costs $0.13, and is reserved at about $0.15
	b := gateway.NewBudget(limit, nil)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done, refused := 0, 0
	for range 8 {
		wait.Go(func() {
			a := gateway.NewAccount(gateway.AccountOptions{Name: "#1", Ledger: b, Limited: true})
			for range 20 {
				_, err := g.Client().Complete(t.Context(), ask(a))
				mu.Lock()
				switch {
				case err == nil:
					done++
				case errors.Is(err, gateway.ErrBudget):
					refused++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	spent, reserved := b.Spent()
	if spent > limit || reserved > 1e-9 {
		t.Errorf("spent $%v of $%v, $%v still reserved", spent, limit, reserved)
	}
	if math.Abs(spent-float64(done)*0.13) > 1e-9 || done+refused != 160 || len(f.requests()) != done {
		t.Errorf("%d answers, %d refused, %d requests, $%v", done, refused, len(f.requests()), spent)
	}
	if done < 13 {
		t.Errorf("only %d answers were bought for $%v", done, limit)
	}
}

func TestProviderThatBillsTooMuchStopsTheAccount(t *testing.T) {
	f := newFake(t, dear(1_000_000))
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	a := account(5, nil)
	if _, err := g.Client().Complete(t.Context(), ask(a)); err != nil {
		t.Fatal(err)
	}
	_, err := g.Client().Complete(t.Context(), ask(a))
	if !errors.Is(err, gateway.ErrBudget) || !strings.Contains(err.Error(), "billed") || len(f.requests()) != 1 {
		t.Errorf("got %v after %d requests", err, len(f.requests()))
	}
	total := a.Totals()
	if total.Sent != 1 || total.Refused != 1 || len(total.Notes) != 1 || *total.Usage.CostUSD < 1 {
		t.Errorf("got %+v", total)
	}
}

func TestABillBeyondBeliefIsCountedAsTheMostThatCanBe(t *testing.T) {
	f := newFake(t, dear(900_000_000_000))
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	books := &ledger{}
	a := account(0, books)
	if _, err := g.Client().Complete(t.Context(), ask(a)); err != nil {
		t.Fatal(err)
	}
	if c := books.settled[0].CostUSD; c == nil || *c != record.MostUSD {
		t.Errorf("settled at %v", books.settled[0])
	}
	if total := a.Totals(); len(total.Notes) == 0 || !strings.Contains(total.Notes[0], "more than can be") {
		t.Errorf("got %+v", total)
	}
}

// ledger counts calls, and can fail.
type ledger struct {
	mu      sync.Mutex
	open    float64
	calls   int
	settled []record.Usage
	refuse  error
	broken  error
}

func (l *ledger) Reserve(_ context.Context, _, most float64) (float64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuse != nil {
		return 0, l.refuse
	}
	l.calls++
	l.open += most
	return most, nil
}

func (l *ledger) Settle(ctx context.Context, reserved float64, u record.Usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls--
	l.open -= reserved
	l.settled = append(l.settled, u)
	return errors.Join(ctx.Err(), l.broken)
}

func TestLedger(t *testing.T) {
	lost := errors.New("the lease is lost")
	for _, tc := range []struct {
		name  string
		step  http.HandlerFunc
		l     *ledger
		want  error
		wants int // settlements
	}{
		{"each reservation is settled once", says("x", 1, 1), &ledger{}, nil, 1},
		{"failed tries are settled one by one", status(500, ""), &ledger{}, gateway.ErrProvider, 5},
		{"what the ledger refuses is not sent", says("x", 1, 1), &ledger{refuse: lost}, lost, 0},
		{"a ledger that cannot settle stops the account", says("x", 1, 1), &ledger{broken: lost}, lost, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, tc.step)
			o, _ := options(gateway.Chat, f.URL)
			l := tc.l
			a := account(1, l)
			_, err := mustNew(t, o).Client().Complete(t.Context(), ask(a))
			if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if l.calls != 0 || math.Abs(l.open) > 1e-12 || len(l.settled) != tc.wants || len(f.requests()) != tc.wants {
				t.Errorf("%d reservations of $%v are open, %d were settled, %d requests", l.calls, l.open, len(l.settled), len(f.requests()))
			}
		})
	}
}

func TestStopEndsRequestsInFlight(t *testing.T) {
	f := newFake(t, stalls)
	o, _ := options(gateway.Chat, f.URL)
	g := mustNew(t, o)
	a := account(1, nil)
	over := errors.New("the job is cancelled")
	q := ask(a)
	q.OnText = func(string) { a.Stop(over) }
	if _, err := g.Client().Complete(t.Context(), q); !errors.Is(err, over) {
		t.Errorf("in flight: got %v", err)
	}
	if _, err := g.Client().Complete(t.Context(), q); !errors.Is(err, over) || len(f.requests()) != 1 {
		t.Errorf("afterwards: got %v, %d requests", err, len(f.requests()))
	}
}

func TestAnAnswerIsCutToWhatTheBudgetHasLeft(t *testing.T) {
	for _, tc := range []struct {
		name  string
		usd   float64
		extra string // a further field of the request
		want  int64  // tokens of the answer that was asked for; 0 = refused
	}{
		{"enough for all of it", 9, "", 8000},
		{"enough for half of it", 4.1, "", 4000},
		{"enough for less than a quarter", 1.5, "", 0},
		{"enough for half of one with a budget of thoughts", 4.1, `{"type":"enabled","budget_tokens":5000}`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, says("hi", 10, 5))
			o, _ := options(gateway.Chat, f.URL)
			o.Prices = gateway.Prices{{Model: "m", Input: 1, Output: 1000}}
			a := account(0, gateway.NewBudget(tc.usd, nil))
			q := ask(a)
			q.MaxTokens = 8000
			if tc.extra != "" {
				q.Extra = map[string]json.RawMessage{"thinking": []byte(tc.extra)}
			}
			_, err := mustNew(t, o).Client().Complete(t.Context(), q)
			seen := f.requests()
			if tc.want == 0 {
				if !errors.Is(err, gateway.ErrBudget) || len(seen) != 0 {
					t.Fatalf("got %v after %d requests, want a refusal", err, len(seen))
				}
				return
			}
			if err != nil || len(seen) != 1 {
				t.Fatalf("got %v after %d requests", err, len(seen))
			}
			got := int64(seen[0].body["max_tokens"].(float64))
			if got > tc.want+100 || got < tc.want-100 {
				t.Errorf("it asked for %d tokens, want about %d", got, tc.want)
			}
			if cut := len(a.Totals().Notes) > 0; cut != (tc.want < 8000) {
				t.Errorf("notes %q", a.Totals().Notes)
			}
		})
	}
}

func TestAfterARefusalForMoneyAClientIsChargedForNothing(t *testing.T) {
	f := newFake(t, says("ok", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	a := account(1, nil)
	g := mustNew(t, o)
	e := serve(t, g, gateway.Job{Account: a, Providers: []string{"p"}})
	for i, want := range []int{200, 429, 429} {
		body := []string{`{"model":"m","max_tokens":10}`, `{"model":"m","max_tokens":900000000}`, `{"model":"m","max_tokens":10}`}[i]
		if code, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, body); code != want {
			t.Errorf("request %d: got %d %s, want %d", i, code, text, want)
		}
	}
	e.Close()
	again := serve(t, g, gateway.Job{Account: a, Providers: []string{"p"}}) // another attempt of the job
	if code, _ := post(t, http.DefaultClient, again.BaseURL(gateway.Chat)+"/chat/completions", again.Token, `{"model":"m","max_tokens":10}`); code != 429 {
		t.Errorf("the next attempt is served: %d", code)
	}
	if total := a.Totals(); total.Refused != 3 || len(f.requests()) != 1 {
		t.Errorf("%d requests, got %+v", len(f.requests()), total)
	}
}

func TestARequestThatDoesNotFitBesideAnotherWaitsForIt(t *testing.T) {
	first := gateway.NewBudget(1, nil)
	for _, tc := range []struct {
		name string
		used float64
		fits bool
	}{
		{"and goes on when enough came back", 0.1, true},
		{"and is refused when it did not", 0.8, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := gateway.NewBudget(1, nil)
			if _, err := b.Reserve(t.Context(), 0.8, 0.8); err != nil {
				t.Fatal(err)
			}
			got := make(chan error)
			go func() {
				_, err := b.Reserve(t.Context(), 0.5, 0.5)
				got <- err
			}()
			select {
			case err := <-got:
				t.Fatalf("it did not wait: %v", err)
			default:
			}
			if err := b.Settle(t.Context(), 0.8, cost(tc.used)); err != nil {
				t.Fatal(err)
			}
			if err := <-got; errors.Is(err, gateway.ErrBudget) == tc.fits {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := first.Reserve(t.Context(), 2, 2); !errors.Is(err, gateway.ErrBudget) {
		t.Errorf("what never fits waits, or goes on: %v", err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(gateway.ErrClosed)
	if _, err := first.Reserve(t.Context(), 1, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Reserve(gone, 0.5, 0.5); !errors.Is(err, gateway.ErrClosed) {
		t.Errorf("a job that ended waits on: %v", err)
	}
}

func cost(usd float64) record.Usage { return record.Usage{Requests: 1, CostUSD: &usd} }
