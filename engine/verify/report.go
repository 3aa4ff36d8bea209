package verify

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store/record"
)

// Conditions are what a measurement depends on beside the code.
type Conditions struct {
	Platform string    `json:"platform"`
	Cores    int       `json:"cores"`
	Load     []float64 `json:"load,omitempty"` // of one minute, before and after; none where the system does not tell
	Rung     string    `json:"rung"`
	Date     time.Time `json:"date"`
}

// loadOf reads the load of one minute from the text of /proc/loadavg.
func loadOf(text string) (float64, bool) {
	first, _, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(first, 64)
	return v, err == nil
}

func (c *Conditions) String() string {
	text := fmt.Sprintf("%s, %s", c.Platform, view.Plural(c.Cores, "core"))
	if len(c.Load) == 2 {
		text += fmt.Sprintf(", load %.2f before and %.2f after", c.Load[0], c.Load[1])
	}
	return fmt.Sprintf("%s, sandbox rung %s, %s", text, c.Rung, c.Date.UTC().Format("2006-01-02 15:04 MST"))
}

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// Step is one candidate on the way from the root to the winner.
type Step struct {
	ID       record.CandidateID `json:"id"`
	Operator record.Operator    `json:"operator"`
	Agent    string             `json:"agent"`
	Intent   string             `json:"intent,omitempty"`
	tree     record.Hash
	gone     bool     // nothing of it is left
	change   *float64 // of the deciding value against the parent, in the evaluator's direction
}

// StepOf is a candidate as a step from its parent.
func StepOf(c, parent *record.Candidate) Step {
	s := Step{ID: c.ID, Operator: c.Operator, Agent: c.Agent, Intent: view.CleanLine(c.Intent), tree: c.Tree}
	if c.Objective != nil && parent.Objective != nil {
		s.change = new(*c.Objective - *parent.Objective)
	}
	return s
}

// Report is the answer to a [Question].
type Report struct {
	Experiment string             `json:"experiment"`
	Candidate  record.CandidateID `json:"candidate"` // that was asked for
	Lineage    []Step             `json:"lineage"`   // from the first edit to the candidate
	Base       string             `json:"base"`      // the user's branch
	Onto       record.Hash        `json:"onto"`      // its commit as it is now
	Moved      bool               `json:"moved"`     // it is not the root of the experiment any more
	Files      []string           `json:"files"`     // what the change touches there
	Conflicts  []string           `json:"conflicts,omitempty"`
	Left       []Left             `json:"left_out,omitempty"`   // of the winner, because it brings nothing
	Steps      []Step             `json:"left_edits,omitempty"` // its last ones, for the same reason
	Behaviour  *guard.Report      `json:"behaviour,omitempty"`
	Accepted   bool               `json:"behaviour_accepted,omitempty"` // a person approved that it differs
	Figures    *Figures           `json:"figures,omitempty"`
	Conditions Conditions         `json:"conditions"`
	Evaluator  string             `json:"evaluator"` // its command, in one line
	// Missing are guarantees that this evaluator does not give, a sentence each.
	Missing []string `json:"missing,omitempty"`
	Command string   `json:"command"` // how to verify again
	// Refused says in one line why there should be no branch; empty: the gain holds.
	Refused string `json:"refused,omitempty"`
	// Commit and Branch are filled in by who writes them.
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	tree   record.Hash
}

// Made is the candidate that is promoted: the one that was asked for, or where its last edits
// were left out, the one before them.
func (r *Report) Made() record.CandidateID {
	if n := len(r.Lineage); n > 0 && len(r.Steps) > 0 {
		return r.Lineage[n-1].ID
	}
	return r.Candidate
}

// Named names what is promoted: "c12", or "c9 (from c12 without its last 3 edits)".
func (r *Report) Named() string {
	if n := len(r.Steps); n > 0 {
		return fmt.Sprintf("%s (from %s without its last %s)", r.Made(), r.Candidate, view.Plural(n, "edit"))
	}
	return r.Candidate.String()
}

// Tree is that of the branch with the change; zero where there is none.
func (r *Report) Tree() record.Hash { return r.tree }

// LeftOut names what was left out of the winner: edits, then stretches; "" for nothing.
func (r *Report) LeftOut() string {
	var names []string
	for _, s := range r.Steps {
		names = append(names, "the edit of "+s.ID.String())
	}
	for _, l := range r.Left {
		names = append(names, l.String())
	}
	return strings.Join(names, ", ")
}

func (r *Report) refuse(format string, args ...any) {
	r.Refused = view.CleanLine(fmt.Sprintf(format, args...))
}

// mostSteps bounds the lineage that a message tells.
const mostSteps = 20

// Message is the commit message of a change that holds: what changed, figures,
// conditions and how to reproduce them. Whatever texts of candidates hold, each
// takes one line, and none of it can pass for a line of the message's own.
func (r *Report) Message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.subject())
	fmt.Fprintf(&b, "Candidate %s of experiment %s, on top of %s (%s).\n", r.Named(), view.CleanLine(r.Experiment), view.CleanLine(r.Base), r.Onto.Short())
	edits := r.edits()
	for i, s := range edits {
		if skip := len(edits) - mostSteps; i < skip {
			if i == 0 {
				fmt.Fprintf(&b, "- %d earlier edits\n", skip)
			}
			continue
		}
		fmt.Fprintf(&b, "- %s, %s by %s: %s\n", s.ID, s.Operator, view.CleanLine(s.Agent), view.Shorten(s.Intent, 160))
	}
	if f := r.Figures; f != nil {
		before, after := f.Medians()
		fmt.Fprintf(&b, "\n%s: %s before, %s after (medians); %s.\n", view.CleanLine(f.Metric), view.FormatValue(before), view.FormatValue(after), f)
		if line := f.PartsLine(); line != "" {
			fmt.Fprintf(&b, "Each alone: %s.\n", line)
		}
		worse := f.Worse()
		for i := range worse[:min(10, len(worse))] {
			fmt.Fprintf(&b, "Worse: %s.\n", view.Shorten(worse[i].String(), 200))
		}
	}
	if left := r.LeftOut(); left != "" {
		fmt.Fprintf(&b, "Left out, because it brings nothing: %s.\n", view.Shorten(left, 300))
	}
	if r.Behaviour != nil {
		fmt.Fprintf(&b, "Behaviour: %s%s.\n", view.Shorten(r.Behaviour.Summary(), 300), map[bool]string{true: " (accepted by a person)"}[r.Accepted])
		if !r.Behaviour.Compared() {
			b.WriteString("Read the diff: nothing but the evaluator looked whether it still does the same.\n")
		}
		for _, d := range r.Behaviour.Told {
			head := map[string]string{guard.Nil: "Nil and empty", guard.Kept: "Kept between calls", guard.Layout: "Order within an object"}[d.Kind]
			fmt.Fprintf(&b, "%s: %s\n", head, view.Shorten(d.String(), 200))
		}
		for _, l := range r.Behaviour.Unreached[:min(10, len(r.Behaviour.Unreached))] {
			fmt.Fprintf(&b, "Not reached by tests or inputs: %s\n", view.CleanLine(l.String()))
		}
	}
	fmt.Fprintf(&b, "Measured in turn (ABBA), same sandbox: %s.\n", &r.Conditions)
	for _, m := range r.Missing {
		fmt.Fprintf(&b, "Not guaranteed: %s\n", view.Shorten(m, 200))
	}
	fmt.Fprintf(&b, "Evaluator: %s\nReproduce: %s\n", view.Shorten(r.Evaluator, 300), r.Command)
	return b.String()
}

// subject names the edit that the deciding samples say brought most, and how many others came with it.
func (r *Report) subject() string {
	const long = 72
	edits := r.edits()
	if len(edits) == 0 {
		return fmt.Sprintf("Candidate %s", r.Candidate)
	}
	most := edits[0]
	for _, s := range edits[1:] {
		if r.brought(s) >= r.brought(most) {
			most = s
		}
	}
	others := ""
	if n := len(edits) - 1; n > 0 {
		others = ", and " + view.Plural(n, "more edit")
	}
	if text := strings.TrimLeft(view.Shorten(most.Intent, long-len(others)), "#- "); text != "" {
		return text + others
	}
	return fmt.Sprintf("Candidate %s", r.Candidate)
}

// edits are those of the lineage of which something is left.
func (r *Report) edits() []Step {
	return slices.DeleteFunc(slices.Clone(r.Lineage), func(s Step) bool { return s.gone })
}

// brought is how much better a step made the deciding value; one whose value is not known brought nothing.
func (r *Report) brought(s Step) float64 {
	switch {
	case s.change == nil:
		return 0
	case r.Figures != nil && r.Figures.Minimize:
		return -*s.change
	default:
		return *s.change
	}
}
