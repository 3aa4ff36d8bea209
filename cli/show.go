package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store/record"
)

func (a *App) showCmd() *cobra.Command {
	var evidence, prompt bool
	cmd := &cobra.Command{
		Use: "show CANDIDATE", Short: "Print one candidate, or one job with #N", Example: "  atoll show c128\n  atoll show best --evidence\n  atoll show '#341'\n  atoll show '#350' --prompt", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if prompt {
				return a.showPrompt(cmd.Context(), args[0])
			}
			return a.show(cmd.Context(), args[0], evidence)
		},
	}
	cmd.Flags().BoolVar(&prompt, "prompt", false, "only what its agent was told; of a job that waits, what it would be told now")
	cmd.Flags().BoolVar(&evidence, "evidence", false, "with the texts kept: prompt, transcript, evaluator output, gate")
	return cmd
}

func (a *App) show(ctx context.Context, what string, evidence bool) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	if strings.HasPrefix(what, "#") {
		return a.showJob(ctx, o, what)
	}
	id, err := o.parseCandidate(what)
	if err != nil {
		return err
	}
	c, err := o.DB.Candidate(ctx, o.exp.ID, id)
	if err != nil {
		return o.noCandidate(id, err)
	}
	l := o.line(c)
	if l.History, err = o.history(ctx, c); err != nil {
		return err
	}
	if claim, ok := o.state.ClaimOf(c.ID); ok && claim.Word != "" && c.ID != record.Root { // the root gains nothing on itself
		l.Claim = &claim
	}
	if a.flags.json {
		writeJSONLine(a.Out, l)
		return nil
	}
	snap, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	w := a.Out
	fmt.Fprintf(w, "%s  %s  %s\n", l.ID, l.Commit, l.Status)
	if l.Reason != "" {
		fmt.Fprintf(w, "reason     %s\n", view.CleanLine(l.Reason))
	}
	if c.ID == 0 {
		fmt.Fprintln(w, rootText(what, snap.NothingBetter()))
	} else {
		fmt.Fprintf(w, "job        %s  %s by %s\nintent     %s\n", l.Job, l.Operator, l.Agent, view.CleanLine(l.Intent))
	}
	if err := a.printWorker(ctx, o, l.Job); err != nil {
		return err
	}
	for _, p := range l.Parents {
		fmt.Fprintf(w, "%-10s %s\n", p.Role, p.ID)
	}
	o.printValue(w, snap, l)
	for _, b := range o.state.Decided.BranchesOf(c.ID) {
		text := b.Name
		if found := b.Verification(); found != "" {
			text += ", " + found
		}
		fmt.Fprintf(w, "branch     %s\n", view.CleanLine(text))
	}
	for _, h := range l.History {
		fmt.Fprintf(w, "before     %s  n %d  (objective version %d)\n", view.FormatValue(h.Objective), h.Samples, h.Version)
	}
	for i, m := range c.Metrics {
		if head := metricsOf(snap, l.Samples); i == 0 && head != "" {
			fmt.Fprintf(w, "metrics    %s\n", head)
		}
		fmt.Fprintf(w, "           %s%s\n", metricText(m), partOfRatio(snap, m.Name))
	}
	fmt.Fprintf(w, "niche      %s\nsize       %s\n", nicheText(l.Niche), a.spell(changeText(&c)))
	if err := a.printBehaviour(ctx, o, snap, &c); err != nil {
		return err
	}
	if evidence {
		return a.printEvidence(ctx, o, l.Job)
	}
	return nil
}

// printValue prints what a candidate is worth, by the words of `show --json`: what it is claimed to be, by samples
// that decided nothing, apart from the objective of those that decided.
func (o *opened) printValue(w io.Writer, snap *view.Snapshot, l candidateLine) {
	text := o.objectiveText(snap, l)
	if l.Claimed != nil && l.Value != "" && l.Objective != nil {
		fmt.Fprintf(w, "claimed    %s\n", text)
		text = view.FormatValue(*l.Objective) + " by the samples that decided"
	}
	fmt.Fprintf(w, "objective  %s\n", text)
	if l.Objective != nil {
		fmt.Fprintf(w, "decided by %s, spread %s\n", view.Plural(l.Samples, "sample"), view.FormatValue(l.Spread))
	}
	if l.Claim != nil {
		ev := &o.state.Config.Evaluator
		fmt.Fprintf(w, "gain       %s%s\n", view.ClaimGain(*l.Claim), beyondBelief(ev.Direction, ev.Objective, *l.Claim))
	}
}

// changeText is how much a candidate changes of the one that it was made from, which is not what `diff`
// compares with where nothing else is named.
func changeText(c *record.Candidate) string {
	text := fmt.Sprintf("%s, +%d -%d lines", view.Plural(c.Files, "file"), c.Added, c.Removed)
	switch c.Parent() {
	case record.NoCandidate:
		return text
	case record.Root:
		return text + " against the root"
	}
	return fmt.Sprintf("%s against its parent %s (`atoll diff %s` is against the root)", text, c.Parent(), c.ID)
}

// metricText is a metric with its unit, which stands once where it is the name too.
func metricText(m record.Metric) string {
	text := view.CleanLine(m.Name) + " " + view.FormatValue(m.Value)
	if m.Unit == "" || strings.EqualFold(m.Unit, m.Name) {
		return text
	}
	return text + " " + view.CleanLine(m.Unit)
}

// rootText says what the root is to whoever asked for it, or for the best, which stands as told.
func rootText(asked, told string) string {
	if asked == "best" {
		return "the root: " + told
	}
	return "the root of the experiment"
}

// behaviourText is what the guard found, behind the word "behaviour".
func behaviourText(r *guard.Report) string {
	return view.CleanLine(strings.TrimPrefix(r.Summary(), "behaviour "))
}

// objectiveText is the value of a candidate as what it is: where values are ratios to the
// root's, it says so.
func (o *opened) objectiveText(snap *view.Snapshot, l candidateLine) string {
	text := o.valueText(l)
	switch {
	case !snap.Paired || l.Objective == nil || l.Version < o.exp.Objective:
		return text
	case l.ID == record.Root:
		return snap.RootText()
	}
	return text + ": a ratio to the root's " + view.CleanLine(snap.Objective) + ", measured beside it"
}

// metricsOf says of which samples the metrics of a candidate are, and what one alone says where values vary; "" where
// that is plain.
func metricsOf(snap *view.Snapshot, samples int) string {
	switch {
	case samples > 1:
		return fmt.Sprintf("of the sample in the middle of the %d that decided", samples)
	case samples == 1 && snap.Noisy:
		return "of one sample: what they differ from the root's may be noise"
	}
	return ""
}

// partOfRatio says of a metric that it is the ratio that values are, or one of its two sides;
// "" for any other.
func partOfRatio(snap *view.Snapshot, metric string) string {
	if !snap.Paired {
		return ""
	}
	switch metric {
	case snap.Objective:
		return "  (its own)"
	case snap.Objective + ".root":
		return "  (the root's beside it)"
	case snap.Objective + ".ratio":
		return "  (of the two: the objective)"
	}
	return ""
}

// acceptOnce names the verbs by which a person accepts that a candidate behaves in another way. One that
// was rejected does not wait, unless it did so before.
func (a *App) acceptOnce(o *opened, id record.CandidateID) string {
	approve, restore := a.says("approve "+id.String()), a.says("restore "+id.String())
	m := o.state.Candidate(id)
	switch {
	case !rejected(o.state, id):
		return approve
	case o.state.Origin(m).Status == record.StatusRejected:
		return restore + ", then " + approve
	}
	return restore
}

// printBehaviour tells what the guard found, where it looked.
func (a *App) printBehaviour(ctx context.Context, o *opened, snap *view.Snapshot, c *record.Candidate) error {
	report, ok, err := engine.GuardReport(ctx, o.Session, o.exp.ID, c)
	if err != nil {
		return err
	}
	if !ok {
		return a.printUncompared(ctx, o, snap, c)
	}
	if report.Same() {
		fmt.Fprintf(a.Out, "behaviour  %s\n", behaviourText(&report))
	}
	for i, d := range report.Differences {
		if i == 8 {
			fmt.Fprintf(a.Out, "           and %d more: --evidence\n", len(report.Differences)-i)
			break
		}
		fmt.Fprintf(a.Out, "%-10s %s\n", map[bool]string{true: "behaviour"}[i == 0], view.CleanLine(d.String()))
	}
	if names := report.Where(); len(names) > 0 {
		fmt.Fprintf(a.Out, "           accept it once: %s; for good, from the next run on: guard_accept: [%s] in %s\n",
			a.acceptOnce(o, c.ID), view.CleanLine(strings.Join(names, ", ")), config.FileName)
	}
	for i, d := range report.Accepted {
		fmt.Fprintf(a.Out, "%-10s %s\n", map[bool]string{true: "accepted"}[i == 0], view.CleanLine(d.String()))
	}
	return a.printTold(report)
}

// printUncompared says of a measured candidate that its behaviour is to be compared in time.
func (a *App) printUncompared(ctx context.Context, o *opened, snap *view.Snapshot, c *record.Candidate) error {
	if c.ID == record.Root || c.Objective == nil {
		return nil
	}
	due, err := engine.Uncompared(ctx, o.Session, snap, c)
	if err == nil && due {
		fmt.Fprintf(a.Out, "behaviour  %s\n", view.NotComparedYet)
	}
	return err
}

// printTold names what the guard found and let pass (see [guard.Report]), and changed lines that nothing ran.
func (a *App) printTold(report guard.Report) error {
	for i, d := range report.Told {
		first := i == 0 || report.Told[i-1].Kind != d.Kind
		if _, err := fmt.Fprintf(a.Out, "%-10s %s\n", map[bool]string{true: d.Kind}[first], view.CleanLine(d.String())); err != nil {
			return err
		}
	}
	for i, l := range report.Unreached {
		head := map[bool]string{true: "not run"}[i == 0]
		if i == 12 {
			_, err := fmt.Fprintf(a.Out, "           and %d more stretches\n", len(report.Unreached)-i)
			return err
		}
		if _, err := fmt.Fprintf(a.Out, "%-10s %s: changed, and reached by no test and no input\n", head, view.CleanLine(l.String())); err != nil {
			return err
		}
	}
	return nil
}

// printWorker names who did a job that an agent of the kind broker gave away.
func (a *App) printWorker(ctx context.Context, o *opened, job record.JobID) error {
	list, err := o.DB.EvidenceOf(ctx, o.exp.ID, job)
	for _, ev := range list {
		if ev.Kind == "worker" {
			fmt.Fprintf(a.Out, "worker     %s\n", view.CleanLine(string(ev.Text)))
		}
	}
	return err
}

func (a *App) printEvidence(ctx context.Context, o *opened, job record.JobID) error {
	list, err := o.DB.EvidenceOf(ctx, o.exp.ID, job)
	if err != nil {
		return err
	}
	a.printTexts(list)
	return nil
}

func (a *App) printTexts(list []record.Evidence) {
	for _, ev := range list {
		fmt.Fprintf(a.Out, "\n--- %s, attempt %d ---\n", ev.Kind, ev.Attempt)
		for _, line := range strings.Split(strings.TrimRight(string(ev.Text), "\n"), "\n") {
			fmt.Fprintln(a.Out, view.CleanLine(line))
		}
		if ev.Cut > 0 {
			fmt.Fprintf(a.Out, "(%d bytes left out)\n", ev.Cut)
		}
	}
}
