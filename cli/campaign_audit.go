package cli

import (
	"context"
	"errors"
	"os"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/campaign/fresh"
	"atoll/store/record"
)

// Audit implements [campaign.Executor].
func (r *taskRunner) Audit(ctx context.Context, commit, began record.Hash) (audit.Report, error) {
	info, err := r.ses.Repo.Commit(ctx, commit)
	if err != nil {
		return audit.Report{}, err
	}
	return r.auditTree(ctx, info.Tree, began, audited{collect: r.covered > 0, profiles: true, plugged: true})
}

// audited says what an audit has beside the source.
type audited struct {
	collect  bool // the tests are run for their coverage
	profiles bool // coverage profiles that the tree holds count
	plugged  bool // the plug-ins of plugins.auditors look, too
}

// auditTree is what the auditor finds in a tree, with the marks of the commit that the
// campaign began with.
func (r *taskRunner) auditTree(ctx context.Context, tree, began record.Hash, with audited) (audit.Report, error) {
	marks, err := r.marksOf(ctx, began)
	if err != nil {
		return audit.Report{}, err
	}
	if r.registry == nil { // one for all tasks: what is known does not change under a task
		r.registry = r.app.moduleCache()
	}
	report, err := auditTree(ctx, r.ses, tree, auditOf{marks, with.profiles, r.registry})
	if err == nil && with.collect {
		err = r.cover(ctx, tree, &report)
	}
	if err != nil || !with.plugged || len(r.loaded.Plugins.Auditors) == 0 {
		return report, err
	}
	if err := r.openPlugged(); err != nil {
		return report, err
	}
	report.Plugged = r.auditors.names()
	report.Foreign, err = r.auditors.find(ctx, r.ses, tree)
	return report, err
}

// openPlugged opens the plug-ins of plugins.auditors, once.
func (r *taskRunner) openPlugged() (err error) {
	if r.auditors == nil {
		r.auditors, err = r.app.openAuditors(r.loaded.Config, r.sandbox, func(text string) { r.tell(campaign.Event{Text: text}) })
	}
	return err
}

// marksOf are the marks of a commit's tree.
func (r *taskRunner) marksOf(ctx context.Context, commit record.Hash) (audit.Marks, error) {
	if m, ok := r.marks[commit]; ok {
		return m, nil
	}
	info, err := r.ses.Repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	report, err := auditTree(ctx, r.ses, info.Tree, auditOf{})
	if err != nil {
		return nil, err
	}
	r.marks = map[record.Hash]audit.Marks{commit: report.Marks}
	return report.Marks, nil
}

// auditMaxBytes bounds the source files that the auditor reads, coverageMaxBytes the
// profiles of tests, manifestMaxBytes what lists dependencies.
const (
	auditMaxBytes    = 1 << 20
	coverageMaxBytes = 32 << 20
	manifestMaxBytes = 8 << 20
)

// auditOf says what an audit of a tree takes into account.
type auditOf struct {
	marks    audit.Marks    // of marks that leave something out these count alone; nil: the tree's own
	profiles bool           // coverage profiles that the tree holds count
	registry fresh.Registry // what is known of Go modules; nil: dependencies are not looked at
}

// auditTree measures the source of a tree.
func auditTree(ctx context.Context, ses *engine.Session, tree record.Hash, of auditOf) (audit.Report, error) {
	t, err := ses.Repo.Tree(ctx, tree)
	if err != nil {
		return audit.Report{}, err
	}
	files, err := ses.Repo.Sizes(ctx, t.Files())
	if err != nil {
		return audit.Report{}, err
	}
	var sources []audit.Source
	var manifests []fresh.Source
	var found []audit.Coverage
	var large []string
	for _, f := range files {
		profile := of.profiles && f.Size <= coverageMaxBytes && audit.HoldsCoverage(f.Path)
		manifest := of.registry != nil && f.Size <= manifestMaxBytes && fresh.Reads(f.Path)
		source := audit.Reads(f.Path)
		if source && f.Size > auditMaxBytes {
			large, source = append(large, f.Path), false
		}
		if !profile && !manifest && !source {
			continue
		}
		data, err := t.Read(ctx, f.Path)
		if err != nil {
			return audit.Report{}, err
		}
		if profile {
			if c, err := audit.ReadCoverage(data); err == nil { // else it is some other file of that name
				found = append(found, c)
			}
		}
		if manifest {
			manifests = append(manifests, fresh.Source{Path: f.Path, Data: data})
		}
		if source {
			sources = append(sources, audit.Source{Path: f.Path, Data: data})
		}
	}
	r := audit.Run(sources)
	if of.marks != nil {
		r = audit.RunBy(of.marks, sources)
	}
	r.Unread = append(r.Unread, large...)
	if of.registry != nil {
		r.Look(manifests, of.registry)
	}
	for _, c := range found {
		r.Cover(c)
	}
	return r, nil
}

// moduleCache is what is known of Go modules on this machine.
func (a *App) moduleCache() fresh.Registry {
	dir := fresh.ModuleCacheDir(a.getenv)
	if dir == "" {
		return fresh.Nothing{}
	}
	return fresh.NewModuleCache(os.DirFS(dir))
}

// gone says that what the auditor found is not in the tree any more when its turn comes,
// because another task took it away; "" = it is, or the auditor did not find the task.
func (r *taskRunner) gone(ctx context.Context, a campaign.Assignment) (string, error) {
	if a.Task.Origin != campaign.FromAudit || len(a.Task.Acceptance) == 0 {
		return "", nil
	}
	info, err := r.ses.Repo.Commit(ctx, a.Root)
	if err != nil {
		return "", err
	}
	report, err := r.auditTree(ctx, info.Tree, a.Began, audited{})
	if err != nil {
		return "", err
	}
	var why error
	for _, c := range a.Task.Acceptance {
		if _, why = report.Figure(c.Name); c.Kind != campaign.AcceptAudit || !errors.Is(why, audit.ErrNoPlace) {
			return "", nil
		}
	}
	return "what it was about is gone: " + why.Error(), nil
}
