package door

import (
	"context"

	"atoll/engine/view"
	"atoll/store/record"
)

// Grid is the archive: every niche that is filled or was tried.
type Grid struct {
	Dims     []int   `json:"dims" doc:"Cells on each axis."`
	Axes     []Axis  `json:"axes"`
	Cells    []Cell  `json:"cells"`
	Filled   int     `json:"filled"`
	Total    int     `json:"total"`
	Coverage float64 `json:"coverage"`
	QDScore  float64 `json:"qd_score"`
	Unplaced int     `json:"unplaced" doc:"Measured, but without coordinates yet."`
	NeedFit  int     `json:"need_for_map" doc:"Distinct candidates that the first map needs."`
	Map      int     `json:"map" doc:"Version of the learned map; 0 with named axes or before the first."`
}

// Axis is one axis of the grid; Edges has a value more than there are cells.
type Axis struct {
	Name  string     `json:"name"`
	Edges []*float64 `json:"edges"`
}

// Cell is one niche.
type Cell struct {
	Niche     []int                `json:"niche" doc:"Cell on each axis."`
	Index     int                  `json:"index" doc:"Row-major, the first axis slowest."`
	Elite     *record.CandidateID  `json:"elite" doc:"Who holds it; null when nobody does."`
	Objective float64              `json:"objective" doc:"Of the samples that decided."`
	Value     string               `json:"value" doc:"Its value with its evidence, for people; - where it has none."`
	Samples   int                  `json:"samples"`
	Spread    float64              `json:"spread"`
	Tries     int                  `json:"tries"`
	Frozen    bool                 `json:"frozen"`
	Boost     float64              `json:"boost" doc:"1 is none."`
	Running   int                  `json:"running" doc:"Jobs that edit its elite."`
	Waiting   int                  `json:"waiting" doc:"Candidates in review that would land here."`
	Runners   []record.CandidateID `json:"runners"`
}

// GridOf tells the archive of a snapshot.
func GridOf(s *view.Snapshot) Grid {
	g := &s.Grid
	return Grid{
		Dims: append([]int{}, g.Dims...), Filled: g.Filled, Total: g.Total, Coverage: g.Coverage, QDScore: g.QD, Unplaced: g.Unplaced, NeedFit: g.NeedFit, Map: g.Map,
		Axes:  every(g.Axes, func(a view.Axis) Axis { return Axis{view.CleanLine(a.Name), finite(a.Edges)} }),
		Cells: every(g.Cells, func(c view.Cell) Cell { return cellOf(s, &c) }),
	}
}

func cellOf(s *view.Snapshot, c *view.Cell) Cell {
	out := Cell{
		Niche: coords(s.Grid.Dims, c.Index), Value: view.Told{}.String(), Index: c.Index, Objective: c.Objective, Samples: c.Samples, Spread: c.MAD, Tries: c.Tries, Frozen: c.Frozen, Boost: c.Boost,
		Running: c.Running, Waiting: c.Waiting, Runners: append([]record.CandidateID{}, c.Runners...),
	}
	if c.Elite != record.NoCandidate {
		out.Elite, out.Value = &c.Elite, s.ToldCell(c).String()
	}
	return out
}

// coords are the cells on each axis of a flat index, nil for none.
func coords(dims []int, cell int) []int {
	if cell < 0 || len(dims) == 0 {
		return nil
	}
	at := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		at[i] = cell % max(dims[i], 1)
		cell /= max(dims[i], 1)
	}
	return at
}

// NichePast is one niche with its past.
type NichePast struct {
	Niche   []int            `json:"niche"`
	Tries   int              `json:"tries"`
	Elite   *CandidateDetail `json:"elite"`
	Runners []CandidateLine  `json:"runners" doc:"The best that lost, best first."`
	History []Takeover       `json:"history" doc:"Newest first."`
	Jobs    []record.Job     `json:"jobs" doc:"Jobs that edit its elites, newest first."`
}

// Takeover is one change of a niche's holder.
type Takeover struct {
	At        record.Millis       `json:"at"`
	Candidate record.CandidateID  `json:"candidate"`
	From      *record.CandidateID `json:"from"`
	Objective float64             `json:"objective" doc:"Of the samples that decided."`
	Delta     *float64            `json:"delta" doc:"Against the former holder; positive is better."`
	Why       string              `json:"why"`
}

// NichePast tells one niche.
func (d *Door) NichePast(ctx context.Context, cell int) (NichePast, error) {
	n, err := d.Reader().Niche(ctx, cell)
	if err != nil {
		return NichePast{}, err
	}
	s := d.Snapshot()
	out := NichePast{
		Niche: coords(s.Grid.Dims, cell), Tries: n.Tries, Runners: linesOf(s, n.Runners, n.Claims), Jobs: every(n.Jobs, cleanJob),
		History: every(n.History, func(t view.Takeover) Takeover {
			x := Takeover{At: t.At, Candidate: t.Candidate, Objective: t.Objective, Delta: Number(t.Delta), Why: view.CleanLine(t.Why)}
			if t.From != record.NoCandidate {
				x.From = &t.From
			}
			return x
		}),
	}
	if n.Elite != nil {
		elite := detailed(s, n.Elite)
		out.Elite = &elite
	}
	return out, nil
}
