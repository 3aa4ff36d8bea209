package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// oldestGit is the first version with every option used here except
// merge-tree, which [Repo.Merge] checks by itself.
var oldestGit = version{2, 31}

// version is the major and minor number of the git command.
type version struct{ major, minor int }

func (v version) less(o version) bool {
	return v.major < o.major || v.major == o.major && v.minor < o.minor
}

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// command runs the git command in a closed environment.
type command struct {
	bin     string // absolute
	version version
	global  string // the file git reads as the user's configuration; "" = none
}

// pathOfGit locates git; bin may be empty.
func pathOfGit(bin string) (*command, error) {
	if bin == "" {
		bin = "git"
	}
	found, err := exec.LookPath(bin)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %q was not found; install git %s or newer", ErrNoGit, bin, oldestGit)
	}
	return &command{bin: found}, nil
}

// findGit locates git and asks its version. bin may be empty.
func findGit(ctx context.Context, bin string) (*command, error) {
	c, err := pathOfGit(bin)
	if err != nil {
		return nil, err
	}
	out, err := c.run(ctx, "version")
	if err != nil {
		return nil, fmt.Errorf("%w: %s does not run: %v; install git %s or newer", ErrNoGit, c.bin, err, oldestGit)
	}
	c.version, err = parseVersion(string(out))
	if err != nil {
		return nil, fmt.Errorf("%w: %s calls itself %q; install git %s or newer", ErrNoGit, c.bin, bytes.TrimSpace(out), oldestGit)
	}
	if c.version.less(oldestGit) {
		return nil, fmt.Errorf("%w: %s is version %s; install %s or newer", ErrGitVersion, c.bin, c.version, oldestGit)
	}
	return c, nil
}

// parseVersion reads "git version 2.39.5 (Apple Git-154)".
func parseVersion(s string) (version, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "git version ")
	parts := strings.SplitN(rest, ".", 3)
	if !ok || len(parts) < 2 {
		return version{}, errors.New("no version number")
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return version{}, err
	}
	minor, err := strconv.Atoi(strings.TrimRight(parts[1], " abcdefghijklmnopqrstuvwxyz()-"))
	return version{major, minor}, err
}

// gitError is a git command that failed.
type gitError struct {
	args   []string
	exit   int // -1: killed or not started
	stderr string
	err    error
	full   string // the folder whose disk has no room, which git does not always say
}

func (e *gitError) Error() string {
	text := strings.TrimSpace(e.stderr)
	if text == "" {
		text = e.err.Error()
	}
	if e.full != "" {
		text = fmt.Sprintf("the disk of %s is full; make room and try again (%s)", e.full, text)
	}
	return fmt.Sprintf("git %s: %s", e.args[0], text)
}

func (e *gitError) Unwrap() []error {
	if e.full != "" {
		return []error{e.err, syscall.ENOSPC}
	}
	return []error{e.err}
}

// exitCode returns the exit status a git command failed with, or -1.
func exitCode(err error) int {
	var ge *gitError
	if errors.As(err, &ge) {
		return ge.exit
	}
	return -1
}

// environment is all that git gets to see of ours. Variables such as GIT_DIR,
// which are set when atoll is started from a hook, stay outside.
func (c *command) environment() []string {
	env := []string{
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
	}
	global := c.global
	if global == "" {
		global = os.DevNull
	}
	return append(append(env, "GIT_CONFIG_GLOBAL="+global), inherited()...)
}

// inherited is the part of the environment that says where things are and who
// asks. SUDO_UID is how git knows whose repositories root may read.
func inherited() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SUDO_UID"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// settings come before every sub-command: nothing of the repository that is
// looked at starts a program or a background job.
var settings = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "protocol.version=2",
	"-c", "protocol.allow=never", "-c", "protocol.file.allow=always",
	"-c", "core.quotePath=true", "-c", "advice.detachedHead=false",
}

// call is one run of git. Its working directory is / unless the arguments
// begin with -C.
type call struct {
	args   []string
	env    []string // added to the closed environment
	stdin  io.Reader
	stdout io.Writer // nil: returned by run
	stderr io.Writer // sees what is said meanwhile, nil = nobody
}

// run runs git with args and returns its standard output.
func (c *command) run(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := c.do(ctx, call{args: args, stdout: &out})
	return out.Bytes(), err
}

// line runs git and returns its output without the final newline.
func (c *command) line(ctx context.Context, args ...string) (string, error) {
	out, err := c.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// do runs one call to its end. When ctx ends, git and its children are killed; when
// this process ends, git is.
func (c *command) do(ctx context.Context, k call) error {
	// The kernel sends the signal when the thread ends that started git.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, c.bin, append(append([]string{}, settings...), k.args...)...)
	cmd.Dir = "/"
	cmd.Env = append(c.environment(), k.env...)
	cmd.Stdin, cmd.Stdout = k.stdin, k.stdout
	said := &headWriter{left: 32 << 10}
	stderr := &lastStates{to: said}
	cmd.Stderr = stderr
	if k.stderr != nil {
		cmd.Stderr = io.MultiWriter(stderr, k.stderr)
	}
	cmd.SysProcAttr = dying()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", subcommand(k.args), ctx.Err())
	}
	exit := -1
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		exit = ee.ExitCode()
	}
	return &gitError{args: []string{subcommand(k.args)}, exit: exit, stderr: stderr.end(), err: err, full: k.full()}
}

// leastRoom is what git needs on a disk to write anything at all.
const leastRoom = 64 << 10

// full names the folder that git worked in where its disk has no room: then that is why it
// failed, whatever it says.
func (k *call) full() string {
	for _, arg := range k.args {
		dir, ok := strings.CutPrefix(arg, "--git-dir=")
		if !ok && !filepath.IsAbs(arg) {
			continue
		}
		var fs syscall.Statfs_t
		if syscall.Statfs(dir, &fs) != nil && syscall.Statfs(filepath.Dir(dir), &fs) != nil {
			continue
		}
		if int64(fs.Bavail)*int64(fs.Bsize) < leastRoom || fs.Files > 0 && fs.Ffree == 0 {
			return dir
		}
	}
	return ""
}

// subcommand finds the word that names the call in its arguments.
func subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-C" || args[i] == "-c":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// headWriter keeps the first bytes of what is written to it.
type headWriter struct {
	bytes.Buffer
	left int
}

func (w *headWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.Buffer.Write(p[:n])
	w.left -= n
	return len(p), nil
}

// lastStates writes lines on without what git says of its progress, of which each state is written over
// the one before: it may be longer than what is kept.
type lastStates struct {
	to   *headWriter
	line []byte
}

func (w *lastStates) Write(p []byte) (int, error) {
	for _, b := range p {
		switch b {
		case '\n':
			w.pass()
		case '\r':
			w.line = w.line[:0]
		default:
			if len(w.line) < 32<<10 {
				w.line = append(w.line, b)
			}
		}
	}
	return len(p), nil
}

// done is a last state: what went well is not why a command failed.
var done = regexp.MustCompile(`^[A-Z][a-z ]+: .*, done\.$`)

// pass writes the line on.
func (w *lastStates) pass() {
	if !done.Match(w.line) {
		_, _ = w.to.Write(append(w.line, '\n')) // which never fails
	}
	w.line = w.line[:0]
}

// end is what was written in all.
func (w *lastStates) end() string {
	if len(w.line) > 0 {
		w.pass()
	}
	return w.to.String()
}
