package record

import "math"

// Usage is what an agent consumed. Cost is in US dollars; a nil Cost was not
// measured and is shown as unknown, never as 0.
type Usage struct {
	Requests     int      `json:"requests,omitempty"`
	InputTokens  int64    `json:"input_tokens,omitempty"`
	OutputTokens int64    `json:"output_tokens,omitempty"`
	CostUSD      *float64 `json:"cost_usd"`
	Unmetered    bool     `json:"unmetered,omitempty"` // an agent ran that nobody could meter
}

// The most that one usage is believed to be: far above what any agent uses in a
// job, and far below what sums can hold.
const (
	MostRequests = 1_000_000
	MostTokens   = 1_000_000_000_000 // in, and as many out
	MostUSD      = 100_000.0
)

// Bounded is the usage as far as it can be believed; ok is false where it says
// more. A count above its bound is the bound, one below zero is nothing, and a
// cost that is no number or below zero is unknown; then nobody could meter it.
func (u Usage) Bounded() (sane Usage, ok bool) {
	sane = u
	sane.Requests = min(max(u.Requests, 0), MostRequests)
	sane.InputTokens = min(max(u.InputTokens, 0), MostTokens)
	sane.OutputTokens = min(max(u.OutputTokens, 0), MostTokens)
	cost := true
	switch c := u.CostUSD; {
	case c == nil:
	case math.IsNaN(*c) || *c < 0:
		sane.CostUSD, cost = nil, false
	case *c > MostUSD:
		most := MostUSD
		sane.CostUSD, cost = &most, false
	}
	ok = cost && sane.Requests == u.Requests && sane.InputTokens == u.InputTokens && sane.OutputTokens == u.OutputTokens
	sane.Unmetered = u.Unmetered || !ok
	return sane, ok
}

// Add returns the sum; an unknown cost makes the sum's cost unknown unless the
// other side used nothing. Counts that no integer holds stay at the largest.
func (u Usage) Add(v Usage) Usage {
	sum := Usage{
		Requests:     int(plus(int64(u.Requests), int64(v.Requests))),
		InputTokens:  plus(u.InputTokens, v.InputTokens),
		OutputTokens: plus(u.OutputTokens, v.OutputTokens),
		Unmetered:    u.Unmetered || v.Unmetered,
	}
	switch {
	case u.CostUSD == nil && u.idle():
		sum.CostUSD = v.CostUSD
	case v.CostUSD == nil && v.idle():
		sum.CostUSD = u.CostUSD
	case u.CostUSD != nil && v.CostUSD != nil:
		c := *u.CostUSD + *v.CostUSD
		sum.CostUSD = &c
	}
	return sum
}

// plus adds counts.
func plus(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Without returns the sum without a part that was added to it. What the part made
// unknown or unmetered stays so.
func (u Usage) Without(part Usage) Usage {
	rest := u
	rest.Requests -= part.Requests
	rest.InputTokens -= part.InputTokens
	rest.OutputTokens -= part.OutputTokens
	if u.CostUSD != nil && part.CostUSD != nil {
		c := max(0, *u.CostUSD-*part.CostUSD)
		rest.CostUSD = &c
	}
	return rest
}

func (u Usage) idle() bool { return u.Requests == 0 && !u.Unmetered }
