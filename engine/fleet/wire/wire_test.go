package wire_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/agent/client"
	"atoll/engine/eval"
	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

func TestAnOutcomeComesThroughAsItWas(t *testing.T) {
	higher := false
	out := eval.Outcome{
		Objective: math.Nextafter(2.5, 3), ObjectiveName: "score", Runs: 1, Stage: "measure", Product: "p",
		Metrics:  []record.Metric{{Name: "score", Value: math.Nextafter(2.5, 3), Higher: &higher}, {Name: "ms", Value: 1e-300}},
		Evidence: []record.Evidence{{Job: 7, Kind: "stderr", Text: []byte("a\nb"), Cut: 3}},
	}
	data, err := wire.Encode(wire.Ask{V: wire.Protocol, Kind: wire.AskResult, Result: wire.FromOutcome("t", "k", &out, 0)})
	if err != nil {
		t.Fatal(err)
	}
	ask, err := wire.Decode[wire.Ask](data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ask.Result.Outcome(7, 3, []string{"measure"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Objective != out.Objective || got.Metrics[1].Value != 1e-300 || *got.Metrics[0].Higher || got.Product != "p" {
		t.Errorf("it came as %+v", got)
	}
	if e := got.Evidence[0]; e.Job != 7 || string(e.Text) != "a\nb" || e.Cut != 3 {
		t.Errorf("its evidence came as %+v", e)
	}
}

func TestEvidenceThatDoesNotFitIsCutAndSaysSo(t *testing.T) {
	out := eval.Outcome{Class: record.ClassCrash, Reason: "it crashed", Runs: 1}
	for range 4 {
		out.Evidence = append(out.Evidence, record.Evidence{Kind: "stderr", Text: bytes.Repeat([]byte("x"), 300<<10)})
	}
	r := wire.FromOutcome("t", "k", &out, 0)
	if _, err := wire.Encode(wire.Ask{V: wire.Protocol, Kind: wire.AskResult, Result: r}); err != nil {
		t.Fatal(err)
	}
	kept, cut := 0, int64(0)
	for _, e := range r.Evidence {
		kept, cut = kept+len(e.Text), cut+e.Cut
	}
	if int64(kept)+cut != 4*300<<10 || cut == 0 {
		t.Errorf("%d bytes are kept and %d said to be cut", kept, cut)
	}
}

func TestResultsThatNoHonestWorkerSendsAreRefused(t *testing.T) {
	good := func() wire.Result {
		return wire.Result{Objective: 1, ObjectiveName: "s", Metrics: []record.Metric{{Name: "s", Value: 1}}, Runs: 1}
	}
	for name, change := range map[string]func(*wire.Result){
		"an objective that is no metric": func(r *wire.Result) { r.Objective = 2 },
		"no metrics":                     func(r *wire.Result) { r.Metrics = nil },
		"a metric with a strange name":   func(r *wire.Result) { r.Metrics = append(r.Metrics, record.Metric{Name: "a\x1b[2Jb"}) },
		"a class of the gate":            func(r *wire.Result) { r.Class = record.ClassGate },
		"a class that is none":           func(r *wire.Result) { r.Class = "fine" },
		"runs that were not asked for":   func(r *wire.Result) { r.Runs = 100 },
		"fewer runs than none":           func(r *wire.Result) { r.Runs = -1 },
		"time before its start":          func(r *wire.Result) { r.TookMS = -1 },
		"too many metrics":               func(r *wire.Result) { r.Metrics = slices.Repeat(r.Metrics, 20_000) },
		"a text with a strange name":     func(r *wire.Result) { r.Evidence = []wire.Evidence{{Kind: "a\nb"}} },
		"a huge name":                    func(r *wire.Result) { r.Signature = strings.Repeat("x", 1<<16) },
	} {
		r := good()
		if _, err := r.Outcome(1, 1, []string{"measure"}); err != nil {
			t.Fatal(err)
		}
		change(&r)
		if _, err := r.Outcome(1, 1, []string{"measure"}); !errors.Is(err, wire.ErrMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMessagesOfAnotherProtocolAreRefusedWithWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		`{"v":4,"kind":"hello"}`: "run the same version",
		`{"kind":"hello"}`:       "run the same version",
		`[]`:                     "malformed",
		`{"v":3,"hello":7}`:      "malformed",
	} {
		if _, err := wire.Decode[wire.Ask]([]byte(text)); !errors.Is(err, wire.ErrMessage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := wire.Encode(bytes.Repeat([]byte("x"), wire.MaxMessage)); !errors.Is(err, wire.ErrMessage) {
		t.Errorf("a message above the limit: %v", err)
	}
}

func TestAnInviteIsReadAsItWasWritten(t *testing.T) {
	want := wire.Invite{Address: "hub:7422", Name: "rack1", Seed: "SUX", Server: []byte{1, 2}}
	text := want.String()
	got, err := wire.ParseInvite(text[:20] + "\n  " + text[20:])
	if err != nil || got.Address != want.Address || got.Name != want.Name || got.Seed != want.Seed || got.Pool != wire.DefaultPool {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []wire.Invite{{Name: "a.b"}, {Name: "a/../b"}, {Name: ">"}, {}} {
		if _, err := wire.ParseInvite(bad.String()); err == nil {
			t.Errorf("the name %q is let through", bad.Name)
		}
	}
}

func TestWhatIsPastedIsFoundInItsLine(t *testing.T) {
	invite := wire.Invite{Address: "hub:7422", Name: "rack1", Seed: "SUX"}.String()
	for text, want := range map[string]string{
		invite:                                 invite,
		"  " + invite + "\n":                   invite,
		"atoll worker --join " + invite + "\n": invite,
		"/opt/atoll worker --join\n " + invite: invite,
		" nats://hub:4222 ":                    "nats://hub:4222",
		"":                                     "",
	} {
		if got, err := wire.Pasted(text); err != nil || got != want {
			t.Errorf("%q gives %q, %v", text, got, err)
		}
	}
	if _, err := wire.Pasted("atoll worker --join atoll2." + invite[7:]); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("an invite of another version: %v", err)
	}
}

func TestTheAddressOfAServerShowsNoSecretAndSaysNothingUnknown(t *testing.T) {
	for text, want := range map[string]string{
		"nats://hub:4222":                     "nats://hub:4222",
		"nats://t0ken@hub:4222":               "nats://hub:4222",
		"tls://me:pass@hub:4222?fleet=second": "tls://hub:4222",
	} {
		if s, err := wire.ParseServer(text); err != nil || s.Shown != want || !strings.Contains(s.URL, "hub:4222") {
			t.Errorf("%q is shown as %q, %v", text, s.Shown, err)
		}
	}
	for text, want := range map[string]string{
		"nats://hub?cred=/file":  "creds=FILE",
		"nats://hub?fleet=../x":  "no name for a fleet",
		"nats://hub?a;b":         "the address of the fleet",
		"http://hub":             "neither an invite nor a URL",
		"nats://hub?nkey=/nope/": "/nope/",
	} {
		if _, err := wire.ParseServer(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestAnEvaluatorTravelsWithItsFilesAndNothingElse(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"run.sh": "exit 0\n", "data/a.txt": "a"} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Defaults()
	cfg.Evaluator.Command, cfg.Evaluator.Dir, cfg.Goal = []string{"{dir}/run.sh"}, from, "a goal"
	data, err := wire.PackEvaluator(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(from)) {
		t.Error("the parcel names a folder of this machine")
	}
	got, err := wire.UnpackEvaluator(bytes.NewReader(data), to)
	if err != nil {
		t.Fatal(err)
	}
	if got.Goal == "a goal" || got.Evaluator.Command[0] != "{dir}/run.sh" {
		t.Errorf("it is %+v", got.Evaluator)
	}
	text, err := os.ReadFile(filepath.Join(got.Evaluator.Dir, "data/a.txt"))
	if err != nil || string(text) != "a" {
		t.Errorf("its file: %q, %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(got.Evaluator.Dir, "run.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("its program: %v, %v", info, err)
	}
}

func TestAParcelLaysNothingOutsideItsFolder(t *testing.T) {
	cfg := config.Defaults()
	cfg.Evaluator.Command, cfg.Evaluator.Dir = []string{"x"}, t.TempDir()
	honest, err := wire.PackEvaluator(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, entries := range map[string][]tar.Header{
		"a path that leads up":       {{Name: "dir/../../out", Typeflag: tar.TypeReg}},
		"a path from the top":        {{Name: "/tmp/out", Typeflag: tar.TypeReg}},
		"a file through a link":      {{Name: "dir/up", Typeflag: tar.TypeSymlink, Linkname: "../.."}, {Name: "dir/up/out", Typeflag: tar.TypeReg}},
		"a second file of its name":  {{Name: "dir/a", Typeflag: tar.TypeReg}, {Name: "dir/a", Typeflag: tar.TypeReg}},
		"a device":                   {{Name: "dir/null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}},
		"a hard link to a far place": {{Name: "dir/passwd", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
	} {
		outer := t.TempDir()
		dir := filepath.Join(outer, "in", "here")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := wire.UnpackEvaluator(bytes.NewReader(with(t, honest, entries)), dir); err == nil {
			t.Errorf("%s is let through", name)
		}
		for _, out := range []string{filepath.Join(outer, "out"), filepath.Join(outer, "in", "out"), "/tmp/out"} {
			if _, err := os.Lstat(out); err == nil {
				t.Errorf("%s laid %s", name, out)
			}
		}
	}
}

// with is a parcel with more entries at its end.
func with(t *testing.T, parcel []byte, entries []tar.Header) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(parcel))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	from, copied := tar.NewReader(zip), tar.NewWriter(to)
	for {
		h, err := from.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = copied.WriteHeader(h)
		}
		if err == nil {
			_, err = io.Copy(copied, from)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range entries {
		h.Mode = 0o644
		if err := copied.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(copied.Close(), to.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnErrandComesThroughAsItWas(t *testing.T) {
	e := client.Errand{
		Agent: "coder", Program: "codex", Tools: []string{"go"}, Lays: []string{"go"}, Gateway: "/x/gw.sock",
		Spec: sandbox.Spec{
			Args: []string{"/bin/sh", "start.sh", "program", "\xff"}, Env: []string{"A=\xfe"}, Files: map[string][]byte{"prompt.txt": {0}}, Stdin: []byte{}, Harvest: true,
			HarvestSkip: []string{".git"}, Net: sandbox.NetGateway, Limits: sandbox.Limits{Memory: 7},
		},
	}
	data, err := wire.FromErrand(&e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.ToErrand(data)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "gw.sock") {
		t.Error("a path of the coordinator travels")
	}
	got.Gateway = e.Gateway
	if !reflect.DeepEqual(got, e) {
		t.Errorf("got  %+v\nwant %+v", got, e)
	}
	for name, change := range map[string]func(*sandbox.Spec){
		"the host's network": func(s *sandbox.Spec) { s.Net = sandbox.NetHost },
		"a folder":           func(s *sandbox.Spec) { s.Base = "/" },
		"a mount":            func(s *sandbox.Spec) { s.Mounts = []sandbox.Mount{{}} },
	} {
		bad := e
		change(&bad.Spec)
		if _, err := wire.FromErrand(&bad); !errors.Is(err, wire.ErrMessage) {
			t.Errorf("%s travels: %v", name, err)
		}
	}
}

func TestAnEditThatNoHonestMachineMadeIsNotRead(t *testing.T) {
	file := func(path string, mode record.Mode) record.Change { return record.Change{Path: path, Mode: mode} }
	for name, changes := range map[string][]record.Change{
		"a submodule":       {file("a", 0o160000)},
		"a kind of its own": {file("a", 0o777)},
		"no order":          {file("b", record.Regular), file("a", record.Regular)},
	} {
		data, sum, err := wire.FromEdited(&sandbox.Result{Changes: changes})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.ToEdited(data, sum); !errors.Is(err, wire.ErrMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
