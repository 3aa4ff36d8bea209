package gitops

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"atoll/store/record"
)

const (
	dirPerm = 0o755
	// layOutWriters write files while one reader takes them from git.
	layOutWriters = 4
	// bigFile is copied from git to disk instead of being held in memory.
	bigFile = 1 << 20
)

// materialise puts the files of tree into dir, which is empty and ours alone.
// Without attributes in the tree the bytes come straight from git's object
// database; with them git itself makes the checkout.
func (r *Repo) materialise(ctx context.Context, tree record.Hash, dir string) error {
	t, err := r.Tree(ctx, tree)
	if err != nil {
		return err
	}
	attributes := false
	for _, f := range t.files {
		if path.Base(f.Path) == ".gitattributes" {
			attributes = true
		}
	}
	if attributes {
		return r.checkoutByGit(ctx, t, dir)
	}
	return r.checkoutPlain(ctx, t, dir)
}

// checkoutPlain writes blobs as they are. Symbolic links come last, so that no
// file is written through one.
func (r *Repo) checkoutPlain(ctx context.Context, t *Tree, dir string) error {
	made := map[string]bool{"": true}
	var blobs []record.File
	for _, f := range t.files {
		parent := f.Path[:max(strings.LastIndexByte(f.Path, '/'), 0)]
		if f.Mode == record.Submodule {
			parent = f.Path
		} else {
			blobs = append(blobs, f)
		}
		if made[parent] {
			continue
		}
		if err := makeDirs(dir, parent, made); err != nil {
			return err
		}
	}
	var links []link
	g, ctx := errgroup.WithContext(ctx)
	work := make(chan content, layOutWriters)
	g.Go(func() error {
		defer close(work)
		return r.eachBlob(ctx, blobs, func(f record.File, size int64, from io.Reader) error {
			if f.Mode == record.Executable || f.Mode == record.Regular {
				if size > bigFile {
					return writeFile(filepath.Join(dir, f.Path), from, f.Mode)
				}
			}
			data, err := io.ReadAll(from)
			if err != nil {
				return err
			}
			if f.Mode == record.Symlink {
				links = append(links, link{f.Path, string(data)})
				return nil
			}
			select {
			case work <- content{f, data}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	for range layOutWriters {
		g.Go(func() error {
			for c := range work {
				if err := writeFile(filepath.Join(dir, c.Path), bytes.NewReader(c.data), c.Mode); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, l := range links {
		if err := os.Symlink(l.target, filepath.Join(dir, l.path)); err != nil {
			return err
		}
	}
	return nil
}

type content struct {
	record.File
	data []byte
}

type link struct{ path, target string }

// makeDirs makes a directory below dir and those above it.
func makeDirs(dir, name string, made map[string]bool) error {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' || made[name[:i]] {
			continue
		}
		full := filepath.Join(dir, name[:i])
		if err := os.Mkdir(full, dirPerm); err != nil {
			return err
		}
		if err := os.Chmod(full, dirPerm); err != nil {
			return err
		}
		made[name[:i]] = true
	}
	return nil
}

// writeFile makes one file with the permissions of its mode whatever the umask.
func writeFile(path string, from io.Reader, mode record.Mode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Chmod(mode.Perm())
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// eachBlob calls fn with the content of each file in turn, from one run of git
// that needs neither this process's storage nor its mutex. fn must not keep
// the reader.
func (r *Repo) eachBlob(ctx context.Context, files []record.File, fn func(f record.File, size int64, from io.Reader) error) error {
	var names bytes.Buffer
	for _, f := range files {
		names.WriteString(f.Hash.String())
		names.WriteByte('\n')
	}
	pr, pw := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	g, ctx := errgroup.WithContext(ctx)
	defer cancel()
	g.Go(func() error {
		err := r.git.do(ctx, call{args: []string{"--git-dir=" + r.dir, "cat-file", "--batch", "--buffer"}, stdin: &names, stdout: pw})
		pw.CloseWithError(err)
		return err
	})
	g.Go(func() error {
		err := readBatch(pr, files, fn)
		if err != nil {
			cancel()
		}
		pr.CloseWithError(err)
		return err
	})
	return g.Wait()
}

// readBatch splits the output of git cat-file --batch.
func readBatch(from io.Reader, files []record.File, fn func(record.File, int64, io.Reader) error) error {
	in := bufio.NewReaderSize(from, 256<<10)
	for _, f := range files {
		line, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("read %q: %w", f.Path, err)
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[1] != "blob" {
			return fmt.Errorf("read %q: object %s: %w", f.Path, f.Hash, ErrNotFound)
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return fmt.Errorf("read %q: git answered %q", f.Path, line)
		}
		body := &io.LimitedReader{R: in, N: size}
		if err := fn(f, size, body); err != nil {
			return fmt.Errorf("lay out %q: %w", f.Path, err)
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return fmt.Errorf("read %q: %w", f.Path, err)
		}
		if _, err := in.Discard(1); err != nil {
			return fmt.Errorf("read %q: %w", f.Path, err)
		}
	}
	return nil
}

// checkoutByGit lets git apply the attributes of the tree: line ends, ident,
// working-tree-encoding. Drivers of filters are not configured, so none runs.
func (r *Repo) checkoutByGit(ctx context.Context, t *Tree, dir string) error {
	index := filepath.Join(filepath.Dir(dir), "index")
	defer os.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	base := []string{"--git-dir=" + r.dir, "-c", "core.bare=false", "-c", "core.safecrlf=false", "--work-tree=" + dir}
	for _, args := range [][]string{{"read-tree", t.hash.String()}, {"checkout-index", "-q", "-a"}} {
		if err := r.git.do(ctx, call{args: append(append([]string{}, base...), args...), env: env}); err != nil {
			return err
		}
	}
	for _, f := range t.files {
		if f.Mode == record.Regular || f.Mode == record.Executable {
			if err := os.Chmod(filepath.Join(dir, f.Path), f.Mode.Perm()); err != nil {
				return err
			}
		}
	}
	if err := chmodDirs(dir); err != nil {
		return err
	}
	return r.fillPointers(ctx, t, dir, base, env)
}

// chmodDirs gives every directory the same permissions whatever the umask.
func chmodDirs(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return os.Chmod(path, dirPerm)
	})
}
