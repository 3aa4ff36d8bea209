package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atoll/store/record"
)

// errMoved: the branch moved between the merge and the row that tells its end.
var errMoved = errors.New("the branch moved")

// attempt has a task carried out, and writes what came of it.
func (c *Campaign) attempt(ctx context.Context, it *Item) error {
	lessons := c.s.Lessons[max(0, len(c.s.Lessons)-tellLessons):]
	a := Assignment{
		Task: it.Task, Attempt: it.Attempt, Root: it.Root, Began: c.s.Began, Name: it.Experiment, Left: c.s.Left(), Lessons: slices.Clone(lessons),
	}
	won, err := c.o.Executor.Execute(ctx, a)
	if err != nil {
		return fmt.Errorf("t%d %s: %w", it.ID, it.Title, err)
	}
	for {
		out, head, err := c.land(ctx, a, won)
		if err != nil {
			return fmt.Errorf("t%d %s: %w", it.ID, it.Title, err)
		}
		if err = c.end(ctx, it, out, head); !errors.Is(err, errMoved) {
			return err
		}
	}
}

// land brings what an attempt left onto the head of the branch, which may have moved while
// it ran, and returns the outcome with the head that it holds for.
func (c *Campaign) land(ctx context.Context, a Assignment, won Outcome) (Outcome, record.Hash, error) {
	if won.Status != Done || won.Commit.IsZero() {
		return won, record.Hash{}, nil
	}
	if err := c.s.Follow(ctx, c.o.Journal); err != nil {
		return won, record.Hash{}, err
	}
	if err := c.takeOver(ctx); err != nil {
		return won, record.Hash{}, err
	}
	head := c.s.Head
	if head == a.Root {
		return won, head, nil
	}
	c.o.Tell(Event{Task: a.Task.ID, Text: fmt.Sprintf("the branch moved from %s to %s while it ran: what it changed is merged, and measured again", a.Root.Short(), head.Short())})
	out, err := c.o.Executor.Merge(ctx, a, won, head)
	out.Jobs, out.USD = out.Jobs+won.Jobs, out.USD+won.USD
	out.Lessons = slices.Concat(won.Lessons, out.Lessons)
	return out, head, err
}

// end writes what came of an attempt. head is the one that its commit is made on; where the
// branch has another meanwhile, the error is errMoved and nothing is written.
func (c *Campaign) end(ctx context.Context, it *Item, out Outcome, head record.Hash) error {
	if out.Status == Failed && it.Attempt <= it.Retries {
		out.Status = Pending
		out.Reason = fmt.Sprintf("attempt %d of %d failed: %s", it.Attempt, it.Retries+1, out.Reason)
	}
	if out.Status != Done {
		out.Commit = record.Hash{}
	}
	out.Lessons = append(out.Lessons, lesson(it, &out))
	id := it.ID
	err := c.change(ctx, func(s *State) ([]record.CampaignRow, error) {
		if now := s.byID[id]; now.Status == Dropped && now.Attempt == it.Attempt { // what it took was spent all the same
			out.Status, out.Reason, out.Commit = Dropped, now.Reason, record.Hash{}
		} else if now.Status != Running || now.Attempt != it.Attempt {
			return nil, fmt.Errorf("%w: t%d was changed while it ran: it is %s", ErrTask, id, now.Status)
		}
		if !out.Commit.IsZero() && s.Head != head {
			return nil, errMoved
		}
		return []record.CampaignRow{row(kindEnd, id, "", out)}, nil
	})
	if errors.Is(err, ErrTask) { // a person dropped it meanwhile; what it did stays where it is
		c.o.Tell(Event{Task: id, Text: err.Error(), Bad: true})
		return nil
	}
	if err != nil {
		return err
	}
	c.o.Tell(Event{Task: id, Text: fmt.Sprintf("%s: %s", out.Status, out.Reason), Bad: out.Status != Done})
	if err := c.publish(ctx); err != nil {
		return err
	}
	if out.Status == Done && !out.Commit.IsZero() {
		if err := c.audit(ctx); err != nil {
			return err
		}
	}
	return c.reflect(ctx)
}

// publish lets the branch point to the head: to what a task left, or what a person took into
// the campaign while it ran. Commits that somebody put on the branch are taken over first.
func (c *Campaign) publish(ctx context.Context) error {
	if err := c.takeOver(ctx); err != nil {
		return err
	}
	return c.o.Executor.Publish(ctx, c.s.Head)
}

// takeOver makes the head what the branch points to, where a person put commits on it.
func (c *Campaign) takeOver(ctx context.Context) error {
	at, err := c.o.Executor.Moved(ctx, c.s.Head)
	if err != nil || at == c.s.Head {
		return err
	}
	was := c.s.Head
	err = c.change(ctx, func(s *State) ([]record.CampaignRow, error) {
		if s.Head != was {
			return nil, nil
		}
		return []record.CampaignRow{row(kindHead, 0, "", head{Commit: at, Text: "commits that somebody put on the branch"})}, nil
	})
	if err == nil && c.s.Head == at {
		c.o.Tell(Event{Text: fmt.Sprintf("the branch has commits of somebody else: it is at %s now", at.Short())})
	}
	return err
}

// Take writes that the branch goes on at a commit that a person chose. from is the head that
// the commit was made for; where the campaign has another by now, nothing is written and
// taken is false.
func Take(ctx context.Context, j Journal, s *State, who string, from, to record.Hash) (taken bool, err error) {
	err = Change(ctx, j, s, who, func(s *State) ([]record.CampaignRow, error) {
		if taken = s.Head == from; !taken {
			return nil, nil
		}
		return []record.CampaignRow{row(kindHead, 0, who, head{Commit: to, Text: "commits of " + who})}, nil
	})
	return taken, err
}
