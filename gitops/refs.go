package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// anchorWidth is the number of candidates one anchor commit holds.
const anchorWidth = 1000

// anchorPrevious is the line of an anchor's message that tells its first
// parent, the previous anchor, from the candidates.
const anchorPrevious = "\nprevious "

func attemptRefs(exp record.ExperimentID) string { return fmt.Sprintf("refs/atoll/%d/attempt", exp) }
func anchorRef(exp record.ExperimentID) string   { return fmt.Sprintf("refs/atoll/%d/anchor", exp) }

// MarkAttempt notes the commit that an attempt of a job made, before its row
// exists: recovery finds it with [Repo.Attempts]. A later attempt replaces it.
func (r *Repo) MarkAttempt(ctx context.Context, exp record.ExperimentID, job record.JobID, commit record.Hash) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !r.Has(ctx, commit) {
		return fmt.Errorf("mark attempt of job %s: commit %s: %w", job, commit, ErrNotFound)
	}
	if err := r.writeRef(attemptRefs(exp)+"/"+strconv.FormatInt(int64(job), 10), commit); err != nil {
		return fmt.Errorf("mark attempt of job %s: %w", job, err)
	}
	return nil
}

// Attempts returns the commits marked and not cleared, by job.
func (r *Repo) Attempts(ctx context.Context, exp record.ExperimentID) (map[record.JobID]record.Hash, error) {
	out := make(map[record.JobID]record.Hash)
	entries, err := os.ReadDir(filepath.Join(r.dir, attemptRefs(exp)))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	for _, e := range entries {
		job, err := strconv.ParseInt(e.Name(), 10, 64)
		if err != nil {
			continue // a lock file
		}
		if h, ok := r.looseRef(attemptRefs(exp) + "/" + e.Name()); ok {
			out[record.JobID(job)] = h
		}
	}
	return out, ctx.Err()
}

// ClearAttempt forgets the mark of a job. Do so once its commit is anchored,
// or known to be of no use. Of a job without a mark it does nothing.
func (r *Repo) ClearAttempt(ctx context.Context, exp record.ExperimentID, job record.JobID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(r.dir, attemptRefs(exp), strconv.FormatInt(int64(job), 10)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear attempt of job %s: %w", job, err)
	}
	return nil
}

// writeRef writes a loose ref.
func (r *Repo) writeRef(ref string, to record.Hash) error {
	file := filepath.Join(r.dir, ref)
	return layFile(file, filepath.Base(file)+".*.lock", []byte(to.String()+"\n"), 0o644, r.fsync)
}

// looseRef reads a ref that this package wrote, or git's fetch: both are loose,
// as nothing here packs refs.
func (r *Repo) looseRef(ref string) (record.Hash, bool) {
	data, err := os.ReadFile(filepath.Join(r.dir, ref))
	if err != nil {
		return record.Hash{}, false
	}
	h, err := record.ParseHash(strings.TrimSpace(string(data)))
	return h, err == nil
}

// anchorsKnown is how many of the newest anchors are asked whether they hold a
// commit already: a kill between an anchor and the end of the attempts that it
// holds leaves those of one batch.
const anchorsKnown = 16

// anchorChain is what is known of one experiment's anchors.
type anchorChain struct {
	tip  record.Hash
	held [][]record.Hash // of the newest anchors, each in order
}

// holds reports whether an anchor holds the commit.
func (c *anchorChain) holds(commit record.Hash) bool {
	for _, list := range c.held {
		if _, found := slices.BinarySearchFunc(list, commit, compareHashes); found {
			return true
		}
	}
	return false
}

// hold notes what one anchor holds.
func (c *anchorChain) hold(commits []record.Hash) {
	list := slices.Clone(commits)
	slices.SortFunc(list, compareHashes)
	c.held = append(c.held[max(0, len(c.held)-anchorsKnown+1):], list)
}

func compareHashes(a, b record.Hash) int { return bytes.Compare(a[:], b[:]) }

// Anchor makes commits, and with them all their ancestors, reachable from the
// anchor of the experiment. Commits that one of the newest anchors holds are left
// out, so that calling it again changes nothing; equal calls in equal order make equal
// anchors. Each anchor commit holds up to a thousand. Clear their attempts
// afterwards, not before.
func (r *Repo) Anchor(ctx context.Context, exp record.ExperimentID, commits []record.Hash) error {
	r.anchorMu.Lock()
	defer r.anchorMu.Unlock()
	if !r.exists() {
		return fmt.Errorf("anchor candidates: %w", ErrNoStore)
	}
	lock, err := lockFile(ctx, filepath.Join(r.dir, "atoll-anchor.lock"), exclusive)
	if err != nil {
		return fmt.Errorf("anchor candidates: %w", err)
	}
	defer lock.Close()
	chain, err := r.chain(ctx, exp)
	if err != nil {
		return fmt.Errorf("anchor candidates: %w", err)
	}
	var fresh []record.Hash
	seen := make(map[record.Hash]bool, len(commits))
	for _, c := range commits {
		if !seen[c] && !chain.holds(c) {
			seen[c] = true
			fresh = append(fresh, c)
		}
	}
	for len(fresh) > 0 {
		n := min(len(fresh), anchorWidth)
		if err := r.addAnchor(ctx, exp, chain, fresh[:n]); err != nil {
			return fmt.Errorf("anchor candidates: %w", err)
		}
		fresh = fresh[n:]
	}
	return nil
}

// addAnchor writes one anchor commit on top of the chain and moves the ref.
func (r *Repo) addAnchor(ctx context.Context, exp record.ExperimentID, chain *anchorChain, commits []record.Hash) error {
	if err := r.use(ctx, func(o *objects) error {
		_, err := o.write(plumbing.TreeObject, nil)
		return err
	}); err != nil {
		return err
	}
	message := fmt.Sprintf("Anchor of experiment %d\n", exp)
	var parents []record.Hash
	if !chain.tip.IsZero() {
		parents = append(parents, chain.tip)
		message += anchorPrevious + chain.tip.String() + "\n"
	}
	tip, err := r.WriteCommit(ctx, CommitSpec{
		Tree: emptyTree, Parents: append(parents, commits...), Time: time.Unix(0, 0),
		Message: message,
	})
	if err != nil {
		return err
	}
	if err := r.writeRef(anchorRef(exp), tip); err != nil {
		return err
	}
	chain.tip = tip
	chain.hold(commits)
	return nil
}

// chain reads the anchors of an experiment, once and again when another
// process has moved the ref.
func (r *Repo) chain(ctx context.Context, exp record.ExperimentID) (*anchorChain, error) {
	tip, _ := r.looseRef(anchorRef(exp))
	if c := r.anchors[exp]; c != nil && c.tip == tip {
		return c, nil
	}
	c := &anchorChain{tip: tip}
	for at := tip; !at.IsZero() && len(c.held) < anchorsKnown; {
		info, err := r.Commit(ctx, at)
		if err != nil {
			return nil, err
		}
		at = record.Hash{}
		if _, previous, ok := strings.Cut(info.Message, anchorPrevious); ok {
			if at, err = record.ParseHash(strings.TrimSpace(previous)); err != nil {
				return nil, fmt.Errorf("%w: anchor without its previous one", ErrObject)
			}
		}
		c.hold(slices.DeleteFunc(info.Parents, func(p record.Hash) bool { return p == at }))
	}
	slices.Reverse(c.held)
	r.anchors[exp] = c
	return c, nil
}
