package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine/view"
	"atoll/store/record"
)

// whyLine is one step of a story in `why --json`.
type whyLine struct {
	At   string             `json:"at"`
	ID   record.CandidateID `json:"candidate"`
	What string             `json:"what"` // step, niche, decision, children, claim; of a task also epic, task, plan, experiment, accepted, end, commit
	Text string             `json:"text"`

	// Of what a campaign did.
	Task       int         `json:"task,omitempty"`
	Experiment string      `json:"experiment,omitempty"`
	Commit     record.Hash `json:"commit,omitzero"`
}

// name is what the line begins with in text.
func (l *whyLine) name() string {
	switch {
	case l.ID != record.NoCandidate:
		return l.ID.String()
	case !l.Commit.IsZero():
		return l.Commit.Short()
	case l.Task > 0:
		return "t" + strconv.Itoa(l.Task)
	}
	return ""
}

func (a *App) whyCmd() *cobra.Command {
	return &cobra.Command{
		Use: "why CANDIDATE|TASK|COMMIT", Short: "Tell the story of a candidate from the root to its end, or of a task from its epic to its commit",
		Long: "Each step of a candidate's line is told with who made it from what, what was meant and what it brought; then\nwhat became of it: niches taken and lost, decisions of people, and what may be claimed.\n\n" +
			"Of a task of the campaign (t2), or of a commit on its branch (a hash): the epic, the task, why it was next, the\nexperiment, the candidate with the steps to it, what was accepted, and the commit.",
		Example: "  atoll why best\n  atoll why c128\n  atoll why t2\n  atoll why 9221b5b", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if namesTask(args[0]) {
				return a.whyTask(cmd.Context(), args[0])
			}
			return a.with(cmd.Context(), func(o *opened) error {
				id, err := o.parseCandidate(args[0])
				if err != nil {
					return err
				}
				lines, err := o.why(cmd.Context(), id)
				if err != nil {
					return err
				}
				task, err := o.taskLines(cmd.Context())
				if err != nil {
					return err
				}
				return a.printWhy(append(task, lines...))
			})
		},
	}
}

func (a *App) printWhy(lines []whyLine) error {
	for _, l := range lines {
		if a.flags.json {
			writeJSONLine(a.Out, l)
			continue
		}
		if _, err := fmt.Fprintf(a.Out, "%-7s %s\n", l.name(), view.CleanLine(l.Text)); err != nil {
			return err
		}
	}
	return nil
}

// why tells the steps to a candidate and what became of it.
func (o *opened) why(ctx context.Context, id record.CandidateID) ([]whyLine, error) {
	r := o.reader()
	family, err := r.Lineage(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(family.Ancestors) == 0 {
		return nil, fmt.Errorf("there is no candidate %s that was counted", id)
	}
	var lines []whyLine
	for _, n := range family.Ancestors {
		c, err := o.DB.Candidate(ctx, o.exp.ID, n.ID)
		if err != nil {
			return nil, fmt.Errorf("read candidate %s: %w", n.ID, err)
		}
		lines = append(lines, whyLine{At: instant(c.Created), ID: n.ID, What: "step", Text: stepText(n, &c)})
	}
	end, err := o.became(ctx, id)
	return append(lines, end...), err
}

// became tells what happened to a candidate once it was made.
func (o *opened) became(ctx context.Context, id record.CandidateID) ([]whyLine, error) {
	d, err := o.reader().Candidate(ctx, id)
	if err != nil {
		return nil, err
	}
	var lines []whyLine
	if d.Cell >= 0 {
		niche, err := o.reader().Niche(ctx, d.Cell)
		if err != nil {
			return nil, err
		}
		grid := o.state.Snapshot().Grid
		for i := len(niche.History) - 1; i >= 0; i-- {
			t := niche.History[i]
			name := nicheText(o.line(d.Candidate).Niche)
			switch {
			case t.Candidate == id && t.From == record.NoCandidate:
				lines = append(lines, whyLine{At: instant(t.At), ID: id, What: "niche", Text: fmt.Sprintf("took the empty niche %s of %d", name, grid.Total)})
			case t.Candidate == id:
				lines = append(lines, whyLine{At: instant(t.At), ID: id, What: "niche", Text: fmt.Sprintf("took niche %s from %s: %s", name, t.From, t.Why)})
			case t.From == id:
				lines = append(lines, whyLine{At: instant(t.At), ID: id, What: "niche", Text: fmt.Sprintf("lost niche %s to %s: %s", name, t.Candidate, t.Why)})
			}
		}
	}
	decisions, err := o.DB.Decisions(ctx, o.exp.ID, 100_000)
	if err != nil {
		return nil, err
	}
	for i := len(decisions) - 1; i >= 0; i-- {
		if dec := decisions[i]; dec.Candidate == id {
			lines = append(lines, whyLine{At: instant(dec.At), ID: id, What: "decision", Text: dec.Who + ": " + o.state.DecisionText(dec)})
		}
	}
	if len(d.Children) > 0 {
		lines = append(lines, whyLine{At: instant(d.Candidate.Created), ID: id, What: "children", Text: view.Plural(len(d.Children), "candidate") + " were made from it, the first " + d.Children[0].String()})
	}
	return append(lines, whyLine{At: instant(d.Job.Ended), ID: id, What: "claim", Text: endText(&d)}), nil
}

func stepText(n view.LineageNode, c *record.Candidate) string {
	if n.ID == record.Root {
		return "the root: " + n.Told()
	}
	text := fmt.Sprintf("%s of %s", n.Operator, c.Parent())
	for _, p := range c.Parents {
		if p.Role == record.RoleCrossover {
			text += " with " + p.ID.String()
		}
	}
	if n.Agent != "" {
		text += " by " + n.Agent
	}
	text += fmt.Sprintf(", +%d -%d lines: %s", c.Added, c.Removed, n.Told())
	if n.Delta != nil {
		text += fmt.Sprintf(" (%+.4g)", *n.Delta)
	}
	if c.Intent != "" {
		text += "; " + short(c.Intent, 120)
	}
	return text
}

// endText is how a candidate stands now.
func endText(d *view.CandidateDetail) string {
	c := &d.Candidate
	text := "now " + string(c.Status)
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	if c.ID != record.Root && d.Claim.Word != "" {
		text += fmt.Sprintf("; %s, %s against the root", view.ClaimValue(d.Claim), view.ClaimGain(d.Claim))
	}
	return text
}

func instant(at record.Millis) string {
	return time.UnixMilli(int64(at)).UTC().Format(time.RFC3339)
}
