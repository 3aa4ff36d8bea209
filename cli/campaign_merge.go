package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/view"
	"atoll/store/record"
)

// Moved implements [campaign.Executor].
func (r *taskRunner) Moved(ctx context.Context, head record.Hash) (record.Hash, error) {
	at, err := r.ses.Repo.StoreBranch(ctx, campaignBranch)
	if err != nil || at.IsZero() || at == head {
		return head, err
	}
	base, err := r.ses.Repo.MergeBase(ctx, at, head)
	switch {
	case err != nil:
		return head, err
	case base == at: // a kill came between a row and its branch
		return head, nil
	case base == head:
		return at, nil
	}
	return head, fmt.Errorf("the branch %q of atoll's store is at %s, which does not build on the campaign's head %s; put it back with `git --git-dir %s branch -f %s %s`; commits of your own repository are taken in by %s",
		campaignBranch, at.Short(), head.Short(), shellWord(r.ses.Repo.Dir()), campaignBranch, head, r.app.says("campaign take REVISION"))
}

// Merge implements [campaign.Executor]: the three-way merge is a candidate of an experiment of
// its own, whose root is the new head.
func (r *taskRunner) Merge(ctx context.Context, a campaign.Assignment, won campaign.Outcome, head record.Hash) (campaign.Outcome, error) {
	kept := fmt.Sprintf("its winner %s is commit %s, which is kept: %s", won.Winner, won.Commit.Short(), r.app.says("--experiment "+experimentName(a.Name)+" diff "+won.Winner))
	tree, conflicts, err := r.ses.Repo.Merge(ctx, a.Root, head, won.Commit)
	if err != nil {
		return campaign.Outcome{}, err
	}
	if len(conflicts) > 0 {
		return campaign.Outcome{
			Status: campaign.Failed, Winner: won.Winner,
			Reason: fmt.Sprintf("the branch moved to %s while it ran, and both changed the same lines of %s; %s", head.Short(), view.CleanLine(strings.Join(conflicts, ", ")), kept),
		}, nil
	}
	onto, err := r.ses.Repo.Commit(ctx, head)
	if err != nil {
		return campaign.Outcome{}, err
	}
	if onto.Tree == tree {
		return campaign.Outcome{Status: campaign.Done, Winner: won.Winner, Checks: won.Checks, Reason: "what it changed is on the branch already"}, nil
	}
	merged, err := r.ses.Repo.WriteCommit(ctx, gitopsCommit(tree, head, "Merge of "+won.Commit.Short()+"\n", onto.Time.Add(time.Second)))
	if err != nil {
		return campaign.Outcome{}, err
	}
	a.Name, a.Root = a.Name+"-on-"+head.Short(), head
	p, err := r.measureMerged(ctx, a, merged)
	if err != nil {
		return campaign.Outcome{}, err
	}
	out, err := r.outcome(ctx, a, p)
	if err != nil {
		return out, err
	}
	out.Winner = won.Winner // the merge is a candidate of no search
	if out.Status == campaign.Done {
		out.Reason = fmt.Sprintf("merged onto %s and measured again: %s", head.Short(), out.Reason)
	} else {
		out.Reason = fmt.Sprintf("merged onto %s it does not hold any more: %s; %s", head.Short(), out.Reason, kept)
	}
	return out, nil
}

// measureMerged has a merged commit measured as the candidates of the task were, in an
// experiment that makes none of its own. One that was broken off goes on.
func (r *taskRunner) measureMerged(ctx context.Context, a campaign.Assignment, merged record.Hash) (*picker, error) {
	exp, err := r.experimentWith(ctx, a, func(c *config.Config) {
		c.Search.OnlyInjected = true
		c.Budget.Jobs = 1
	})
	if err != nil {
		return nil, err
	}
	decided, err := r.ses.DB.Decisions(ctx, exp.ID, 0)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(decided, func(d record.Decision) bool { return d.Verb == record.Inject }) {
		in := engine.Injection{Agent: "campaign", Why: "the task's winner on the branch as it is now"}
		if _, err := engine.InjectStored(ctx, r.ses, exp.ID, merged, in, "campaign"); err != nil {
			return nil, err
		}
	}
	a.Task.Best = true // nothing is made: what was injected is measured to the end
	p := &picker{taskRunner: r, task: &a.Task, exp: exp, began: a.Began, known: map[string]campaign.Check{}}
	return p, r.run(ctx, a, p)
}

func (a *App) campaignTakeCmd() *cobra.Command {
	return &cobra.Command{
		Use: "take [REVISION]", Short: "Put commits of yours on the campaign's branch", Args: cobra.MaximumNArgs(1), Example: "  atoll campaign take main",
		Long: "The commits of a revision of your repository (default: HEAD) that the campaign's branch does not have are merged onto it,\nalso while a task runs: what that task finds is merged with them then, and measured again.",
		RunE: func(cmd *cobra.Command, args []string) error {
			rev := "HEAD"
			if len(args) == 1 {
				rev = args[0]
			}
			return a.campaignTake(cmd.Context(), rev)
		},
	}
}

func (a *App) campaignTake(ctx context.Context, rev string) error {
	return a.withBacklog(ctx, false, func(ses *engine.Session, s *campaign.State) error {
		if s.Head.IsZero() {
			return usage("the campaign has not begun: it begins on the revision that atoll.yaml names (root), so name it there")
		}
		if ses.Target.Path == "" {
			return usage("the repository is not known here; run this inside it")
		}
		commit, err := ses.Repo.FetchCommit(ctx, ses.Target, rev)
		if err != nil {
			return err
		}
		for {
			from := s.Head
			to, err := a.mergedHead(ctx, ses, from, commit)
			if err != nil {
				return err
			}
			if to == from {
				fmt.Fprintf(a.Out, "the branch has %s already\n", commit.Short())
				return nil
			}
			taken, err := campaign.Take(ctx, ses.DB, s, a.who(), from, to)
			if err != nil {
				return err
			}
			if taken {
				if err := ses.Repo.MoveBranch(ctx, campaignBranch, from, to); err != nil {
					return err
				}
				fmt.Fprintf(a.Out, "the campaign goes on at %s\n", to.Short())
				return nil
			}
		}
	})
}

// mergedHead is the commit that has what a head and a commit have: one of both where it
// builds on the other, else their merge.
func (a *App) mergedHead(ctx context.Context, ses *engine.Session, head, commit record.Hash) (record.Hash, error) {
	base, err := ses.Repo.MergeBase(ctx, head, commit)
	switch {
	case err != nil:
		return head, err
	case base == commit:
		return head, nil
	case base == head:
		return commit, nil
	case base.IsZero():
		return head, fmt.Errorf("%s and the campaign's branch have no commit in common, so they cannot be merged", commit.Short())
	}
	tree, conflicts, err := ses.Repo.Merge(ctx, base, head, commit)
	if err != nil {
		return head, err
	}
	if len(conflicts) > 0 {
		return head, fmt.Errorf("%s and the campaign's branch changed the same lines of %s; %s makes it a branch of yours: merge the two by hand, and take the result",
			commit.Short(), view.CleanLine(strings.Join(conflicts, ", ")), a.says("campaign promote"))
	}
	onto, err := ses.Repo.Commit(ctx, head)
	if err != nil {
		return head, err
	}
	c := gitopsCommit(tree, head, "Merge "+commit.Short()+" into the campaign\n", onto.Time.Add(time.Second))
	c.Parents = append(c.Parents, commit)
	return ses.Repo.WriteCommit(ctx, c)
}
