package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"atoll/store/record"
)

// Target is the user's repository as [Inspect] found it. Paths are absolute.
type Target struct {
	Path      string // top of the work tree; of a bare repository, its directory
	GitDir    string // of a linked work tree, its own directory
	CommonDir string // where objects and branches are; GitDir unless Linked
	Bare      bool
	Linked    bool // one of several work trees of a repository
	Shallow   bool // history is cut off
	Dirty     bool // the work tree differs from HEAD, by new files or changed ones
	LFS       bool // HEAD's attributes name the LFS filter
	HeadRef   string
	Head      record.Hash // zero with ErrUnborn
}

// Inspect looks at the repository that holds path and changes nothing in it.
// What atoll cannot work with comes back as a [*Refusal]. With ErrUnborn the
// Target is filled in but for Head: another revision can still be imported.
func Inspect(ctx context.Context, path string) (Target, error) {
	return visit(ctx, path, look)
}

// Locate is Inspect without reading anything but where the repository is: one
// run of git, however large the repository. Dirty, LFS, HeadRef and
// Head stay empty, and what only shows inside is not refused.
func Locate(ctx context.Context, path string) (Target, error) {
	return visit(ctx, path, locate)
}

// visit calls find with git and an absolute path; its errors are git's own or
// refusals. The version of git is asked when something failed: it may be why.
func visit(ctx context.Context, path string, find func(context.Context, *command, string) (Target, error)) (Target, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Target{}, fmt.Errorf("look at repository %s: %w", path, err)
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return Target{}, &Refusal{Path: path, Kind: ErrNotRepository, Reason: "there is no such directory", Next: "name the directory of a git repository"}
	}
	git, err := pathOfGit("")
	if err != nil {
		return Target{}, fmt.Errorf("look at repository %s: %w", path, err)
	}
	var t Target
	err = git.trusting(ctx, func(git *command) error {
		t, err = find(ctx, git, abs)
		return err
	})
	if err == nil {
		return t, nil
	}
	if _, old := findGit(ctx, ""); old != nil {
		return Target{}, fmt.Errorf("look at repository %s: %w", path, old)
	}
	return t, refusal(path, abs, err)
}

// look reads where the repository is and what is in it.
func look(ctx context.Context, git *command, dir string) (Target, error) {
	t, err := locate(ctx, git, dir)
	if err != nil {
		return t, err
	}
	if err := refusePartial(ctx, git, t); err != nil {
		return t, err
	}
	if err := t.findHead(ctx, git); err != nil {
		return t, err
	}
	if err := t.scanHead(ctx, git); err != nil {
		return t, err
	}
	t.Dirty, err = dirty(ctx, git, t)
	return t, err
}

// locate asks git where the repository of dir is. The object format is asked
// again between the paths, to tell them apart: a path may have line breaks.
func locate(ctx context.Context, git *command, dir string) (Target, error) {
	var t Target
	ask := []string{
		"-C", dir, "rev-parse", "--path-format=absolute", "--is-bare-repository", "--is-shallow-repository", "--show-object-format",
		"--git-dir", "--show-object-format", "--git-common-dir",
	}
	out, err := git.line(ctx, append(ask, "--show-object-format", "--show-toplevel")...)
	if err != nil { // bare, or inside .git: there is no top level
		out, err = git.line(ctx, ask...)
	}
	if err != nil {
		return t, err
	}
	flags, paths, sha1 := strings.Cut(out, "\nsha1\n")
	if !sha1 {
		return t, ErrSHA256
	}
	f, p := strings.Split(flags, "\n"), strings.Split(paths, "\nsha1\n")
	if len(f) != 2 || len(p) < 2 {
		return t, fmt.Errorf("git rev-parse answered %q", out)
	}
	t.Bare, t.Shallow, t.GitDir, t.CommonDir = f[0] == "true", f[1] == "true", p[0], p[1]
	t.Linked = t.GitDir != t.CommonDir
	t.Path = t.GitDir // inside .git it has to do
	if !t.Bare && len(p) == 3 && p[2] != "" {
		t.Path = p[2]
	}
	return t, nil
}

// refusePartial reports a repository in which objects may be missing.
func refusePartial(ctx context.Context, git *command, t Target) error {
	out, err := git.line(ctx, "--git-dir="+t.GitDir, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	if err != nil && exitCode(err) != 1 {
		return err
	}
	for _, l := range strings.Split(out, "\n") {
		if name, value, _ := strings.Cut(l, " "); name == "extensions.partialclone" || strings.HasSuffix(name, ".promisor") && value == "true" {
			return ErrPartial
		}
	}
	return nil
}

// findHead reads HeadRef and Head.
func (t *Target) findHead(ctx context.Context, git *command) error {
	ref, err := git.line(ctx, "--git-dir="+t.GitDir, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	t.HeadRef = ref
	head, err := git.line(ctx, "--git-dir="+t.GitDir, "rev-parse", "-q", "--verify", "--end-of-options", "HEAD^{commit}")
	if exitCode(err) >= 0 {
		name, named := git.line(ctx, "--git-dir="+t.GitDir, "rev-parse", "-q", "--verify", "--end-of-options", "HEAD")
		if _, bad := record.ParseHash(name); named == nil && bad == nil {
			return &gitError{args: []string{"rev-parse"}, stderr: "missing commit " + name, err: err}
		}
		return ErrUnborn
	}
	if err != nil {
		return err
	}
	t.Head, err = record.ParseHash(head)
	return err
}

// scanHead looks through the tree of HEAD for what a checkout has to know.
func (t *Target) scanHead(ctx context.Context, git *command) error {
	out, err := git.run(ctx, "--git-dir="+t.GitDir, "ls-tree", "-r", "-z", "--full-tree", t.Head.String())
	var ge *gitError
	if errors.As(err, &ge) && strings.Contains(ge.stderr, "not a tree object") { // git does not say which
		if tree, told := git.line(ctx, "--git-dir="+t.GitDir, "log", "-1", "--format=%T", t.Head.String()); told == nil {
			ge.stderr = "missing tree " + tree
		}
	}
	if err != nil {
		return err
	}
	for _, e := range bytes.Split(out, []byte{0}) {
		meta, name, ok := bytes.Cut(e, []byte{'\t'})
		f := bytes.Fields(meta)
		if !ok || len(f) != 3 {
			continue
		}
		if path.Base(string(name)) != ".gitattributes" || t.LFS {
			continue
		}
		text, err := git.run(ctx, "--git-dir="+t.GitDir, "cat-file", "blob", string(f[2]))
		if err != nil {
			return err
		}
		t.LFS = namesLFS(text)
	}
	return nil
}

// lfsAttribute matches a line of .gitattributes that sets the LFS filter.
var lfsAttribute = regexp.MustCompile(`(?m)^[^#\n]*\sfilter=lfs(\s|$)`)

func namesLFS(attributes []byte) bool { return lfsAttribute.Match(attributes) }

// dirty reports whether the work tree differs from HEAD.
func dirty(ctx context.Context, git *command, t Target) (bool, error) {
	paths, err := uncommitted(ctx, git, t)
	return len(paths) > 0, err
}

// Uncommitted lists what of the user's work tree differs from HEAD, changed and new
// files, as paths from its top; a folder that is new as a whole ends in a slash. A
// bare repository has none.
func Uncommitted(ctx context.Context, t Target) ([]string, error) {
	git, err := pathOfGit("")
	if err != nil {
		return nil, err
	}
	var paths []string
	err = git.trusting(ctx, func(git *command) error {
		paths, err = uncommitted(ctx, git, t)
		return err
	})
	return paths, err
}

// uncommitted compares the work tree with HEAD as the user's own git would, with
// the user's configuration, and without refreshing the index.
func uncommitted(ctx context.Context, git *command, t Target) ([]string, error) {
	if t.Bare || t.Path == t.GitDir {
		return nil, nil
	}
	cmd := exec.CommandContext(ctx, git.bin, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
		"-C", t.Path, "status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty")
	cmd.Env = append(inherited(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	if v, ok := os.LookupEnv("XDG_CONFIG_HOME"); ok {
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+v)
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git status: %w", err)
	}
	var paths []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if len(line) > 3 { // two letters and a space before the path
			paths = append(paths, line[3:])
		}
	}
	return paths, nil
}

// trusting calls do, and once more with the user's own list of trusted
// directories when git refused because of a foreign owner. That list is all
// that is taken over from the user's configuration.
func (c *command) trusting(ctx context.Context, do func(*command) error) error {
	err := do(c)
	if err == nil || !dubious(err) {
		return err
	}
	list := exec.CommandContext(ctx, c.bin, "config", "--includes", "-z", "--get-all", "safe.directory")
	list.Dir, list.Env = "/", append(inherited(), "LC_ALL=C")
	out, listErr := list.Output()
	if listErr != nil || len(out) == 0 {
		return err
	}
	f, tmpErr := os.CreateTemp("", "atoll-safe-*.config")
	if tmpErr != nil {
		return fmt.Errorf("write the list of trusted directories: %w", tmpErr)
	}
	defer os.Remove(f.Name())
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	for _, dir := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		// A fetch asks for the git directory, where a person names the work tree.
		fmt.Fprintf(f, "[safe]\n\tdirectory = \"%s\"\n\tdirectory = \"%s/.git\"\n", quote.Replace(dir), quote.Replace(dir))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write the list of trusted directories: %w", err)
	}
	trusted := *c
	trusted.global = f.Name()
	return do(&trusted)
}

// dubious recognises git's refusal to use another user's repository.
func dubious(err error) bool {
	var ge *gitError
	return errors.As(err, &ge) && strings.Contains(ge.stderr, "dubious ownership")
}

// refusal puts what git said about a repository into words for a person.
func refusal(path, abs string, err error) error {
	if err == nil {
		return nil
	}
	no := func(kind error, reason, next string) error {
		return &Refusal{Path: path, Kind: kind, Reason: reason, Next: next}
	}
	var ge *gitError
	said := ""
	if errors.As(err, &ge) {
		said = ge.stderr
	}
	switch {
	case errors.Is(err, ErrUnborn):
		return no(ErrUnborn, "HEAD names no commit yet, and atoll starts from a commit", "commit something first, or name a branch that has commits")
	case errors.Is(err, ErrSHA256) || strings.Contains(said, "objectformat"):
		return no(ErrSHA256, "it names its objects by SHA-256, which atoll cannot store", "convert it to SHA-1, for instance with git fast-export and git fast-import")
	case errors.Is(err, ErrPartial):
		return no(ErrPartial, "it is a partial clone, in which objects may be missing", "make a full clone, or run git fetch --refetch --no-filter and remove the promisor setting")
	case dubious(err):
		return no(ErrOwnership, "it belongs to another user, and git refuses such repositories", "if you trust it, run: git config --global --add safe.directory "+abs)
	case strings.Contains(said, "refstorage") || strings.Contains(said, "ref storage"):
		return no(ErrReftable, "it keeps its refs in a reftable, which this git cannot read", "install git 2.45 or newer, or run git refs migrate --ref-format=files")
	case strings.Contains(said, "repository extension") || strings.Contains(said, "Expected git repo version"):
		return no(ErrNotRepository, "git cannot read its format: "+strings.TrimSpace(said), "install a newer git")
	case strings.Contains(said, "not a git repository"):
		return no(ErrNotRepository, "it is not a git repository", "run git init and commit, or name another directory")
	}
	if object := missingObject(said); object != "" {
		return no(ErrMissing, "its object "+object+" is missing or damaged", "`git fsck --full` there lists all that are; bring them with `git fetch --refetch`, or clone it anew")
	}
	return fmt.Errorf("look at repository %s: %w", path, err)
}

// missing finds the object that git says it cannot read.
var missing = regexp.MustCompile(`(?i)(?:unable to read|could not read|failed to read|missing (?:blob|tree|commit)|cat-file|bad (?:object|tree object)|(?:loose|packed) object|object file \S*objects/)(?: sha1 file of .*\(| object| tree| blob| commit)? ?([0-9a-f]{2}/?[0-9a-f]{38})\b`)

// missingObject is the name of the object that is missing or damaged, as git says; "" for none.
func missingObject(said string) string {
	if m := missing.FindStringSubmatch(said); m != nil {
		return strings.Replace(m[1], "/", "", 1)
	}
	return ""
}
