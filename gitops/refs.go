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

	"atoll/store/fault"
	"atoll/store/record"
	"atoll/store/whole"
)

// anchorWidth is the number of candidates one anchor commit holds.
const anchorWidth = 1000

// anchorTitle begins an anchor's message.
const anchorTitle = "Anchor of experiment "

// anchorPrevious is the line of an anchor's message that tells its first
// parent, the previous anchor, from the candidates.
const anchorPrevious = "\nprevious "

func attemptRefs(exp record.ExperimentID) string { return fmt.Sprintf("refs/atoll/%d/attempt", exp) }

// anchorRef is a branch, so that a clone of the store, a bundle of it and any other
// copy carry every candidate.
func anchorRef(exp record.ExperimentID) string { return fmt.Sprintf("refs/heads/anchor/%d", exp) }

// oldAnchorRef is where stores had it that were made by an earlier version.
func oldAnchorRef(exp record.ExperimentID) string { return fmt.Sprintf("refs/atoll/%d/anchor", exp) }

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
	packed, err := r.packedRefs()
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	note := func(name string, h record.Hash) {
		if job, err := strconv.ParseInt(name, 10, 64); err == nil { // else a lock file
			out[record.JobID(job)] = h
		}
	}
	for ref, h := range packed {
		if name, ok := strings.CutPrefix(ref, attemptRefs(exp)+"/"); ok {
			note(name, h)
		}
	}
	entries, err := os.ReadDir(filepath.Join(r.dir, attemptRefs(exp)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	for _, e := range entries {
		if h, ok := r.looseRef(attemptRefs(exp) + "/" + e.Name()); ok {
			note(e.Name(), h)
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
	ref := attemptRefs(exp) + "/" + strconv.FormatInt(int64(job), 10)
	err := os.Remove(filepath.Join(r.dir, ref))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear attempt of job %s: %w", job, err)
	}
	packed, err := r.packedRefs()
	if err == nil && !packed[ref].IsZero() {
		_, err = r.store(ctx, "update-ref", "-d", ref)
	}
	if err != nil {
		return fmt.Errorf("clear attempt of job %s: %w", job, err)
	}
	return nil
}

// writeRef writes a loose ref.
func (r *Repo) writeRef(ref string, to record.Hash) error {
	file := filepath.Join(r.dir, ref)
	return whole.Write(file, whole.Options{Mode: 0o644, Pattern: filepath.Base(file) + ".*.lock", Sync: r.fsync.Load()}, whole.Bytes([]byte(to.String()+"\n")))
}

// readRef reads a ref: a loose one, as this package and git's fetch write them, or
// one that somebody's git gc has packed.
func (r *Repo) readRef(ref string) (record.Hash, error) {
	if h, ok := r.looseRef(ref); ok {
		return h, nil
	}
	packed, err := r.packedRefs()
	if err != nil {
		return record.Hash{}, err
	}
	if h, ok := r.looseRef(ref); ok { // written meanwhile
		return h, nil
	}
	return packed[ref], nil
}

func (r *Repo) looseRef(ref string) (record.Hash, bool) {
	data, err := os.ReadFile(filepath.Join(r.dir, ref))
	if err != nil {
		return record.Hash{}, false
	}
	h, err := record.ParseHash(strings.TrimSpace(string(data)))
	return h, err == nil
}

// packedRefs reads git's file of packed refs, which there mostly is none of.
func (r *Repo) packedRefs() (map[string]record.Hash, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the packed refs: %w", err)
	}
	refs := make(map[string]record.Hash)
	for line := range strings.Lines(string(data)) {
		line, whole := strings.CutSuffix(line, "\n")
		name, ref, ok := strings.Cut(line, " ")
		if h, err := record.ParseHash(name); ok && whole && err == nil { // else torn, a comment, or what a tag leads to
			refs[ref] = h
		}
	}
	return refs, nil
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
	return r.anchor(ctx, exp, commits, false)
}

// anchor is Anchor, on a new chain if anew.
func (r *Repo) anchor(ctx context.Context, exp record.ExperimentID, commits []record.Hash, anew bool) error {
	r.anchorMu.Lock()
	defer r.anchorMu.Unlock()
	if !r.exists() {
		return fmt.Errorf("anchor candidates: %w", ErrNoStore)
	}
	lock, err := lockFile(ctx, filepath.Join(r.dir, "atoll-anchor.lock"), exclusive)
	if err != nil {
		return fmt.Errorf("anchor candidates: %w", err)
	}
	defer unlock(lock)
	chain := &anchorChain{}
	if anew {
		var more []record.Hash
		more, err = r.anchored(ctx, exp)
		commits = slices.Concat(commits, more)
	} else {
		chain, err = r.chain(ctx, exp)
	}
	if err != nil {
		return fmt.Errorf("anchor candidates: %w", err)
	}
	r.anchors[exp] = chain
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

// anchored returns what the anchors hold that can still be read, without what is not in the
// store: a new chain has to hold it, too, for the marks of those commits are gone.
func (r *Repo) anchored(ctx context.Context, exp record.ExperimentID) (held []record.Hash, err error) {
	tip, err := r.anchorTip(ctx, exp)
	if err != nil {
		return nil, err
	}
	_, err = r.walkAnchors(ctx, tip, func(commits []record.Hash) bool {
		for _, c := range commits {
			if _, err := r.Commit(ctx, c); err == nil {
				held = append(held, c)
			}
		}
		return true
	})
	return held, err
}

// addAnchor writes one anchor commit on top of the chain and moves the ref.
func (r *Repo) addAnchor(ctx context.Context, exp record.ExperimentID, chain *anchorChain, commits []record.Hash) error {
	if err := r.KeepEmptyTree(ctx); err != nil {
		return err
	}
	message := fmt.Sprintf("%s%d\n", anchorTitle, exp)
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
	fault.At(fault.Anchor)
	if err := r.writeRef(anchorRef(exp), tip); err != nil {
		return err
	}
	chain.tip = tip
	chain.hold(commits)
	return nil
}

// KeepEmptyTree writes the tree without entries, which anchors name, unless it is there.
func (r *Repo) KeepEmptyTree(ctx context.Context) error {
	return r.use(ctx, func(o *objects) error {
		_, err := o.write(plumbing.TreeObject, nil)
		return err
	})
}

// chain reads the anchors of an experiment, once and again when another
// process has moved the ref.
func (r *Repo) chain(ctx context.Context, exp record.ExperimentID) (*anchorChain, error) {
	tip, err := r.anchorTip(ctx, exp)
	if err != nil {
		return nil, err
	}
	if c := r.anchors[exp]; c != nil && c.tip == tip {
		return c, nil
	}
	c := &anchorChain{tip: tip}
	if _, err = r.walkAnchors(ctx, tip, func(commits []record.Hash) bool {
		c.hold(commits)
		return len(c.held) < anchorsKnown
	}); err != nil {
		return nil, err
	}
	slices.Reverse(c.held)
	return c, nil
}

// anchorTip returns the newest anchor, zero when there is none that can be read:
// then a new chain begins, and [Repo.Reanchor] has it hold all again.
func (r *Repo) anchorTip(ctx context.Context, exp record.ExperimentID) (record.Hash, error) {
	for _, ref := range []string{anchorRef(exp), oldAnchorRef(exp)} {
		tip, err := r.readRef(ref)
		if err != nil {
			return record.Hash{}, err
		}
		if tip.IsZero() {
			continue
		}
		if info, err := r.Commit(ctx, tip); err == nil && isAnchor(info) || ctx.Err() != nil {
			return tip, ctx.Err()
		}
	}
	return record.Hash{}, nil
}

// isAnchor tells an anchor from a candidate, to which a damaged ref may lead.
func isAnchor(c CommitInfo) bool { return strings.HasPrefix(c.Message, anchorTitle) }

// walkAnchors calls see with what each anchor holds, from the newest back, until it
// has seen enough or an anchor cannot be read: then it is not whole, and what lies
// behind is not held.
func (r *Repo) walkAnchors(ctx context.Context, tip record.Hash, see func([]record.Hash) bool) (whole bool, err error) {
	for at := tip; !at.IsZero(); {
		info, err := r.Commit(ctx, at)
		if err != nil {
			return false, ctx.Err()
		}
		at = record.Hash{}
		if _, previous, ok := strings.Cut(info.Message, anchorPrevious); ok {
			if at, err = record.ParseHash(strings.TrimSpace(previous)); err != nil {
				return false, fmt.Errorf("%w: anchor without its previous one", ErrObject)
			}
		}
		if !see(slices.DeleteFunc(info.Parents, func(p record.Hash) bool { return p == at })) {
			break
		}
	}
	return true, nil
}

// Reanchor anchors those of the commits that no anchor of the experiment holds: after
// somebody else's git has packed or dropped refs and anchors. It reads all anchors; a
// chain of which one is missing it leaves for a new one. It returns how many it
// anchored and, in order, those of them that are not in the store any more.
func (r *Repo) Reanchor(ctx context.Context, exp record.ExperimentID, commits []record.Hash) (added int, lost []record.Hash, err error) {
	open, whole, err := r.unanchored(ctx, exp, commits)
	if err != nil {
		return 0, nil, fmt.Errorf("look through the anchors: %w", err)
	}
	var found []record.Hash
	for _, c := range open {
		_, err := r.Commit(ctx, c)
		switch {
		case err == nil:
			found = append(found, c)
		case ctx.Err() != nil:
			return 0, nil, ctx.Err()
		default:
			lost = append(lost, c)
		}
	}
	if err := r.anchor(ctx, exp, found, !whole); err != nil || whole {
		return len(found), lost, err
	}
	_, err = r.store(ctx, "update-ref", "-d", oldAnchorRef(exp)) // if it was that one
	return len(found), lost, err
}

// unanchored returns the commits that no anchor holds: all of them when the chain is
// not whole, for nothing follows a broken one.
func (r *Repo) unanchored(ctx context.Context, exp record.ExperimentID, commits []record.Hash) ([]record.Hash, bool, error) {
	r.anchorMu.Lock()
	defer r.anchorMu.Unlock()
	if !r.exists() {
		return nil, false, ErrNoStore
	}
	tip, err := r.anchorTip(ctx, exp)
	if err != nil {
		return nil, false, err
	}
	sorted := make([]int32, len(commits)) // a map of them takes ten times the room
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(a, b int32) int { return bytes.Compare(commits[a][:], commits[b][:]) })
	held := make([]bool, len(commits))
	whole, err := r.walkAnchors(ctx, tip, func(list []record.Hash) bool {
		for _, c := range list {
			at, _ := slices.BinarySearchFunc(sorted, c, func(i int32, c record.Hash) int { return bytes.Compare(commits[i][:], c[:]) })
			for ; at < len(sorted) && commits[sorted[at]] == c && !held[sorted[at]]; at++ {
				held[sorted[at]] = true
			}
		}
		return true
	})
	if !whole || err != nil {
		return commits, false, err
	}
	var open []record.Hash
	for i, c := range commits {
		if !held[i] {
			open = append(open, c)
		}
	}
	return open, true, nil
}
