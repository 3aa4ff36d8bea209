package agent

import (
	"math"
	"strconv"
	"strings"

	"atoll/store/record"
)

// Evolution is a run of an evolution strategy over the numbers of one candidate:
// jobs that tune Start are samples of a distribution that follows from the samples
// before. It is a pure fold of the ends of make jobs, as [History] is, and holds no
// numbers of the candidates: who carries out a job draws those samples again.
type Evolution struct {
	Seed    uint64
	Run     int                // from 1; 0: none began yet
	Start   record.CandidateID // has the first mean
	Size    int                // samples of one generation
	Step    float64            // the first spread, in units of the numbers
	Samples []Sample           // in the order of the log

	ended int // make jobs so far
	rest  int // no run begins before so many ended
	vain  int // jobs on Start that were no samples
	top   float64
	since int // samples since top
	other record.CandidateID
}

// Sample is a measured candidate of a run.
type Sample struct {
	Job        record.JobID
	Generation int     // of the distribution it was drawn from
	Value      float64 // higher is better; -Inf: it failed
}

// End is how a make job ended, as far as a history wants to know.
type End struct {
	Operator  record.Operator
	Candidate record.CandidateID // NoCandidate: it made none
	Parent    record.CandidateID
	Improved  bool
	Against   int                // how it compares with its parent: 1 better, -1 worse or failed, 0 alike or not comparable
	Value     float64            // higher is better; -Inf: it has none
	Best      record.CandidateID // of all, at that time
}

// The bounds of a run. The first begins, with the root, when the search had evolutionFirst jobs, and ends
// where generations go by without a better sample; after one that could not draw any,
// or whose first samples failed for the most part, the next begins much later.
const (
	evolutionFirst = 40
	evolutionStall = 25 // generations
	evolutionMost  = 6000
	evolutionFlat  = 5 // generations; where most of their samples are worth the same as the best, the numbers do not count
	evolutionVain  = 3
	evolutionRest  = 500
	evolutionSize  = 15
	evolutionStep  = 0.02
	// generationMark is what the words of an intent tag begin with that name the
	// generation of a sample.
	generationMark = "gen:"
)

// GenerationTag is the intent tag of a sample.
func GenerationTag(generation int) string {
	return "evolve " + generationMark + strconv.Itoa(generation)
}

// Running reports whether jobs shall be samples.
func (e *Evolution) Running() bool { return e != nil && e.Run > 0 && e.ended >= e.rest }

// observe folds the end of a make job.
func (e *Evolution) observe(end End, tag string) {
	e.ended++
	if end.Operator != record.OpTune {
		e.other = end.Parent
	}
	if e.Run == 0 {
		if e.ended >= evolutionFirst {
			e.begin(record.Root) // whose numbers count: the best of a few jobs may have left them
		}
		return
	}
	if end.Operator != record.OpTune || end.Parent != e.Start || !e.Running() {
		return
	}
	_, mark, ok := strings.Cut(tag, generationMark)
	generation, err := strconv.Atoi(mark)
	if !ok || err != nil || end.Candidate == record.NoCandidate || generation > len(e.Samples)/e.Size {
		if e.vain++; e.vain >= evolutionVain && len(e.Samples) == 0 {
			e.rest = e.ended + evolutionRest
			e.begin(end.Best)
		}
		return
	}
	e.Samples = append(e.Samples, Sample{Job: record.JobID(end.Candidate), Generation: generation, Value: end.Value})
	if e.since++; end.Value > e.top+1e-6*math.Abs(e.top) || len(e.Samples) == 1 {
		e.top, e.since = end.Value, 0
	}
	if len(e.Samples) == e.Size && 4*e.failed() >= 3*e.Size {
		e.rest = e.ended + evolutionRest
		e.begin(end.Best)
		return
	}
	switch {
	case len(e.Samples) == evolutionFlat*e.Size && e.flat():
		elsewhere := e.Start != record.Root
		if e.begin(end.Best); elsewhere {
			e.Start = record.Root // whose numbers count, if any do
		}
	case e.since >= evolutionStall*e.Size, len(e.Samples) >= evolutionMost:
		e.begin(end.Best)
	}
}

// flat reports whether most samples of the last two generations are worth as much as the
// best of the run, large as their steps are by then.
func (e *Evolution) flat() bool {
	n, last := 0, e.Samples[len(e.Samples)-2*e.Size:]
	for _, s := range last {
		if s.Value == e.top {
			n++
		}
	}
	return 10*n >= 7*len(last)
}

// failed counts samples without a value.
func (e *Evolution) failed() int {
	n := 0
	for _, s := range e.Samples {
		if math.IsInf(s.Value, -1) {
			n++
		}
	}
	return n
}

// begin starts the next run: in turns from a candidate, which is the best of all but for the
// first run, and from a parent that the search drew of late, of a growing size.
func (e *Evolution) begin(with record.CandidateID) {
	e.Run++
	e.Start, e.Samples, e.vain, e.top, e.since = with, nil, 0, math.Inf(-1), 0
	if e.Run%2 == 0 && e.other > record.Root {
		e.Start = e.other
	}
	e.Size = evolutionSize << min(2, (e.Run-1)/2)
	e.Step = evolutionStep
}
