package gateway

import (
	"fmt"
	"math"
	"path"
	"strings"
)

// Price is what a model costs in US dollars per million tokens. Model is its
// name or a glob (* and ? also match slashes). A Cached price of 0 beside an
// input price is taken as the input price: the dearer reading.
type Price struct {
	Model  string
	Input  float64
	Cached float64
	Output float64
}

// Prices is a price table. The first exact name wins, then the longest glob.
type Prices []Price

// Of returns the price of a model; false: unknown, which is not the same as
// costing nothing.
func (p Prices) Of(model string) (Price, bool) {
	best, found := Price{}, false
	for _, e := range p {
		if e.Model == model {
			return e, true
		}
		if match(e.Model, model) && (!found || len(e.Model) > len(best.Model)) {
			best, found = e, true
		}
	}
	return best, found
}

// Check refuses prices that are not finite or negative, and globs that are broken.
func (p Prices) Check() error {
	for _, e := range p {
		for _, v := range []float64{e.Input, e.Cached, e.Output} {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				return fmt.Errorf("price of %q: %v is not a price: write dollars per million tokens, 0 or more", e.Model, v)
			}
		}
		if _, err := path.Match(e.Model, ""); err != nil {
			return fmt.Errorf("price of %q: %w: write a model name or a glob", e.Model, err)
		}
	}
	return nil
}

// match is path.Match with slashes as ordinary characters.
func match(glob, name string) bool {
	flat := strings.NewReplacer("/", "\x01")
	ok, err := path.Match(flat.Replace(glob), flat.Replace(name))
	return err == nil && ok
}

// Tokens are what a provider reported for one request. Input counts only what
// was neither read from nor written to a cache.
type Tokens struct {
	Input     int64
	Cached    int64 // input read from the provider's cache
	Written   int64 // input written to a cache that lasts minutes
	WrittenHr int64 // input written to a cache that lasts an hour
	Output    int64 // reasoning included
}

// In is all of the input.
func (t Tokens) In() int64 { return t.Input + t.Cached + t.Written + t.WrittenHr }

// What writing to a provider's cache costs, as factors of the input price
// (Anthropic's documentation of prompt caching).
const (
	writeFactor   = 1.25
	writeHrFactor = 2
)

func (p Price) cached() float64 {
	if p.Cached == 0 {
		return p.Input
	}
	return p.Cached
}

// Cost of tokens in US dollars.
func (p Price) Cost(t Tokens) float64 {
	in := float64(t.Input)*p.Input + float64(t.Cached)*p.cached() +
		float64(t.Written)*p.Input*writeFactor + float64(t.WrittenHr)*p.Input*writeHrFactor
	return (in + float64(t.Output)*p.Output) / 1e6
}

// worst is the most that a request can cost: each of its bytes an input token
// at the dearest rate that applies to it, and all the output it may have.
func (p Price) worst(b bound) float64 {
	rate := max(p.Input, p.Cached) * b.factor
	return (float64(b.input)*rate + float64(b.output)*p.Output) / 1e6
}

// affords is how many tokens of answer so much money is enough for, beside the
// input of a request.
func (p Price) affords(b bound, usd float64) int64 {
	input := p.worst(bound{input: b.input, factor: b.factor})
	if p.Output <= 0 || usd <= input {
		return 0
	}
	return int64((usd - input) / p.Output * 1e6)
}

// bound is the most that a request can use.
type bound struct {
	input  int64   // tokens
	output int64   // tokens
	factor float64 // of the input price
}
