package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"atoll/engine/agent/clean"
	"atoll/store/record"
)

// maxHumanFile bounds one file that a person changed.
const maxHumanFile = 64 << 20

func (w *workTree) git(ctx context.Context, args ...string) ([]byte, error) {
	return w.h.o.Git(ctx, w.dir, args...)
}

// take returns what differs from the start: of a commit, or of the files as
// they are. The subject is that of the last commit.
func (w *workTree) take(ctx context.Context, end string) ([]record.Change, string, error) {
	if w.base == "" {
		return nil, "", errors.New("the work tree was never laid out")
	}
	tree, subject := end+"^{tree}", ""
	if end == HumanDone {
		if _, err := w.git(ctx, "add", "-A"); err != nil {
			return nil, "", err
		}
		out, err := w.git(ctx, "write-tree")
		if err != nil {
			return nil, "", err
		}
		tree = strings.TrimSpace(string(out))
	}
	if out, err := w.git(ctx, "log", "-1", "--format=%H %s", "HEAD"); err == nil {
		if id, s, ok := strings.Cut(strings.TrimSpace(string(out)), " "); ok && id != w.head {
			subject = s
		}
	}
	out, err := w.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", w.base, tree)
	if err != nil {
		return nil, "", err
	}
	changes, err := w.readDiff(ctx, out)
	return changes, subject, err
}

// readDiff reads ":100644 100644 old new M\0path\0" and fetches the contents.
func (w *workTree) readDiff(ctx context.Context, raw []byte) ([]record.Change, error) {
	var list []record.Change
	fields := bytes.Split(bytes.TrimSuffix(raw, []byte{0}), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		head, path := strings.Fields(string(fields[i])), string(fields[i+1])
		if len(head) != 5 || !strings.HasPrefix(head[0], ":") {
			return nil, fmt.Errorf("git said %q of a changed file", fields[i])
		}
		mode, err := strconv.ParseUint(head[1], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("git said mode %q of %s", head[1], path)
		}
		c := record.Change{Path: path, Mode: record.Mode(mode)}
		switch c.Mode {
		case record.Deleted:
		case record.Regular, record.Executable, record.Symlink:
			if c.Data, err = w.blob(ctx, head[3]); err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
		default:
			return nil, fmt.Errorf("%s is a repository of its own; only files can be taken over", path)
		}
		list = append(list, c)
	}
	return list, nil // git sorts by path
}

func (w *workTree) blob(ctx context.Context, id string) ([]byte, error) {
	out, err := w.git(ctx, "cat-file", "-s", id)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); err != nil || n > maxHumanFile {
		return nil, fmt.Errorf("it has %s bytes; %d is the most that is taken over", strings.TrimSpace(string(out)), maxHumanFile)
	}
	return w.git(ctx, "cat-file", "blob", id)
}

// runGit runs the git of this machine on a throw-away repository: without the
// machine's settings, without hooks, and without asking anything.
func runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir, cmd.WaitDelay = dir, 2*time.Second
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/.git", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES=" + dir + "/..", "GIT_DIR=" + dir + "/.git", "GIT_WORK_TREE=" + dir,
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, clean.LastLine(stderr.Bytes()))
	}
	return out, nil
}
