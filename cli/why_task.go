package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/kept"
	"atoll/engine/view"
	"atoll/store/record"
)

// What `why` takes for a task, and for the beginning of a commit's hash.
var (
	taskName      = regexp.MustCompile(`^t[0-9]+$`)
	commitName    = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	candidateName = regexp.MustCompile(`^c?[0-9]{1,8}$`)
)

// namesTask reports whether what is asked about is a task or a commit of the campaign.
func namesTask(what string) bool {
	return taskName.MatchString(what) || commitName.MatchString(what) && !candidateName.MatchString(what)
}

// whyTask tells the way from an epic to a commit.
func (a *App) whyTask(ctx context.Context, what string) error {
	return a.withBacklog(ctx, false, func(ses *engine.Session, s *campaign.State) error {
		it, err := taskOf(s, what)
		if err != nil {
			return err
		}
		lines := epicLines(s, it)
		last := campaign.Status("")
		for i := range s.Plans {
			p := &s.Plans[i]
			if p.Task != it.ID {
				continue
			}
			more, err := attemptLines(ctx, ses, s, it, p)
			if err != nil {
				return err
			}
			lines, last = append(lines, more...), p.Status
		}
		if st, why := s.StatusOf(it); last != it.Status {
			text := "now " + string(st)
			if why != "" {
				text += ": " + why
			}
			lines = append(lines, whyLine{At: instant(max(it.Added, it.Ended)), ID: record.NoCandidate, What: "end", Text: text, Task: it.ID})
		}
		return a.printWhy(lines)
	})
}

// taskOf finds a task by its name, or by the commit that it left.
func taskOf(s *campaign.State, what string) (*campaign.Item, error) {
	if taskName.MatchString(what) {
		id, err := parseTask(what)
		if err != nil {
			return nil, err
		}
		return s.Item(id)
	}
	var found *campaign.Item
	for _, it := range s.Items {
		if !it.Commit.IsZero() && strings.HasPrefix(it.Commit.String(), what) {
			if found != nil {
				return nil, usage("%s begins more than one commit; write more of it", what)
			}
			found = it
		}
	}
	if found == nil {
		return nil, usage("no task of the campaign left a commit %s; `atoll backlog --json` has them", what)
	}
	return found, nil
}

// epicLines tell where a task comes from.
func epicLines(s *campaign.State, it *campaign.Item) []whyLine {
	var lines []whyLine
	origin := map[string]string{
		campaign.FromPerson: "added by a person", campaign.FromAudit: "found by the auditor", campaign.FromFile: "from a file",
		campaign.FromReflector: "proposed by the reflector", campaign.FromEpic: "part of an epic",
	}[it.Origin]
	if i := slices.IndexFunc(s.Epics, func(e campaign.Epic) bool { return slices.Contains(e.Tasks, it.ID) }); i >= 0 {
		e := &s.Epics[i]
		by := "listed by " + e.Who
		if e.By != "" {
			by = fmt.Sprintf("told by %s, planned by %s", e.Who, e.By)
		}
		lines = append(lines, whyLine{At: instant(e.At), ID: record.NoCandidate, What: "epic", Text: fmt.Sprintf("epic %q, %s: %s", e.Title, by, view.Plural(len(e.Tasks), "task"))})
		origin = ""
	}
	text := fmt.Sprintf("task %q", it.Title)
	for _, part := range []string{origin, it.Goal} {
		if part != "" && part != it.Title {
			text += "; " + short(part, 200)
		}
	}
	if len(it.Dependencies) > 0 {
		text += "; after " + taskNames(it.Dependencies)
	}
	if it.Command != "" {
		text += "; runs " + short(it.Command, 120)
	}
	if len(it.Acceptance) > 0 {
		words := make([]string, len(it.Acceptance))
		for i, c := range it.Acceptance {
			words[i] = c.String()
		}
		text += "; accepted when " + strings.Join(words, ", ")
	}
	return append(lines, whyLine{At: instant(it.Added), ID: record.NoCandidate, What: "task", Text: text, Task: it.ID})
}

// attemptLines tell one attempt: why it was next, its experiment, the steps to its
// winner, what was accepted and the commit.
func attemptLines(ctx context.Context, ses *engine.Session, s *campaign.State, it *campaign.Item, p *campaign.Plan) ([]whyLine, error) {
	name := experimentName(p.Experiment)
	lines := []whyLine{{
		At: instant(p.At), ID: record.NoCandidate, What: "plan", Task: it.ID, Experiment: name,
		Text: fmt.Sprintf("attempt %d, chosen by the %s: %s", p.Attempt, cmp.Or(p.By, "formula"), p.Why),
	}}
	exp, err := ses.Find(ctx, name)
	if errors.Is(err, engine.ErrNoExperiment) { // it was refused before it began
		return append(lines, attemptEnd(it, p, name)), nil
	}
	if err != nil {
		return nil, err
	}
	o := &opened{Session: ses, exp: exp}
	if o.state, err = kept.Load(ctx, ses.Dir, ses.DB, exp.ID); err != nil {
		return nil, err
	}
	lines = append(lines, whyLine{
		At: instant(exp.Created), ID: record.NoCandidate, What: "experiment", Task: it.ID, Experiment: name, Commit: exp.RootCommit,
		Text: fmt.Sprintf("the root of experiment %s (%s); %s", name, exp.State, exp.Reason),
	})
	if p.Winner != "" {
		id, err := record.ParseCandidateID(p.Winner)
		if err != nil {
			return nil, err
		}
		steps, err := o.why(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, l := range steps {
			l.Task, l.Experiment = it.ID, name
			lines = append(lines, l)
		}
	}
	if p.Attempt == it.Attempt {
		for _, c := range it.Checks {
			lines = append(lines, whyLine{At: instant(p.Ended), ID: record.NoCandidate, What: "accepted", Task: it.ID, Experiment: name, Text: c.String()})
		}
	}
	lines = append(lines, attemptEnd(it, p, name))
	if !p.Commit.IsZero() {
		text := fmt.Sprintf("commit on the branch %q, made of %s", campaignBranch, p.Winner)
		if p.Commit == s.Head {
			text += "; it is the head"
		}
		lines = append(lines, whyLine{At: instant(p.Ended), ID: record.NoCandidate, What: "commit", Task: it.ID, Experiment: name, Commit: p.Commit, Text: text})
	}
	return lines, nil
}

// taskLines tell which task of the campaign an experiment is of; none for others.
func (o *opened) taskLines(ctx context.Context) ([]whyLine, error) {
	s, err := campaign.Load(ctx, o.DB)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.Plans, func(p campaign.Plan) bool { return experimentName(p.Experiment) == o.exp.Name })
	if i < 0 {
		return nil, nil
	}
	it, err := s.Item(s.Plans[i].Task)
	if err != nil {
		return nil, err
	}
	return epicLines(s, it), nil
}

// attemptEnd tells what an attempt came to.
func attemptEnd(it *campaign.Item, p *campaign.Plan, name string) whyLine {
	text, at := string(p.Status), p.Ended
	if p.Ended == 0 {
		at = p.At
	}
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return whyLine{At: instant(at), ID: record.NoCandidate, What: "end", Task: it.ID, Experiment: name, Text: text}
}
