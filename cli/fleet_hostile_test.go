package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/config/suitetest"
	"atoll/engine/fleet/wire"
	"atoll/store/record"
)

func TestAHostileMachineOfARealRunIsRefusedAndNamed(t *testing.T) {
	suitetest.Full(t, "a whole run beside a machine that lies; TestAHostileMachineIsRefusedAndNamed of engine/fleet stands for it every day")
	t.Parallel()
	h := newHub(t)
	run := h.run()
	h.ready()
	invite, err := wire.ParseInvite(h.invite("bad")[2])
	if err != nil {
		t.Fatal(err)
	}
	h.worker("fair", h.invite("fair"))
	until(t, "the honest machine measures", func() bool { return h.ended() > 3 })
	var version string
	until(t, "the honest machine is listed with its version", func() bool {
		version, _ = h.machines()["fair"]["version"].(string)
		return version != ""
	})
	server, err := invite.Dial()
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(server.URL, append(server.Options, nats.CustomInboxPrefix(server.Subjects.Inbox("bad")), nats.MaxReconnects(0))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	session := wire.NewID()
	ask := func(q wire.Ask) wire.Answer {
		t.Helper()
		q.V, q.Session = wire.Protocol, session
		data, err := wire.Encode(q)
		if err != nil {
			t.Fatal(err)
		}
		msg, err := nc.Request(server.Subjects.Up("bad"), data, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		a, err := wire.Decode[wire.Answer](msg.Data)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	work := func() wire.Answer { return ask(wire.Ask{Kind: wire.AskWork, Work: &wire.Work{ID: wire.NewID()}}) }
	if a := ask(wire.Ask{Kind: wire.AskHello, Hello: &wire.Hello{Home: wire.NewID(), Version: version, Slots: 1, OS: "linux", Arch: "amd64", Rung: 1, Edits: true}}); !a.OK {
		t.Fatalf("it may not join: %+v", a)
	}
	var mine wire.Task // of the root, which it is asked to measure first
	var token string
	until(t, "it is given something", func() bool {
		next := work().Next
		if next == nil {
			return false
		}
		token = next.Token
		mine, err = wire.Decode[wire.Task](next.Task)
		return err == nil
	})
	score := func(task, token string, objective, metric float64) wire.Ask {
		return wire.Ask{Kind: wire.AskResult, Result: &wire.Result{
			Task: task, Token: token, Objective: objective, ObjectiveName: "score", Metrics: []record.Metric{{Name: "score", Value: metric}}, Runs: 1,
		}}
	}
	for name, q := range map[string]wire.Ask{
		"a result with a made-up token":        score(mine.ID, wire.NewID(), 1e9, 1e9),
		"an objective that is no metric":       score(mine.ID, token, 1e9, 1),
		"an edit that nobody asked it for":     {Kind: wire.AskPart, Part: &wire.Part{Task: mine.ID, Token: wire.NewID(), Data: []byte("{}")}},
		"a way to a model that is not its own": {Kind: wire.AskPipe, Pipe: &wire.Pipe{Task: mine.ID, Token: wire.NewID(), Data: []byte("GET / HTTP/1.1\r\n\r\n")}},
		"a blob by a path":                     {Kind: wire.AskBlob, Blob: &wire.Chunk{Hash: "../../server.pem"}},
	} {
		if a := ask(q); a.OK || len(a.Data) > 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	until(t, "it is set aside", func() bool {
		if h.machines()["bad"]["state"] == "set aside" {
			return true
		}
		ask(score(mine.ID, wire.NewID(), 1e9, 1e9))
		return false
	})
	ends(t, run, 0)
	h.same(alone(t))
	text, err := os.ReadFile(filepath.Join(t.ArtifactDir(), "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"refused from bad: ", "bad is set aside: it sent 5 messages that no honest worker sends"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the run does not say %q:\n%s", want, text)
		}
	}
	must(t, h.dir, "doctor")
}
