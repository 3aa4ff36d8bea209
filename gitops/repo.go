package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"atoll/store/record"
)

// Options say where a store lives.
type Options struct {
	Dir        string // the bare repository, by habit store.git; made by Import
	Cache      string // base checkouts, such as CacheDir says; made, and closed to other users, by the first
	CacheBytes int64  // what idle checkouts may keep; DefaultCacheBytes when 0
	Fsync      bool   // objects and attempt refs survive a power cut
	Git        string // the git command; found in PATH when empty
	// Now orders the checkouts by their last use; time.Now when nil.
	Now func() time.Time
}

// DefaultCacheBytes is the room idle base checkouts may take.
const DefaultCacheBytes = 4 << 30

// Repo is atoll's own repository. It is safe for concurrent use, by several
// processes as well; only one of them should run an experiment.
type Repo struct {
	dir   string
	git   *command
	fsync atomic.Bool // what is written survives a power cut
	cache *checkouts
	trees *lru[record.Hash, []entry]

	listings listings
	tell     func(text string) // how far a long import is, nil = nobody wants to know

	mu      sync.Mutex // holds objects; never held while git runs
	objects *objects   // nil until the directory exists
	closed  bool

	anchorMu sync.Mutex
	anchors  map[record.ExperimentID]*anchorChain
}

// Open prepares the store at o.Dir, which need not exist yet, and clears the
// cache of checkouts that a crash left half done. Close it.
func Open(ctx context.Context, o Options) (*Repo, error) {
	if o.Dir == "" || o.Cache == "" {
		return nil, errors.New("open the object store: Dir and Cache must be set")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the object store: %w", err)
	}
	git, err := findGit(ctx, o.Git)
	if err != nil {
		return nil, fmt.Errorf("open the object store: %w", err)
	}
	limit := o.CacheBytes
	if limit == 0 {
		limit = DefaultCacheBytes
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	cache, err := openCheckouts(o.Cache, limit, now)
	if err != nil {
		return nil, err
	}
	r := &Repo{
		dir: dir, git: git, cache: cache,
		trees: newLRU[record.Hash, []entry](treeCacheBytes), anchors: make(map[record.ExperimentID]*anchorChain),
	}
	r.fsync.Store(o.Fsync)
	if r.exists() {
		closeToOthers(dir)
		r.objects = openObjects(dir, &r.fsync)
	}
	return r, nil
}

// SetFsync says whether objects and attempt refs that are written from now on survive a
// power cut. What git itself packs does in any case.
func (r *Repo) SetFsync(on bool) { r.fsync.Store(on) }

// closeToOthers takes the rights of other users from a store that an earlier version
// made with them. Where this user cannot, it stays as it is.
func closeToOthers(dir string) {
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(dir, 0o700)
	}
}

// Close frees descriptors and memory. Checkouts that are still held stay on
// disk until a later Open has no room for them.
func (r *Repo) Close() error {
	r.cache.wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.objects != nil {
		r.objects.close()
	}
	return nil
}

// FreeCheckouts removes the checkouts that no process holds: at the end of a run,
// for memory is where they mostly lie. A later Checkout makes them anew, in this
// process too.
func (r *Repo) FreeCheckouts() { r.cache.free() }

// Dir returns the absolute path of the bare repository.
func (r *Repo) Dir() string { return r.dir }

// exists reports whether the bare repository was made.
func (r *Repo) exists() bool {
	st, err := os.Stat(filepath.Join(r.dir, "objects"))
	return err == nil && st.IsDir()
}

// storeConfig is what the store's own configuration says. Nothing may be
// pruned or packed but by Maintain.
var storeConfig = [][2]string{
	{"gc.auto", "0"},
	{"gc.pruneExpire", "never"},
	{"maintenance.auto", "false"},
	{"core.logAllRefUpdates", "false"},
	{"core.hooksPath", "/dev/null"},
	{"repack.writeBitmaps", "false"},
	{"pack.writeReverseIndex", "false"},
	{"uploadpack.allowAnySHA1InWant", "true"},
}

// create makes the bare repository if it is missing, in one step.
func (r *Repo) create(ctx context.Context) error {
	if r.exists() {
		return r.attach()
	}
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o755); err != nil {
		return fmt.Errorf("make the object store: %w", err)
	}
	part, err := os.MkdirTemp(filepath.Dir(r.dir), ".store-*.part") // mode 0700, and so it stays
	if err != nil {
		return fmt.Errorf("make the object store: %w", err)
	}
	defer os.RemoveAll(part)
	if err := r.lay(ctx, part); err != nil {
		return fmt.Errorf("make the object store: %w", err)
	}
	if err := os.Rename(part, r.dir); err != nil && !r.exists() {
		return fmt.Errorf("make the object store: %w", err)
	}
	return r.attach()
}

// lay makes an empty store of a folder.
func (r *Repo) lay(ctx context.Context, dir string) error {
	if _, err := r.git.run(ctx, "init", "-q", "--bare", "--template=", "--object-format=sha1", "--initial-branch=none", dir); err != nil {
		return err
	}
	for _, s := range storeConfig {
		if _, err := r.git.run(ctx, "--git-dir="+dir, "config", s[0], s[1]); err != nil {
			return err
		}
	}
	return nil
}

// attach opens the object storage once the directory is there.
func (r *Repo) attach() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	if r.objects == nil {
		r.objects = openObjects(r.dir, &r.fsync)
	}
	return nil
}

// store runs git on the store and returns its output.
func (r *Repo) store(ctx context.Context, args ...string) ([]byte, error) {
	if !r.exists() {
		return nil, ErrNoStore
	}
	return r.git.run(ctx, append([]string{"--git-dir=" + r.dir}, args...)...)
}

// Resolve finds the commit that rev names in the store: a full object name or
// anything git understands.
func (r *Repo) Resolve(ctx context.Context, rev string) (record.Hash, error) {
	if h, err := record.ParseHash(rev); err == nil {
		if _, err := r.Commit(ctx, h); err == nil {
			return h, nil
		}
	}
	out, err := r.store(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev+"^{commit}")
	if exitCode(err) > 0 {
		return record.Hash{}, fmt.Errorf("resolve %q: %w in the store", rev, ErrNotFound)
	}
	if err != nil {
		return record.Hash{}, fmt.Errorf("resolve %q: %w", rev, err)
	}
	return record.ParseHash(strings.TrimSpace(string(out)))
}
