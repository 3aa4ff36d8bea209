package gitops

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
	"atoll/store/whole"
)

// SetAside takes the damaged files out of the store and puts them below folder, where
// they stay; what git needs beside objects is written anew, and what can be read of a
// pack is kept. The store may lack objects afterwards: see [Repo.Losses] and
// [Repo.TakeFrom]. Nobody may use the store meanwhile.
func (r *Repo) SetAside(ctx context.Context, d Damage, folder string) error {
	err := r.setAside(ctx, d, folder)
	if err != nil {
		return fmt.Errorf("set damaged files of the object store aside: %w", err)
	}
	return nil
}

func (r *Repo) setAside(ctx context.Context, d Damage, folder string) error {
	if err := r.mendShell(ctx, d.Shell, folder); err != nil {
		return err
	}
	for _, path := range d.Loose {
		if err := r.move(path, folder); err != nil {
			return err
		}
	}
	for _, name := range d.Packs {
		if err := r.salvage(ctx, name, folder); err != nil {
			return err
		}
	}
	r.reopen()
	return r.dropRefs(d.Refs, folder)
}

// reopen forgets what was read of the objects: a pack of the same name is another one
// now.
func (r *Repo) reopen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects != nil {
		r.objects.close()
		r.objects = openObjects(r.dir, &r.fsync)
	}
}

// move puts a file of the store aside.
func (r *Repo) move(rel, folder string) error {
	to := filepath.Join(folder, "store.git", rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	err := os.Rename(filepath.Join(r.dir, rel), to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mendShell makes HEAD, refs and the configuration what [Repo.create] made them.
func (r *Repo) mendShell(ctx context.Context, bad []string, folder string) error {
	if len(bad) == 0 {
		return nil
	}
	part, err := os.MkdirTemp(filepath.Dir(r.dir), ".store-*.part")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := r.lay(ctx, part); err != nil {
		return err
	}
	if slices.Contains(bad, packedName) {
		if err := r.layPacked(part); err != nil {
			return err
		}
	}
	for _, name := range bad {
		if err := r.move(name, folder); err != nil {
			return err
		}
		err := os.Rename(filepath.Join(part, name), filepath.Join(r.dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // of shallow there is no new one: see CutAt
			return err
		}
	}
	return nil
}

// layPacked writes those packed refs into a folder that can be read.
func (r *Repo) layPacked(part string) error {
	refs, err := r.packedRefs()
	if err != nil || len(refs) == 0 {
		return nil // what is no file has none
	}
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintf(&text, "%s %s\n", refs[name], name)
	}
	return os.WriteFile(filepath.Join(part, packedName), text.Bytes(), 0o644)
}

// salvage makes the index of a pack anew, or else keeps of it what git can read.
func (r *Repo) salvage(ctx context.Context, name, folder string) error {
	rel := func(ext string) string { return filepath.Join("objects", "pack", name+ext) }
	for _, ext := range []string{".idx", ".rev", ".bitmap", ".mtimes"} {
		if err := r.move(rel(ext), folder); err != nil {
			return err
		}
	}
	pack := filepath.Join(r.dir, rel(".pack"))
	if _, err := os.Stat(pack); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := r.git.run(ctx, "--git-dir="+r.dir, "index-pack", pack)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	_ = os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx") // git may have left half of one
	if err := r.move(rel(".pack"), folder); err != nil {
		return err
	}
	aside := filepath.Join(folder, "store.git", rel(".pack"))
	if info, err := os.Lstat(aside); err != nil || !info.Mode().IsRegular() {
		return err // nothing can be read of what is no file
	}
	if err := r.rescue(ctx, name, folder); err != nil {
		return err
	}
	in, err := os.Open(aside)
	if err != nil {
		return err
	}
	defer in.Close()
	// It fails where the damage is, with all before it unpacked.
	_ = r.git.do(ctx, call{args: []string{"--git-dir=" + r.dir, "unpack-objects", "-r", "-q"}, stdin: in, stdout: io.Discard})
	return ctx.Err()
}

// rescue writes again what of a pack that was put aside can be read by its index: all but
// what the damage is in, as [Repo.Losses] counted it before. Without a whole index there
// is nothing to go by.
func (r *Repo) rescue(ctx context.Context, name, folder string) error {
	store := filepath.Join(folder, "store.git")
	index, err := os.ReadFile(filepath.Join(store, "objects", "pack", name+".idx"))
	if err != nil {
		return nil
	}
	var list bytes.Buffer
	if r.git.do(ctx, call{args: []string{"show-index"}, stdin: bytes.NewReader(index), stdout: &list}) != nil {
		return ctx.Err()
	}
	r.reopen() // the pack is gone from here
	from := openObjects(store, &r.fsync)
	defer from.close()
	for line := range strings.Lines(list.String()) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		h, err := record.ParseHash(words[1])
		if err != nil {
			continue
		}
		kind, data, err := from.read(h)
		if err != nil || record.Hash(plumbing.ComputeHash(kind, data)) != h {
			continue
		}
		if err := r.use(ctx, func(o *objects) error {
			_, err := o.write(kind, data)
			return err
		}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// dropRefs takes refs away that lead nowhere.
func (r *Repo) dropRefs(refs []string, folder string) error {
	for _, ref := range refs {
		if err := r.move(ref, folder); err != nil {
			return err
		}
	}
	path := filepath.Join(r.dir, "packed-refs")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || len(refs) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(data) {
		_, ref, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		if !slices.Contains(refs, ref) {
			kept.Write(line)
		}
	}
	return whole.Write(path, whole.Options{Mode: 0o644, Pattern: "packed-refs.*.lock", Sync: r.fsync.Load()}, whole.Bytes(kept.Bytes()))
}

// TakeFrom copies those of the objects that another repository has, and that are
// whole there, into the store. It returns how many there were. The other one is a git
// directory of any kind.
func (r *Repo) TakeFrom(ctx context.Context, gitDir string, want []record.Hash) (taken int, err error) {
	err = r.git.trusting(ctx, func(git *command) error {
		for left := want; len(left) > 0; {
			done, n, err := r.takeSome(ctx, git, gitDir, left)
			taken += n
			if err != nil && (done == len(left) || done == 0 && dubious(err)) || ctx.Err() != nil {
				return cmp.Or(ctx.Err(), err)
			}
			if err != nil {
				done++ // it died of this one
			}
			left = left[min(done, len(left)):]
		}
		return nil
	})
	if err != nil {
		return taken, fmt.Errorf("take objects from %s: %w", gitDir, err)
	}
	return taken, nil
}

// takeSome copies objects until git dies of one that is damaged there. It returns how
// many of the list it went through.
func (r *Repo) takeSome(ctx context.Context, git *command, gitDir string, want []record.Hash) (done, taken int, err error) {
	var names bytes.Buffer
	for _, h := range want {
		fmt.Fprintln(&names, h)
	}
	rd, wr := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := git.do(ctx, call{args: []string{"--git-dir=" + gitDir, "cat-file", "--batch"}, stdin: &names, stdout: wr})
		_ = wr.Close()
		ended <- err
	}()
	in := bufio.NewReader(rd)
	for range want {
		kind, data, readErr := readBatched(in)
		if readErr != nil {
			err = readErr
			break
		}
		h := want[done]
		done++
		// A damaged object comes under another name, and counts for nothing.
		if kind == plumbing.InvalidObject || record.Hash(plumbing.ComputeHash(kind, data)) != h {
			continue
		}
		if err = r.use(ctx, func(o *objects) error {
			_, err := o.write(kind, data)
			return err
		}); err != nil {
			break
		}
		taken++
	}
	_ = rd.Close()
	if gitErr := <-ended; err != nil && gitErr != nil {
		err = gitErr
	}
	return done, taken, err
}

// readBatched reads one answer of git cat-file --batch; an object that is missing
// there is invalid and no error.
func readBatched(in *bufio.Reader) (plumbing.ObjectType, []byte, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	words := strings.Fields(line)
	if len(words) != 3 {
		return plumbing.InvalidObject, nil, nil
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || size < 0 || size > maxObjectBytes {
		return plumbing.InvalidObject, nil, fmt.Errorf("%w: git says %q", ErrObject, line)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(in, data); err != nil {
		return plumbing.InvalidObject, nil, err
	}
	kind, err := plumbing.ParseObjectType(words[1])
	return kind, data[:size], err
}

// Make makes the store where there is none.
func (r *Repo) Make(ctx context.Context) error { return r.create(ctx) }

// CutAt notes, where it is not noted, that the history before a commit is not in the
// store.
func (r *Repo) CutAt(ctx context.Context, commit record.Hash) error {
	if err := r.cutBefore(ctx, commit); err != nil {
		return fmt.Errorf("note where the history of the object store ends: %w", err)
	}
	return nil
}
