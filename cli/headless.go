package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// headless runs the engine and prints a line for each event, and a summary at
// the end.
func (a *App) headless(ctx context.Context, eng *engine.Engine, ses *engine.Session, exp record.Experiment, f runFlags) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	stop := a.onSignals(eng, func() { abort(errInterrupted) })
	defer stop()
	if !a.flags.json {
		fmt.Fprintf(a.Out, "experiment %s: seed %d, root %s (%s), state %s\n", view.CleanLine(exp.Name), exp.Seed, exp.RootCommit.Short(), view.CleanLine(exp.Branch), view.CleanLine(ses.Dir))
		grade, _ := a.gradeOf(ses.Dir, exp)
		fmt.Fprintf(a.Out, "evaluator %s\n", grade)
	}
	var until time.Time
	if f.forTime > 0 {
		until = a.Now().Add(f.forTime)
	}
	began := a.Now().Truncate(time.Millisecond) // as the log has times
	printed := make(chan struct{})
	readCtx, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(printed)
		a.printEvents(readCtx, eng.Feed(), ses.Dir, began, until)
	}()
	tellLast, err := a.tellPlugins(exp, f, eng.Feed())
	if err == nil {
		err = eng.Run(ctx)
	}
	tellLast()
	stopReading()
	<-printed
	end := eng.Feed().Latest()
	if nameErr := a.nameExperiment(context.WithoutCancel(ctx), ses, exp.ID); err == nil {
		err = nameErr
	}
	axes, axesErr := otherAxes(context.WithoutCancel(ctx), end, func(ctx context.Context, id record.CandidateID) ([]record.Metric, error) {
		return ses.DB.Metrics(ctx, exp.ID, id)
	})
	if sumErr := errors.Join(a.summary(end, axes), axesErr); err == nil {
		err = sumErr
	}
	if stop() {
		if !a.flags.json && ignoreCancel(err) == nil && view.Rests(end.Reason) { // the summary told it
			return told(exitInterrupted)
		}
		return errors.Join(errInterrupted, ignoreCancel(err))
	}
	if err != nil {
		return err
	}
	return f.enough(end)
}

func ignoreCancel(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, errInterrupted) {
		return nil
	}
	return err
}

// onSignals drains at the first signal and calls abort at the second. The
// returned function stops listening and reports whether a signal came; it may
// be called more than once.
func (a *App) onSignals(eng *engine.Engine, abort func()) func() bool {
	signals, deaf := a.interrupts.listen()
	quit, done := make(chan struct{}), make(chan struct{})
	came := false
	drain := func(s os.Signal) {
		text := "atoll: finishing what runs; once more stops at once"
		if s == syscall.SIGPIPE {
			text = "atoll: nobody reads the output any more: finishing what runs; ctrl+c stops at once"
		}
		fmt.Fprintln(a.Err, text)
		eng.Drain()
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case s := <-signals:
				if came {
					abort()
					continue
				}
				came = true
				drain(s)
			}
		}
	}()
	stopped := false
	return func() bool {
		if !stopped {
			stopped = true
			close(quit)
			<-done
			deaf()
		}
		return came
	}
}

// printEvents prints the log lines of snapshots until ctx ends, the last
// snapshot included: those of this run, not what an earlier one told already. state is the
// directory below which persons edit; until is when the run begins nothing more, or zero.
func (a *App) printEvents(ctx context.Context, feed *view.Feed, state string, began, until time.Time) {
	var version, line uint64
	p, waits, said := progress{app: a, until: until}, waiting{app: a, state: state}, sentences{}
	short := bounded(&p, began, until)
	for {
		snap, err := nextWithin(ctx, feed, version, lookEvery)
		version = snap.Version
		for _, l := range snap.Log {
			if l.N > line {
				line = l.N
				if !l.At.Before(began) && (a.flags.json || said.first(&l) && !isTheEnd(snap, &l)) {
					a.printLine(l)
					p.spoke = a.Now()
				}
			}
		}
		waits.see(snap)
		p.see(snap)
		short.see(snap)
		if err != nil {
			short.end(snap)
			said.tell(a.Out, a.spell)
			return
		}
	}
}

// isTheEnd reports whether a line is why the experiment cannot go on, which the summary tells.
func isTheEnd(s *view.Snapshot, l *view.LogLine) bool {
	return l.Level == "error" && l.Text == s.Fatal && strings.HasPrefix(s.Fatal, engine.ErrBroken.Error())
}

// lookEvery is how often it is looked whether a silence lasts too long.
const lookEvery = time.Second

// nextWithin is the newest snapshot after some time at the latest, be it a new one or not; the
// error is that of ctx.
func nextWithin(ctx context.Context, feed *view.Feed, after uint64, most time.Duration) (*view.Snapshot, error) {
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	snap, _ := feed.Wait(within, after) // its error is that of within
	return snap, ctx.Err()
}

// eventLine is a line of `run --headless --json` with type event.
type eventLine struct {
	Type  string       `json:"type"`
	At    string       `json:"at"`
	Level string       `json:"level"`
	Job   record.JobID `json:"job"` // -1 = none
	Text  string       `json:"text"`
}

// longestFailure bounds the reason of a failed job among the lines of a run; `show` has the whole.
const longestFailure = 160

func (a *App) printLine(l view.LogLine) {
	if l.Level == "debug" {
		return
	}
	if a.flags.json {
		writeJSONLine(a.Out, eventLine{Type: "event", At: l.At.UTC().Format(time.RFC3339Nano), Level: l.Level, Job: l.Job, Text: l.Text})
		return
	}
	mark := ""
	if l.Level != "info" {
		mark = l.Level + ": "
	}
	text := strings.TrimPrefix(l.Text, "new best: ") // progress announces it, with its gain
	if text = view.CleanLine(a.spell(text)); l.Job != record.NoJob && strings.Contains(text, " failed: ") {
		text = view.Shorten(text, longestFailure)
	}
	fmt.Fprintf(a.Out, "%s %s%s\n", l.At.Format("15:04:05"), mark, text)
}

// bestLine names the best with its value and what is known of its gain.
func bestLine(s *view.Snapshot) string {
	if s.Best.ID == record.Root {
		return "the root: " + s.NothingBetter()
	}
	return fmt.Sprintf("%s %s  %s", s.Best.ID, s.Best.Commit.Short(), bestText(s))
}

// rootValue is the root's value beside that of another: by samples that decided nothing, where
// it has some.
func rootValue(s *view.Snapshot) string {
	if held := s.Root.Claimed; held != nil {
		return fmt.Sprintf("%s (n %d)", view.FormatValue(*held), s.Root.Claim.N)
	}
	return view.FormatValue(s.Root.Objective)
}

// summary says how a run ended and what to do next; axes are metrics that could span a map.
func (a *App) summary(s *view.Snapshot, axes string) error {
	if s.Loading {
		return nil
	}
	if a.flags.json {
		writeJSONLine(a.Out, resultOf(s))
		return nil
	}
	w, state := a.Out, a.stateText(s)
	if s.State == record.ExperimentBroken { // why is the error that the run ends with
		state = string(s.State)
	}
	fmt.Fprintf(w, "\n%s: %s\n", view.CleanLine(s.Experiment.Name), state)
	if s.Best.ID != record.NoCandidate {
		if s.Best.ID == record.Root {
			fmt.Fprintf(w, "root  %s  %s\n", s.Root.Commit.Short(), s.RootText())
		}
		root := ""
		if !s.Paired && s.Best.ID > record.Root {
			root = "; the root has " + rootValue(s)
		}
		fmt.Fprintf(w, "best  %s%s\n", bestLine(s), root)
		fmt.Fprintf(w, "map   %s\n", mapText(&s.Grid))
		if axes != "" {
			fmt.Fprintf(w, "      learned from the code; elites also differ in %s: map.axes in atoll.yaml and `%s` make a map of that\n", axes, a.says("run --new"))
		}
	}
	if why := unsure(s); why != "" {
		fmt.Fprintf(w, "note  %s; `%s` goes on", why, a.says("run"))
		if !gainless(s) {
			fmt.Fprintf(w, ", `%s` measures it now", a.says("promote best --verify"))
		}
		fmt.Fprintln(w)
	}
	if text := s.SureText(); text != "" {
		fmt.Fprintf(w, "note  %s\n", text)
	}
	if text := a.hopeful(s); text != "" {
		fmt.Fprintf(w, "note  %s\n", text)
	}
	fmt.Fprintf(w, "jobs  %s\n", countsText(s))
	if n := s.Jobs.Ended(); n > 1 && s.Jobs.Failed == n && len(s.Failures) > 0 {
		most := s.Failures[0]
		fmt.Fprintf(w, "note  every job failed; %d of %d: %s; %s\n", most.Count, n, view.CleanLine(strings.TrimSuffix(most.Reason, ".")), view.CleanLine(most.Cure))
	}
	if s.Rung != "" {
		fmt.Fprintf(w, "trust sandbox rung %s\n", s.Rung)
	}
	for _, g := range s.Guarantees {
		fmt.Fprintf(w, "      missing: %s\n", g)
	}
	a.printNext(nextSteps(s))
	return nil
}
