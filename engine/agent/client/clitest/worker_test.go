package clitest_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/engine/agent/client/clitest"
	"atoll/store/record"
)

// freeAddress is a port of this machine that nobody listened at a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestARealClientEditsOnAWorker runs each client on a machine of a fleet that has it on its
// PATH, a folder of its own and no key; the run has the key and not the client.
func TestARealClientEditsOnAWorker(t *testing.T) {
	for _, name := range clients {
		t.Run(name, func(t *testing.T) {
			w := newWhole(t, name, 2*time.Minute,
				clitest.Step{Read: "value.txt"}, clitest.Step{Edit: &clitest.Edit{Path: "value.txt", Old: "beta", New: "BETA"}},
				clitest.Step{Shell: "env; cat /proc/self/environ | tr '\\0' '\\n'"}, clitest.Step{Text: "Beta is now in capitals."})
			bin := filepath.Dir(installed(t, name))
			text, err := os.ReadFile(filepath.Join(w.repo, "atoll.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			here := `command: ["` + filepath.Join(bin, name) + `"]`
			if !strings.Contains(string(text), here) {
				t.Fatalf("the agent is not at %s:\n%s", here, text)
			}
			w.write("atoll.yaml", strings.Replace(string(text), here, "on_workers: true", 1))
			w.git("commit", "-q", "-a", "-m", "edit on workers")
			address := freeAddress(t)
			invite, err := w.command("fleet", "invite", "rack1", "--address", address).Output()
			if err != nil {
				t.Fatalf("invite: %v", err)
			}
			join := strings.Fields(string(invite))[1:]
			worker := w.command(append(join, "--edit", "--slots", "1", "--state", filepath.Join(t.TempDir(), "state"))...)
			worker.Dir = t.TempDir()
			worker.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
			worker.Env = append(worker.Env, "PATH="+bin+":"+os.Getenv("PATH"))
			var said bytes.Buffer
			worker.Stdout, worker.Stderr = &said, &said
			if err := worker.Start(); err != nil {
				t.Fatal(err)
			}
			out, err := w.command("run", "--headless", "--yes", "--fleet", "listen:"+address).CombinedOutput()
			_ = worker.Process.Kill()
			_ = worker.Wait()
			if err != nil {
				t.Fatalf("run: %v\n%s\nthe worker:\n%s", err, out, said.String())
			}
			j := w.job()
			if j.State != record.Placed || !strings.Contains(said.String(), "edited #1") {
				t.Fatalf("the job ended %s (%s %s)\n%s\nthe worker:\n%s", j.State, j.Class, j.Reason, out, said.String())
			}
			if want := w.server.Usage(); j.Usage.Requests < 4 || j.Usage.Requests != want.Requests || j.Usage.InputTokens != want.InputTokens || j.Usage.CostUSD == nil {
				t.Errorf("the job used %+v, the service counted %+v", j.Usage, want)
			}
			if bytes.Contains(said.Bytes(), []byte(w.server.Token)) {
				t.Error("the worker prints the key")
			}
			t.Logf("%s: %d requests, %d tokens in, edited in %d ms on a worker", name, j.Usage.Requests, j.Usage.InputTokens, j.EditMS)
			w.noKey()
			w.nothingLeft()
		})
	}
}
