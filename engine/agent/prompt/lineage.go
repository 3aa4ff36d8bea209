package prompt

import (
	"fmt"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
	"atoll/store/record"
)

// The constants of a trajectory.
const (
	trajectoryBlock   = 8    // steps of one chunk
	trajectoryRecent  = 6    // newest steps shown one by one
	trajectoryEarly   = 6    // oldest steps shown one by one, at most
	trajectoryChunks  = 3    // summaries of chunks, at most
	trajectoryDepth   = 4096 // steps that a chain is followed
	stepRunes         = 240
	summaryRunes      = 800
	summaryStepRunes  = 160
	summaryStepsShown = 8
)

// Cards is a Lineage held in a map.
type Cards map[record.CandidateID]agent.Card

// Card returns the card of a candidate.
func (c Cards) Card(id record.CandidateID) (agent.Card, bool) {
	card, ok := c[id]
	return card, ok
}

// CardsOf makes cards of lineages as the store reads them: a candidate, the one
// it was edited from, and so on. A delta is known where the parent is there.
func CardsOf(lineages ...[]record.Candidate) Cards {
	out := Cards{}
	for _, chain := range lineages {
		for i := range chain {
			c := &chain[i]
			out[c.ID] = agent.Card{ID: c.ID, Parent: c.Parent(), Commit: c.Commit, Intent: c.Intent, Objective: c.Objective}
		}
	}
	for id, c := range out {
		if p, ok := out[c.Parent]; ok && c.Objective != nil && p.Objective != nil {
			d := *c.Objective - *p.Objective
			c.Delta = &d
			out[id] = c
		}
	}
	return out
}

// Anchor says what the depths of a trajectory count from.
type Anchor string

// The anchors: the root of the experiment, the earliest candidate known when
// the chain does not reach the root, and none when the chain is too long.
const (
	AnchorRoot  Anchor = "experiment_root"
	AnchorChain Anchor = "chain_root"
	AnchorNone  Anchor = "none"
)

// Chunk is a full block of steps that is told in one text.
type Chunk struct {
	Start, End record.CandidateID
	Number     int // 1 covers depths 1 to 8
	Steps      []agent.Card
	Text       string
	Written    bool // by a summariser; else the plain join of its steps
}

// Trajectory tells how a candidate came about since it parted from another:
// the steps after their last common ancestor along first parents, oldest
// first. Chunks are aligned to depths from the root, so that the same chunk
// has the same steps whatever it is compared with, and its summary can be kept.
type Trajectory struct {
	Base, Of record.CandidateID
	Common   record.CandidateID // last common ancestor; NoCandidate = none
	Anchor   Anchor
	Unique   int // steps after the common ancestor
	Early    []agent.Card
	Chunks   []Chunk // oldest first
	Recent   []agent.Card
	Omitted  int // steps in none of the three
}

// TrajectoryOf compares two candidates. It is a pure function of the lineage
// and the summaries; a nil lineage gives the zero Trajectory, with no lines.
func TrajectoryOf(l agent.Lineage, base, of record.CandidateID, written agent.Summaries) Trajectory {
	if l == nil {
		return Trajectory{}
	}
	t := Trajectory{Base: base, Of: of, Common: record.NoCandidate, Anchor: AnchorNone}
	up, whole := chainOf(l, of)
	known := map[record.CandidateID]bool{}
	mine, _ := chainOf(l, base)
	for _, id := range mine {
		known[id] = true
	}
	var path []agent.Card // newest first
	for _, id := range up {
		if known[id] {
			t.Common = id
			break
		}
		if c, ok := l.Card(id); ok {
			path = append(path, c)
		}
	}
	if t.Common == record.NoCandidate {
		return t
	}
	t.Unique = len(path)
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	first := t.anchor(l, up, whole)
	t.split(path, first, written)
	return t
}

// chainOf follows first parents from a candidate: itself, its parent, and so
// on; the last may have no card. whole is false when the chain was cut at the
// depth limit or goes in a circle.
func chainOf(l agent.Lineage, id record.CandidateID) (chain []record.CandidateID, whole bool) {
	seen := map[record.CandidateID]bool{}
	for range trajectoryDepth {
		if id == record.NoCandidate {
			return chain, true
		}
		if seen[id] {
			return chain, false
		}
		seen[id] = true
		chain = append(chain, id)
		c, ok := l.Card(id)
		if !ok {
			return chain, true
		}
		id = c.Parent
	}
	return chain, false
}

// anchor sets what depths count from and returns the depth of the first step
// of the unique path.
func (t *Trajectory) anchor(l agent.Lineage, up []record.CandidateID, whole bool) int {
	if !whole || len(up) == 0 {
		return 0
	}
	last := len(up) - 1 // depth of up[i] is last-i
	t.Anchor = AnchorChain
	if up[last] == record.Root {
		t.Anchor = AnchorRoot
	} else if _, ok := l.Card(up[last]); !ok {
		last-- // the earliest known card is the anchor
	}
	return max(1, last-t.Unique+1)
}

// split deals the steps out: newest one by one from the beginning of their
// chunk on, the partial first chunk one by one, and of the full chunks between
// the oldest and the newest as summaries. first is the depth of path[0]; 0:
// unknown, then only the newest steps are told.
func (t *Trajectory) split(path []agent.Card, first int, written agent.Summaries) {
	n := len(path)
	recent := max(0, n-trajectoryRecent)
	if first == 0 {
		t.Recent, t.Omitted = path[recent:], recent
		return
	}
	chunkOf := func(i int) int { return (first + i - 1) / trajectoryBlock } // from 0
	for recent > 0 && recent < n && chunkOf(recent-1) == chunkOf(recent) {
		recent--
	}
	early := 0
	if into := (first - 1) % trajectoryBlock; into != 0 {
		early = min(trajectoryEarly, trajectoryBlock-into, recent)
	} else {
		early = min(2, recent)
	}
	t.Early, t.Recent = path[:early], path[recent:]
	told := make([]bool, n)
	for i := range n {
		told[i] = i < early || i >= recent
	}
	for _, c := range pickChunks(fullChunks(path[:recent], first)) {
		for i := range n {
			told[i] = told[i] || chunkOf(i) == c.Number-1
		}
		c.Text, c.Written = summarise(c, written)
		t.Chunks = append(t.Chunks, c)
	}
	for i := range n {
		if !told[i] {
			t.Omitted++
		}
	}
}

// fullChunks lists the blocks that lie wholly in the path.
func fullChunks(path []agent.Card, first int) []Chunk {
	var out []Chunk
	skip := (trajectoryBlock - (first-1)%trajectoryBlock) % trajectoryBlock
	for i := skip; i+trajectoryBlock <= len(path); i += trajectoryBlock {
		steps := path[i : i+trajectoryBlock]
		out = append(out, Chunk{
			Start: steps[0].ID, End: steps[trajectoryBlock-1].ID, Number: (first+i-1)/trajectoryBlock + 1, Steps: steps,
		})
	}
	return out
}

// pickChunks keeps the oldest and the newest, at most three.
func pickChunks(all []Chunk) []Chunk {
	if len(all) <= trajectoryChunks {
		return all
	}
	return append([]Chunk{all[0]}, all[len(all)-trajectoryChunks+1:]...)
}

// summarise returns what a summariser wrote, else the steps in short.
func summarise(c Chunk, written agent.Summaries) (string, bool) {
	if written != nil {
		if s, ok := written.Summary(c.Start, c.End, trajectoryBlock); ok && strings.TrimSpace(s) != "" {
			return clean.Clip(clean.Line(s), summaryRunes), true
		}
	}
	return c.plain(), false
}

// plain is the deterministic summary: the intents in a row, and what they
// changed altogether.
func (c Chunk) plain() string {
	var b strings.Builder
	if a, z := c.Steps[0], c.Steps[len(c.Steps)-1]; a.Objective != nil && z.Objective != nil {
		before := *a.Objective
		if a.Delta != nil {
			before -= *a.Delta
		}
		fmt.Fprintf(&b, "objective %s -> %s. ", number(before), number(*z.Objective))
	}
	var steps []string
	each := min(summaryStepRunes, (summaryRunes-b.Len())/summaryStepsShown-2)
	for i, s := range c.Steps {
		if i == summaryStepsShown {
			break
		}
		steps = append(steps, clean.Clip(wordsOf(s), each))
	}
	b.WriteString(strings.Join(steps, "; "))
	return clean.Clip(b.String(), summaryRunes)
}

// wordsOf is the intent of a step, or that it has none.
func wordsOf(c agent.Card) string {
	if s := clean.Line(c.Intent); s != "" {
		return s
	}
	return "no description"
}

// stepLine is one step in at most 240 characters.
func stepLine(c agent.Card) string {
	line := c.Commit.String()[:12] + " " + c.ID.String() + ": "
	tail := ""
	if c.Objective != nil {
		tail = " (" + number(*c.Objective)
		if c.Delta != nil {
			tail += ", " + signed(*c.Delta)
		}
		tail += ")"
	}
	return line + clean.Clip(wordsOf(c), stepRunes-len(line)-len(tail)) + tail
}

// heading says how many steps the trajectory has, and since when.
func (t Trajectory) heading() string {
	steps := "1 step"
	if t.Unique != 1 {
		steps = fmt.Sprintf("%d steps", t.Unique)
	}
	since := fmt.Sprintf("since %s, where it parted from %s", t.Common, t.Base)
	if t.Common == t.Base {
		since = "since " + t.Base.String()
	}
	return steps + " " + since + ", oldest first:"
}

// Lines writes the trajectory for a prompt, oldest first.
func (t Trajectory) Lines() []string {
	switch {
	case t.Anchor == "":
		return nil
	case t.Common == record.NoCandidate:
		return []string{fmt.Sprintf("Trajectory unavailable: %s and %s share no ancestor.", t.Base, t.Of)}
	case t.Unique == 0:
		return []string{fmt.Sprintf("No step of its own: %s is %s or an ancestor of it.", t.Of, t.Base)}
	}
	out := []string{t.heading()}
	for _, c := range t.Early {
		out = append(out, "- "+stepLine(c))
	}
	for _, c := range t.Chunks {
		out = append(out, fmt.Sprintf("- steps %s to %s: %s", c.Start, c.End, c.Text))
	}
	for _, c := range t.Recent {
		out = append(out, "- "+stepLine(c))
	}
	if t.Omitted > 0 {
		out = append(out, fmt.Sprintf("Omitted %d older unique step(s).", t.Omitted))
	}
	return out
}

// ChunkSummary makes the summary of a chunk of what a summariser wrote: one
// line, within the length that a prompt shows. "" when it holds none.
func ChunkSummary(answer string) string {
	return clean.Clip(clean.Line(edit.WithoutThoughts(answer)), summaryRunes)
}

// Trajectories are those that the prompts of the job show: of the parent since
// the root, of each inspiration since it parted from the parent.
func Trajectories(j *agent.Job) []Trajectory {
	bg := j.Background
	if bg == nil {
		return nil
	}
	var out []Trajectory
	if j.Parent.ID != record.Root {
		out = append(out, TrajectoryOf(bg.Lineage, record.Root, j.Parent.ID, bg.Summaries))
	}
	for i := range j.Inspirations {
		out = append(out, TrajectoryOf(bg.Lineage, j.Parent.ID, j.Inspirations[i].ID, bg.Summaries))
	}
	return out
}
