package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// Snapshot is the state of an experiment as a reader sees it: small, immutable
// once published, safe to keep. Lists are bounded; whole lists, diffs and
// evidence are asked for by id. All objectives are in the evaluator's own
// direction unless a field says adjusted.
type Snapshot struct {
	Version uint64 // grows with every change
	Loading bool   // nothing has been folded yet
	Read    int    // rows of the log that were read, of Rows, while Loading
	Rows    int
	Doing   string // what is made ready, while Loading; "" = not told
	Fatal   string // the engine died: one line for people, stays until quit
	Fold    record.Seq

	Experiment record.Experiment
	Settings   record.Settings
	State      record.ExperimentState
	Reason     string
	Direction  string // maximize or minimize
	Objective  string // metric searched on
	Paired     bool   // values are ratios to the root's, which was measured beside: that of the root is 1
	Repeats    int    // samples of each candidate
	Noisy      bool
	Guarantees []string // missing guarantees, one sentence each; empty is good
	Grade      string   // of the evaluator, in words; "" where it was not on trial
	Rung       string   // "1 namespaces", "2 landlock", "3 plain"
	Owner      bool     // this process runs the engine; else it looks on
	OwnerPID   int
	Fleet      bool // other machines take the samples, as many at the same time as they have
	Slots      int

	// Best is who leads; where the gain of that is not confirmed and that of others is, by samples that
	// did not choose them or by a promotion, it is one of those.
	Root, Best Standing
	// Hope looks better than the best and is not proven yet: it leads, or does so by more than noise
	// explains, and while the root is the best by whatever it is; nil for nobody.
	Hope *Rival
	// Sure was verified by a promotion while the root is the best; nil for nobody.
	Sure       *Standing
	Jobs       Counts
	Rejections Rejections
	Evals      int
	Usage      record.Usage
	WallMS     int64         // time with a running engine
	PerMinute  float64       // ended make jobs a minute, over the last minutes
	ETA        time.Duration // until its jobs are done; 0 = unknown
	Ends       time.Time     // when a run that is bounded in time begins nothing more; zero = never
	OwnMS      float64       // mean overhead per job: what the engine itself took

	Grid      Grid
	Running   []Running // oldest first
	Recent    []Ended   // newest first, at most 200
	Review    []Held    // oldest first, at most ReviewCap
	Curves    Curves
	Past      []record.PastObjective // objective versions before the present one, oldest first
	Failures  []FailureGroup         // most frequent first
	Operators []Yield
	Agents    []Yield
	Targets   []Yield
	Ways      []Yield           // to draw parents, where several take turns; their weights are shares
	Islands   []Island          // none where there is one
	Stalled   string            // since when nothing better was found, where that is long, and what it means
	Shadow    ShadowChoice      // what a bandit over the agents would do
	Decisions []record.Decision // newest first, at most 200
	Undo      record.Seq        // of the decision that undo would take back, 0 = there is none
	Redo      record.Seq        // of the one that redo would do again
	Notes     []record.Note
	Space     record.SpaceReport // of the current map; zero for metric axes
	Log       []LogLine          // newest last, at most 1,000
	At        time.Time
}

// Unwound is what undo or redo did.
type Unwound struct {
	Said string     // what is so again, in a few words
	Seq  record.Seq // of the last row that was written
}

// Standing is a candidate as the header shows it. ID is NoCandidate before
// anything was measured.
type Standing struct {
	ID        record.CandidateID
	Commit    record.Hash
	Objective float64
	Claimed   *float64
	MAD       float64
	Samples   int
	Claim     evidence.Claim // what may be told of it
	Percent   float64        // its gain on the root; NaN when that may not be told, or the root is 0
	// Uncompared: its behaviour should have been compared with the root's, and was not.
	Uncompared bool
	// Own is the root's own value of the metric where values are ratios to it; nil: not known.
	Own *float64
	// Verified is the last branch of the best whose gain was verified there; nil for none.
	Verified *Branch
	Cell     int // flat index, -1 = unplaced
	At       record.Millis
}

// Counts are make jobs by state.
type Counts struct {
	Queued, Running, Held                                  int
	Placed, Scored, Rejected, Failed, Duplicate, Cancelled int
	Max                                                    int // budget, 0 = none
}

// Ended returns how many make jobs came to an end.
func (c Counts) Ended() int {
	return c.Placed + c.Scored + c.Rejected + c.Failed + c.Duplicate + c.Cancelled
}

// Left returns how many make jobs the budget leaves, those that wait for a person taken off; there must be one.
func (c Counts) Left() int { return c.Max - c.Ended() - c.Held }

// Grid is the archive of the shown island.
type Grid struct {
	Dims     []int // cells per axis; the flat index is row-major, axis 0 slowest
	Axes     []Axis
	Cells    []Cell // filled cells, by flat index
	Filled   int
	Total    int
	Coverage float64 // 0..1
	QD       float64 // where values vary, of samples that decided nothing, as far as there are any
	QDNorm   float64
	// Unconfirmed counts the niches that the QD score takes with the samples that decided.
	Unconfirmed int

	Offset   float64
	Mean     float64 // of the elites' objectives
	Unplaced int     // scored but without coordinates yet
	NeedFit  int     // distinct candidates needed before the first map
	Distinct int     // how many there are, while there is no map
	// FromFirst says that there is a provisional map before, from the first candidate
	// that differs from the root on.
	FromFirst bool
	Map       int // version of the learned space; 0 = none or metric axes
}

// Undrawn says why there is no map yet; "" where there is one.
func (g *Grid) Undrawn() string {
	switch {
	case g.NeedFit == 0 || g.Filled > 0:
		return ""
	case g.Unplaced >= 2*g.NeedFit:
		return fmt.Sprintf("no map: of %d candidates %d differ in files that shape it, %d must; see map.include", g.Unplaced, g.Distinct, g.NeedFit)
	case g.FromFirst:
		return "the map begins with the first candidate that is measured"
	}
	return fmt.Sprintf("the map is drawn after %d candidates; %d so far", g.NeedFit, g.Unplaced)
}

// QDText is the QD score, and how much of it may be luck.
func (g *Grid) QDText() string {
	if g.Unconfirmed == 0 {
		return FormatValue(g.QD)
	}
	return fmt.Sprintf("%s (%s of %s)", FormatValue(g.QD), evidence.Unconfirmed, Plural(g.Unconfirmed, "niche"))
}

// Wait counts one more candidate that waits before a niche, which may be one
// that nothing landed in yet.
func (g *Grid) Wait(cell int) {
	i, ok := slices.BinarySearchFunc(g.Cells, cell, func(c Cell, index int) int { return cmp.Compare(c.Index, index) })
	if !ok {
		g.Cells = slices.Insert(g.Cells, i, Cell{Index: cell, Elite: record.NoCandidate, Boost: 1})
	}
	g.Cells[i].Waiting++
}

// Axis is one axis of the grid. Edges has Dims+1 values.
type Axis struct {
	Name  string
	Edges []float64
}

// Cell is one niche that is filled or was tried. Objective is in the
// evaluator's own direction; Adjusted is higher-is-better.
type Cell struct {
	Index     int
	Elite     record.CandidateID
	Objective float64
	Adjusted  float64
	Claim     *evidence.Claim // by samples that decided nothing; nil where there are none, or nothing varies
	Samples   int
	MAD       float64
	Tries     int // candidates that ever landed here
	Children  int // jobs that edited the elite
	Improved  int // of these, the ones that took a niche
	Since     record.Millis
	Fold      int // number of folded candidates when it was won
	Frozen    bool
	Boost     float64              // factor, 1 = none
	Running   int                  // jobs whose parent lives here
	Waiting   int                  // candidates in review that would land here
	Runners   []record.CandidateID // the best that lost, at most 5
}

// ToldCell is the value of a niche as it may be told.
func (s *Snapshot) ToldCell(c *Cell) Told { return s.Told(c.Elite, &c.Objective, c.Claim) }

// Curiosity is how often an edit of the elite takes a niche, as the search by
// curiosity reckons it: one half before anything is known.
func (c *Cell) Curiosity() float64 { return float64(1+c.Improved) / float64(2+c.Children) }

// Running is a job that a worker holds.
type Running struct {
	Job     record.Job
	Stage   string    // "editing", "gate", "measuring quick 1/3"
	Since   time.Time // of the stage
	Started time.Time
	Line    string // last line of live output, control characters removed
}

// Ended is a job that came to an end.
type Ended struct {
	Job       record.Job
	Objective *float64           // by all samples that decide, those that came after its end too
	Claim     *evidence.Claim    // by samples that decided nothing; nil where there are none, or nothing varies
	Delta     *float64           // at its end, against the parent, direction-aware: positive is better
	Cell      int                // taken, -1 = none
	From      record.CandidateID // who held it before, NoCandidate = new niche
	Best      bool               // became the best
}

// ReviewCap bounds how many of what waits for a person a snapshot lists.
const ReviewCap = 200

// Held is a candidate that waits for a person.
type Held struct {
	Job       record.Job
	Candidate record.Candidate
	Before    string // "measuring" or "its niche"
	Findings  []string
	Cell      int                // it would take, -1 = unknown
	From      record.CandidateID // from whom
	Parent    *float64           // objective of the parent
}

// Curves are histories over the measured candidates under the current map. All slices
// have one value per X. Where values vary Best follows samples that decided nothing: it
// stays where it is while the best has none. Mean and QD are of those that decided.
type Curves struct {
	X        []int // scored candidates folded
	At       []record.Millis
	Best     []float64
	Mean     []float64
	QD       []float64
	Coverage []float64
	Marks    []Mark
	Reigns   []Reign // oldest first, at most 1,000
}

// Reign is the time of one candidate as the best, until the next begins. They are
// told as they came: one that was rejected later is among them.
type Reign struct {
	X  int // scored candidates folded when it began
	At record.Millis
	ID record.CandidateID
}

// Mark is an event on the curves.
type Mark struct {
	X    int
	At   record.Millis
	Text string // "map 2", "reject c12"
}

// FailureGroup counts failures alike.
type FailureGroup struct {
	Class  record.Class
	Reason string
	Count  int
	Sample record.JobID
	Cure   string // what would help
	Course []int  `json:"-"` // how many failed in each of as many equal stretches of all jobs so far
}

// Yield says how an operator, agent or target does.
type Yield struct {
	Name     string
	Weight   float64
	Tries    int
	Scored   int
	Improved int // took a niche
	Best     int // became the best
	// Low and High bound the share that improved with 95 % confidence; both 0
	// before the first try.
	Low, High float64
	CostUSD   *float64 // nil = nobody could meter it
	Frozen    bool
	Boost     float64
	By        string // of a target: the agent that proposed it, "" = the configuration
}

// Island is one of several sub-populations.
type Island struct {
	Number    int
	Best      record.CandidateID // of those who live there
	Objective float64            // of that one, in the evaluator's own direction
	Claim     *evidence.Claim    // by samples that decided nothing; nil where there are none, or nothing varies
	Filled    int                // niches
	Jobs      int                // that ended
}

// LogLine is one line of the engine's log.
type LogLine struct {
	N     uint64
	At    time.Time
	Level string // debug, info, warn, error
	Job   record.JobID
	Text  string
}

// OfAnyJob is what a warning about a job says without naming the job or its candidate, as it
// may be said of others: " failed: the agent changed nothing". It is "" for other lines.
func (l *LogLine) OfAnyJob() string {
	if l.Job <= 0 || l.Level != "warn" {
		return ""
	}
	for _, name := range [...]string{l.Job.String(), record.CandidateID(l.Job).String()} {
		if rest, ok := strings.CutPrefix(l.Text, name); ok && rest != "" && strings.ContainsRune(" :", rune(rest[0])) {
			return rest
		}
	}
	return ": " + l.Text
}
