package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// walk is a state that was folded up to a position, with what a running engine
// counts beside it.
type walk struct {
	log  Log
	exp  record.ExperimentID
	st   *fold.State
	seq  record.Seq // all rows up to here are folded
	ends map[record.JobID]record.JobState
	// How those ended of which an approval was taken back.
	before map[record.JobID]record.JobState
	count  map[record.JobState]int // make jobs by how they ended
	why    map[record.JobID]string // what those waited for that were held
	held   []record.JobID          // oldest first
	usage  record.Usage
	began  record.Millis
	last   record.Millis
	said   []string // what the rows did that were folded since somebody asked
	lines  []view.LogLine
	group  record.Seq // of the decision that was folded last, 0 = none
	single string     // what was said of it alone
	told   uint64     // lines so far
}

func clock(m record.Millis) time.Time { return time.UnixMilli(int64(m)) }

// logLines is how many lines of the log pane a walk remembers.
const logLines = 200

func newWalk(ctx context.Context, log Log, id record.ExperimentID) (*walk, error) {
	st, err := fold.OpenState(ctx, opening{log}, id)
	if err != nil {
		return nil, fmt.Errorf("begin the log anew: %w", err)
	}
	return &walk{log: log, exp: id, st: st, ends: map[record.JobID]record.JobState{}, before: map[record.JobID]record.JobState{}, why: map[record.JobID]string{}, count: map[record.JobState]int{}}, nil
}

// opening is the log as it was before its first row: settings and state are
// those that the experiment was created with.
type opening struct{ Log }

func (o opening) Settings(ctx context.Context, id record.ExperimentID) (record.Settings, error) {
	exp, err := o.Log.Experiment(ctx, id)
	if err != nil {
		return record.Settings{}, err
	}
	cfg, err := config.Decode(exp.Config)
	if err != nil {
		return record.Settings{}, fmt.Errorf("read the stored configuration of %s: %w", exp.Name, err)
	}
	return cfg.Settings(), nil
}

func (o opening) Experiment(ctx context.Context, id record.ExperimentID) (record.Experiment, error) {
	exp, err := o.Log.Experiment(ctx, id)
	exp.State, exp.Reason = record.ExperimentRunning, ""
	return exp, err
}

// errThere ends a stream of rows at the position that was asked for.
var errThere = errors.New("the position is reached")

// until is a log that ends at a position, and tells a walk what passes.
type until struct {
	Log
	w    *walk
	end  record.Seq
	then func(row record.FoldRow) error
}

func (u until) FoldLog(ctx context.Context, exp record.ExperimentID, after record.Seq, fn func(record.FoldRow) error) error {
	return u.Log.FoldLog(ctx, exp, after, func(row record.FoldRow) error {
		if row.Seq > u.end {
			return errThere
		}
		if err := fn(row); err != nil {
			return err
		}
		u.w.pass(row)
		return u.then(row)
	})
}

// upTo folds all rows up to a position; then is called after each of them.
func (w *walk) upTo(ctx context.Context, seq record.Seq, then func(row record.FoldRow) error) error {
	if seq <= w.seq {
		return nil
	}
	err := w.st.CatchUp(ctx, until{w.log, w, seq, then}, func(record.JobID) error { return nil })
	if err != nil && !errors.Is(err, errThere) {
		return err
	}
	w.seq = seq
	return ctx.Err()
}

// pass counts a row that was folded.
func (w *walk) pass(row record.FoldRow) {
	if w.began == 0 {
		w.began = row.At
	}
	w.last = row.At
	group := groupOf(row)
	for _, e := range w.st.TakeEvents() {
		w.told++
		w.lines = append(w.lines, view.LogLine{N: w.told, At: clock(e.At), Level: e.Level, Job: e.Job, Text: e.Text})
		if e.Level != "debug" {
			w.say(e.Text, group)
		}
	}
	if w.group = group; len(w.said) == 0 {
		w.single = ""
	}
	if len(w.lines) > 2*logLines {
		w.lines = slices.Clone(w.lines[len(w.lines)-logLines:])
	}
	if len(w.said) == 0 {
		w.said = append(w.said, w.quiet(row)...)
	}
	switch row.Kind {
	case record.LogDecision:
		w.decided(row)
	case record.LogHeld:
		w.why[row.Job] = fold.HeldFor(row)
		w.ended(row.Job, record.Held)
	case record.LogEnd:
		var end record.EndData
		if len(row.Data) > 0 {
			_ = json.Unmarshal(row.Data, &end) // what is no end has no state, and is not counted
		}
		if row.Work == nil || row.Work.Kind != record.Make {
			return
		}
		w.usage = w.usage.Add(row.Work.Usage)
		if row.Work.State.Ended() {
			end.State = row.Work.State
		}
		w.ended(row.Job, end.State)
	}
}

// groupOf is the first of the decisions that a row was written together with, 0 for
// none.
func groupOf(row record.FoldRow) record.Seq {
	var d record.Decision
	if row.Kind != record.LogDecision || json.Unmarshal(row.Data, &d) != nil {
		return 0
	}
	return d.Group
}

// say tells a line of the log; one of a decision joins what was said of those that
// were made with it: "ada: approve c3, c5".
func (w *walk) say(text string, group record.Seq) {
	n := len(w.said)
	if group != 0 && group == w.group && n > 0 {
		if joined, ok := join(w.said[n-1], w.single, text); ok {
			w.said[n-1], w.single = joined, text
			return
		}
	}
	w.said, w.single = append(w.said, text), text
}

// join puts the word in which text differs from another after all that was said so
// far. It fails where they differ in more than a word.
func join(said, other, text string) (string, bool) {
	from := 0
	for from < len(text) && from < len(other) && text[from] == other[from] {
		from++
	}
	from = strings.LastIndexByte(text[:from], ' ') + 1
	tail := func(s string) string {
		if i := strings.IndexAny(s[from:], " :"); i >= 0 {
			return s[from+i:]
		}
		return ""
	}
	rest := tail(text)
	if from == 0 || from > len(other) || rest != tail(other) {
		return "", false
	}
	many := rest
	for _, verb := range [...][2]string{{" waits ", " wait "}, {" is ", " are "}} { // what was taken back
		if after, ok := strings.CutPrefix(rest, verb[0]); ok {
			many = verb[1] + after
		}
	}
	for _, end := range [...]string{rest, many} {
		if names, ok := strings.CutSuffix(said, end); ok {
			return names + ", " + strings.TrimSuffix(text[from:], rest) + many, true
		}
	}
	return "", false
}

// quiet says what a row is of which the fold tells nothing.
func (w *walk) quiet(row record.FoldRow) []string {
	switch row.Kind {
	case record.LogEnd:
		if row.Work != nil {
			return []string{row.Job.String() + " ended"}
		}
	case record.LogSample:
		return []string{row.Candidate.String() + " was measured again"}
	case record.LogState:
		var d record.StateData
		if json.Unmarshal(row.Data, &d) == nil && d.State != "" {
			s := view.Snapshot{State: d.State, Reason: d.Reason, Jobs: w.counts()}
			s.TellRest() // as the header of that moment counts
			return []string{"the experiment is " + view.StateText(s.State, s.Reason)}
		}
	case record.LogSetting:
		return []string{"the settings of the run"}
	case record.LogHeld:
		return []string{row.Candidate.String() + " waits for review"}
	case record.LogNote:
		return []string{"the notes changed"}
	}
	return nil
}

// decided counts what a decision makes of a candidate that waits, or waited: the
// row that carries it out may come later.
func (w *walk) decided(row record.FoldRow) {
	var d record.Decision
	if json.Unmarshal(row.Data, &d) != nil {
		return
	}
	id := record.JobID(d.Candidate)
	state, known := w.ends[id]
	switch {
	case d.Verb == record.Hold && known:
		w.before[id] = state
		w.ended(id, record.Held)
	case d.Verb == record.Approve && state == record.Held:
		w.ended(id, w.before[id]) // none where it has no end yet
		delete(w.before, id)
	case d.Verb == record.Reject && state == record.Held:
		w.ended(id, record.Rejected)
	case d.Verb == record.Restore && state == record.Rejected:
		w.ended(id, record.Held)
	}
}

// ended counts how a make job stands since a row: held, or ended.
func (w *walk) ended(id record.JobID, state record.JobState) {
	if was, ok := w.ends[id]; ok {
		if was == state {
			return
		}
		w.count[was]--
		if was == record.Held {
			w.held = slices.DeleteFunc(w.held, func(h record.JobID) bool { return h == id })
		}
	}
	w.ends[id] = state
	w.count[state]++
	if state == record.Held {
		w.held = append(w.held, id)
	}
}

// snapshot tells the state where the walk stands.
func (w *walk) snapshot(ctx context.Context) (*view.Snapshot, error) {
	s := w.st.Snapshot()
	s.Fold, s.At = w.st.Seq, clock(w.last)
	s.Jobs = w.counts()
	s.Jobs.Max = s.Settings.MaxJobs
	s.Usage, s.WallMS = w.usage, int64(w.last-w.began)
	s.TellRest()
	s.Log = slices.Clone(w.lines[max(0, len(w.lines)-logLines):])
	for _, id := range w.held[:min(len(w.held), view.ReviewCap)] {
		h, err := w.waiting(ctx, id)
		if err != nil {
			return nil, err
		}
		if h.Cell >= 0 {
			s.Grid.Wait(h.Cell)
		}
		s.Review = append(s.Review, h)
	}
	return s, nil
}

// counts are the make jobs that had come to an end, or waited.
func (w *walk) counts() view.Counts {
	return view.Counts{
		Held: w.count[record.Held], Placed: w.count[record.Placed], Scored: w.count[record.Scored], Rejected: w.count[record.Rejected],
		Failed: w.count[record.Failed], Duplicate: w.count[record.Duplicate], Cancelled: w.count[record.Cancelled],
	}
}

// waiting tells a job that was held.
func (w *walk) waiting(ctx context.Context, id record.JobID) (view.Held, error) {
	j, err := w.log.Job(ctx, w.exp, id)
	if err != nil {
		return view.Held{}, fmt.Errorf("read job %s: %w", id, err)
	}
	r := fold.WaitingRead{Attempt: j.Attempt}
	if r.Candidate, err = w.log.Candidate(ctx, w.exp, j.Candidate); err != nil {
		return view.Held{}, fmt.Errorf("read candidate %s: %w", j.Candidate, err)
	}
	switch {
	case j.HeldAt != record.Evaluating:
	case !w.st.Learned:
		r.Point = r.Candidate.Measures
	case w.st.Space != nil:
		v, err := w.log.Vector(ctx, w.exp, j.Candidate)
		if err != nil {
			return view.Held{}, fmt.Errorf("read the vector of %s: %w", j.Candidate, err)
		}
		r.Point = w.st.Space.Project(v)
	}
	j.State, r.Candidate.Status = record.Held, record.StatusHeld
	j.Reason, r.Candidate.Reason = w.why[id], w.why[id] // as it was then
	return w.st.WaitingFor(j, &r), nil
}
