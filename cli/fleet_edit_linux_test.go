package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// clientHere makes a client that changes the number it finds by what its prompt says.
// It lies in a folder that only those find who have it on their PATH.
func clientHere(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "little-coder"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// editors is an experiment in strict order whose agent is the client, before a model
// or without one. Where there is no fleet it runs here.
func editors(t *testing.T, model string, jobs int) string {
	t.Helper()
	way := ""
	if model != "" {
		way = fmt.Sprintf(", base_url: %q, api: chat, key_env: PLOT_KEY, model: m-1", model+"/v1")
	}
	return plot(t, fmt.Sprintf("budget: {jobs: %d}", jobs), "order: strict", "prices: [{model: m-1, input: 1, output: 2}]",
		"agents: [{name: coder, kind: command, weight: 1, command: [little-coder], prompt: stdin, attempts: 1, on_workers: true"+way+"}]")
}

// pathed has a program find the client.
func pathed(cmd *exec.Cmd, dir string) *exec.Cmd {
	for i, e := range cmd.Env {
		if rest, is := strings.CutPrefix(e, "PATH="); is {
			cmd.Env[i] = "PATH=" + dir + ":" + rest
		}
	}
	return cmd
}

// plain edits without a model, by every word of the prompt.
const plain = `#!/bin/sh
sum=$(cksum | cut -d' ' -f1)
echo $(($(head -n 1 value.txt) + sum % 5)) > value.txt
echo note > left.txt
rm -f left.txt
`

// slow gives a test the time to see a machine at work, by two verbs one after the other on a busy machine.
const slow = "#!/bin/sh\nsleep 3\n"

// edits reports whether a machine runs a client for a job that has no candidate yet.
func edits(h *hub, name string) bool {
	jobs, _ := h.machines()[name]["jobs"].([]any)
	for _, n := range jobs {
		for _, j := range h.jobs() {
			if float64(j.ID) == n && j.State == record.Editing {
				return true
			}
		}
	}
	return false
}

// asking has a model say what to write, in three requests of which one is large.
const asking = `#!/usr/bin/env python3
import json, os, sys, urllib.request, zlib
prompt = sys.stdin.read()
def ask(content):
    body = dict(model='m-1', stream=True, max_tokens=100, messages=[{'role': 'user', 'content': content}])
    head = {'Authorization': 'Bearer ' + os.environ['OPENAI_API_KEY']}
    return urllib.request.urlopen(urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', json.dumps(body).encode(), head)).read()
ask('x' * 700000)
ask('short')
assert b'DONE' in ask(prompt)
n = int(open('value.txt').read())
open('value.txt', 'w').write(str(n + zlib.crc32(prompt.encode()) % 5) + '\n')
`

func TestEditsOnWorkersAreThoseOfOneMachine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		model      bool
		dies       bool // a machine, while it edits
	}{
		{"a client without a model", plain, false, false},
		{"one that asks its model through the run", asking, true, false},
		{"one whose machine dies in the middle", slow + plain[len("#!/bin/sh\n"):], false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.model {
				suitetest.Full(t, "a run for each way in which a client edits; one that asks its model through the run stands for them every day")
			}
			t.Parallel()
			jobs := suitetest.Pick(4, 12, 12)
			programs, url := clientHere(t, tt.text), ""
			var m *model
			if tt.model {
				m = newModel(t)
				url = m.URL
			}
			one := &site{t: t, dir: editors(t, url, jobs)}
			alone := pathed(command(t, one.dir, "run", "--headless", "--yes", "--seed", "3"), programs)
			alone.Env = append(alone.Env, "PLOT_KEY="+cliKey)
			if out, err := alone.CombinedOutput(); err != nil {
				t.Fatalf("alone: %v\n%s", err, out)
			}
			h := &hub{&site{t: t, dir: filepath.Join(t.TempDir(), "plot")}, freeAddress(t)}
			git(t, one.dir, "clone", "-q", ".", h.dir)
			lines := map[string][]string{}
			for _, name := range []string{"measures", "lacks", "edits-1", "edits-2"} {
				lines[name] = append(h.invite(name), "--slots", "1", "--state", filepath.Join(t.TempDir(), "state"))
			}
			before := 0
			if m != nil {
				before = m.requests()
			}
			run := command(t, h.dir, "run", "--headless", "--yes", "--seed", "3", "--fleet", "listen:"+h.address, "--fleet-lease", "2s")
			run.Env = append(run.Env, "PLOT_KEY="+cliKey) // the client is not to be found here, nor the key there
			h.start(run, "run")
			h.start(command(t, t.TempDir(), lines["measures"]...), "measures")
			h.start(command(t, t.TempDir(), append(lines["lacks"], "--edit")...), "lacks") // the client is not there
			log := func(name string) string {
				text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), name+".log"))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			until(t, "it is found that a machine lacks the client", func() bool {
				return strings.Contains(log("run"), "lacks gets no more edits by little-coder, and measures on: there is no program little-coder")
			})
			var editors []*exec.Cmd
			for _, name := range []string{"edits-1", "edits-2"} {
				editors = append(editors, h.start(pathed(command(t, t.TempDir(), append(lines[name], "--edit")...), programs), name))
			}
			if tt.dies {
				until(t, "the first machine edits", func() bool { return edits(h, "edits-1") })
				_ = editors[0].Process.Kill()
			}
			ends(t, run, 0)
			h.same(one)
			edited := map[string]int{}
			for name := range lines {
				edited[name] = strings.Count(log(name), " edited #")
			}
			if said := log("run"); strings.Contains(said, "is set aside") || !strings.Contains(log("lacks"), " measured c") {
				t.Errorf("the machine that lacks the client measures no more:\n%s", said)
			}
			if edited["measures"] != 0 || edited["lacks"] != 0 || !tt.dies && edited["edits-1"]+edited["edits-2"] != jobs {
				t.Errorf("edits by machine: %v", edited)
			}
			if m == nil {
				return
			}
			if n := m.requests() - before; n != 3*jobs {
				t.Errorf("%d requests reached the model, want 3 of each of %d jobs", n, jobs)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			if len(m.keys) != 1 || !m.keys["Bearer "+cliKey] {
				t.Errorf("the model was asked with %d keys", len(m.keys))
			}
			for _, j := range h.jobs() {
				if j.Kind == record.Make && (j.Usage.Requests != 3 || j.Usage.CostUSD == nil || *j.Usage.CostUSD <= 0) {
					t.Errorf("%s: %+v is what it used", j.ID, j.Usage)
				}
			}
		})
	}
}
