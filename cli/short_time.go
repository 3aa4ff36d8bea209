package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"atoll/engine/survey"
	"atoll/engine/view"
	"atoll/store/record"
)

// shortTime says of a run that is bounded in time that its time is too short: a sample that is
// not done then begins anew in the next run, so a run that is always as short never comes further.
type shortTime struct {
	p     *progress
	limit time.Duration // of the run, 0 = it is not bounded

	began time.Time
	seen  bool
	fit   bool          // how much fits in was told
	ended int           // jobs of this run whose end was seen, but for the root's
	root  time.Duration // that measuring the root took in this run, 0 where that was not seen
	known map[record.JobID]bool
	busy  *view.Running // the oldest that was seen last
	at    time.Time     // when
}

// bounded is for a run that begins and whose time is over at until, which may be zero.
func bounded(p *progress, began, until time.Time) *shortTime {
	t := &shortTime{p: p, known: map[record.JobID]bool{}, began: began}
	if !until.IsZero() {
		t.limit = until.Sub(began).Round(10 * time.Millisecond) // as it was given
	}
	return t
}

// see takes a snapshot, the first of which tells how long one evaluation takes.
func (t *shortTime) see(s *view.Snapshot) {
	if s.Loading || t.limit == 0 {
		return
	}
	t.countEnds(s)
	now := t.p.app.Now()
	if took := oneEvaluation(s); !t.seen && took > t.limit {
		t.fit = true
		t.p.say(now, fmt.Sprintf("one evaluation takes about %s: --for %s is over before one is", roughly(took), t.limit))
	}
	t.seen = true
	if each, left := oneCandidate(s), t.p.until.Sub(now); !t.fit && each > 0 && left > 0 && !s.Fleet && s.State == record.ExperimentRunning {
		t.fit = true
		t.p.say(now, candidatesLeft(s, left, each))
	}
	if r := longest(s.Running, now); r != nil {
		t.busy, t.at = r, now
	}
}

// countEnds counts the jobs of this run that ended, those that did before a snapshot was seen among them.
func (t *shortTime) countEnds(s *view.Snapshot) {
	for i := range s.Recent {
		j := &s.Recent[i].Job
		if t.known[j.ID] {
			continue
		}
		t.known[j.ID] = true
		switch ofThisRun := t.seen || j.Ended > 0 && int64(j.Ended) >= t.began.UnixMilli(); {
		case !ofThisRun:
		case ofRoot(j):
			t.root += time.Duration(j.EvalMS) * time.Millisecond
		default:
			t.ended++
		}
	}
}

// end says why nothing came of a run, by the job that it did not wait for.
func (t *shortTime) end(s *view.Snapshot) {
	if t.limit == 0 || t.ended > 0 || t.busy == nil || s.Fatal != "" {
		return
	}
	if t.at.Sub(t.began) < t.limit {
		return // it was interrupted
	}
	took := t.at.Sub(t.busy.Started)
	if ofRoot(&t.busy.Job) && s.Root.ID == record.Root {
		t.p.say(t.p.app.Now(), fmt.Sprintf("nothing but the root was measured in --for %s, which took %s; give it more time, such as --for %s", t.limit, roughly(took), t.enough(took)))
		return
	}
	next := "begins anew in the next run"
	if done, _ := samplesOf(t.busy.Stage); done > 0 {
		next = "goes on behind " + view.Plural(done, "sample") + " in the next run"
	}
	within, more := "", t.enough(took)
	if t.root > 0 {
		within = ", of which the root took " + roughly(t.root).String()
	}
	if more <= t.limit {
		more = max(2*t.limit, survey.TryTime(took))
	}
	t.p.say(t.p.app.Now(), fmt.Sprintf("no job ended in --for %s%s: %s was %s after %s, and %s; give it more time, such as --for %s",
		t.limit, within, t.busy.Job.ID, view.CleanLine(t.busy.Stage), roughly(took), next, more))
}

// ofRoot reports the job that measures the root.
func ofRoot(j *record.Job) bool { return j.Kind == record.Evaluate && j.Candidate == record.Root }

// ofSamples finds which of how many samples a stage is about.
var ofSamples = regexp.MustCompile(`(\d+)/(\d+)$`)

// samplesOf says how many samples were done of how many, in a stage that tells it.
func samplesOf(stage string) (done, all int) {
	m := ofSamples.FindStringSubmatch(stage)
	if m == nil {
		return 0, 0
	}
	at, _ := strconv.Atoi(m[1]) // the pattern has figures alone
	all, _ = strconv.Atoi(m[2])
	return at - 1, all
}

// enough is a time in which the job that was under way is done, in minutes.
func (t *shortTime) enough(took time.Duration) time.Duration {
	if done, all := samplesOf(t.busy.Stage); all > 0 {
		took = took * time.Duration(all) / time.Duration(done+1)
	}
	return (2*took + time.Minute - 1).Truncate(time.Minute)
}

// candidatesIn tells how many candidates fit into a time, where none is measured again or
// compared, and says so: "up to about 40 candidates in 5m0s at 7s each, 2 at a time; ...".
func candidatesIn(time, each time.Duration, workers int) string {
	workers = max(1, workers)
	at := "one at a time"
	if workers > 1 {
		at = fmt.Sprintf("%d at a time", workers)
	}
	n := int(int64(time) * int64(workers) / int64(each))
	if n < 1 {
		return fmt.Sprintf("one candidate takes about %s: the %s that are left are over before one is measured", roughly(each), roughly(time))
	}
	return fmt.Sprintf("up to about %s in %s at %s each, %s; what looks better is compared and measured again, which comes on top", view.Plural(n, "candidate"), roughly(time), eachText(each), at)
}

// candidatesLeft tells how many candidates a run can bring that has so much time, of those that the
// budget leaves.
func candidatesLeft(s *view.Snapshot, time, each time.Duration) string {
	left := s.Jobs.Left()
	switch workers := max(1, s.Settings.Workers); {
	case s.Jobs.Max > 0 && left <= 0:
		return fmt.Sprintf("no candidate is made in this run: the budget of %s is used up", view.Plural(s.Jobs.Max, "job"))
	case s.Jobs.Max > 0 && int64(left)*int64(each) < int64(time)*int64(workers):
		return fmt.Sprintf("up to %s, which the budget of %s leaves, at %s each", view.Plural(left, "candidate"), view.Plural(s.Jobs.Max, "job"), eachText(each))
	default:
		return candidatesIn(time, each, workers)
	}
}

// eachText is a short time with what counts of it.
func eachText(d time.Duration) string {
	if d < time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return roughly(d).String()
}

// oneCandidate is how long one candidate takes: in the middle of those that were measured, before that
// as the root's samples say. 0 = unknown.
func oneCandidate(s *view.Snapshot) time.Duration {
	var all []int64
	for i := range s.Recent {
		if j := &s.Recent[i].Job; j.Kind == record.Make && (j.State == record.Placed || j.State == record.Scored) && j.EvalMS > 0 {
			all = append(all, j.EditMS+j.EvalMS+int64(j.OwnMS))
		}
	}
	if len(all) == 0 {
		return oneEvaluation(s) * time.Duration(max(1, s.Repeats))
	}
	return middle(all)
}

// oneEvaluation is how long one sample took in the middle of the jobs that measured; 0 = none did.
func oneEvaluation(s *view.Snapshot) time.Duration {
	var all []int64
	for i := range s.Recent {
		switch j := &s.Recent[i].Job; j.State {
		case record.Placed, record.Scored, record.Done:
			if j.EvalMS > 0 {
				all = append(all, j.EvalMS/int64(max(1, j.Samples)))
			}
		}
	}
	return middle(all)
}

// middle is the one in the middle of some times in milliseconds, 0 of none.
func middle(all []int64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return time.Duration(all[len(all)/2]) * time.Millisecond
}
