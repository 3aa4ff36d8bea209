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
	"atoll/engine/gate"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// putTask adds or changes the task that make gives on the newest state. One whose
// acceptance names a place that is not there is refused; where tasks come before it, which
// may make that place, it is told. One that may change nothing is refused, too.
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
		empty, err := a.emptyScopes(ctx, ses, s, t)
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
		a.tellEmpty(empty)
		return a.tellTask(s, t.ID)
	})
}

// scopesFit refuses tasks that are about to be added together, where one may change nothing.
func (a *App) scopesFit(ctx context.Context, read func(*campaign.State) ([]campaign.Task, error)) error {
	return a.withBacklog(ctx, true, func(ses *engine.Session, s *campaign.State) error {
		tasks, err := read(s)
		if err == nil {
			_, err = a.emptyScopes(ctx, ses, s, tasks...)
		}
		return err
	})
}

// emptyScopes says, a line each, which tasks have a scope that matches no file of the tree
// they would begin on, and fails where a scope matches files none of which is in gate.scope.
// The command of a chore is the person's own.
func (a *App) emptyScopes(ctx context.Context, ses *engine.Session, s *campaign.State, tasks ...campaign.Task) ([]string, error) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t campaign.Task) bool { return len(t.Scope) == 0 || t.Command != "" })
	if len(tasks) == 0 || s.Head.IsZero() && ses.Target.Path == "" {
		return nil, nil
	}
	r, head, err := a.beginning(ctx, ses, s)
	if err != nil {
		return nil, err
	}
	defer r.close()
	_, tree, err := treeAt(ctx, ses, head)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range tasks {
		files := slices.DeleteFunc(slices.Clone(tree.Files()), func(f record.File) bool { return !gate.MatchExact(t.Scope, f.Path) })
		scope, within := strings.Join(t.Scope, ", "), r.loaded.Gate.Scope
		switch {
		case len(files) == 0:
			out = append(out, fmt.Sprintf("the scope %s of %q matches no file of the tree", scope, t.Title))
		case len(within) > 0 && !slices.ContainsFunc(files, func(f record.File) bool { return gate.MatchExact(within, f.Path) }):
			return nil, fmt.Errorf("%w: the scope %s of %q lies wholly outside gate.scope of atoll.yaml (%s); name files within it, or widen it",
				campaign.ErrTask, scope, t.Title, strings.Join(within, ", "))
		}
	}
	return out, nil
}

func (a *App) tellEmpty(empty []string) {
	for _, text := range empty {
		fmt.Fprintln(a.Err, "atoll: "+view.CleanLine(text)+"; as long as that is so, the task can only add files")
	}
}

// tellPlaces tells which places of tasks that were added together are not there.
func (a *App) tellPlaces(ctx context.Context, tasks []campaign.Task) error {
	return a.withBacklog(ctx, false, func(ses *engine.Session, s *campaign.State) error {
		missing, err := a.missingPlaces(ctx, ses, s, tasks...)
		a.tellMissing(missing)
		if err != nil {
			return err
		}
		empty, err := a.emptyScopes(ctx, ses, s, tasks...)
		a.tellEmpty(empty)
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
	r, head, err := a.beginning(ctx, ses, s)
	if err != nil {
		return nil, err
	}
	defer r.close()
	began := s.Began
	if began.IsZero() {
		began = head
	}
	id, tree, err := treeAt(ctx, ses, head)
	if err != nil {
		return nil, err
	}
	report, err := r.auditTree(ctx, id, began, audited{})
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

// beginning is the commit that a task would begin on now, and who looks at it, to be closed.
func (a *App) beginning(ctx context.Context, ses *engine.Session, s *campaign.State) (*taskRunner, record.Hash, error) {
	p, err := a.place(ctx)
	if err != nil {
		return nil, record.Hash{}, err
	}
	l, err := a.load(ctx, p, nil)
	if err != nil {
		return nil, record.Hash{}, err
	}
	r := &taskRunner{app: a, ses: ses, place: p, loaded: l}
	head := s.Head
	if head.IsZero() {
		if head, err = r.Head(ctx); err != nil {
			return nil, record.Hash{}, err
		}
	}
	return r, head, nil
}

// treeAt is the tree of a commit, with its name.
func treeAt(ctx context.Context, ses *engine.Session, commit record.Hash) (record.Hash, *gitops.Tree, error) {
	info, err := ses.Repo.Commit(ctx, commit)
	if err != nil {
		return record.Hash{}, nil, err
	}
	tree, err := ses.Repo.Tree(ctx, info.Tree)
	return info.Tree, tree, err
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
