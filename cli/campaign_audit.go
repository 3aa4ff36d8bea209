package cli

import (
	"context"
	"errors"

	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
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
	report, err := auditTree(ctx, r.ses, tree, marks, with.profiles)
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
		r.auditors, err = r.app.openAuditors(r.loaded.Config, r.sandbox)
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
	report, err := auditTree(ctx, r.ses, info.Tree, nil, false)
	if err != nil {
		return nil, err
	}
	r.marks = map[record.Hash]audit.Marks{commit: report.Marks}
	return report.Marks, nil
}

// auditMaxBytes bounds the source files that the auditor reads, coverageMaxBytes the
// profiles of tests.
const (
	auditMaxBytes    = 1 << 20
	coverageMaxBytes = 32 << 20
)

// auditTree measures the source of a tree; with profiles also by those of test tools that
// it holds. Of marks that leave something out these count alone; nil: the tree's own.
func auditTree(ctx context.Context, ses *engine.Session, tree record.Hash, marks audit.Marks, profiles bool) (audit.Report, error) {
	t, err := ses.Repo.Tree(ctx, tree)
	if err != nil {
		return audit.Report{}, err
	}
	files, err := ses.Repo.Sizes(ctx, t.Files())
	if err != nil {
		return audit.Report{}, err
	}
	var sources []audit.Source
	var found []audit.Coverage
	var large []string
	for _, f := range files {
		if profiles && f.Size <= coverageMaxBytes && audit.HoldsCoverage(f.Path) {
			data, err := t.Read(ctx, f.Path)
			if err != nil {
				return audit.Report{}, err
			}
			if c, err := audit.ReadCoverage(data); err == nil { // else it is some other file of that name
				found = append(found, c)
			}
		}
		if !audit.Reads(f.Path) {
			continue
		}
		if f.Size > auditMaxBytes {
			large = append(large, f.Path)
			continue
		}
		data, err := t.Read(ctx, f.Path)
		if err != nil {
			return audit.Report{}, err
		}
		sources = append(sources, audit.Source{Path: f.Path, Data: data})
	}
	r := audit.Run(sources)
	if marks != nil {
		r = audit.RunBy(marks, sources)
	}
	r.Unread = append(r.Unread, large...)
	for _, c := range found {
		r.Cover(c)
	}
	return r, nil
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
