package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// ErrLost: something cannot be made again and is in no source; the steps say what.
var ErrLost = errors.New("not everything could be repaired")

// Options say what to repair.
type Options struct {
	Dir  string // the state directory, whose lock the caller holds
	From []string
	// Target is the user's repository, from which the root's objects can be taken;
	// its CommonDir is empty where it is not known.
	Target gitops.Target
	Now    func() time.Time
}

// Step is one thing that was done, or could not be.
type Step struct {
	What string `json:"what"`
	Lost bool   `json:"lost"` // it could not be made again
}

// Report says what was done.
type Report struct {
	Steps []Step           `json:"steps"`
	Aside string           `json:"aside,omitempty"` // the folder with what was replaced
	After []view.CheckLine `json:"after"`           // what a deep check finds now
}

// Whole reports that nothing is amiss any more. A candidate that was lost and is
// rejected now is told by a step, and the directory is whole without it.
func (r *Report) Whole() bool {
	for _, l := range r.After {
		if !l.OK && !l.Warn {
			return false
		}
	}
	return true
}

// bench is what one repair works on.
type bench struct {
	Options
	report  Report
	sources []*source
	db      *store.DB
	repo    *gitops.Repo
}

// Run repairs a state directory as far as that is safe. It returns [ErrLost] where
// a step could not make again what it was about, or what is left is not whole.
func Run(ctx context.Context, o Options) (Report, error) {
	b := &bench{Options: o}
	b.report.Aside = aside(filepath.Join(o.Dir, "aside", o.Now().UTC().Format("20060102-150405")))
	err := b.run(ctx)
	for _, s := range b.sources {
		err = errors.Join(err, s.close())
	}
	if _, none := os.Stat(b.report.Aside); none != nil {
		b.report.Aside = ""
	}
	b.report.After = doctor.CheckState(ctx, doctor.StateOptions{Dir: o.Dir, Deep: true})
	for i := range b.report.After { // what was done just now cures nothing more
		if l := &b.report.After[i]; !l.OK && strings.HasPrefix(l.Cure, "`atoll repair`") {
			l.Cure = "`atoll repair --from BACKUP`: what is here does not mend it"
		}
	}
	if err == nil && (!b.report.Whole() || slices.ContainsFunc(b.report.Steps, func(s Step) bool { return s.Lost })) {
		err = ErrLost
	}
	return b.report, err
}

// aside is a folder that is not there yet: two repairs may begin in the same second.
func aside(begin string) string {
	for n, path := 2, begin; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d", begin, n)
	}
}

func (b *bench) did(format string, args ...any) {
	b.report.Steps = append(b.report.Steps, Step{What: fmt.Sprintf(format, args...)})
}

func (b *bench) lost(format string, args ...any) {
	b.report.Steps = append(b.report.Steps, Step{What: fmt.Sprintf(format, args...), Lost: true})
}

func (b *bench) run(ctx context.Context) error {
	if err := b.openSources(ctx); err != nil {
		return err
	}
	if ok, err := b.database(ctx); err != nil || !ok {
		return err
	}
	defer func() { _ = b.db.Close() }()
	b.db.KeepSealed()
	cache, err := os.MkdirTemp("", "atoll-repair-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(cache)
	b.repo, err = gitops.Open(ctx, gitops.Options{Dir: filepath.Join(b.Dir, doctor.ObjectsName), Cache: filepath.Join(cache, "checkouts"), Fsync: true})
	if err != nil {
		return err
	}
	defer func() { _ = b.repo.Close() }()
	if err := b.objects(ctx); err != nil {
		return err
	}
	all, err := b.db.Experiments(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		if err := b.experiment(ctx, &all[i]); err != nil {
			return err
		}
		if err := doctor.CheckKept(ctx, b.db, b.Dir, all[i].ID); err != nil {
			b.did("set aside the kept fold of %s, from which readers start; the next run writes another (%v)", all[i].Name, err)
			if err := b.setAside(kept.Name(all[i].ID)); err != nil {
				return err
			}
		}
	}
	if err := b.evaluators(); err != nil {
		return err
	}
	return errors.Join(b.repo.Close(), b.db.Close())
}

// objects makes the files of the object store ones that git reads.
func (b *bench) objects(ctx context.Context) error {
	damage, err := b.repo.Examine(ctx, true)
	if errors.Is(err, gitops.ErrNoStore) {
		b.did("made the object store anew, empty")
		return errors.Join(b.setAside(doctor.ObjectsName), b.repo.Make(ctx))
	}
	if err != nil {
		return err
	}
	if !damage.None() {
		if err := b.repo.SetAside(ctx, damage, b.report.Aside); err != nil {
			return err
		}
		b.did("set aside of the object store: %s", damage)
	}
	return b.repo.KeepEmptyTree(ctx) // no candidate needs it, and the anchors do
}

// experiment has every commit of a search whole and held again, or rejects it.
func (b *bench) experiment(ctx context.Context, exp *record.Experiment) error {
	st, err := fold.LoadState(ctx, b.db, exp.ID)
	folded := err == nil // else the check afterwards says so
	var list []record.Candidate
	if err := b.db.EachCandidate(ctx, exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		if folded {
			st.TellStatus(c)
		}
		list = append(list, record.Candidate{
			ID: c.ID, Job: c.Job, Commit: c.Commit, Tree: c.Tree, Parents: c.Parents, Operator: c.Operator, Intent: c.Intent, Status: c.Status,
		})
		return nil
	}); err != nil {
		return err
	}
	lost, err := b.restock(ctx, exp, list)
	if err != nil {
		return err
	}
	if bad := lost[exp.RootCommit]; len(bad) > 0 {
		b.lost("%s objects of the root %s of %s are in no source: name a clone of the repository or a backup with --from", count(bad), exp.RootCommit.Short(), exp.Name)
		return nil
	}
	if err := b.repo.CutAt(ctx, exp.RootCommit); err != nil {
		return err
	}
	commits := []record.Hash{exp.RootCommit}
	for i := range list {
		c := &list[i]
		if len(lost[c.Commit]) > 0 {
			if err := b.dismiss(ctx, exp, c, lost[c.Commit]); err != nil {
				return err
			}
			continue
		}
		commits = append(commits, c.Commit)
	}
	if err := b.hold(ctx, exp, commits); err != nil {
		return err
	}
	ahead, _, err := doctor.Ahead(ctx, b.db, b.repo, exp.ID)
	if err != nil || len(ahead) == 0 {
		return err
	}
	for job, commit := range ahead {
		if err := b.repo.MarkAttempt(ctx, exp.ID, job, commit); err != nil {
			return err
		}
	}
	b.lost("the results of %s of %s are not in the database; the commits are kept, and the next run measures them again without making them again", view.Plural(len(ahead), "job"), exp.Name)
	return doctor.TellAhead(ctx, b.db, exp.ID, ahead)
}

func count(list []record.Hash) string {
	if len(list) == 1 {
		return list[0].Short()
	}
	return fmt.Sprintf("%d, such as %s,", len(list), list[0].Short())
}

// hold has a ref lead to every commit.
func (b *bench) hold(ctx context.Context, exp *record.Experiment, commits []record.Hash) error {
	loose, err := b.repo.Unheld(ctx, exp.ID, commits)
	if err != nil || len(loose) == 0 {
		return err
	}
	added, _, err := b.repo.Reanchor(ctx, exp.ID, commits)
	if err == nil && added > 0 {
		b.did("had refs lead to %s of %s again", view.Plural(added, "commit"), exp.Name)
	}
	return err
}

// dismiss rejects a candidate whose objects are gone, unless it is nobody's choice as
// it is.
func (b *bench) dismiss(ctx context.Context, exp *record.Experiment, c *record.Candidate, missing []record.Hash) error {
	if c.Status == record.StatusRejected { // the check afterwards says how many there are
		return nil
	}
	b.lost("%s of %s: objects %s are in no source", c.ID, exp.Name, count(missing))
	if !doctor.Open(c.Status) {
		return nil
	}
	d := record.NewDecision(record.Reject)
	d.Who, d.Candidate, d.Text = "atoll", c.ID, "its objects are missing"
	_, err := b.db.AppendDecision(ctx, exp.ID, d)
	return err
}
