package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atoll/store/record"
	"atoll/store/whole"
)

// fetch copies commit into the store and gives it an import ref. Of its history it
// brings what leads to it from a commit that was imported before, and else none: an
// experiment needs the commit it starts from and nothing before, and what lies before
// may be a hundred times as much. The store is then a shallow repository.
//
// One git packs and one unpacks, both children of this process: a cancelled context
// ends them at once, and the end of this process ends them too.
func (r *Repo) fetch(ctx context.Context, git *command, source Target, commit record.Hash) error {
	ref := importRefs + commit.String()
	if at, err := r.readRef(ref); err == nil && at == commit && r.Has(ctx, commit) {
		return nil
	}
	// What upload-pack checks: whose repository it is.
	if _, err := git.run(ctx, "-C", source.CommonDir, "rev-parse", "--git-dir"); err != nil {
		return err
	}
	lock, err := lockFile(ctx, filepath.Join(r.dir, "atoll-import.lock"), exclusive)
	if err != nil {
		return err
	}
	defer unlock(lock)
	from, err := r.knownAncestor(ctx, git, source, commit)
	if err != nil {
		return err
	}
	wanted, cut := fmt.Sprintf("--shallow %s\n%[1]s\n", commit), commit
	if !from.IsZero() {
		wanted, cut = fmt.Sprintf("--shallow %s\n%s\n^%[1]s\n", from, commit), record.Hash{}
	}
	if err := r.transfer(ctx, git, source, wanted); err != nil {
		return err
	}
	if err := r.use(ctx, (*objects).refresh); err != nil {
		return err
	}
	if !cut.IsZero() {
		if err := r.cutBefore(ctx, cut); err != nil {
			return err
		}
	}
	return r.writeRef(ref, commit)
}

// knownAncestor returns an imported commit that leads to commit in source, zero when
// none does.
func (r *Repo) knownAncestor(ctx context.Context, git *command, source Target, commit record.Hash) (record.Hash, error) {
	out, err := r.store(ctx, "for-each-ref", "--format=%(objectname)", importRefs)
	if err != nil {
		return record.Hash{}, err
	}
	for name := range strings.FieldsSeq(string(out)) {
		_, err := git.run(ctx, "--git-dir="+source.CommonDir, "merge-base", "--is-ancestor", name, commit.String())
		if err == nil {
			return record.ParseHash(name)
		}
		if exitCode(err) < 0 { // it is no ancestor, or source does not have it
			return record.Hash{}, err
		}
	}
	return record.Hash{}, nil
}

// transfer packs what was asked for in source and unpacks it in the store.
func (r *Repo) transfer(ctx context.Context, git *command, source Target, wanted string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rd, wr, err := os.Pipe()
	if err != nil {
		return err
	}
	packed := make(chan error, 1)
	go func() {
		err := git.do(ctx, call{
			args:  []string{"--git-dir=" + source.CommonDir, "pack-objects", "--revs", "--stdout", "--delta-base-offset", "--progress"},
			stdin: strings.NewReader(wanted), stdout: wr, stderr: r.telling("taking in what is committed, as git says it: "),
		})
		_ = wr.Close()
		if err != nil {
			cancel()
		}
		packed <- err
	}()
	err = r.git.do(ctx, call{args: []string{"--git-dir=" + r.dir, "index-pack", "--stdin"}, stdin: rd, stdout: io.Discard})
	_ = rd.Close() // whoever packs for nobody ends
	packErr := <-packed
	if packErr != nil && (err == nil || errors.Is(err, context.Canceled) || cutShort(err)) {
		return packErr
	}
	return err
}

// cutShort reports a reader that failed because what it read ended, whose writer knows why.
func cutShort(err error) bool {
	var ge *gitError
	return errors.As(err, &ge) && strings.Contains(ge.stderr, "early EOF")
}

// cutBefore notes in the store that the parents of a commit are not there.
func (r *Repo) cutBefore(ctx context.Context, commit record.Hash) error {
	info, err := r.Commit(ctx, commit)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(info.Parents, func(p record.Hash) bool { return !r.Has(ctx, p) }) {
		return nil
	}
	file := filepath.Join(r.dir, "shallow")
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.Contains(data, []byte(commit.String())) {
		return nil
	}
	return whole.Write(file, whole.Options{Mode: 0o644, Pattern: "shallow.*.lock", Sync: r.fsync.Load()}, whole.Bytes(append(data, commit.String()+"\n"...)))
}

// OnProgress has fn told how far a long import is, from another goroutine, by what
// git says to people: "Counting objects:  50% (5/10)". Call it before Import.
func (r *Repo) OnProgress(fn func(text string)) { r.tell = fn }

// telling passes git's lines of progress on, and keeps the others.
func (r *Repo) telling(prefix string) io.Writer {
	if r.tell == nil {
		return nil
	}
	return &progress{tell: func(line string) { r.tell(prefix + line) }}
}

// progress cuts a stream at line ends and carriage returns.
type progress struct {
	tell func(string)
	rest []byte
}

func (p *progress) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	s := bufio.NewScanner(bytes.NewReader(p.rest))
	s.Split(func(data []byte, _ bool) (int, []byte, error) {
		if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	used := 0
	for s.Scan() {
		used += len(s.Bytes()) + 1
		if line := strings.TrimSpace(s.Text()); line != "" {
			p.tell(line)
		}
	}
	p.rest = append(p.rest[:0], p.rest[used:]...)
	if len(p.rest) > 1<<10 {
		p.rest = p.rest[:0]
	}
	return len(b), nil
}
