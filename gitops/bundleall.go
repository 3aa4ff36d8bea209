package gitops

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"atoll/store/record"
	"atoll/store/whole"
)

// BundleAll writes commits with all that they need into a new file that git reads;
// the names of branches say which commit is which. The store is only read, so that
// an engine may run on it. History that is not in the store is not in the bundle:
// shallow is what git calls the file that says where it ends, nil when it is whole.
// Nor is what cannot be read: lost names commits, trees and files by the commits that
// need them.
func (r *Repo) BundleAll(ctx context.Context, path string, branches map[string]record.Hash) (shallow []byte, lost map[record.Hash][]record.Hash, err error) {
	shallow, lost, err = r.bundleAll(ctx, path, branches)
	if err != nil {
		return nil, nil, fmt.Errorf("write bundle %s: %w", path, err)
	}
	return shallow, lost, nil
}

func (r *Repo) bundleAll(ctx context.Context, path string, branches map[string]record.Hash) (shallow []byte, lost map[record.Hash][]record.Hash, err error) {
	if !r.exists() {
		return nil, nil, ErrNoStore
	}
	if shallow, err = r.shallow(); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	wanted, err := bundleHead(f, branches)
	if err == nil {
		err = r.packInto(ctx, f, wanted, "--revs")
	}
	if err == nil || ctx.Err() != nil {
		return shallow, nil, err
	}
	have, lost, bad := r.readable(ctx, wanted, shallow)
	if bad != nil || len(lost) == 0 {
		return nil, nil, errors.Join(err, bad)
	}
	there := maps.Clone(branches)
	maps.DeleteFunc(there, func(_ string, c record.Hash) bool { return slices.Contains(lost[c], c) })
	if _, err = f.Seek(0, io.SeekStart); err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = bundleHead(f, there)
	}
	if err == nil {
		err = r.packInto(ctx, f, have)
	}
	return shallow, lost, err
}

// bundleHead begins what `git bundle create` would write, and returns the commits that
// are to follow. That command compares the name of each branch with all others, which
// takes hours for a million; the format is https://git-scm.com/docs/gitformat-bundle,
// version 2.
func bundleHead(f io.Writer, branches map[string]record.Hash) (wanted []record.Hash, err error) {
	head := bufio.NewWriter(f)
	fmt.Fprintln(head, "# v2 git bundle")
	seen := map[record.Hash]bool{}
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		commit := branches[name]
		fmt.Fprintf(head, "%s refs/heads/%s\n", commit, name)
		if !seen[commit] {
			seen[commit] = true
			wanted = append(wanted, commit)
		}
	}
	fmt.Fprintln(head)
	return wanted, head.Flush()
}

// packInto writes objects as one pack; with --revs all that they lead to as well.
func (r *Repo) packInto(ctx context.Context, to io.Writer, objects []record.Hash, revs ...string) error {
	var list bytes.Buffer
	for _, h := range objects {
		fmt.Fprintln(&list, h)
	}
	args := []string{"--git-dir=" + r.dir, "pack-objects", "--stdout", "--delta-base-offset", "--threads=1", "-q"}
	return r.git.do(ctx, call{args: append(args, revs...), stdin: &list, stdout: to})
}

// readable lists what commits lead to, as far as it can be read; shallow has the commits
// whose parents are not in the store. Git's own walk ends at the first object that is
// missing.
func (r *Repo) readable(ctx context.Context, commits []record.Hash, shallow []byte) (have []record.Hash, lost map[record.Hash][]record.Hash, err error) {
	l := losses{repo: r, seen: map[record.Hash][]record.Hash{}}
	lost = map[record.Hash][]record.Hash{}
	met := map[record.Hash]bool{}
	for open := slices.Clone(commits); len(open) > 0; {
		c := open[len(open)-1]
		open = open[:len(open)-1]
		if met[c] {
			continue
		}
		met[c] = true
		info, err := r.Commit(ctx, c)
		if err != nil {
			lost[c] = []record.Hash{c}
			continue
		}
		have = append(have, c)
		if missing := l.tree(ctx, info.Tree); len(missing) > 0 {
			lost[c] = missing
		}
		if !bytes.Contains(shallow, []byte(c.String())) {
			open = append(open, info.Parents...)
		}
	}
	for h, missing := range l.seen {
		if !slices.Contains(missing, h) {
			have = append(have, h)
		}
	}
	return have, lost, ctx.Err()
}

// borrow makes a repository in the folder dir that borrows the store's objects and
// has refs of its own: the store may be one that can only be read.
func (r *Repo) borrow(ctx context.Context, dir string, branches map[string]record.Hash, shallow []byte) error {
	if _, err := r.git.run(ctx, "init", "-q", "--bare", "--template=", "--object-format=sha1", "--initial-branch=none", dir); err != nil {
		return err
	}
	var refs bytes.Buffer
	refs.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		fmt.Fprintf(&refs, "%s refs/heads/%s\n", branches[name], name)
	}
	for name, data := range map[string][]byte{"packed-refs": refs.Bytes(), "objects/info/alternates": []byte(filepath.Join(r.dir, "objects") + "\n"), "shallow": shallow} {
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Unbundle takes the objects of what [Repo.BundleAll] wrote into the store, which
// it makes when it is missing. It writes no refs: anchor the commits that count.
func (r *Repo) Unbundle(ctx context.Context, path string, shallow []byte) error {
	err := r.create(ctx)
	if err == nil && len(shallow) > 0 {
		err = r.addShallow(shallow)
	}
	if err == nil {
		err = r.git.do(ctx, call{args: []string{"--git-dir=" + r.dir, "-c", "transfer.fsckObjects=true", "bundle", "unbundle", path}, stdout: io.Discard})
	}
	if err == nil {
		err = r.use(ctx, (*objects).refresh)
	}
	if err != nil {
		return fmt.Errorf("read bundle %s: %w", path, err)
	}
	return nil
}

// shallow reads where the history of the store ends, nil when it is whole.
func (r *Repo) shallow() ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// addShallow notes more ends of the history.
func (r *Repo) addShallow(data []byte) error {
	have, err := r.shallow()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		if !bytes.Contains(have, bytes.TrimSpace(line)) {
			have = append(have, line...)
		}
	}
	return whole.Write(filepath.Join(r.dir, "shallow"), whole.Options{Mode: 0o644, Pattern: "shallow.*.lock", Sync: r.fsync.Load()}, whole.Bytes(have))
}
