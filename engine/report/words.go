package report

import (
	"fmt"
	"strings"
	"time"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// Title names the experiment.
func (s *Story) Title() string {
	name := s.Snap.Experiment.Name
	if name == "" {
		name = fmt.Sprintf("experiment %d", s.Snap.Experiment.ID)
	}
	return view.CleanLine(name)
}

// Summary tells in a few sentences what became of the experiment.
func (s *Story) Summary() []string {
	return []string{s.effort(), s.outcome(), s.breadth()}
}

// Fact is one of the figures that a reader looks for first.
type Fact struct{ Name, Value string }

// Facts are the gain with its interval, the values it is of, and what it took.
func (s *Story) Facts() []Fact {
	b, root := s.Snap.Best, s.Snap.Root
	var out []Fact
	add := func(name, value string) { out = append(out, Fact{name, value}) }
	if root.ID != record.NoCandidate {
		gain := "none"
		if b.ID != record.NoCandidate && b.ID != record.Root {
			gain = view.ClaimGain(b.Claim)
			name := s.Metric() + " of " + b.ID.String()
			if s.Snap.Paired {
				name = s.Measured()
			}
			add(name, view.ClaimValue(b.Claim))
		}
		out = append([]Fact{{"gain", gain}}, out...)
		if !s.Snap.Paired {
			add(s.Metric()+" of the root", view.FormatValue(view.ClaimRoot(s.Snap, &b.Claim)))
		}
	}
	add("jobs", fmt.Sprint(s.Snap.Jobs.Ended()))
	add("measurements", fmt.Sprint(s.Snap.Evals))
	if g := s.Snap.Grid; g.Total > 0 && g.Undrawn() == "" {
		add("niches", fmt.Sprintf("%d of %d", g.Filled, g.Total))
	}
	if cost := s.cost(); cost != "" {
		add("agents", cost)
	}
	add("time", duration(s.Snap.WallMS))
	return out
}

func (s *Story) effort() string {
	j := s.Snap.Jobs
	text := fmt.Sprintf("%s ended in %s", view.Plural(j.Ended(), "job"), duration(s.Snap.WallMS))
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{j.Placed, "took a niche"},
		{j.Scored, "were measured and took no niche"},
		{j.Failed, "failed"},
		{j.Rejected, "were rejected"},
		{j.Duplicate, "repeated what was known"},
		{j.Cancelled, "were cancelled"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	text += fmt.Sprintf(". The evaluator ran %s", view.Plural(s.Snap.Evals, "time"))
	if cost := s.cost(); cost != "" {
		text += "; agents used " + cost
	}
	return text + "."
}

func (s *Story) cost() string {
	u := s.Snap.Usage
	tokens := u.InputTokens + u.OutputTokens
	if tokens == 0 && (u.CostUSD == nil || *u.CostUSD == 0) {
		return ""
	}
	text := view.Plural(int(tokens), "token")
	if u.CostUSD != nil {
		text += fmt.Sprintf(" for $%.2f", *u.CostUSD)
	}
	if u.Unmetered {
		text += ", and more that nobody could count"
	}
	return text
}

func (s *Story) outcome() string {
	b := s.Snap.Best
	lower := ""
	if s.Minimize() {
		lower = " (lower is better)"
	}
	switch {
	case s.Snap.Root.ID == record.NoCandidate:
		return "Nothing was measured yet."
	case s.Snap.Sure != nil && b.ID == record.Root:
		return fmt.Sprintf("The run's own samples prove no candidate better than the root. %s.", s.Snap.SureText())
	case (b.ID == record.NoCandidate || b.ID == record.Root) && s.Snap.Paired:
		return fmt.Sprintf("No candidate is better than the root by the %s%s.", s.Measured(), lower)
	case b.ID == record.NoCandidate || b.ID == record.Root:
		return fmt.Sprintf("No candidate is better than the root, whose %s is %s%s.", s.Metric(), view.FormatValue(s.Snap.Root.Objective), lower)
	}
	text := "The best is " + b.ID.String() + ". " + s.claim(b.ID, &b.Claim)
	if who, ok := s.Snap.Ahead(); ok {
		text += " " + who.Text() + "."
	}
	return text
}

// claim says what may be told of a candidate's value and gain.
func (s *Story) claim(id record.CandidateID, c *evidence.Claim) string {
	return view.ClaimText(s.Snap, id, c)
}

func (s *Story) breadth() string {
	g := s.Snap.Grid
	if g.Total == 0 {
		return "There was no map yet."
	}
	if text := g.Undrawn(); text != "" {
		return "There are no niches yet: " + text + "."
	}
	return fmt.Sprintf("%d of %d niches are filled (%.0f %%), over %s.", g.Filled, g.Total, 100*g.Coverage, strings.Join(axisNames(g), " and "))
}

func axisNames(g view.Grid) []string {
	names := make([]string, len(g.Axes))
	for i, a := range g.Axes {
		names[i] = view.CleanLine(a.Name)
	}
	return names
}

// Metric is the name of what was searched on.
func (s *Story) Metric() string {
	if s.Snap.Objective == "" {
		return "objective"
	}
	return view.CleanLine(s.Snap.Objective)
}

// Measured names what the values are: the metric, or its ratio to the root's.
func (s *Story) Measured() string { return s.Snap.Measured() }

// Minimize reports whether lower values are better.
func (s *Story) Minimize() bool { return s.Snap.Direction == "minimize" }

// Reproduction is what takes the experiment up again from nothing.
func (s *Story) Reproduction() []string { return again(s.Snap, s.Snap.Best.ID) }

// Repeats says when that gives the same.
func (s *Story) Repeats() string {
	return fmt.Sprintf("It ran with %s. One seed gives one result with one worker, and with any number of workers in strict order, where agents and evaluator answer alike.",
		view.Plural(s.Snap.Settings.Workers, "worker"))
}

// again are the command lines that repeat an experiment from its root and verify one of its
// candidates.
func again(s *view.Snapshot, id record.CandidateID) []string {
	e := s.Experiment
	lines := []string{fmt.Sprintf("git checkout %s", e.RootCommit)}
	run := fmt.Sprintf("atoll run --new --seed %d", e.Seed)
	if e.Strict {
		run += " --order strict"
	}
	if s.Settings.MaxJobs > 0 {
		run += fmt.Sprintf(" --max-jobs %d", s.Settings.MaxJobs)
	}
	lines = append(lines, run)
	if id != record.NoCandidate && id != record.Root {
		lines = append(lines, fmt.Sprintf("atoll promote %s --verify", id))
	}
	return lines
}

// duration writes milliseconds as people say them.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// value writes what may be missing.
func value(v *float64) string {
	if v == nil {
		return "–"
	}
	return view.FormatValue(*v)
}

// signed writes a difference that counts upwards: more is better.
func signed(v *float64) string {
	switch {
	case v == nil:
		return ""
	case *v == 0:
		return "no change"
	}
	return fmt.Sprintf("%+.4g", *v)
}

func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// perGain is the cost of one improvement.
func perGain(y view.Yield) string {
	if y.CostUSD == nil {
		return "–"
	}
	if y.Improved == 0 {
		return fmt.Sprintf("$%.2f for none", *y.CostUSD)
	}
	return fmt.Sprintf("$%.4g", *y.CostUSD/float64(y.Improved))
}

func money(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("$%.2f", *v)
}
