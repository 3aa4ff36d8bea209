package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"atoll/engine/doctor"
	"atoll/engine/kept"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Session is an open state directory: the store, the object store and the
// lock of the engine. Close it when done.
type Session struct {
	Dir    string
	Target gitops.Target // the user's repository; its Path is empty when unknown
	DB     *store.DB
	Repo   *gitops.Repo
	Feed   *view.Feed

	readOnly bool

	mu   sync.Mutex
	lock *os.File // nil: another process has it, or nobody
	said []string // what others may want to know meanwhile
}

// SessionOptions say how to open a state directory.
type SessionOptions struct {
	Dir      string // the state directory
	Target   gitops.Target
	Cache    string // base checkouts; "" = memory if it fits, else the user's cache
	Create   bool   // make the directory and the store when missing
	ReadOnly bool   // only look; nothing is written at all
	Now      func() time.Time
}

// HasExperiments reports whether a state directory has a store.
func HasExperiments(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, doctor.DatabaseName))
	return err == nil
}

// Bereft returns an error that wraps [doctor.ErrBereft], and says what to do, where a state
// directory has what belongs to experiments and their database was lost. No session opens there.
func Bereft(ctx context.Context, dir string) error {
	err := doctor.Bereft(ctx, dir)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; `atoll repair --from BACKUP` brings it back; `atoll run --new` puts what is left aside and starts over", err)
}

// SetAside makes room for new experiments where the database of those before was lost: what
// is left of them goes into a new folder below aside/ of the state directory, whose path it
// returns. No engine may run there.
func SetAside(dir string, now time.Time) (to string, err error) {
	lock, err := LockState(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock(lock)) }()
	above := filepath.Join(dir, "aside")
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", fmt.Errorf("put aside what is left in %s: %w", dir, err)
	}
	if to, err = os.MkdirTemp(above, now.UTC().Format("20060102-150405-")); err != nil {
		return "", fmt.Errorf("put aside what is left in %s: %w", dir, err)
	}
	files := doctor.DatabaseFiles()
	slices.Reverse(files) // the database last: until then it is as bereft as before
	for _, name := range append([]string{doctor.ObjectsName, doctor.EvaluatorName, kept.Folder}, files...) {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(to, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return to, fmt.Errorf("put aside what is left in %s: %w", dir, err)
		}
	}
	return to, nil
}

// OpenSession opens a state directory. Without Create a missing store is
// ErrNoExperiment; one that was lost is refused in any case, see [Bereft].
func OpenSession(ctx context.Context, o SessionOptions) (*Session, error) {
	path := filepath.Join(o.Dir, doctor.DatabaseName)
	if err := Bereft(ctx, o.Dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && !o.Create {
		return nil, fmt.Errorf("%w: %s holds none; start one with `atoll run` or `atoll demo`", ErrNoExperiment, o.Dir)
	}
	if o.Create {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the state directory: %w; choose another with --state DIR", err)
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	db, err := store.Open(ctx, path, store.Options{ReadOnly: o.ReadOnly, Now: o.Now})
	if err != nil {
		return nil, err
	}
	cache := o.Cache
	if cache == "" {
		cache = gitops.CacheDir(o.Dir)
	}
	repo, err := gitops.Open(ctx, gitops.Options{Dir: filepath.Join(o.Dir, "store.git"), Cache: cache})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Session{Dir: o.Dir, Target: o.Target, DB: db, Repo: repo, Feed: view.NewFeed(), readOnly: o.ReadOnly}, nil
}

// Lock takes the engine's lock of the state directory; it is held until Close.
// ErrLocked names the process that holds it.
func (s *Session) Lock() error {
	if s.Locked() {
		return nil
	}
	f, err := LockState(s.Dir)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lock = f
	return s.announce()
}

// lockName is the file in a state directory that is locked by who runs the engine.
const lockName = "engine.lock"

// LockState takes the engine's lock of a state directory until the file is closed:
// no engine runs there meanwhile. ErrLocked names the process that holds it.
func LockState(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of %s: %w", dir, err)
	}
	if err := lockSoon(f); err != nil {
		pid := ownerOf(dir)
		_ = f.Close()
		return nil, fmt.Errorf("%w: process %d; watch it with `atoll`, steer it with any verb", ErrLocked, pid)
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("write the lock of %s: %w", dir, err)
		}
	}
	return f, nil
}

// lockSoon takes the lock of an engine. Somebody who only asks whether an engine runs
// has the lock for a moment: that is waited for.
func lockSoon(f *os.File) error {
	const tries, between = 20, 10 * time.Millisecond
	for i := 0; ; i++ {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || i == tries {
			return err
		}
		time.Sleep(between)
	}
}

// unlock gives a lock back and closes its file. A process that is being started just
// now has the file too until its exec, so closing alone would not end the lock.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// Announce has the engine's process say of itself, a line each, what others may want to
// know while it has the lock: where its doors are.
func (s *Session) Announce(lines []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = lines
	return s.announce()
}

// announce writes behind the number of the process. The caller holds mu.
func (s *Session) announce() error {
	if s.lock == nil || len(s.said) == 0 {
		return nil
	}
	_, err := s.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"+strings.Join(s.said, "\n")+"\n"), 0)
	return err
}

// Announced are the lines of the process that runs the engine; none where nobody does.
func (s *Session) Announced() []string {
	if s.OwnerPID() == 0 {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, lockName))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
}

// ReadOnly reports whether the session only looks: nothing can be run or decided.
func (s *Session) ReadOnly() bool { return s.readOnly }

// Running reports whether an engine runs in a state directory.
func Running(dir string) bool { return ownerOf(dir) != 0 }

// Unlock gives the lock back before the session is closed, so that others can
// run the jobs. Nothing may run here.
func (s *Session) Unlock() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	err := unlock(s.lock)
	s.lock = nil
	return err
}

// Locked reports whether this session holds the engine's lock. Any goroutine may
// ask.
func (s *Session) Locked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lock != nil
}

// OwnerPID returns the process that holds the engine's lock, 0 when nobody
// does.
func (s *Session) OwnerPID() int {
	if s.Locked() {
		return os.Getpid()
	}
	return ownerOf(s.Dir)
}

func ownerOf(dir string) int {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return 0
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		_ = unlock(f)
		return 0
	}
	defer f.Close()
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	line, _, _ := strings.Cut(string(b[:n]), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// Close closes the store, the object store and gives the lock back. Unless an engine
// runs in another process, it frees the checkouts, which mostly lie in memory: its own
// and those that a killed process left. A second call does nothing.
func (s *Session) Close() error {
	if !s.readOnly && (s.Locked() || s.OwnerPID() == 0) {
		s.Repo.FreeCheckouts()
	}
	return errors.Join(s.DB.Close(), s.Repo.Close(), s.Unlock())
}

// Find returns the experiment of that name or number, or the latest one when
// name is empty.
func (s *Session) Find(ctx context.Context, name string) (record.Experiment, error) {
	all, err := s.DB.Experiments(ctx)
	if err != nil {
		return record.Experiment{}, err
	}
	if len(all) == 0 {
		return record.Experiment{}, fmt.Errorf("%w: start one with `atoll run` or `atoll demo`", ErrNoExperiment)
	}
	if name == "" {
		return all[len(all)-1], nil
	}
	var names []string
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Name == name || strconv.FormatInt(int64(all[i].ID), 10) == name {
			return all[i], nil
		}
		names = append(names, all[i].Name)
	}
	return record.Experiment{}, fmt.Errorf("%w: none is called %q; there are %s", ErrNoExperiment, name, strings.Join(names, ", "))
}
