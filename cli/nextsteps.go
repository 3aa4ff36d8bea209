package cli

import (
	"fmt"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// unsure says why the best is no gain yet, "" where its gain may be told, or was verified by a
// promotion.
func unsure(s *view.Snapshot) string {
	b, c := &s.Best, s.Best.Claim
	switch {
	case b.ID <= record.Root || c.Word != evidence.Unconfirmed || b.Verified != nil:
		return ""
	case view.Doubtful(c):
		return fmt.Sprintf("%s leads by the samples that chose it; by the %s held out so far it is worse than the root: take it as no gain", b.ID, view.Plural(c.N, "sample"))
	case c.N == 0:
		return fmt.Sprintf("the gain of %s is not confirmed: no sample was held out yet", b.ID)
	}
	return fmt.Sprintf("the gain of %s is not confirmed: by the %s held out so far it may be none", b.ID, view.Plural(c.N, "sample"))
}

// hopeful names who looks better than the best and is not proven, and what finds out; "" for nobody.
func (a *App) hopeful(s *view.Snapshot) string {
	who, ok := s.Ahead()
	if !ok {
		return ""
	}
	value := fmt.Sprintf("%s by %s", s.Valued(view.FormatValue(who.Objective)), view.Plural(who.Samples, "sample"))
	switch {
	case who.Leads:
		return fmt.Sprintf("%s looks better than the best, %s, and its gain is not confirmed: `%s` goes on, `%s` measures it alone", who.ID, value,
			a.says("run"), a.says("promote "+who.ID.String()+" --verify"))
	case !who.Plain:
		return fmt.Sprintf("%s looks better than the root, %s, which may be noise: `%s` goes on", who.ID, value, a.says("run"))
	}
	return fmt.Sprintf("%s looks better than the best, %s, which is too few to be sure: `%s` goes on, `%s` measures it alone", who.ID, value,
		a.says("run"), a.says("promote "+who.ID.String()+" --verify"))
}

// stateText tells a state and why. Where the doubt about the best is told in a line of its own
// the reason does without it.
func (a *App) stateText(s *view.Snapshot) string {
	reason := s.Reason
	if unsure(s) != "" {
		reason = view.WithoutDoubt(reason)
	}
	return view.CleanLine(a.spell(view.StateText(s.State, reason)))
}

// beyondBelief is a warning behind a gain, "" for those that are not beyond belief.
func beyondBelief(direction, metric string, c evidence.Claim) string {
	if text := view.Disbelief(direction, metric, c); text != "" {
		return "; " + text
	}
	return ""
}

// step is a command that helps on, with what it does there.
type step struct{ command, why string }

// nextSteps are what to do after a run: of a best to look at and take it out, and where there
// is none what may still bring one.
func nextSteps(s *view.Snapshot) []step {
	switch {
	case s.Best.ID > record.Root:
		return stepsOfBest(s)
	case s.State == record.ExperimentBroken && strings.Contains(s.Reason, "beside it: timed out after"):
		return []step{{"run", "the search goes on, best on a calmer machine"}}
	case s.State == record.ExperimentBroken && (s.Best.ID == record.NoCandidate || strings.Contains(s.Reason, "run --new")):
		return []step{{"run --new", "once the evaluator is mended: this experiment keeps the one that it began with"}}
	case s.State == record.ExperimentBroken:
		return []step{{"run", "the search goes on once that is mended"}}
	case s.Best.ID == record.NoCandidate:
		return nil
	}
	var out []step
	add := func(command, why string) { out = append(out, step{command, why}) }
	if s.Sure != nil {
		add("show "+s.Sure.ID.String(), "a promotion verified its gain")
	}
	measured := s.Jobs.Placed + s.Jobs.Scored
	if n := s.Jobs.Held; n > 0 {
		add("candidates --status held", view.Plural(n, "candidate")+" waiting for your review")
	}
	if measured == 0 && s.Jobs.Failed > 0 {
		add("doctor --deep", "no candidate was measured: is it the evaluator?")
	}
	if s.Jobs.Failed > measured {
		add("jobs --status failed", "more jobs failed than were measured, and why")
	}
	if out = append(out, moreJobs(s)...); s.State == record.ExperimentStopped || s.State == record.ExperimentPaused {
		add("run", "the search goes on: its jobs are not used up")
	}
	if s.Grade == "" {
		add("doctor --mutants 20", "what this evaluator notices, and how small a gain it can show")
	}
	if s.Jobs.Duplicate > s.Jobs.Ended()/2 {
		add(repeated(s))
	}
	if onlyOffline(s) && (len(out) == 0 || out[len(out)-1].command != agentsHelp) {
		add(agentsHelp, "a model makes changes that the built-in agent cannot")
	}
	return out
}

// agentsHelp tells how there are others that make changes.
const agentsHelp = "config explain agents"

// stepsOfBest are what to do with a best: it is not offered for a branch where all that is known of
// it says that it gains nothing.
func stepsOfBest(s *view.Snapshot) []step {
	out := []step{{"show best", ""}, {"diff best", ""}}
	if gainless(s) {
		if more := moreJobs(s); len(more) > 0 || s.State != record.ExperimentStopped {
			return append(out, more...)
		}
		return append(out, step{"run", "the search goes on: its jobs are not used up"})
	}
	if s.Best.Verified != nil { // it is on a branch already
		return append(out, moreJobs(s)...)
	}
	var why []string
	if s.Best.Claim.Word == evidence.Unconfirmed {
		why = append(why, "its gain is not confirmed")
		if more := goesOn(s); len(more) > 0 {
			return append(append(out, more...), step{"promote best --verify", "or measures it alone, and writes a branch only if the gain holds"})
		}
	}
	if s.Best.Uncompared {
		why = append(why, "its behaviour was not compared")
	}
	verify := step{"promote best --verify", ""}
	if len(why) > 0 {
		verify.why = strings.Join(why, " and ") + ": this finds out before it writes a branch"
	}
	return append(append(out, verify), moreJobs(s)...)
}

// goesOn is how a search at rest goes on that takes more samples of its best; nil where it cannot.
func goesOn(s *view.Snapshot) []step {
	const missing = "its gain is not confirmed yet"
	if s.Best.Uncompared {
		return nil // what compares it measures it as well
	}
	switch {
	case (s.State == record.ExperimentStopped || s.State == record.ExperimentPaused) && s.Jobs.Left() > 0:
		return []step{{"run --for 10m", missing + ": the search goes on and takes more samples of it"}}
	case s.State == record.ExperimentDone:
		more := moreJobs(s)
		for i := range more {
			more[i].why = missing + ", and the jobs are used up: the search goes on"
		}
		return more
	}
	return nil
}

// gainless reports whether samples that decided nothing speak against the gain of the best, and no
// promotion found it.
func gainless(s *view.Snapshot) bool {
	c := s.Best.Claim
	return s.Best.Verified == nil && (view.Doubtful(c) || c.Word == evidence.WithinNoise)
}

// repeated is what helps where most jobs repeated what was known: more files to change where the
// scope names them one by one, else somebody who makes other changes.
func repeated(s *view.Snapshot) (command, why string) {
	const most = "most jobs repeated what was known: "
	cfg, err := config.Decode(s.Experiment.Config)
	narrow := err == nil && len(cfg.Gate.Scope) > 0 && !slices.ContainsFunc(cfg.Gate.Scope, func(glob string) bool { return strings.ContainsAny(glob, "*?") })
	switch {
	case narrow:
		return "config explain gate.scope", most + "let more files change, with run --new"
	case onlyOffline(s):
		return agentsHelp, most + "the built-in agent has tried what it can here, and a model makes other changes"
	}
	return agentsHelp, most + "another agent, or another goal for these, makes other changes"
}

// moreJobs is how a search goes on whose jobs are used up.
func moreJobs(s *view.Snapshot) []step {
	most := s.Jobs.Max
	if s.State != record.ExperimentDone || most <= 0 || s.Jobs.Left() > 0 {
		return nil
	}
	return []step{{fmt.Sprintf("run --max-jobs %d", furtherJobs(most)), "the search goes on: its jobs are used up"}}
}

// furtherJobs is how many jobs an experiment may make that goes on behind so many.
func furtherJobs(most int) int {
	const few = 100 // and no search is worth going on by less
	return most + max(most, few)
}

// onlyOffline reports whether the built-in agent alone made candidates.
func onlyOffline(s *view.Snapshot) bool {
	return len(s.Agents) == 1 && s.Agents[0].Name == "offline"
}

// printNext prints what to do next, a command a line with its reason behind it.
func (a *App) printNext(steps []step) {
	wide := 0
	for _, n := range steps {
		wide = max(wide, len(a.says(n.command)))
	}
	head := "next"
	for _, n := range steps {
		line := a.says(n.command)
		if n.why != "" {
			line += strings.Repeat(" ", wide-len(line)) + "  # " + n.why
		}
		fmt.Fprintf(a.Out, "%-5s %s\n", head, line)
		head = ""
	}
}
