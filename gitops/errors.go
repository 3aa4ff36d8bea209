package gitops

import (
	"errors"
	"fmt"
)

// What can be wrong, for errors.Is. Those about a user's repository come
// wrapped in a [*Refusal], which has the words for a person.
var (
	ErrNoGit         = errors.New("no usable git command")
	ErrGitVersion    = errors.New("the git command is too old")
	ErrNotRepository = errors.New("not a git repository")
	ErrUnborn        = errors.New("the repository has no commit on HEAD")
	ErrSHA256        = errors.New("the repository uses SHA-256 object names")
	ErrReftable      = errors.New("the repository keeps its refs in a format this git cannot read")
	ErrPartial       = errors.New("the repository is a partial clone")
	ErrOwnership     = errors.New("the repository belongs to another user")
	ErrMissing       = errors.New("an object of the repository is missing or damaged")
	ErrRevision      = errors.New("no such commit")

	// ErrNoStore reports a store that was not made yet: Import makes it.
	ErrNoStore = errors.New("the object store does not exist yet")
	// ErrNotFound reports an object or path that is not in the store or tree.
	ErrNotFound = errors.New("not found")
	// ErrObject reports an object that is there but cannot be what was asked
	// for: another kind, or a tree no checkout may be made of.
	ErrObject = errors.New("unusable object")
	// ErrDamaged reports a file of the store that is not what git wrote: the
	// error says which and where. Other objects can still be read.
	ErrDamaged = errors.New("the object store is damaged")
	// ErrChange reports a change that cannot become part of a tree.
	ErrChange = errors.New("change refused")
	// ErrBranch reports a branch that exists already or may not be so named.
	ErrBranch = errors.New("branch refused")
	// ErrTaken is an [ErrBranch]: there is one of that name.
	ErrTaken = fmt.Errorf("%w: it exists", ErrBranch)
	// ErrExists reports an output file that is already there.
	ErrExists = errors.New("already exists")
	// ErrForeign reports a cache of checkouts that another user owns or may write.
	ErrForeign = errors.New("the cache of checkouts is not this user's alone")
	// ErrClosed reports the use of a Repo after Close.
	ErrClosed = errors.New("the object store is closed")
)

// Refusal says why a repository cannot be used and what to do about it.
type Refusal struct {
	Path   string // as it was given
	Kind   error  // one of the sentinel errors
	Reason string // what is wrong, one sentence without a full stop
	Next   string // what to do, one sentence without a full stop
}

// Error returns reason and next step in one line.
func (r *Refusal) Error() string {
	if r.Next == "" {
		return fmt.Sprintf("cannot use %s: %s", r.Path, r.Reason)
	}
	return fmt.Sprintf("cannot use %s: %s; %s", r.Path, r.Reason, r.Next)
}

// Unwrap returns the kind.
func (r *Refusal) Unwrap() error { return r.Kind }

// badChange refuses one path of an edit.
func badChange(path, why string) error {
	return fmt.Errorf("%w: %q %s", ErrChange, path, why)
}
