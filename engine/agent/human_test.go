package agent_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/store/record"
)

// person is somebody who gets work trees and does something in them.
type person struct {
	t    *testing.T
	h    *agent.Human
	dirs chan string
}

func newPerson(t *testing.T, open func(ctx context.Context, dir string) error) *person {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	h, err := agent.NewHuman(agent.HumanOptions{Dir: filepath.Join(t.TempDir(), "trees"), Poll: 5 * time.Millisecond, Open: open})
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, h: h, dirs: make(chan string, 8)}
}

// edit runs one job; act is called with the work tree once it is laid out.
func (p *person) edit(ctx context.Context, tree agent.Tree, act func(dir string)) (agent.Result, error) {
	p.t.Helper()
	j := agent.Job{Number: 5, Attempt: 1, Goal: "make beta louder", Live: func(l string) {
		if dir, ok := strings.CutPrefix(l, "a work tree waits for you: "); ok {
			p.dirs <- dir
		}
	}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case dir := <-p.dirs:
			if act != nil {
				act(dir)
			}
		case <-ctx.Done():
		}
	}()
	res, err := p.h.Edit(ctx, j, tree)
	<-done
	return res, err
}

func (p *person) git(dir string, args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Errorf("git %v: %v %s", args, err, out)
	}
}

func (p *person) put(path, data string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		p.t.Error(err)
	}
}

func TestHumanEndsTheJobWithACommit(t *testing.T) {
	p := newPerson(t, nil)
	var task string
	res, err := p.edit(t.Context(), smallTree(), func(dir string) {
		data, err := os.ReadFile(filepath.Join(dir, "ATOLL-TASK.md"))
		if err != nil {
			t.Error(err)
		}
		task = string(data)
		p.git(dir, "checkout", "-q", "-b", "louder")
		p.put(filepath.Join(dir, "hello.txt"), "alpha\nBETA\n")
		p.git(dir, "rm", "-q", "sub/keep.txt")
		p.put(filepath.Join(dir, "run.sh"), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
			t.Error(err)
		}
		p.put(filepath.Join(dir, "x.o"), "ignored")
		p.git(dir, "add", "-A")
		p.git(dir, "-c", "user.name=p", "-c", "user.email=p@p", "commit", "-q", "-m", "Make beta louder\n\nlong story")
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range res.Changes {
		got = append(got, c.Path+" "+string(c.Data))
	}
	if want := "hello.txt alpha\nBETA\n|run.sh #!/bin/sh\n|sub/keep.txt "; strings.Join(got, "|") != want {
		t.Errorf("changes %q, want %q", strings.Join(got, "|"), want)
	}
	if res.Changes[1].Mode != record.Executable || res.Changes[2].Mode != record.Deleted {
		t.Errorf("modes %v", res.Changes)
	}
	if res.Intent != "Make beta louder" || !strings.Contains(task, "make beta louder") {
		t.Errorf("intent %q, task %q", res.Intent, task)
	}
	if res.Usage.CostUSD == nil || *res.Usage.CostUSD != 0 {
		t.Errorf("usage %+v of a person", res.Usage)
	}
	if _, err := os.Stat(p.h.WorkTree(5)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work tree is still there: %v", err)
	}
}

func TestHumanEndsTheJobWithAMarkerOrAnEditor(t *testing.T) {
	cases := []struct {
		name string
		open func(ctx context.Context, dir string) error
		act  func(p *person, dir string)
		want string // changed path; "" = no change
	}{
		{name: "done takes the files as they are", want: "hello.txt", act: func(p *person, dir string) {
			p.put(filepath.Join(dir, "hello.txt"), "louder\n")
			p.put(filepath.Join(dir, ".atoll-done"), "")
		}},
		{name: "done without a change is no change", act: func(p *person, dir string) { p.put(filepath.Join(dir, ".atoll-done"), "") }},
		{name: "skip gives the job back", act: func(p *person, dir string) {
			p.put(filepath.Join(dir, "hello.txt"), "louder\n")
			p.put(filepath.Join(dir, ".atoll-skip"), "")
		}},
		{name: "closing the editor takes the files as they are", want: "hello.txt", open: func(_ context.Context, dir string) error {
			return os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("louder\n"), 0o644)
		}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newPerson(t, tc.open)
			res, err := p.edit(t.Context(), smallTree(), func(dir string) {
				if tc.act != nil {
					tc.act(p, dir)
				}
			})
			if tc.want == "" {
				if !errors.Is(err, agent.ErrNoChange) {
					t.Errorf("error %v, changes %v", err, res.Changes)
				}
				return
			}
			if err != nil || len(res.Changes) != 1 || res.Changes[0].Path != tc.want || string(res.Changes[0].Data) != "louder\n" {
				t.Errorf("%v, changes %v", err, res.Changes)
			}
		})
	}
}

func TestHumanKeepsUnfinishedWorkWhenItIsCancelled(t *testing.T) {
	p := newPerson(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := p.edit(ctx, smallTree(), func(dir string) {
		p.put(filepath.Join(dir, "hello.txt"), "half\n")
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	res, err := p.edit(t.Context(), smallTree(), func(dir string) { p.put(filepath.Join(dir, ".atoll-done"), "") })
	if err != nil || len(res.Changes) != 1 || string(res.Changes[0].Data) != "half\n" {
		t.Errorf("the next attempt found %v, %v", res.Changes, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	if _, err = p.edit(ctx, smallTree(), func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(p.h.WorkTree(5)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a work tree that nobody touched is still there: %v", err)
	}
}

// smallTree is what the person is given.
func smallTree() agenttest.Tree {
	return agenttest.Tree{"hello.txt": "alpha\nbeta\n", "sub/keep.txt": "keep\n", ".gitignore": "*.o\n"}
}
