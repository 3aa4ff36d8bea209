package cli_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A person finds the work tree of their job from another terminal, and what they
// commit there is measured.
func TestAPersonFindsTheirWorkTreeAndTaskThroughTheVerbs(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll.yaml": smallYAML + "\nagents:\n  - {name: ada, kind: human, weight: 1}\n  - {name: offline, kind: offline, weight: 0}\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "by hand")
	run := command(t, dir, "run", "--headless", "--max-jobs", "1", "--set", "search.operators.mutate=1")
	var said strings.Builder
	run.Stdout, run.Stderr = &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	var job struct {
		Why      string
		WorkTree string `json:"work_tree"`
	}
	for end := time.Now().Add(2 * time.Minute); job.WorkTree == ""; time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("the run ended: %v\n%s", err, said.String())
		default:
		}
		if time.Now().After(end) {
			_ = run.Process.Kill()
			<-ended
			t.Fatalf("nobody waits for a person\n%s", said.String())
		}
		if c := atoll(t, dir, "show", "#1", "--json"); c.code == 0 {
			if err := json.Unmarshal([]byte(c.out), &job); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !strings.Contains(job.Why, "c0 is") {
		t.Errorf("why: %q", job.Why)
	}
	if out := must(t, dir, "show", "#1"); !strings.Contains(out, job.WorkTree) || !strings.Contains(out, "why ") {
		t.Errorf("show:\n%s", out)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if c := atoll(t, dir, "show", "#1", "--prompt"); c.code == 0 && strings.Contains(c.out, "numbers.conf") {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the task is not shown:\n%s%s", c.out, c.err)
		}
	}
	text, err := os.ReadFile(filepath.Join(job.WorkTree, "numbers.conf"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, job.WorkTree, map[string]string{"numbers.conf": string(text) + "# by hand\n", ".atoll-done": ""})
	if err := <-ended; err != nil {
		t.Fatalf("run: %v\n%s", err, said.String())
	}
	if out := said.String(); strings.Count(out, "#1 waits for ada: ") != 1 || !strings.Contains(out, "touch "+filepath.Join(job.WorkTree, ".atoll-done")) {
		t.Errorf("the run does not say, once, that and where a person is waited for:\n%s", out)
	}
	if out := must(t, dir, "candidates", "--json"); !strings.Contains(out, `"ada"`) {
		t.Errorf("no candidate by ada:\n%s", out)
	}
	if out := must(t, dir, "show", "#1", "--prompt"); !strings.Contains(out, "numbers.conf") || !strings.Contains(out, "prompt") {
		t.Errorf("the task is gone with the work tree:\n%s", out)
	}
}

// A program that reads the lines of a run finds the work tree, and how to hand it in.
func TestARunToldInJSONSaysThatAPersonIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll.yaml": smallYAML + "\nagents:\n  - {name: ada, kind: human, weight: 1}\n"})
	git(t, dir, "commit", "--quiet", "--all", "--message", "by hand")
	run := command(t, dir, "run", "--headless", "--json", "--max-jobs", "1")
	pipe, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	told := 0
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		var line struct {
			Type, Agent, Task, Next string
			Job                     int
			WorkTree                string `json:"work_tree"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		if line.Type != "waiting" {
			continue
		}
		told++
		if line.Job != 1 || line.Agent != "ada" || !strings.HasSuffix(line.Task, "show '#1' --prompt") {
			t.Errorf("told %+v", line)
		}
		text, err := os.ReadFile(filepath.Join(line.WorkTree, "numbers.conf"))
		if err != nil {
			t.Fatal(err)
		}
		put(t, line.WorkTree, map[string]string{"numbers.conf": string(text) + "# by hand\n"})
		if out, err := exec.Command("sh", "-c", line.Next).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", line.Next, err, out)
		}
	}
	if err := run.Wait(); err != nil || told != 1 {
		t.Errorf("told %d times, run: %v", told, err)
	}
}
