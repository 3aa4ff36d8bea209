package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/view"
	"atoll/store/record"
)

// putTask adds or changes the task that make gives on the newest state. One whose
// acceptance names a place that is not there is refused; where tasks come before it, which
// may make that place, it is told.
func (a *App) putTask(ctx context.Context, create bool, make func(*campaign.State) (campaign.Task, error)) error {
	return a.withBacklog(ctx, create, func(ses *engine.Session, s *campaign.State) error {
		t, err := make(s)
		if err != nil {
			return err
		}
		missing, err := a.missingPlaces(ctx, ses, s, t)
		if err != nil {
			return err
		}
		if len(missing) > 0 && len(t.Dependencies) == 0 {
			return fmt.Errorf("%w: %s", campaign.ErrTask, missing[0])
		}
		err = campaign.Change(ctx, ses.DB, s, a.who(), func(s *campaign.State) ([]record.CampaignRow, error) {
			if t, err = make(s); err != nil {
				return nil, err
			}
			return s.Put(t)
		})
		if err != nil {
			return err
		}
		a.tellMissing(missing)
		return a.tellTask(s, t.ID)
	})
}

// tellPlaces tells which places of tasks that were added together are not there.
func (a *App) tellPlaces(ctx context.Context, tasks []campaign.Task) error {
	return a.withBacklog(ctx, false, func(ses *engine.Session, s *campaign.State) error {
		missing, err := a.missingPlaces(ctx, ses, s, tasks...)
		a.tellMissing(missing)
		return err
	})
}

func (a *App) tellMissing(missing []string) {
	for _, text := range missing {
		fmt.Fprintln(a.Err, "atoll: "+view.CleanLine(text)+"; as long as that is so, the condition does not hold")
	}
}

// missingPlaces says, a line each, which places of the auditor's conditions are not in
// the tree that the tasks would begin on.
func (a *App) missingPlaces(ctx context.Context, ses *engine.Session, s *campaign.State, tasks ...campaign.Task) ([]string, error) {
	var conditions []campaign.Acceptance
	for _, t := range tasks {
		for _, c := range t.Acceptance {
			if c.Kind == campaign.AcceptAudit {
				conditions = append(conditions, c)
			}
		}
	}
	if len(conditions) == 0 || s.Head.IsZero() && ses.Target.Path == "" {
		return nil, nil
	}
	p, err := a.place(ctx)
	if err != nil {
		return nil, err
	}
	l, err := a.load(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	r := &taskRunner{app: a, ses: ses, place: p, loaded: l}
	defer r.close()
	head := s.Head
	if head.IsZero() {
		if head, err = r.Head(ctx); err != nil {
			return nil, err
		}
	}
	began := s.Began
	if began.IsZero() {
		began = head
	}
	info, err := ses.Repo.Commit(ctx, head)
	if err != nil {
		return nil, err
	}
	report, err := r.auditTree(ctx, info.Tree, began, audited{})
	if err != nil {
		return nil, err
	}
	tree, err := ses.Repo.Tree(ctx, info.Tree)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range conditions {
		text, err := r.missing(c, &report, tree.Files())
		if err != nil {
			return nil, err
		}
		if text != "" {
			out = append(out, fmt.Sprintf("accept %q: %s", c, text))
		}
	}
	return out, nil
}

// missing says what of a condition is not there; "" = nothing. A coverage is not known
// before the tests are run.
func (r *taskRunner) missing(c campaign.Acceptance, report *audit.Report, files []record.File) (string, error) {
	figure, place, _ := strings.Cut(c.Name, " ")
	by, _, plugged := strings.Cut(figure, "/")
	if !plugged {
		_, err := report.Figure(c.Name)
		if err == nil || figure == audit.Covered && !errors.Is(err, audit.ErrNoPlace) {
			return "", nil
		}
		return err.Error() + "; where another task makes it first, name that one with --after", nil
	}
	if err := r.openPlugged(); err != nil {
		return "", err
	}
	path, _, _ := strings.Cut(place, ":")
	switch {
	case !slices.Contains(r.auditors.names(), by):
		return fmt.Sprintf("plugins.auditors of atoll.yaml has no plug-in %s", by), nil
	case !slices.ContainsFunc(files, func(f record.File) bool { return f.Path == path }):
		return "there is no file " + path, nil
	}
	return "", nil
}
