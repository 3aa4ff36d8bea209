package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/cli"
	"atoll/config/suitetest"
)

// sleepingGit lays a git of that name into a folder that sleeps instead of packing,
// for a time that tells its processes from others.
func sleepingGit(t *testing.T, nap string) (dir string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' pack-objects '*) exec sleep %s;; esac\nexec %s \"$@\"\n", nap, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWhateverAVerbDoesASignalEndsItAndAllItsProcesses(t *testing.T) {
	for n, c := range []struct {
		name string
		args []string
		eval string // "": the one that measures
		git  bool   // that never packs
	}{
		{"run takes in the repository", []string{"run", "--headless"}, "", true},
		{"doctor tries the evaluator", []string{"doctor", "--deep"}, "sleep NAP & sleep NAP\n", false},
		{"init measures", []string{"init", "--yes", "--force"}, "sleep NAP & sleep NAP\n", false},
	} {
		for at, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
			t.Run(c.name+", "+sig.String(), func(t *testing.T) {
				if at != n {
					suitetest.Full(t, "every verb with every signal; each of them once stands for it")
				}
				t.Parallel()
				code := 130
				if sig == syscall.SIGKILL {
					code = -1
				}
				nap := fmt.Sprintf("%d.%d%d", 400+n, int(sig), os.Getpid())
				eval := "# measures\n" + smallEval
				if c.eval != "" {
					eval = strings.ReplaceAll(c.eval, "NAP", nap)
				}
				dir := another(t, "eval.sh", eval)
				cmd := command(t, dir, c.args...)
				if c.git {
					cmd.Env[0] = "PATH=" + sleepingGit(t, nap) + ":" + os.Getenv("PATH")
				}
				var said bytes.Buffer
				cmd.Stdout, cmd.Stderr = &said, &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				sleeps := func() bool { return strings.Contains(strings.Join(left(t, nap), "\n"), nap) }
				until(t, "something sleeps", sleeps)
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // the code tells
				if got := cmd.ProcessState.ExitCode(); got != code {
					t.Errorf("exit %d, want %d\n%s", got, code, said.String())
				}
				if sig != syscall.SIGKILL && (!strings.Contains(said.String(), "atoll: interrupted") || c.args[0] == "init" && !strings.Contains(said.String(), " init --no-measure` writes what the files tell")) {
					t.Errorf("it says\n%s", said.String())
				}
				until(t, "nothing sleeps any more", func() bool { return !sleeps() })
			})
		}
	}
}

// typing is a person at a terminal who thinks about it.
type typing struct{ io.Reader }

func (typing) Write(p []byte) (int, error) { return len(p), nil }

func TestASignalEndsAQuestion(t *testing.T) {
	dir := plot(t, "budget: {jobs: 4, cost_usd: 1}", newModel(t).agentsYAML())
	in, person := io.Pipe()
	t.Cleanup(func() { _ = person.Close() })
	var out, errs bytes.Buffer
	signals := make(chan os.Signal, 1)
	asked := &awaited{word: "[y/N]", seen: make(chan struct{})}
	app := &cli.App{
		In: typing{in}, Out: &out, Err: io.MultiWriter(&errs, asked), Dir: dir, Now: time.Now, Build: cli.Build{Version: "test"}, Signals: signals,
		Env:   []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "USER=tester", "PLOT_KEY=" + cliKey, "GIT_CONFIG_GLOBAL=/dev/null"},
		IsTTY: func(w io.Writer) bool { _, ok := w.(typing); return ok },
	}
	done := make(chan int, 1)
	go func() { done <- app.Run(t.Context(), []string{"run", "--headless"}) }()
	<-asked.seen
	signals <- os.Interrupt
	if code := <-done; code != 130 {
		t.Errorf("exit %d\n%s%s", code, out.String(), errs.String())
	}
}

// awaited tells when a word was written.
type awaited struct {
	word string
	text strings.Builder
	seen chan struct{}
}

func (a *awaited) Write(p []byte) (int, error) {
	had := strings.Contains(a.text.String(), a.word)
	a.text.Write(p)
	if !had && strings.Contains(a.text.String(), a.word) {
		close(a.seen)
	}
	return len(p), nil
}

func TestOneSignalEndsWhatLooksAndDrainsWhatWorks(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		ready string
		says  string
	}{
		{"doors", []string{"serve", "--http", "127.0.0.1:0"}, "the page is at", ""},
		{"a worker", []string{"worker", "--join", "nats://127.0.0.1:1", "--state", t.TempDir()}, "waiting for it", "finishing what runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := plot(t, "budget: {jobs: 4}")
			must(t, dir, "run", "--headless", "--max-jobs", "1")
			cmd := command(t, dir, c.args...)
			said := &awaited{word: c.ready, seen: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = said, said // one writer, so one at a time writes
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-said.seen
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil || !strings.Contains(said.text.String(), c.says) {
				t.Errorf("%v\n%s", err, said.text.String())
			}
		})
	}
}
