package fold

import (
	"fmt"

	"atoll/config"
	"atoll/engine/search"
	"atoll/store/record"
)

// State is the fold of the ordered log of one experiment. It is made of parts,
// each with its own state, and each knows only the parts that it stands on:
// the facts and the position, then candidates and the map they lie on, then who
// is best where and who competes for it, then what follows from that. State
// itself takes the rows, in fold.go. It is owned by one goroutine and does no I/O
// but for single vectors.
type State struct {
	*rules
	*position
	*events
	*candidates
	*learned
	*standings
	*descent
	*placement
	*asks
	*outcomes
	*steering

	isles     *islands
	front     *fronts
	stalled   bool // nothing better was found for long
	undated   bool // a row had no values of its own, but those that its candidate had when it was read
	curves    *curveData
	yields    search.Stats
	past      []record.PastObjective // objective versions before the present one
	owed      []record.CandidateID   // were to be measured again when the present version began
	unrooted  []record.FoldRow       // measured under the present version before its root was
	MadeSince int                    // candidates made since the last anchor
}

// newState returns the empty fold of an experiment.
func newState(exp record.Experiment, settings record.Settings) (*State, error) {
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return nil, fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	r := &rules{
		Exp: exp, Settings: settings, Config: cfg, Run: exp.State, Reason: exp.Reason,
		Sign: 1, Learned: len(cfg.Map.Axes) == 0,
	}
	if cfg.Evaluator.Direction == "minimize" {
		r.Sign = -1
	}
	p := &position{rules: r, Version: 1, Early: map[record.JobID][]record.FoldRow{}, late: map[record.JobID]bool{}, heldTold: map[record.JobID]bool{}}
	n, c := &events{}, &candidates{}
	l := &learned{rules: r, candidates: c, Sample: newReservoir(exp.Seed, cfg.Map.History)}
	a := &standings{rules: r, position: p, candidates: c, learned: l, Best: record.NoCandidate}
	k := &placement{standings: a, events: n}
	return &State{
		rules: r, position: p, events: n, candidates: c, learned: l, standings: a, descent: &descent{a}, placement: k,
		asks:     &asks{placement: k},
		outcomes: &outcomes{standings: a, failures: failures{}},
		steering: &steering{placement: k},
		isles:    &islands{standings: a},
		front:    &fronts{standings: a, cfg: cfg.Front},
		curves:   &curveData{},
	}, nil
}
