package gitops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"atoll/store/fault"
	"atoll/store/record"
)

// Maintain packs loose objects so that the number of packs grows with the
// logarithm of their size. Nothing is dropped, reachable or not. Reading and
// writing go on meanwhile. When another process is at it, it does nothing.
func (r *Repo) Maintain(ctx context.Context) error {
	return r.pack(ctx, "repack", "-q", "-d", "--geometric=2")
}

// pack runs a git command that packs.
func (r *Repo) pack(ctx context.Context, args ...string) error {
	if !r.exists() {
		return nil
	}
	lock, err := tryLockFile(filepath.Join(r.dir, "atoll-maintain.lock"), exclusive)
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pack the object store: %w", err)
	}
	defer unlock(lock)
	if err := adoptPacks(filepath.Join(r.dir, "objects", "pack")); err != nil {
		return fmt.Errorf("name the packs that a killed repack left: %w", err)
	}
	if _, err := r.store(ctx, args...); err != nil {
		return fmt.Errorf("pack the object store: %w", err)
	}
	fault.At(fault.Packed)
	err = r.use(ctx, (*objects).refresh)
	if err != nil {
		return fmt.Errorf("pack the object store: %w", err)
	}
	return nil
}

// Compact packs all objects into one pack, reachable or not, each as what differs from
// another where that is smaller. It takes minutes for a large store; reading and writing
// go on meanwhile. When another process packs, it does nothing. Where something is
// missing that a commit needs, git cannot follow the commits: then the packs are joined as they are.
func (r *Repo) Compact(ctx context.Context) error {
	err := r.pack(ctx, "repack", "-q", "-a", "-d", "-k")
	var said *gitError
	if errors.As(err, &said) && ctx.Err() == nil {
		return r.pack(ctx, "repack", "-q", "-d", "--geometric=1000000000")
	}
	return err
}

// Loose estimates how many loose objects there are, from one of the 256 folders
// that their names spread them over.
func (r *Repo) Loose() (int, error) {
	list, err := os.ReadDir(filepath.Join(r.dir, "objects", "17"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count loose objects: %w", err)
	}
	return 256 * len(list), nil
}

// Fsck lets git check every object and ref of the store. The error has what git
// found; that objects are missing which are known to be lost is none.
func (r *Repo) Fsck(ctx context.Context, lost ...record.Hash) error {
	out, err := r.store(ctx, "fsck", "--no-dangling", "--no-progress")
	if err == nil {
		return nil
	}
	var said *gitError
	if errors.As(err, &said) {
		out = append(append(out, '\n'), said.stderr...)
	}
	known := make(map[string]bool, len(lost))
	for _, h := range lost {
		known[h.String()] = true
	}
	var found []string
	excused := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "broken" || words[0] == "to" || words[0] == "notice:": // said again by a line of their own
		case len(words) == 3 && words[0] == "missing" && known[words[2]]:
			excused++
		default:
			found = append(found, strings.Join(words, " "))
		}
	}
	if len(found) == 0 && excused > 0 {
		return nil
	}
	const most = 20
	if n := len(found) - most; n > 0 {
		found = append(found[:most], fmt.Sprintf("and %d more", n))
	}
	if len(found) == 0 {
		return fmt.Errorf("check the object store: %w", err)
	}
	return fmt.Errorf("check the object store: %s", strings.Join(found, "; "))
}

// Whole reports, by an error, that a commit, its tree or a file of it is not in the
// store or cannot be read. It reads every object: call it when something is amiss.
func (r *Repo) Whole(ctx context.Context, commit record.Hash) error {
	info, err := r.Commit(ctx, commit)
	if err != nil {
		return err
	}
	var bad error
	err = r.walk(ctx, info.Tree, "", func(f record.File) {
		if bad != nil || f.Mode == record.Submodule {
			return
		}
		if _, err := r.Blob(ctx, f.Hash); err != nil {
			bad = fmt.Errorf("%s: %w", f.Path, err)
		}
	})
	return cmp.Or(bad, err)
}
