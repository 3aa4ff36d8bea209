package gitops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"atoll/store/record"
)

// pointer is what a commit holds instead of a file that Git LFS keeps.
type pointer struct {
	oid  string // SHA-256 of the content, 64 digits
	size int64
}

// pointerText is the form of a pointer file; other keys may stand between.
var pointerText = regexp.MustCompile(`\Aversion https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\nsize ([0-9]{1,18})\n\z`)

// maxPointer is the size above which a file is no pointer.
const maxPointer = 1024

func parsePointer(data []byte) (pointer, bool) {
	if len(data) > maxPointer {
		return pointer{}, false
	}
	m := pointerText.FindSubmatch(data)
	if m == nil {
		return pointer{}, false
	}
	size, err := strconv.ParseInt(string(m[2]), 10, 64)
	return pointer{string(m[1]), size}, err == nil
}

// Pointers sorts the files of a tree that Git LFS keeps by whether the user's
// repository has their content. A checkout leaves pointers where it is
// missing; git lfs fetch in the user's repository gets it.
func (r *Repo) Pointers(ctx context.Context, tree record.Hash) (present, missing []string, err error) {
	t, err := r.Tree(ctx, tree)
	if err != nil {
		return nil, nil, err
	}
	paths, err := r.lfsPaths(ctx, t)
	if err != nil {
		return nil, nil, fmt.Errorf("look for LFS files: %w", err)
	}
	stores := r.lfsStores(ctx)
	for _, p := range paths {
		data, err := t.Read(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		ptr, ok := parsePointer(data)
		switch {
		case !ok:
		case ptr.locate(stores) != "":
			present = append(present, p)
		default:
			missing = append(missing, p)
		}
	}
	return present, missing, nil
}

// lfsPaths lists the files of t that its attributes give to the LFS filter.
func (r *Repo) lfsPaths(ctx context.Context, t *Tree) ([]string, error) {
	dir, err := os.MkdirTemp(r.cache.dir, "attributes-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	base := []string{"--git-dir=" + r.dir, "-c", "core.bare=false", "--work-tree=" + dir}
	if err := r.git.do(ctx, call{args: append(append([]string{}, base...), "read-tree", t.hash.String()), env: env}); err != nil {
		return nil, err
	}
	return r.filtered(ctx, t, base, env)
}

// filtered asks git which files of t have filter=lfs, by the attributes in the
// index that env names.
func (r *Repo) filtered(ctx context.Context, t *Tree, base, env []string) ([]string, error) {
	any := false
	var names, out bytes.Buffer
	for _, f := range t.files {
		if f.Mode != record.Regular && f.Mode != record.Executable {
			continue
		}
		if filepath.Base(f.Path) == ".gitattributes" && !any {
			text, err := r.Blob(ctx, f.Hash)
			if err != nil {
				return nil, err
			}
			any = namesLFS(text) || bytes.Contains(text, []byte("[attr]"))
		}
		names.WriteString(f.Path)
		names.WriteByte(0)
	}
	if !any {
		return nil, nil
	}
	err := r.git.do(ctx, call{
		args: append(append([]string{}, base...), "check-attr", "--cached", "--stdin", "-z", "filter"),
		env:  env, stdin: &names, stdout: &out,
	})
	if err != nil {
		return nil, err
	}
	var paths []string
	f := strings.Split(out.String(), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		if f[i+2] == "lfs" {
			paths = append(paths, f[i])
		}
	}
	return paths, nil
}

// fillPointers replaces the LFS pointers of a checkout by their content, where
// the user's repository holds it. Nothing is downloaded.
func (r *Repo) fillPointers(ctx context.Context, t *Tree, dir string, base, env []string) error {
	paths, err := r.filtered(ctx, t, base, env)
	if err != nil || len(paths) == 0 {
		return err
	}
	stores := r.lfsStores(ctx)
	for _, p := range paths {
		f, err := t.find(p)
		if err != nil {
			return err
		}
		data, err := r.Blob(ctx, f.Hash)
		if err != nil {
			return err
		}
		ptr, ok := parsePointer(data)
		if !ok {
			continue
		}
		if from := ptr.locate(stores); from != "" {
			if err := ptr.copy(from, filepath.Join(dir, p), f.Mode); err != nil {
				return fmt.Errorf("LFS content of %q: %w", p, err)
			}
		}
	}
	return nil
}

// locate finds the content in one of the object directories of LFS.
func (p pointer) locate(stores []string) string {
	for _, s := range stores {
		file := filepath.Join(s, "objects", p.oid[:2], p.oid[2:4], p.oid)
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() && st.Size() == p.size {
			return file
		}
	}
	return ""
}

// copy puts the content in the place of the pointer after checking it.
func (p pointer) copy(from, to string, mode record.Mode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.Remove(to); err != nil {
		return err
	}
	sum := sha256.New()
	if err := writeFile(to, io.TeeReader(in, sum), mode); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != p.oid {
		return fmt.Errorf("%w: the content in %s has the wrong checksum; run git lfs fsck in the repository it is from", ErrObject, from)
	}
	return nil
}

// lfsConfig is the store's setting that lists where LFS keeps its content.
const lfsConfig = "atoll.lfs"

// lfsStores returns the LFS directories of the repositories imported from.
func (r *Repo) lfsStores(ctx context.Context) []string {
	out, err := r.store(ctx, "config", "-z", "--get-all", lfsConfig)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// noteLFS remembers where a repository that is imported from keeps its LFS
// content.
func (r *Repo) noteLFS(ctx context.Context, git *command, source Target) error {
	dir := filepath.Join(source.CommonDir, "lfs")
	if set, err := git.line(ctx, "--git-dir="+source.GitDir, "config", "--get", "lfs.storage"); err == nil && set != "" {
		dir = set
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(source.CommonDir, dir)
		}
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil
	}
	for _, known := range r.lfsStores(ctx) {
		if known == dir {
			return nil
		}
	}
	_, err := r.store(ctx, "config", "--add", lfsConfig, dir)
	return err
}
