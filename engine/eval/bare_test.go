package eval_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// bare runs what the evaluator asks for as a plain process in a folder that
// looks like the inside of a sandbox, without any isolation. It shows that
// commands, shims and files fit together where no sandbox is at hand.
type bare struct {
	t     *testing.T
	rung  sandbox.Rung
	mu    sync.Mutex
	specs []sandbox.Spec
}

func (b *bare) Rung() sandbox.Rung { return b.rung }

func (b *bare) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	b.mu.Lock()
	b.specs = append(b.specs, s)
	b.mu.Unlock()
	root := b.t.TempDir()
	inside := strings.NewReplacer("/atoll/", root+"/")
	for _, dir := range []string{"tree", "scratch/home", "scratch/tmp", "scratch/run", "control", "bin"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return sandbox.Result{}, err
		}
	}
	if err := b.fill(root, s, inside); err != nil {
		return sandbox.Result{}, err
	}
	return b.start(ctx, root, s, inside)
}

func (b *bare) fill(root string, s sandbox.Spec, inside *strings.Replacer) error {
	tree := filepath.Join(root, "tree")
	if s.Base != "" {
		if err := os.CopyFS(tree, os.DirFS(s.Base)); err != nil {
			return err
		}
	}
	for _, c := range s.Delta {
		name := filepath.Join(tree, c.Path)
		if c.Mode == record.Deleted {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := put(name, c.Data, c.Mode.Perm()); err != nil {
			return err
		}
	}
	for _, seal := range s.Seal {
		data, err := os.ReadFile(seal.Host)
		if err != nil {
			return err
		}
		if err := put(filepath.Join(tree, seal.Path), data, 0o444); err != nil {
			return err
		}
	}
	for name, data := range s.Files {
		if strings.HasSuffix(name, ".json") {
			data = []byte(inside.Replace(string(data)))
		}
		if err := put(filepath.Join(root, "control", name), data, 0o644); err != nil {
			return err
		}
	}
	for _, m := range s.Mounts {
		at := inside.Replace(m.At)
		if at != m.At {
			if err := os.Symlink(m.Host, at); err != nil {
				return err
			}
		}
	}
	launcher := "#!/bin/sh\nexec env -u ATOLL_RESULT -u ATOLL_CONTEXT \"$@\"\n"
	return put(filepath.Join(root, "bin", "atoll-run"), []byte(launcher), 0o755)
}

func put(name string, data []byte, perm fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, data, perm)
}

func (b *bare) start(ctx context.Context, root string, s sandbox.Spec, inside *strings.Replacer) (sandbox.Result, error) {
	var args, env []string
	for _, a := range s.Args {
		args = append(args, inside.Replace(a))
	}
	for _, e := range s.Env {
		env = append(env, inside.Replace(e))
	}
	if s.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Limits.Wall)
		defer cancel()
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = filepath.Join(root, "tree", s.Dir), env, &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	begin := time.Now()
	err := cmd.Run()
	r := sandbox.Result{Stdout: out.Bytes(), Stderr: errs.Bytes(), Wall: time.Since(begin)}
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.TimedOut, r.Limits = true, []string{"wall"}
	case errors.As(err, &exit):
		r.Exit = exit.ExitCode()
		if st, ok := exit.Sys().(syscall.WaitStatus); ok && st.Signaled() {
			r.Signal = st.Signal().String()
		}
	case err != nil:
		return r, err
	}
	if data, err := os.ReadFile(filepath.Join(root, "control", s.ResultName)); err == nil {
		r.Result, r.HasResult = data, true
	}
	if s.OnLine != nil {
		for stream, text := range [][]byte{r.Stdout, r.Stderr} {
			for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
				s.OnLine(stream+1, scan.Text())
			}
		}
	}
	return r, nil
}

// canned answers each run from a function.
type canned struct {
	rung  sandbox.Rung
	reply func(s sandbox.Spec) sandbox.Result
	err   error
	specs []sandbox.Spec
}

func (c *canned) Rung() sandbox.Rung {
	if c.rung == 0 {
		return sandbox.Namespaces
	}
	return c.rung
}

func (c *canned) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	c.specs = append(c.specs, s)
	if c.err != nil {
		return sandbox.Result{}, c.err
	}
	return c.reply(s), nil
}

func mustNew(t *testing.T, r eval.Runner, o eval.Options) *eval.Evaluator {
	t.Helper()
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	e, err := eval.New(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustRun(t *testing.T, e *eval.Evaluator, q eval.Request) eval.Outcome {
	t.Helper()
	if q.Base == "" {
		q.Base = t.TempDir()
	}
	out, err := e.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mustTree writes files below a new folder.
func mustTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := put(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// needPython returns the Python interpreter itself, past any launcher script,
// and skips a test where there is none to run the shims with.
func needPython(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("python3 does not run here (%v), and the adapter runs Python evaluators", err)
	}
	return strings.TrimSpace(string(out))
}

func evidence(out eval.Outcome, kind string) string {
	for _, e := range out.Evidence {
		if e.Kind == kind {
			return string(e.Text)
		}
	}
	return ""
}

func value(t *testing.T, out eval.Outcome, name string) float64 {
	t.Helper()
	for _, m := range out.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("no metric %q in %v (%s)", name, out.Metrics, out.Reason)
	return 0
}
