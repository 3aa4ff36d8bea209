package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"atoll/engine"
	past "atoll/engine/history"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
	"atoll/store/whole"
)

// writeSeries writes a patch for each step from the root to a candidate into a new
// or empty folder.
func (a *App) writeSeries(ctx context.Context, o *opened, c *record.Candidate, folder string, out *promoted) (string, error) {
	commits := []record.Hash{o.exp.RootCommit}
	steps, err := o.lineage(ctx, c)
	if err != nil {
		return "", err
	}
	for _, s := range steps {
		at, err := o.DB.Candidate(ctx, o.exp.ID, s.ID)
		if err != nil {
			return "", fmt.Errorf("read candidate %s: %w", s.ID, err)
		}
		commits = append(commits, at.Commit)
	}
	if len(commits) == 1 {
		return "", usage("the root is what the patches are of: name another candidate")
	}
	dir := a.abs(folder)
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return "", fmt.Errorf("%s is not empty: name a new folder for the patches", folder)
	}
	files, err := o.Repo.ExportSeries(ctx, commits, out.Note)
	if err != nil {
		return "", engine.LostHistory(ctx, o.Session, o.exp.ID, c.ID, err)
	}
	for i, f := range files {
		err := writeNew(filepath.Join(dir, f.Name), whole.Bytes(f.Text))
		if err != nil { // half a series applies, and is not the candidate
			for _, f := range files[:i] {
				err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name)))
			}
			return "", fmt.Errorf("write the patches: %w", err)
		}
	}
	out.File, out.Files = folder, len(files)
	return fmt.Sprintf("wrote %s to %s; make commits of them with `git am %s`", view.Plural(len(files), "file"), view.CleanLine(folder), view.CleanLine(filepath.Join(folder, "*.patch"))), nil
}

// taggedLine is one tag of `promote --epochs --json`.
type taggedLine struct {
	Tag       string             `json:"tag"`
	Epoch     int                `json:"epoch"`
	Candidate record.CandidateID `json:"candidate"`
	Commit    record.Hash        `json:"commit"`
	Jobs      int                `json:"jobs"` // that had ended
}

// tagEpochs tags who led at the end of each epoch, in the user's repository. Tags
// that are there already stay.
func (a *App) tagEpochs(ctx context.Context, o *opened) error {
	if o.Target.Path == "" {
		return usage("the repository is not known here: run this inside it, or name it with --repo")
	}
	epochs, err := past.Epochs(ctx, o.DB, o.exp.ID, o.state.Config.Search.Epoch)
	if err != nil {
		return err
	}
	tagged, there := 0, 0
	for _, e := range epochs {
		if e.Best == record.NoCandidate || e.Best == record.Root {
			continue
		}
		c, err := o.DB.Candidate(ctx, o.exp.ID, e.Best)
		if err != nil {
			return fmt.Errorf("read candidate %s: %w", e.Best, err)
		}
		name := fmt.Sprintf("atoll/%s/epoch-%d", gitops.BranchName(o.exp.Name), e.Number)
		err = o.Repo.Tag(ctx, o.Target, name, c.Commit, epochMessage(o, e, &c), time.UnixMilli(int64(e.At)))
		switch {
		case errors.Is(err, gitops.ErrBranch):
			there++
			continue
		case err != nil:
			return err
		}
		tagged++
		if a.flags.json {
			writeJSONLine(a.Out, taggedLine{Tag: name, Epoch: e.Number, Candidate: c.ID, Commit: c.Commit, Jobs: e.Jobs})
			continue
		}
		fmt.Fprintf(a.Out, "tag %s is %s (%s), %s, after %s\n", name, c.ID, c.Commit.Short(), o.epochValue(&c), view.Plural(e.Jobs, "job"))
	}
	if tagged > 0 || a.flags.json {
		return nil
	}
	what := "no epoch has a best but the root yet"
	if there > 0 {
		what = "every epoch has its tag already"
	}
	_, err = fmt.Fprintln(a.Out, what)
	return err
}

func epochMessage(o *opened, e past.Epoch, c *record.Candidate) string {
	return fmt.Sprintf("%s, best of %s after epoch %d\n\n%s %s after %s.\n", c.ID, view.CleanLine(o.exp.Name), e.Number,
		view.CleanLine(o.state.Snapshot().Objective), o.epochValue(c), view.Plural(e.Jobs, "job"))
}

// epochValue is the value of who led at the end of an epoch, with what is known of it now.
func (o *opened) epochValue(c *record.Candidate) string {
	if told := o.told(c.ID); told != "" {
		return told
	}
	return "not measured by the present evaluator"
}
