package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"atoll/engine/eval"
	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
	"atoll/engine/work"
	"atoll/gitops"
	"atoll/store/record"
)

// DefaultCache is how much a worker keeps from one start to the next.
const DefaultCache = 4 << 30

// maxBenches is how many experiments a worker has ready at the same time.
const maxBenches = 8

// laboratory is what a worker has ready to measure with.
type laboratory struct {
	dir  string // of this process; gone when it ends
	box  *sandbox.Box
	repo *gitops.Repo
	ask  func(context.Context, wire.Ask) (wire.Answer, error)

	taking  sync.Mutex // one base at a time
	mu      sync.Mutex
	benches map[setup]*place
	turn    int
}

// setup is what tells benches apart.
type setup struct {
	experiment string
	seed       uint64
	root       record.Hash // commit
	base       wire.Base
	key, blob  string // of the evaluator
}

// place is one bench, made by whoever asks first.
type place struct {
	mu    sync.Mutex
	bench *work.Bench
	uses  int
	last  int
}

func newLaboratory(ctx context.Context, o Options, box *sandbox.Box, ask func(context.Context, wire.Ask) (wire.Answer, error)) (*laboratory, error) {
	store := filepath.Join(o.State, "store.git")
	if size(store) > o.Cache {
		if err := os.RemoveAll(store); err != nil {
			return nil, fmt.Errorf("make room in the worker's folder: %w", err)
		}
	}
	dir := filepath.Join(o.State, "now")
	if err := os.RemoveAll(dir); err != nil { // of a process that died
		return nil, fmt.Errorf("clear the worker's folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the worker's folder: %w", err)
	}
	repo, err := gitops.Open(ctx, gitops.Options{Dir: store, Cache: gitops.CacheDir(o.State), CacheBytes: o.Cache})
	if err != nil {
		return nil, err
	}
	return &laboratory{dir: dir, box: box, repo: repo, ask: ask, benches: map[setup]*place{}}, nil
}

// close frees what was made ready; nothing may be measured any more.
func (l *laboratory) close() error {
	for _, p := range l.benches {
		if p.bench != nil {
			p.bench.Close()
		}
	}
	l.repo.FreeCheckouts()
	return errors.Join(l.repo.Close(), os.RemoveAll(l.dir))
}

// size is what the files of a folder take.
func size(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// bench is what measures a task; done gives it back.
func (l *laboratory) bench(ctx context.Context, t *wire.Task) (b *work.Bench, done func(), err error) {
	key := setup{t.Experiment, t.Seed, t.RootCommit, t.Base, t.Evaluator.Key, t.Evaluator.Blob}
	p := l.enter(key)
	leave := func() {
		l.mu.Lock()
		p.uses--
		l.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bench == nil {
		if p.bench, err = l.build(ctx, t); err != nil {
			leave()
			return nil, nil, err
		}
	}
	return p.bench, leave, nil
}

// enter finds the place of a bench, and makes room for a new one.
func (l *laboratory) enter(key setup) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.benches[key]
	if p == nil {
		p = &place{}
		l.benches[key] = p
	}
	l.turn++
	p.uses++
	p.last = l.turn
	for len(l.benches) > maxBenches {
		oldest, at := setup{}, 0
		for k, q := range l.benches {
			if q.uses == 0 && (at == 0 || q.last < at) {
				oldest, at = k, q.last
			}
		}
		if at == 0 {
			break
		}
		if q := l.benches[oldest]; q.bench != nil {
			q.bench.Close()
		}
		delete(l.benches, oldest)
	}
	return p
}

// build fetches what a task needs and is not here, and makes it ready.
func (l *laboratory) build(ctx context.Context, t *wire.Task) (*work.Bench, error) {
	if err := l.haveBase(ctx, t.Base); err != nil {
		return nil, err
	}
	parcel, err := l.fetch(ctx, t.Evaluator.Blob, wire.MaxBlob)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(l.dir, "evaluator-")
	if err != nil {
		return nil, fmt.Errorf("make room for the evaluator: %w", err)
	}
	cfg, err := wire.UnpackEvaluator(bytes.NewReader(parcel), dir)
	if err != nil {
		return nil, err
	}
	ev, err := eval.New(ctx, l.box, eval.OptionsOf(cfg))
	if err != nil {
		return nil, err
	}
	if ev.Key() != t.Evaluator.Key {
		why := "a file that its folder links to"
		if len(cfg.Evaluator.Env) > 0 {
			why = "a variable that evaluator.env names (" + strings.Join(names(cfg.Evaluator.Env), ", ") + ")"
		}
		return nil, fmt.Errorf("the evaluator is not the same here: %s has another value on this machine", why)
	}
	return &work.Bench{Experiment: t.Experiment, Seed: t.Seed, RootCommit: t.RootCommit, RootTree: t.Base.Tree, Repo: l.repo, Eval: ev}, nil
}

// names are the variables of evaluator.env without their values.
func names(env []string) []string {
	out := make([]string, len(env))
	for i, e := range env {
		out[i], _, _ = strings.Cut(e, "=")
	}
	return out
}

// haveBase fetches a base tree unless it is here.
func (l *laboratory) haveBase(ctx context.Context, b wire.Base) error {
	l.taking.Lock()
	defer l.taking.Unlock()
	if l.repo.Has(ctx, b.Tree) {
		return nil
	}
	return l.takeBase(ctx, b)
}

// tree lays out a tree that is told as changes of a base, read-only.
func (l *laboratory) tree(ctx context.Context, b wire.Base, delta []record.Change, want record.Hash) (dir string, release func(), err error) {
	if err := l.haveBase(ctx, b); err != nil {
		return "", nil, err
	}
	tree, err := l.repo.WriteTree(ctx, b.Tree, delta)
	if err != nil {
		return "", nil, err
	}
	if tree != want {
		return "", nil, fmt.Errorf("the changes give tree %s, not %s", tree.Short(), want.Short())
	}
	return l.repo.Checkout(ctx, tree)
}

// takeBase fetches a base tree into the store.
func (l *laboratory) takeBase(ctx context.Context, b wire.Base) error {
	f, err := os.CreateTemp(l.dir, "base-")
	if err != nil {
		return fmt.Errorf("make room for the base tree: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := l.fetchTo(ctx, b.Blob, wire.MaxBlob, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return l.repo.TakeTree(ctx, b.Tree, f, wire.MaxBlob)
}

// fetch gets a blob into memory.
func (l *laboratory) fetch(ctx context.Context, hash string, most int64) ([]byte, error) {
	var out bytes.Buffer
	err := l.fetchTo(ctx, hash, most, &out)
	return out.Bytes(), err
}

// fetchTo gets a blob piece by piece and checks that it is what its name says.
func (l *laboratory) fetchTo(ctx context.Context, hash string, most int64, to io.Writer) error {
	fail := func(err error) error { return fmt.Errorf("fetch %.12s from the coordinator: %w", hash, err) }
	if !wire.IsBlob(hash) {
		return fail(wire.ErrMessage)
	}
	sum := sha256.New()
	for at := int64(0); ; {
		var a wire.Answer
		var err error
		for try := 0; ; try++ {
			if a, err = l.ask(ctx, wire.Ask{Kind: wire.AskBlob, Blob: &wire.Chunk{Hash: hash, At: at}}); err == nil || try == 4 || ctx.Err() != nil {
				break
			}
		}
		switch {
		case err != nil:
			return fail(err)
		case !a.OK:
			return fail(errors.New(a.Why))
		case a.Size > most || len(a.Data) == 0 && at < a.Size:
			return fail(wire.ErrMessage)
		}
		sum.Write(a.Data)
		if _, err := to.Write(a.Data); err != nil {
			return fail(err)
		}
		if at += int64(len(a.Data)); at >= a.Size {
			break
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return fail(errors.New("the content is not what its name says"))
	}
	return nil
}

// withoutPaths takes the folders of this machine out of a text that travels.
func (l *laboratory) withoutPaths(text string) string {
	state := filepath.Dir(l.dir)
	for _, dir := range []string{gitops.CacheDir(state), state} {
		text = strings.ReplaceAll(text, dir, "(worker)")
	}
	return text
}
