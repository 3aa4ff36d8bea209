package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"atoll/cli/door"
	"atoll/engine/evidence"
	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store/record"
)

// progressEvery is the least time between two lines of progress.
const progressEvery = 10 * time.Second

// silentFor is how long nothing may be printed before a line says what is done.
const silentFor = 15 * time.Second

// progress tells a headless reader how a run stands, now and then and at each
// new best.
type progress struct {
	app   *App
	until time.Time // nothing begins after it; zero = it is not known
	last  time.Time // of the line of progress
	spoke time.Time // of the last line of any kind
	phase string    // that was told last
	began time.Time // of the phase
	guard bool      // the first comparison of behaviour of this run was told
	ran   bool      // this run was seen running
	rests string    // why nothing begins, as it was told last
	ended int
	best  record.CandidateID
	known bool // a best was seen: those of earlier runs are no news
}

// progressLine is a line of `run --headless --json` with type progress.
type progressLine struct {
	Type      string         `json:"type"`
	At        string         `json:"at"`
	Ended     int            `json:"ended"`
	MaxJobs   int            `json:"max_jobs,omitempty"`
	Running   int            `json:"running"`
	PerMinute float64        `json:"jobs_per_minute"`
	ETAS      *float64       `json:"eta_s"`
	Best      *door.Standing `json:"best"`
	NewBest   bool           `json:"new_best,omitempty"`
}

// see takes a snapshot, which may be the one before again.
func (p *progress) see(s *view.Snapshot) {
	now := p.app.Now()
	if p.spoke.IsZero() {
		p.spoke = now
	}
	p.tellPhase(s, now)
	if s.Loading {
		if s.Fatal == "" && now.Sub(p.spoke) >= silentFor {
			p.say(now, fmt.Sprintf("still %s, for %s", cmp.Or(p.phase, "opening the experiment"), roughly(now.Sub(cmp.Or(p.began, p.spoke)))))
		}
		return
	}
	p.tellRest(s, now)
	fresh := p.known && s.Best.ID != p.best && s.Best.ID > record.Root
	if p.known && s.Best.ID == record.Root && p.best > record.Root {
		p.say(now, fmt.Sprintf("%s is the best no more: by all that is known now nothing is better than the root", p.best))
	}
	p.best, p.known = s.Best.ID, p.known || s.Best.ID != record.NoCandidate
	ended := s.Jobs.Ended()
	if p.last.IsZero() {
		p.last, p.ended = now, ended
	}
	due := ended != p.ended && now.Sub(p.last) >= progressEvery || len(s.Running) > 0 && now.Sub(p.spoke) >= silentFor
	if !due && !fresh {
		return
	}
	p.spoke = now
	if due {
		p.last, p.ended = now, ended
	}
	if p.app.flags.json {
		writeJSONLine(p.app.Out, p.line(s, now, fresh))
		return
	}
	if fresh {
		fmt.Fprintf(p.app.Out, "%s %s\n", now.Format("15:04:05"), newBestText(s))
	}
	if due {
		fmt.Fprintf(p.app.Out, "%s %s\n", now.Format("15:04:05"), progressText(s, p.left(s, now), now))
	}
}

// tellPhase says what a run does before its jobs tell of it: what is made ready, that the root
// is measured and what it is worth, and the first comparison of behaviour.
func (p *progress) tellPhase(s *view.Snapshot, now time.Time) {
	phase := ""
	switch {
	case s.Loading:
		phase = cmp.Or(s.Doing, p.phase)
	case s.Root.ID == record.NoCandidate && len(s.Running) > 0:
		phase = measuringRoot
	case p.phase == measuringRoot && s.Root.ID == record.Root:
		p.say(now, fmt.Sprintf("the root is measured: %s, by %s", s.RootText(), view.Plural(s.Root.Samples, "sample")))
	}
	if phase != p.phase {
		if p.phase, p.began = phase, now; phase != "" {
			p.say(now, phase)
		}
	}
	for i := range s.Running {
		if r := &s.Running[i]; !p.guard && r.Stage == comparing {
			p.guard = true
			p.say(now, fmt.Sprintf("%s: comparing behaviour with the root's, for the first time in this run: what all comparisons need, such as the calls of the tests, is made before; one may use up to %s of processor time, which is more by the clock", r.Job.ID, guard.DefaultWork))
		}
	}
}

// restEvery is how often a run in which nothing begins says why.
const restEvery = time.Minute

// tellRest says of a run that is paused by whom, and how it goes on; and of one that has
// nothing under way what it waits for.
func (p *progress) tellRest(s *view.Snapshot, now time.Time) {
	p.ran = p.ran || s.State == record.ExperimentRunning // before that it is as an earlier run left it
	why, after := "", silentFor
	switch {
	case !p.ran:
	case s.State == record.ExperimentPaused:
		why, after = view.StateText(s.State, s.Reason)+": nothing begins until `atoll resume`", 0
	case s.State != record.ExperimentRunning || len(s.Running) > 0:
	case s.Jobs.Queued > 0 || s.Jobs.Held > 0:
		why = fmt.Sprintf("nothing is under way: in the queue waits %s, for a review %s", view.Plural(s.Jobs.Queued, "job"), view.Plural(s.Jobs.Held, "candidate"))
	default:
		why = "nothing is under way, and no job waits in the queue"
	}
	if why == "" {
		p.rests = ""
		return
	}
	if p.rests == why {
		after = restEvery
	}
	if now.Sub(p.spoke) >= after {
		p.rests = why
		p.say(now, why)
	}
}

const (
	measuringRoot = "measuring the root"
	comparing     = "comparing behaviour" // the stage of a job that the guard looks at
)

// say prints a line of its own, with --json as an event.
func (p *progress) say(now time.Time, text string) {
	p.spoke = now
	p.app.printLine(view.LogLine{At: now, Level: "info", Job: record.NoJob, Text: text})
}

func (p *progress) line(s *view.Snapshot, now time.Time, fresh bool) progressLine {
	l := progressLine{
		Type: "progress", At: now.UTC().Format(time.RFC3339Nano), Ended: s.Jobs.Ended(), MaxJobs: s.Jobs.Max, Running: s.Jobs.Running,
		PerMinute: s.PerMinute, Best: door.StandingOf(s.Best, false), NewBest: fresh,
	}
	if left := p.left(s, now); left > 0 {
		l.ETAS = door.Number(left.Seconds())
	}
	return l
}

// left is how long the run may go on: until its jobs are done or its time is over, whichever
// is sooner; 0 = unknown, or over.
func (p *progress) left(s *view.Snapshot, now time.Time) time.Duration {
	left, _ := view.Left(s.ETA, p.until, now)
	return left
}

// progressText is "12/100 jobs, 4.2 a minute, 21m left; best c7 ns/op 81.2 (...)".
func progressText(s *view.Snapshot, left time.Duration, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", s.Jobs.Ended())
	if s.Jobs.Max > 0 {
		fmt.Fprintf(&b, "/%d", s.Jobs.Max)
	}
	b.WriteString(" jobs")
	if s.PerMinute > 0 {
		fmt.Fprintf(&b, ", %.1f a minute", s.PerMinute)
	}
	if left > 0 {
		fmt.Fprintf(&b, ", %s left", roughly(left))
	}
	if r := longest(s.Running, now); r != nil && now.Sub(r.Started) >= silentFor {
		fmt.Fprintf(&b, "; %s is %s, begun %s ago", r.Job.ID, view.CleanLine(r.Stage), roughly(now.Sub(r.Started)))
		if r.Stage == comparing && r.Line != "" {
			b.WriteString(": " + r.Line)
		}
	}
	switch {
	case s.Best.ID > record.Root:
		fmt.Fprintf(&b, "; best %s %s", s.Best.ID, bestText(s))
	case s.Best.ID == record.Root && s.Jobs.Ended() > 0:
		if s.Sure != nil {
			b.WriteString("; " + s.VerifiedText())
			break
		}
		if who, ok := s.Ahead(); ok {
			fmt.Fprintf(&b, "; %s looks better than the root, nothing is sure to be yet", who.ID)
			break
		}
		b.WriteString("; nothing better than the root yet")
	}
	return b.String()
}

// longest is the job that is under way for the longest time, nil where none is.
func longest(running []view.Running, now time.Time) *view.Running {
	var out *view.Running
	for i := range running {
		if r := &running[i]; out == nil || now.Sub(r.Started) > now.Sub(out.Started) {
			out = r
		}
	}
	return out
}

func roughly(d time.Duration) time.Duration {
	if d > 10*time.Minute {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}

// newBestText announces a best: as one where its gain may be told, else as one that leads and
// is still being measured.
func newBestText(s *view.Snapshot) string {
	if w := s.Best.Claim.Word; w == evidence.Unconfirmed || w == evidence.WithinNoise {
		return fmt.Sprintf("%s leads for now: %s", s.Best.ID, bestText(s))
	}
	return fmt.Sprintf("new best %s: %s", s.Best.ID, bestText(s))
}

// bestText is the value of the best with what is known of its gain.
func bestText(s *view.Snapshot) string {
	text := bestValue(s)
	if found := s.Best.Verified.Verification(); found != "" {
		text += "; " + found
	}
	if s.Best.ID > record.Root {
		text += beyondBelief(s.Direction, s.Objective, s.Best.Claim)
	}
	if s.Best.Uncompared {
		text += "; its behaviour was not compared"
	}
	return text
}

func bestValue(s *view.Snapshot) string {
	c := s.Best.Claim
	switch {
	case s.Best.ID == record.Root:
		return s.RootText() + " (the root)"
	case c.N == 0:
		return fmt.Sprintf("%s (%s: no sample was held out yet)", s.Valued(view.FormatValue(c.Value)), evidence.Unconfirmed)
	case s.Paired || c.Word != evidence.Exact && c.Word != evidence.Confirmed:
		return s.Valued(view.ClaimValue(c)) + " (" + view.ClaimGain(c) + ")"
	}
	return s.Valued(view.ClaimValue(c)) + " (" + view.ClaimGain(c) + " on the root)"
}

// gain is the improvement of the best on the root as data.
type gain struct {
	Gain      *float64    `json:"gain_pct"`     // of the best on the root; null where none may be told
	Confirmed bool        `json:"confirmed"`    // by samples that did not choose the best, or by repeats that all agree
	By        confirmedBy `json:"confirmed_by"` // what says so; "" where nothing does
}

// confirmedBy is what says that a gain is one.
type confirmedBy string

// What may confirm a gain. Where the root is the best there is none, which is sure as well.
const (
	byRoot    confirmedBy = "root"
	byRepeats confirmedBy = "repeats"
	byHeldOut confirmedBy = "held-out samples"
)

// gainOf is the gain of the best in percent, direction-aware. There is no number where the
// root is 0 or nothing was measured. Where nothing varies every value counts.
func gainOf(s *view.Snapshot) gain {
	switch {
	case s.Best.ID == record.NoCandidate:
		return gain{}
	case s.Best.ID == record.Root:
		return gain{door.Number(0), true, byRoot}
	}
	g := gain{Gain: door.Number(s.Best.Percent)}
	switch s.Best.Claim.Word {
	case evidence.Exact:
		g.Confirmed, g.By = true, byRepeats
	case evidence.Confirmed:
		g.Confirmed, g.By = true, byHeldOut
	}
	return g
}

// runResult is the last line of `run --headless --json`.
type runResult struct {
	Type string `json:"type"`
	door.Status
	gain
}

func resultOf(s *view.Snapshot) runResult {
	return runResult{Type: "result", Status: door.StatusOf(s), gain: gainOf(s)}
}

// enough is an error when a run did not gain what --fail-under asks for.
func (f *runFlags) enough(s *view.Snapshot) error {
	if f.failUnder == nil {
		return nil
	}
	switch g := gainOf(s); {
	case unsure(s) != "":
		return fmt.Errorf("--fail-under %g: %s", *f.failUnder, unsure(s))
	case g.Gain == nil:
		return fmt.Errorf("--fail-under %g: no gain can be told", *f.failUnder)
	case !g.Confirmed:
		return fmt.Errorf("--fail-under %g: the gain of %s is not confirmed", *f.failUnder, s.Best.ID)
	case *g.Gain < *f.failUnder:
		return fmt.Errorf("--fail-under %g: the best gains %s", *f.failUnder, signedPercent(*g.Gain))
	}
	return nil
}
