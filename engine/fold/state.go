package fold

import (
	"fmt"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/archive"
	"atoll/engine/behavior"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// State is the fold of the ordered log of one experiment: the archive, the
// yields of operators and agents, the curves, what waits for a person. It is
// owned by one goroutine and does no I/O but for [State.vector].
type State struct {
	Exp      record.Experiment
	Settings record.Settings
	Config   config.Config
	Run      record.ExperimentState
	Reason   string

	Sign    float64 // +1 maximize, -1 minimize
	arch    *archive.Archive
	Learned bool
	Space   *behavior.Space
	Report  record.SpaceReport
	atFold  int            // scored candidates when the present space was fitted
	Looked  int            // scored candidates at the last look for a new one
	kinds   map[uint64]int // distinct vectors of the sample while there is no map
	vector  func(record.CandidateID) ([]float32, error)
	Vectors map[record.CandidateID][]float32 // of the sample
	points  *places                          // while the store is read for the first time

	candidates candidates
	order      []int32              // numbers of the measured candidates, in the order of the fold
	waiting    []challenger         // challengers that need more samples, in fold order
	recheck    []record.CandidateID // inherited a place on too few samples; measured again at once
	Scored     int
	Version    int // objective version at this position of the log
	renewal    renewal
	past       []record.PastObjective // the versions before
	parked     []parked               // decisions on niches while there is no archive
	owed       []record.CandidateID   // were to be measured again when the present version began
	unrooted   []record.FoldRow       // measured under the present version before its root was
	rootObj    float64
	Noisy      bool
	Best       record.CandidateID

	Seq       record.Seq
	nextFold  record.JobID // strict order: the job that is folded next
	Early     map[record.JobID][]record.FoldRow
	folded    int // jobs folded
	yields    search.Stats
	failures  map[string]*view.FailureGroup
	curves    curveData
	recent    []view.Ended          // oldest first, bounded
	Placed    []record.JobID        // took a niche, and the store does not know
	late      map[record.JobID]bool // held jobs that were folded when they were held
	Proof     Proof                 // what a noisy experiment spent on evidence
	Lessons   Lessons
	Epoch     epochLog
	shadow    *agent.Shadow // a bandit over the agents, which decides nothing; nil while there was no choice
	broken    []brokenOne   // failed candidates that an edit could mend, oldest first
	MadeSince int           // candidates made since the last anchor
	Decided   decisions
	notes     []record.Note // what later prompts are told, by number
	events    []event       // what the last rows did, for the log pane
	Quiet     bool          // what is folded now happened before this process looked
	Sample    *reservoir
	Streak    Streak // failures in a row
}

// event is one thing the fold did that people want to read.
type event struct {
	At    record.Millis
	Level string
	Job   record.JobID
	Text  string
}

// recentCap bounds the list of ended jobs a snapshot carries.
const recentCap = 200

// newState returns the empty fold of an experiment.
func newState(exp record.Experiment, settings record.Settings) (*State, error) {
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return nil, fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	s := &State{
		Exp: exp, Settings: settings, Config: cfg, Run: exp.State, Reason: exp.Reason,
		Sign: 1, Version: 1, Learned: len(cfg.Map.Axes) == 0, Best: record.NoCandidate,
		Early: map[record.JobID][]record.FoldRow{}, late: map[record.JobID]bool{}, failures: map[string]*view.FailureGroup{},
		Sample: newReservoir(exp.Seed, cfg.Map.History),
	}
	if cfg.Evaluator.Direction == "minimize" {
		s.Sign = -1
	}
	return s, nil
}

// shape is the tessellation: the named axes, or the unit square of the learned
// space.
func (s *State) shape() archive.Shape {
	var shape archive.Shape
	if s.Learned {
		for i, n := range s.Config.Map.Grid {
			name := fmt.Sprintf("axis %d", i+1)
			if i < len(s.Report.Axes) && s.Report.Axes[i] != "" {
				name = s.Report.Axes[i]
			}
			shape.Axes = append(shape.Axes, archive.Axis{Name: name, Lo: 0, Hi: 1, Bins: n})
		}
		return shape
	}
	for _, a := range s.Config.Map.Axes {
		shape.Axes = append(shape.Axes, archive.Axis{Name: a.Metric, Lo: a.Min, Hi: a.Max, Bins: a.Bins, Edges: a.Edges})
	}
	return shape
}

// Archive gives read access to the grid; nil before the root was measured.
func (s *State) Archive() *archive.Archive { return s.arch }

// CellName returns the form people see, "(12,5)".
func (s *State) CellName(cell int) string {
	if s.arch == nil || cell < 0 {
		return "(-)"
	}
	return cellName(s.shape().Coords(cell))
}

func cellName(coords []int) string {
	out := "("
	for i, c := range coords {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprint(c)
	}
	return out + ")"
}

// Place returns where a candidate lies now: its niche and its coordinates on
// the axes, nil while it has none.
func (s *State) Place(id record.CandidateID) (niche []int, point []float64) {
	m := s.Candidate(id)
	if m == nil || s.arch == nil || !m.Scored {
		return nil, nil
	}
	if cell, ok := s.arch.CellOf(id); ok {
		niche = s.Coords(cell)
	}
	return niche, s.pointOf(id)
}

// Coords returns the bin per axis of a flat cell index.
func (s *State) Coords(cell int) []int { return s.shape().Coords(cell) }

// Cell returns the flat index of the niche with these bins per axis.
func (s *State) Cell(coords []int) (int, error) {
	dims := s.shape().Dims()
	if len(coords) != len(dims) {
		return 0, fmt.Errorf("%w: a niche here has %d numbers, as in %s", ErrDecision, len(dims), cellName(make([]int, len(dims))))
	}
	cell := 0
	for i, c := range coords {
		if c < 0 || c >= dims[i] {
			return 0, fmt.Errorf("%w: niche %s is outside the map, which has %v cells", ErrDecision, cellName(coords), dims)
		}
		cell = cell*dims[i] + c
	}
	return cell, nil
}
