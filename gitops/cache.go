package gitops

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"atoll/store/record"
)

// recheckAfter is how long an idle checkout is believed to be intact.
const recheckAfter = 10 * time.Minute

// checkouts is the cache directory. Each tree has a directory of its name with
// two things in it, tree/ and manifest, and beside it a lock file: shared by
// processes that use the tree, exclusive while it is made or removed. What is
// being made ends in .part, what is being removed in .gone.
type checkouts struct {
	dir   string
	limit int64

	now func() time.Time

	mu     sync.Mutex
	byTree map[record.Hash]*checkout
	bytes  int64

	sweepMu sync.Mutex
	sweeps  []chan struct{} // removals under way; each is closed at its end
	broom   sync.Mutex      // one removal at a time
}

// manifest says what a checkout held when it was complete.
type manifest struct {
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Digest string `json:"digest"` // of the status of every file
}

// openCheckouts removes what was left half done in the cache directory and takes
// stock of the rest. It makes nothing: who only reads the store needs no cache.
func openCheckouts(dir string, limit int64, now func() time.Time) (*checkouts, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the cache of checkouts: %w", err)
	}
	c := &checkouts{dir: abs, limit: limit, now: now, byTree: make(map[record.Hash]*checkout)}
	if ours(abs) != nil {
		return c, nil // not there, or not to be trusted: then the first checkout says so
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil, fmt.Errorf("open the cache of checkouts: %w", err)
	}
	for _, e := range entries {
		name, suffix, _ := strings.Cut(e.Name(), ".")
		tree, err := record.ParseHash(name)
		if err != nil {
			continue
		}
		switch {
		case suffix == "" && e.IsDir():
			c.remember(tree)
		case strings.HasPrefix(suffix, "gone"):
			c.sweep(filepath.Join(abs, e.Name()))
		case suffix == "part":
			if lock, err := tryLockFile(c.lockPath(tree), exclusive); err == nil {
				err = os.Rename(filepath.Join(abs, e.Name()), c.gonePath(tree))
				unlock(lock)
				if err == nil {
					c.sweep(c.gonePath(tree))
				}
			}
		}
	}
	c.evict(limit)
	return c, nil
}

func (c *checkouts) entryDir(t record.Hash) string { return filepath.Join(c.dir, t.String()) }
func (c *checkouts) treeDir(t record.Hash) string  { return filepath.Join(c.entryDir(t), "tree") }
func (c *checkouts) lockPath(t record.Hash) string { return c.entryDir(t) + ".lock" }
func (c *checkouts) gonePath(t record.Hash) string { return c.entryDir(t) + ".gone" }
func (c *checkouts) manifestPath(t record.Hash) string {
	return filepath.Join(c.entryDir(t), "manifest")
}

// remember lists a checkout of an earlier process as idle since its last use.
func (c *checkouts) remember(tree record.Hash) {
	m, err := c.manifest(tree)
	if err != nil {
		return
	}
	e := &checkout{tree: tree, ready: make(chan struct{}), bytes: m.Bytes}
	close(e.ready)
	if st, err := os.Stat(c.manifestPath(tree)); err == nil {
		e.idle = st.ModTime()
	}
	e.unproved = true
	c.byTree[tree] = e
	c.bytes += e.bytes
}

// enter takes part in the use of a tree. With builder the caller must fill it
// and call filled.
func (c *checkouts) enter(tree record.Hash) (e *checkout, builder bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e = c.byTree[tree]
	if e != nil && e.refs > 0 {
		e.refs++
		return e, false
	}
	// New, or idle: then it has to be locked again.
	now := &checkout{tree: tree, ready: make(chan struct{}), refs: 1}
	if e != nil {
		now.bytes, now.idle, now.unproved = e.bytes, e.idle, e.unproved
	} else {
		now.unproved = true
	}
	c.byTree[tree] = now
	return now, true
}

// filled announces the result of the builder.
func (c *checkouts) filled(e *checkout, f filling) {
	c.mu.Lock()
	e.bytes, e.lock, e.err = f.bytes, f.lock, f.err
	if e.err == nil {
		e.unproved = false
	} else {
		delete(c.byTree, e.tree)
	}
	c.recount()
	c.mu.Unlock()
	close(e.ready)
	c.evict(c.limit)
}

// recount adds up what the known checkouts take. c.mu is held.
func (c *checkouts) recount() {
	c.bytes = 0
	for _, e := range c.byTree {
		c.bytes += e.bytes
	}
}

// leave ends one use. The last one unlocks the tree.
func (c *checkouts) leave(e *checkout) {
	c.mu.Lock()
	e.refs--
	if e.refs == 0 {
		if e.lock != nil {
			unlock(e.lock)
			e.lock = nil
		}
		e.idle = c.now()
	}
	c.mu.Unlock()
	c.evict(c.limit)
}

// fresh reports whether the tree was proved intact a short time ago.
func (c *checkouts) fresh(tree record.Hash) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byTree[tree]
	return e != nil && !e.unproved && c.now().Sub(e.idle) < recheckAfter
}

// evict removes idle checkouts, longest unused first, until the rest takes no
// more than limit, or all of them below 0. It returns how many it removed; the files
// go in the background.
func (c *checkouts) evict(limit int64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	busy := make(map[record.Hash]bool)
	n := 0
	for c.bytes > limit {
		var oldest *checkout
		for _, e := range c.byTree {
			if e.refs == 0 && !busy[e.tree] && (oldest == nil || e.idle.Before(oldest.idle)) {
				oldest = e
			}
		}
		if oldest == nil {
			break
		}
		if !c.discard(oldest.tree) {
			busy[oldest.tree] = true
			continue
		}
		n++
		delete(c.byTree, oldest.tree)
		c.recount()
	}
	return n
}

// free removes everything that no process uses, and the folder with it when that
// was all.
func (c *checkouts) free() {
	c.evict(-1)
	c.wait()
	_ = os.Remove(c.dir)
}

// discard removes a tree that no process uses, or returns false.
func (c *checkouts) discard(tree record.Hash) bool {
	lock, err := tryLockFile(c.lockPath(tree), exclusive)
	if err != nil {
		return false
	}
	defer unlock(lock)
	if err := c.setAside(tree); err != nil {
		return false
	}
	_ = os.Remove(c.lockPath(tree)) // a lock file left over is harmless
	return true
}

// setAside takes a tree out of its place, if it is there, and removes it in
// the background. The caller has the exclusive lock.
func (c *checkouts) setAside(tree record.Hash) error {
	gone := fmt.Sprintf("%s-%d", c.gonePath(tree), c.now().UnixNano())
	err := os.Rename(c.entryDir(tree), gone)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		c.sweep(gone)
	}
	return err
}

// sweep removes a directory in the background; wait waits for it.
func (c *checkouts) sweep(dir string) {
	done := make(chan struct{})
	c.sweepMu.Lock()
	c.sweeps = append(slices.DeleteFunc(c.sweeps, ended), done)
	c.sweepMu.Unlock()
	go func() {
		defer close(done)
		c.broom.Lock()
		defer c.broom.Unlock()
		_ = os.RemoveAll(dir) // what stays is tried again by the next Open
	}()
}

func ended(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// wait returns when the removals that are under way have ended.
func (c *checkouts) wait() {
	c.sweepMu.Lock()
	sweeps := slices.Clone(c.sweeps)
	c.sweepMu.Unlock()
	for _, done := range sweeps {
		<-done
	}
}

// begin makes the directory a tree is laid out in. The caller has the
// exclusive lock.
func (c *checkouts) begin(tree record.Hash) (string, error) {
	if err := c.setAside(tree); err != nil {
		return "", err
	}
	part := c.entryDir(tree) + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	dir := filepath.Join(part, "tree")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// A cache below a set-group-ID directory would hand its group down, and
	// the one user and group of a sandbox could not see the files.
	for _, d := range []string{part, dir} {
		if err := os.Chown(d, os.Getuid(), os.Getgid()); err != nil {
			return "", err
		}
		if err := os.Chmod(d, 0o755); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// finish writes the manifest of a complete tree and moves both into place.
func (c *checkouts) finish(tree record.Hash, dir string) error {
	m, err := survey(dir)
	if err != nil {
		return err
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	part := filepath.Dir(dir)
	if err := os.WriteFile(filepath.Join(part, "manifest"), data, 0o644); err != nil {
		return err
	}
	return os.Rename(part, c.entryDir(tree))
}

// manifest reads what a checkout held when it was complete.
func (c *checkouts) manifest(tree record.Hash) (manifest, error) {
	var m manifest
	data, err := os.ReadFile(c.manifestPath(tree))
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

// intact compares a checkout with its manifest and notes its use.
func (c *checkouts) intact(tree record.Hash, m manifest) bool {
	now, err := survey(c.treeDir(tree))
	if err != nil || now != m {
		return false
	}
	at := c.now()
	_ = os.Chtimes(c.manifestPath(tree), at, at) // orders evictions after a restart
	return true
}

// survey reads the status of every file below dir: about 2 microseconds each. A
// file of another user is an error: this package did not write it.
func survey(dir string) (manifest, error) {
	var m manifest
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(st.Uid) != os.Getuid() {
			return fmt.Errorf("%w: %s belongs to another user", ErrForeign, path)
		}
		m.Files++
		m.Bytes += (info.Size() + 4095) &^ 4095
		writeStatus(sum, path[len(dir):], st)
		return nil
	})
	m.Digest = hex.EncodeToString(sum.Sum(nil))
	return m, err
}

// writeStatus puts into sum what no write to a file leaves unchanged. The top
// directory is moved into place afterwards, so its times do not count.
func writeStatus(sum hash.Hash, path string, st *syscall.Stat_t) {
	if path == "" {
		fmt.Fprintf(sum, "/ %o %d\n", st.Mode, st.Ino)
		return
	}
	fmt.Fprintf(sum, "%q %o %d %d %d %d %d\n", path, st.Mode, st.Ino, st.Size, st.Uid, st.Ctim.Nano(), st.Mtim.Nano())
}
