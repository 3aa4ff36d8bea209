package door

import (
	"context"

	"atoll/engine/view"
	"atoll/store/record"
)

// Front is who is best in a way of its own.
type Front struct {
	Objectives []FrontObjective `json:"objectives" doc:"What counts beside the objective."`
	Cases      []string         `json:"cases" doc:"Metrics that are one case each."`
	Members    []FrontMember    `json:"members" doc:"By the objective, the best first; none where nothing counts beside it."`
	Says       string           `json:"says" doc:"What it is made of, or why there is none, for people."`
}

// FrontObjective is a metric that counts beside the objective.
type FrontObjective struct {
	Metric    string   `json:"metric"`
	Direction string   `json:"direction" enum:"maximize,minimize"`
	Step      float64  `json:"step" doc:"Values in the same multiple of it are alike; 0 compares them as they are."`
	Root      *float64 `json:"root" doc:"The value of the root; null when it has none."`
}

// FrontMember is a candidate of the front.
type FrontMember struct {
	ID        record.CandidateID `json:"id"`
	Objective float64            `json:"objective" doc:"Of the samples that decided."`
	Value     string             `json:"value" doc:"Its value with its evidence, for people."`
	Values    []*float64         `json:"values" doc:"Of what counts beside the objective, in its order; null when not measured."`
	OnFront   bool               `json:"on_front" doc:"No other is at least as good in everything."`
	Leads     []string           `json:"leads" doc:"The cases in which none is better."`
	Niche     []int              `json:"niche"`
	Holds     bool               `json:"holds" doc:"Its niche."`
	Intent    string             `json:"intent"`
}

// Front tells who is best in a way of its own.
func (d *Door) Front(ctx context.Context) (Front, error) {
	s := d.Snapshot()
	if s.Loading || s.Experiment.ID == 0 {
		return Front{}, ErrLoading
	}
	f, err := d.Reader().Front(ctx)
	if err != nil {
		return Front{}, err
	}
	out := Front{Objectives: []FrontObjective{}, Cases: every(f.Cases, view.CleanLine), Members: []FrontMember{}, Says: view.FrontSentence(&f, s.Objective, s.Direction)}
	root := finite(f.Root)
	for i, o := range f.Objectives {
		out.Objectives = append(out.Objectives, FrontObjective{view.CleanLine(o.Metric), o.Direction, o.Step, root[i]})
	}
	for i := range f.Members {
		m := &f.Members[i]
		one := FrontMember{
			ID: m.ID, Objective: m.Objective, Value: s.Told(m.ID, &m.Objective, m.Claim).String(), Values: finite(m.Values), OnFront: m.On, Leads: []string{},
			Niche: coords(s.Grid.Dims, m.Cell), Holds: m.Holds, Intent: view.CleanLine(m.Intent),
		}
		for _, c := range m.Leads {
			one.Leads = append(one.Leads, out.Cases[c.Case])
		}
		out.Members = append(out.Members, one)
	}
	return out, nil
}
