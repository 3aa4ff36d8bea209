package simulate

import (
	"cmp"
	"slices"
	"time"

	"atoll/store/record"
)

// mean is what a job of the plan costs.
func (p *Plan) mean() float64 {
	if len(p.Past) == 0 {
		return p.Cost + p.Beside
	}
	sum := 0.0
	for _, e := range p.Past {
		sum += e.Cost
	}
	return sum/float64(len(p.Past)) + p.Beside
}

// dearest are agents by what they cost.
func dearest(by map[string]*Spent) []Spent {
	out := []Spent{}
	for _, s := range by {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Spent) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Agent, b.Agent)) })
	return out
}

// Price is what jobs cost that were seen.
type Price struct {
	Cost    float64 `json:"cost"`         // of all jobs, in dollars
	Beside  float64 `json:"cost_beside"`  // of it: what was no edit that ended
	Unknown int     `json:"cost_unknown"` // jobs that cost what nobody could meter, which counts as nothing
	Agents  []Spent `json:"agents"`       // of edits that ended, dearest first
}

// priceOf adds up what jobs cost. What failed, came to what is known or was cancelled was
// paid for like all else.
func priceOf(jobs []record.Job) Price {
	var p Price
	by := map[string]*Spent{}
	for i := range jobs {
		j := &jobs[i]
		usd, known := costOf(j)
		if !known {
			p.Unknown++
		}
		p.Cost += usd
		if !isEdit(j) {
			p.Beside += usd
			continue
		}
		s := by[j.Agent]
		if s == nil {
			s = &Spent{Agent: j.Agent}
			by[j.Agent] = s
		}
		s.Jobs++
		s.Cost += usd
		if !known {
			s.Unknown++
		}
	}
	p.Agents = dearest(by)
	return p
}

// isEdit reports whether a job is an edit that ended.
func isEdit(j *record.Job) bool {
	return j.Kind == record.Make && j.State.Ended() && j.State != record.Cancelled
}

// costOf is what is known of the cost of a job; known is false where more was used.
func costOf(j *record.Job) (usd float64, known bool) {
	if j.Usage.CostUSD != nil {
		usd = *j.Usage.CostUSD
	}
	return usd, j.Usage.CostUSD != nil || j.Usage.Requests == 0 && !j.Usage.Unmetered
}

// FromFirstHalf has the edits of a plan cost what those of the first half of an experiment
// did: what the second half cost then tells how well costs are foretold.
func FromFirstHalf(p *Plan, jobs []record.Job) {
	ends := slices.DeleteFunc(slices.Clone(jobs), func(j record.Job) bool { return !isEdit(&j) })
	slices.SortFunc(ends, func(a, b record.Job) int { return cmp.Or(cmp.Compare(a.Ended, b.Ended), cmp.Compare(a.ID, b.ID)) })
	half := ends[:len(ends)/2]
	if len(half) == 0 {
		return
	}
	until := half[len(half)-1].Ended
	first := slices.DeleteFunc(slices.Clone(jobs), func(j record.Job) bool { return !j.State.Ended() || j.Ended > until })
	p.Past, p.Beside = pastOf(half), priceOf(first).Beside/float64(len(half))
}

// pastOf are edits as a plan draws them.
func pastOf(jobs []record.Job) []Edit {
	var out []Edit
	for i := range jobs {
		j := &jobs[i]
		usd, _ := costOf(j)
		out = append(out, Edit{Agent: j.Agent, Time: time.Duration(j.EditMS) * time.Millisecond, Cost: usd})
	}
	return out
}
