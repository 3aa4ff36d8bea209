package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// The errors that callers tell apart, by errors.Is. What SQLite says follows
// the sentinel's text; each text ends with what to do next.
var (
	// ErrNoJob: nothing is queued.
	ErrNoJob = errors.New("no job is queued")
	// ErrLost: the compare-and-set failed, nothing was changed. Another attempt
	// began, the job ended, or it is not in the expected state.
	ErrLost = errors.New("the job has moved on (another attempt began, or it was ended); drop this result")
	// ErrBudget: a budget of the settings is used up. See [BudgetError].
	ErrBudget = errors.New("a budget is used up; raise it or stop here")
	// ErrNotFound: there is no such record or file.
	ErrNotFound = errors.New("not found")
	// ErrExists: a record or file of that name is there already.
	ErrExists = errors.New("it exists already")
	// ErrInvalid: the call makes no sense, such as a transition that does not exist.
	ErrInvalid = errors.New("not a valid request")
	// ErrNotFinite: a number is NaN or infinite; record the result as a failure.
	ErrNotFinite = errors.New("a number is not finite; record it as a failed measurement")

	// ErrClosed: the DB was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrReadOnly: opened for reading, or the file or its directory cannot be written.
	ErrReadOnly = errors.New("the store can only be read; open it for writing, or check the rights on the file and its directory")
	// ErrFull: no space is left on the device. Nothing was changed.
	ErrFull = errors.New("the disk is full; free some space and go on, nothing recorded is lost")
	// ErrIO: the device failed.
	ErrIO = errors.New("reading or writing the file failed; check the disk (dmesg) and copy the state directory before going on")
	// ErrBusy: another process kept the file locked for too long.
	ErrBusy = errors.New("another process holds the store; let it finish and try again")
	// ErrDamaged: the content is not consistent.
	ErrDamaged = errors.New("the store is damaged; keep a copy of it and go back to a backup")
	// ErrNotADatabase: the file was not made by atoll.
	ErrNotADatabase = errors.New("the file is no atoll store; choose another place with --state, the file was left as it is")
	// ErrOlder: the file was written by an older atoll, and is opened for reading only. It is
	// an [ErrReadOnly].
	ErrOlder = fmt.Errorf("the store was written by an older atoll: %w", ErrReadOnly)
	// ErrNewer: the file was written by a newer atoll.
	ErrNewer = errors.New("the store was written by a newer atoll; upgrade this one")
	// ErrNetwork: the file is on a network file system.
	ErrNetwork = errors.New("the store needs a local disk, because processes share memory beside it; choose a local directory with --state")
)

// BudgetError says which budget ended and how much of it was used. It is an
// [ErrBudget].
type BudgetError struct {
	Which string // jobs, evaluations, tokens, cost, wall time
	Used  float64
	Max   float64
	Next  float64 // what was asked for can need at most; 0 = not known
}

// Error names the budget in its unit, and what it is too small for.
func (e *BudgetError) Error() string {
	if left := e.Max - e.Used; left > 0 && e.Next > left {
		if e.Which == BudgetCost {
			return fmt.Sprintf("the budget of $%g has $%g left, and the next request could cost $%.4g: raise it, or lower max_tokens", e.Max, nearly(left), e.Next)
		}
		return fmt.Sprintf("the budget of %g %s has %g left, and the next candidate needs %g: raise it", e.Max, e.Which, left, e.Next)
	}
	switch e.Which {
	case BudgetCost:
		return fmt.Sprintf("the budget of $%g is used up ($%g); raise it or stop here", e.Max, e.Used)
	case BudgetWall:
		return fmt.Sprintf("the budget of %gs wall time is used up (%gs); raise it or stop here", e.Max/1000, e.Used/1000)
	}
	return fmt.Sprintf("the budget of %g %s is used up (%g); raise it or stop here", e.Max, e.Which, e.Used)
}

// nearly is a sum of money to a hundredth of a cent, down.
func nearly(usd float64) float64 { return math.Floor(usd*1e4) / 1e4 }

// Is makes errors.Is(err, ErrBudget) true.
func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// The names of the budgets in [BudgetError]. Wall time is in milliseconds,
// cost in US dollars.
const (
	BudgetJobs   = "jobs"
	BudgetEvals  = "evaluations"
	BudgetTokens = "tokens"
	BudgetCost   = "cost"
	BudgetWall   = "wall time"
)

// failure is a fault of the file or of SQLite under one of the sentinels.
type failure struct {
	kind  error
	cause error
}

func (f *failure) Error() string        { return f.kind.Error() + " (" + f.cause.Error() + ")" }
func (f *failure) Is(target error) bool { return target == f.kind }
func (f *failure) Unwrap() error        { return f.cause }

// doing wraps an error with what was attempted; nil stays nil.
func doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, explain(err))
}

// explain puts failures of SQLite under the sentinels of this package.
func explain(err error) error {
	var f *failure
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &failure{ErrFull, err}
	}
	if errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EACCES) {
		return &failure{ErrReadOnly, err}
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == sqlite3.ErrFull, e.SystemErrno == syscall.ENOSPC, e.SystemErrno == syscall.EDQUOT:
		return &failure{ErrFull, err}
	case e.Code == sqlite3.ErrReadonly, e.Code == sqlite3.ErrPerm,
		e.SystemErrno == syscall.EROFS, e.SystemErrno == syscall.EACCES:
		return &failure{ErrReadOnly, err}
	case e.Code == sqlite3.ErrIoErr, e.Code == sqlite3.ErrCantOpen:
		return &failure{ErrIO, err}
	case e.Code == sqlite3.ErrBusy, e.Code == sqlite3.ErrLocked:
		return &failure{ErrBusy, err}
	case e.Code == sqlite3.ErrCorrupt:
		return &failure{ErrDamaged, err}
	case e.Code == sqlite3.ErrNotADB:
		return &failure{ErrNotADatabase, err}
	case e.ExtendedCode == sqlite3.ErrConstraintUnique, e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey:
		return &failure{ErrExists, err}
	}
	return err
}

// notFound says what was looked for.
func notFound(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrNotFound)...)
}
