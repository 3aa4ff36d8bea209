package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	randv2 "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/agent"
	"atoll/engine/agent/agenttest"
	"atoll/engine/agent/prompt"
	"atoll/engine/gateway"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// script is a scripted client in a real sandbox.
type script struct {
	t     *testing.T
	box   *sandbox.Box
	token string
	sock  string // of a gateway that nobody speaks to
	waits []time.Duration
	mu    sync.Mutex
	live  []string
	began chan struct{} // closed at the line "begun"
	once  sync.Once
}

func newScript(t *testing.T) *script { return newScriptOn(t, sandbox.ModeAuto) }

func newScriptOn(t *testing.T, mode sandbox.Mode) *script {
	t.Helper()
	box, err := sandbox.New(t.Context(), sandbox.Options{Mode: mode})
	if err != nil {
		t.Skipf("this machine has no sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	dir, err := os.MkdirTemp("", "g") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sock := filepath.Join(dir, "s")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &script{t: t, box: box, token: "token-" + rand.Text(), sock: sock, began: make(chan struct{})}
}

// options run sh with the text as a client of the preset: an installed program
// for a known preset, sh -c for generic.
func (s *script) options(preset, text string) Options {
	s.t.Helper()
	o := Options{
		Preset: preset, Box: s.box, Timeout: 30 * time.Second, Model: "mock-model",
		Env:  []string{"MARK=" + s.token},
		Wait: func(_ context.Context, d time.Duration) error { s.waits = append(s.waits, d); return nil },
	}
	if preset == "" {
		o.Command = []string{"/bin/sh", "-c", text}
		return o
	}
	path := filepath.Join(s.t.TempDir(), "client")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		s.t.Fatal(err)
	}
	o.Command = []string{path}
	o.Gateway = func(context.Context, agent.Job) (Endpoint, func() Metered, error) {
		cost := 0.25
		return Endpoint{Socket: s.sock, Token: s.token, OpenAI: "http://" + sandbox.GatewayAddr + "/openai/v1"},
			func() Metered {
				return Metered{Usage: record.Usage{Requests: 2, InputTokens: 300, OutputTokens: 40, CostUSD: &cost}}
			}, nil
	}
	return o
}

func (s *script) job() agent.Job {
	return agent.Job{
		Number: 12, Attempt: 1, Goal: "make beta louder", Operator: record.OpRewrite, Rand: randv2.New(randv2.NewPCG(1, 2)),
		Live: func(l string) {
			s.mu.Lock()
			s.live = append(s.live, l)
			s.mu.Unlock()
			if strings.Contains(l, "begun") {
				s.once.Do(func() { close(s.began) })
			}
		},
	}
}

var smallTree = agenttest.Tree{"hello.txt": "alpha\nbeta\n", "sub/keep.txt": "keep\n", ".gitignore": "*.o\n"}

func (s *script) edit(ctx context.Context, o Options) (agent.Result, error) {
	s.t.Helper()
	c, err := New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Edit(ctx, s.job(), smallTree)
}

// nothingLeft asserts that no process with the mark of this test lives on.
func (s *script) nothingLeft() {
	s.t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range list {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte(s.token)) {
			s.t.Errorf("%s is still there", filepath.Dir(path))
		}
	}
}

func failureOf(t *testing.T, err error) *agent.Error {
	t.Helper()
	var e *agent.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no agent.Error", err)
	}
	return e
}

func evidence(list []record.Evidence, kind string) string {
	for _, e := range list {
		if e.Kind == kind {
			return string(e.Text)
		}
	}
	return ""
}

func TestCommandTakesBackWhatAProgramChanged(t *testing.T) {
	s := newScript(t)
	res, err := s.edit(t.Context(), s.options("", `
cat > prompt.seen
sed -i s/beta/BETA/ hello.txt
rm sub/keep.txt
mkdir -p deep && printf '#!/bin/sh\n' > deep/run.sh && chmod +x deep/run.sh
ln -s hello.txt link
mkdir -p __pycache__ && echo x > __pycache__/x.pyc
printf 'I made beta louder.\033[31m\n'`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range res.Changes {
		got = append(got, fmt.Sprintf("%s %o %d", c.Path, c.Mode, len(c.Data)))
		if c.Path == "prompt.seen" && !strings.Contains(string(c.Data), "make beta louder") {
			t.Errorf("the prompt was %q", c.Data)
		}
	}
	want := []string{"deep/run.sh 100755 10", "hello.txt 100644 11", "link 120000 9", "prompt.seen 100644", "sub/keep.txt 0 0"}
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("changes %q, want %q", got, want)
		}
	}
	if len(got) != len(want) {
		t.Errorf("changes %q, want %q", got, want)
	}
	if res.Intent != "I made beta louder." {
		t.Errorf("intent %q", res.Intent)
	}
	if res.Usage.Unmetered || res.Usage.Requests != 0 {
		t.Errorf("usage %+v of a program without a network", res.Usage)
	}
	s.nothingLeft()
}

func TestCommandTakesWorkThatTheClientCommittedItself(t *testing.T) {
	s := newScript(t)
	res, err := s.edit(t.Context(), s.options("", `
git rev-parse --verify -q HEAD >/dev/null || { echo no repository; exit 1; }
echo louder >> hello.txt && git checkout -q -b mine && git add -A && git commit -q -m mine && git log --oneline | wc -l`))
	if err != nil {
		t.Fatal(err, evidence(failureOf(t, err).Evidence, "stderr"))
	}
	if len(res.Changes) != 1 || res.Changes[0].Path != "hello.txt" || string(res.Changes[0].Data) != "alpha\nbeta\nlouder\n" {
		t.Errorf("changes %v", res.Changes)
	}
	if res.Intent != "2" {
		t.Errorf("%s commits in the throw-away repository, want 2", res.Intent)
	}
}

// event streams of a client that ends as it should and as it should not
const (
	codexBegin = `echo '{"type":"thread.started","thread_id":"1"}'; echo '{"type":"turn.started"}'
`
	codexDone = `echo '{"type":"item.completed","item":{"type":"agent_message","text":"Louder now."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":30,"output_tokens":4}}'
`
)

func TestCommandStartsTheProgramBehindAShim(t *testing.T) {
	s := newScript(t)
	dir := t.TempDir()
	real, shim := filepath.Join(dir, "versions/3/bin/python3"), filepath.Join(dir, "shims/python3")
	for path, text := range map[string]string{
		real: "#!/bin/sh\nif [ \"$1\" = -c ]; then printf '%s\\n' " + real + " " + dir + "/versions/3; exit; fi\necho louder > hello.txt\n",
		shim: "#!/bin/sh\nexec " + real + " \"$@\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := s.options("", "")
	o.Command = []string{"python3", "agent.py"}
	o.Look = func(string) (string, error) { return shim, nil }
	res, err := s.edit(t.Context(), o)
	if err != nil || len(res.Changes) != 1 || string(res.Changes[0].Data) != "louder\n" {
		t.Errorf("%v %v", res.Changes, err)
	}
}

func TestCommandVerdicts(t *testing.T) {
	fail := func(message string) string {
		return codexBegin + `echo x > half.txt; echo '{"type":"turn.failed","error":{"message":"` + message + `"}}'; `
	}
	cases := []struct {
		name    string
		preset  string
		text    string
		class   record.Class
		fault   Fault
		partial bool
		words   string
	}{
		{name: "exit 0 and a change and the end marker is a success", preset: "codex", text: codexBegin + "echo x > a.txt;" + codexDone},
		{name: "exit 0 without a change is no change", preset: "codex", text: codexBegin + codexDone, class: record.ClassNoChange},
		{name: "exit 0 but the turn failed", preset: "codex", text: fail("unexpected status 401 Unauthorized"), class: record.ClassAgent, fault: FaultAuth, partial: true},
		{name: "exit 0 without the end marker", preset: "codex", text: codexBegin + "echo x > half.txt; exit 0", class: record.ClassAgent, fault: FaultCrash, partial: true},
		{name: "the end marker but exit 3", preset: "codex", text: codexBegin + "echo x > half.txt;" + codexDone + "exit 3", class: record.ClassAgent, fault: FaultCrash, partial: true, words: "exit code 3"},
		{name: "quota", preset: "codex", text: fail("Quota exceeded. Check your plan and billing details.") + "exit 1", class: record.ClassAgent, fault: FaultQuota, partial: true, words: "billing"},
		{name: "rate limit", preset: "codex", text: fail("exceeded retry limit, last status: 429 Too Many Requests") + "exit 1", class: record.ClassAgent, fault: FaultRate, partial: true},
		{name: "context length", preset: "codex", text: fail("Codex ran out of room in the context window.") + "exit 1", class: record.ClassAgent, fault: FaultContext, partial: true},
		{name: "a budget that refuses", preset: "codex", text: fail("unexpected status 402: the budget of this job is used up") + "exit 1", class: record.ClassBudget, fault: FaultBudget, partial: true},
		{name: "a bad flag", preset: "codex", text: "echo 'error: unexpected argument' >&2; exit 2", class: record.ClassAgent, fault: FaultStart, words: "unexpected argument"},
		{name: "a generic program that fails", text: "echo x > half.txt; echo broken >&2; exit 4", class: record.ClassAgent, fault: FaultCrash, partial: true, words: "exit code 4: broken"},
		{name: "a generic program that is not there", text: "exec /no/such/program", class: record.ClassAgent, fault: FaultMissing, words: "/no/such/program"},
		{name: "a generic program that changes nothing", text: "echo all done", class: record.ClassNoChange},
		{name: "a program that is killed", text: "echo x > half.txt; kill -SEGV $$", class: record.ClassAgent, fault: FaultCrash, partial: true, words: "signal"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t)
			res, err := s.edit(t.Context(), s.options(tc.preset, tc.text))
			if tc.class == record.ClassNone {
				if err != nil || len(res.Changes) != 1 {
					t.Fatalf("%v, changes %v", err, res.Changes)
				}
				if res.Usage.InputTokens != 300 || res.Usage.CostUSD == nil || *res.Usage.CostUSD != 0.25 {
					t.Errorf("usage %+v, want what the gateway metered", res.Usage)
				}
				return
			}
			e := failureOf(t, err)
			if e.Class != tc.class {
				t.Errorf("class %s, want %s: %v", e.Class, tc.class, err)
			}
			if (tc.class == record.ClassNoChange) != errors.Is(err, agent.ErrNoChange) {
				t.Errorf("error %v", err)
			}
			var ce *Error
			if tc.fault != FaultNone && (!errors.As(err, &ce) || ce.Fault != tc.fault) {
				t.Errorf("error %v, want fault %s", err, tc.fault)
			}
			if has := evidence(e.Evidence, "partial") != ""; has != tc.partial {
				t.Errorf("partial work in the evidence: %t, want %t", has, tc.partial)
			}
			if !strings.Contains(err.Error(), tc.words) {
				t.Errorf("%q does not say %q", err, tc.words)
			}
			if tc.preset != "" && e.Usage.InputTokens != 300 {
				t.Errorf("usage %+v, want what the gateway metered", e.Usage)
			}
		})
	}
}

func TestCommandEndsWithItsContextWithinTwoSeconds(t *testing.T) {
	s := newScript(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the person said so")
	ended := make(chan error, 1)
	go func() {
		_, err := s.edit(ctx, s.options("", `
trap '' TERM INT HUP
echo half > half.txt
(trap '' TERM; setsid sh -c 'trap "" TERM; sleep 300' >/dev/null 2>&1 &)
echo begun
while :; do sleep 1; done`))
		ended <- err
	}()
	select {
	case <-s.began:
	case err := <-ended:
		t.Fatalf("it ended by itself: %v", err)
	}
	at := time.Now()
	cancel(why)
	err := <-ended
	if took := time.Since(at); took > suitetest.Stretched(t, 2*time.Second) {
		t.Errorf("it took %v", took)
	}
	if e := failureOf(t, err); !errors.Is(err, why) || !strings.Contains(evidence(e.Evidence, "partial"), "half.txt") {
		t.Errorf("error %v, evidence %v", err, e.Evidence)
	}
	s.nothingLeft()
}

func TestCommandKillsWhatIgnoresItsTimeLimit(t *testing.T) {
	s := newScript(t)
	o := s.options("", `
trap '' TERM INT HUP
echo half > half.txt
(trap '' TERM; setsid sh -c 'trap "" TERM; sleep 300' >/dev/null 2>&1 &)
while :; do sleep 1; done`)
	o.Timeout = time.Second
	began := time.Now()
	_, err := s.edit(t.Context(), o)
	e := failureOf(t, err)
	if e.Class != record.ClassTimeout || time.Since(began) > suitetest.Stretched(t, 4*time.Second) {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if !strings.Contains(evidence(e.Evidence, "partial"), "half.txt") {
		t.Error("the half-done work is not in the evidence")
	}
	s.nothingLeft()
}

func TestCommandEndsASilentClient(t *testing.T) {
	s := newScript(t)
	o := s.options("codex", codexBegin+"sleep 300")
	o.Idle = 400 * time.Millisecond
	_, err := s.edit(t.Context(), o)
	var ce *Error
	if e := failureOf(t, err); e.Class != record.ClassTimeout || !errors.As(err, &ce) || ce.Fault != FaultHang {
		t.Errorf("error %v", err)
	}
	s.nothingLeft()
}

func TestCommandEndsAClientThatLoopsOnEmptyAnswers(t *testing.T) {
	s := newScript(t)
	_, err := s.edit(t.Context(), s.options("opencode", `
while :; do echo '{"type":"step_finish","part":{"reason":"unknown","tokens":{"input":0,"output":0}}}'; done`))
	var ce *Error
	if !errors.As(err, &ce) || ce.Fault != FaultLoop {
		t.Errorf("error %v", err)
	}
	s.nothingLeft()
}

func TestCommandBoundsItsOutput(t *testing.T) {
	s := newScript(t)
	o := s.options("", "echo half > half.txt; yes 'a line of output that never ends'")
	o.Limits.Output = 1 << 20
	_, err := s.edit(t.Context(), o)
	e := failureOf(t, err)
	if e.Class != record.ClassOutput {
		t.Errorf("class %s: %v", e.Class, err)
	}
	for _, ev := range e.Evidence {
		if len(ev.Text) > 256<<10 {
			t.Errorf("evidence %s has %d bytes", ev.Kind, len(ev.Text))
		}
	}
}

func TestCommandSurvivesADaemon(t *testing.T) {
	s := newScript(t)
	res, err := s.edit(t.Context(), s.options("", `
setsid sh -c 'trap "" TERM HUP; sleep 300' >/dev/null 2>&1 &
echo more >> hello.txt; echo ok`))
	if err != nil || len(res.Changes) != 1 {
		t.Errorf("%v, changes %v", err, res.Changes)
	}
	s.nothingLeft()
}

func TestCommandTriesAgainInAFreshTreeWhatMayPass(t *testing.T) {
	count := 0
	s := newScript(t)
	o := s.options("codex", codexBegin+`
test -e half.txt && { echo '{"type":"turn.failed","error":{"message":"the tree was not reset: quota"}}'; exit 1; }
echo x > half.txt
if [ "$ATTEMPT" = "" ]; then :; fi
grep -q "without changing any file" && { rm half.txt; echo done > a.txt;`+codexDone+`exit 0; }
echo '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'; exit 1`)
	o.Attempts = 3
	inner := o.Gateway
	o.Gateway = func(ctx context.Context, j agent.Job) (Endpoint, func() Metered, error) {
		count++
		return inner(ctx, j)
	}
	_, err := s.edit(t.Context(), o)
	e := failureOf(t, err)
	var ce *Error
	if !errors.As(err, &ce) || ce.Fault != FaultRate || count != 3 || len(s.waits) != 2 {
		t.Errorf("%v after %d attempts and waits %v", err, count, s.waits)
	}
	if e.Usage.InputTokens != 900 || *e.Usage.CostUSD != 0.75 {
		t.Errorf("usage %+v, want that of three attempts", e.Usage)
	}
	if len(s.waits) == 2 && (s.waits[0] < time.Second || s.waits[1] < s.waits[0]) {
		t.Errorf("waits %v", s.waits)
	}
}

func TestCommandTellsWhyItDidNotWaitForAnotherAttempt(t *testing.T) {
	ends := errors.New("the run ends")
	s := newScript(t)
	o := s.options("codex", codexBegin+`echo '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'; exit 1`)
	o.Attempts = 3
	o.Wait = func(context.Context, time.Duration) error { return ends }
	_, err := s.edit(t.Context(), o)
	if !errors.Is(err, ends) || !errors.Is(err, gateway.ErrProvider) {
		t.Errorf("got %v, want the end of the wait and a provider that failed", err)
	}
	if e := failureOf(t, err); e.Usage.InputTokens != 300 {
		t.Errorf("usage %+v", e.Usage)
	}
}

func TestCommandAsksAgainWhenNothingChanged(t *testing.T) {
	s := newScript(t)
	o := s.options("codex", codexBegin+`if grep -q "without changing any file"; then echo done > a.txt; fi;`+codexDone)
	o.Attempts = 2
	res, err := s.edit(t.Context(), o)
	if err != nil || len(res.Changes) != 1 || res.Usage.InputTokens != 600 {
		t.Errorf("%v, changes %v, usage %+v", err, res.Changes, res.Usage)
	}
}

func TestCommandDoesNotRepeatWhatNoRepeatCures(t *testing.T) {
	count := 0
	s := newScript(t)
	o := s.options("codex", codexBegin+`echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}'; exit 1`)
	o.Attempts = 5
	inner := o.Gateway
	o.Gateway = func(ctx context.Context, j agent.Job) (Endpoint, func() Metered, error) {
		count++
		return inner(ctx, j)
	}
	if _, err := s.edit(t.Context(), o); err == nil || count != 1 {
		t.Errorf("%v after %d attempts", err, count)
	}
}

func TestCommandLetsNothingOfTheHostIn(t *testing.T) {
	t.Setenv("PLANTED_KEY", "sk-planted-000000000000")
	s := newScript(t)
	o := s.options("", `env > env.txt; cat /etc/shadow > shadow.txt 2>&1; ls /root /home >> env.txt 2>&1; echo "the key is $WANTED"`)
	o.Env = append(o.Env, "WANTED")
	o.Getenv = func(name string) string { return map[string]string{"WANTED": "sk-wanted-111111111111"}[name] }
	res, err := s.edit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Changes {
		if strings.Contains(string(c.Data), "sk-planted") || c.Path == "shadow.txt" && strings.Contains(string(c.Data), "root:") {
			t.Errorf("%s holds %q", c.Path, c.Data)
		}
	}
	for _, e := range append(res.Evidence, record.Evidence{Text: []byte(res.Intent)}, record.Evidence{Text: []byte(strings.Join(s.live, " "))}) {
		if bytes.Contains(e.Text, []byte("sk-wanted")) {
			t.Errorf("evidence %s holds a secret: %s", e.Kind, e.Text)
		}
	}
	if !strings.Contains(res.Intent, "[redacted]") {
		t.Errorf("intent %q", res.Intent)
	}
}

func TestCommandRefusesOptionsThatCannotWork(t *testing.T) {
	s := newScript(t)
	gateway := func(context.Context, agent.Job) (Endpoint, func() Metered, error) {
		return Endpoint{}, nil, nil
	}
	cases := []struct {
		name string
		o    Options
		want string
	}{
		{"no sandbox", Options{Command: []string{"sh"}}, "sandbox"},
		{"no such preset", Options{Box: s.box, Preset: "codecs"}, "codex, claude, gemini"},
		{"generic without a command", Options{Box: s.box}, "command"},
		{"a client without a model", Options{Box: s.box, Preset: "codex", Model: "m"}, "own_credentials"},
		{"a gateway without a model's name", Options{Box: s.box, Preset: "codex", Gateway: gateway}, "needs model"},
		{"a client that cannot be metered", Options{Box: s.box, Preset: "cursor-agent", Gateway: gateway}, "own_credentials"},
		{"a model that breaks out of its quotes", Options{Box: s.box, Preset: "codex", Gateway: gateway, Model: `x",y="`}, "characters"},
		{"a prompt that the preset does not take", Options{Box: s.box, Preset: "codex", Gateway: gateway, Model: "m", PromptBy: promptArg}, "stdin"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := New(tc.o)
			if !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
	}
}

func TestCommandWorksOnEveryRung(t *testing.T) {
	for _, mode := range []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock, sandbox.ModeUnsafe} {
		t.Run(string(mode), func(t *testing.T) {
			s := newScriptOn(t, mode)
			o := s.options("gemini", `
test -s "$HOME/.gemini/settings.json" || { echo no settings >&2; exit 41; }
case $GOOGLE_GEMINI_BASE_URL in http://127.0.0.1:*/gemini) ;; *) echo "base $GOOGLE_GEMINI_BASE_URL" >&2; exit 9;; esac
sed -i s/beta/BETA/ hello.txt
echo '{"type":"message","role":"assistant","content":"Louder."}'
echo '{"type":"result","status":"success","stats":{"input_tokens":1,"output_tokens":1}}'`)
			inner := o.Gateway
			o.Gateway = func(ctx context.Context, j agent.Job) (Endpoint, func() Metered, error) {
				ep, end, err := inner(ctx, j)
				ep.Gemini = "http://" + sandbox.GatewayAddr + "/gemini"
				return ep, end, err
			}
			res, err := s.edit(t.Context(), o)
			if err != nil {
				t.Fatalf("%v\n%s", err, evidence(failureOf(t, err).Evidence, "stderr"))
			}
			if len(res.Changes) != 1 || string(res.Changes[0].Data) != "alpha\nBETA\n" || res.Intent != "Louder." {
				t.Errorf("changes %v, intent %q", res.Changes, res.Intent)
			}
			s.nothingLeft()
		})
	}
}

func TestCommandEndsAClientThatTheBudgetRefuses(t *testing.T) {
	s := newScript(t)
	o := s.options("codex", codexBegin+"sleep 300")
	o.Gateway = func(context.Context, agent.Job) (Endpoint, func() Metered, error) {
		ep := Endpoint{Socket: s.sock, Token: s.token, OpenAI: "http://" + sandbox.GatewayAddr + "/openai/v1", Refused: func() int { return 2 }}
		return ep, func() Metered { return Metered{Refused: 2, Notes: []string{"odd"}} }, nil
	}
	began := time.Now()
	_, err := s.edit(t.Context(), o)
	e := failureOf(t, err)
	if e.Class != record.ClassBudget || time.Since(began) > suitetest.Stretched(t, 10*time.Second) || evidence(e.Evidence, "gateway") != "odd" {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	s.nothingLeft()
}

func TestCommandEndsAClientThatMakesTooManyRequests(t *testing.T) {
	for name, text := range map[string]string{
		"one that goes on":                        codexBegin + "sleep 300",
		"one that gives up without a word of why": codexBegin + codexDone,
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			o := s.options("codex", text)
			o.Requests, o.Attempts = 40, 2
			o.Gateway = func(context.Context, agent.Job) (Endpoint, func() Metered, error) {
				ep := Endpoint{Socket: s.sock, Token: s.token, OpenAI: "http://" + sandbox.GatewayAddr + "/openai/v1", Excess: func() bool { return true }}
				return ep, func() Metered { return Metered{Excess: 1, Usage: record.Usage{Requests: 40}} }, nil
			}
			_, err := s.edit(t.Context(), o)
			e := failureOf(t, err)
			var ce *Error
			if !errors.As(err, &ce) || ce.Fault != FaultRequests || !strings.Contains(err.Error(), "more than 40 requests") || e.Usage.Requests != 40 {
				t.Errorf("%v", err)
			}
			s.nothingLeft()
		})
	}
}

func TestCommandDropsStrayNewFilesAndKeepsTheWork(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // paths of the changes; nil = no change
	}{
		{"a note beside a real change", "echo gamma >> hello.txt; echo plan > NOTES.md; mkdir out; echo x > out/a.o2", []string{"hello.txt"}},
		{"a change of a file that may not be changed is the gate's", "echo more >> sub/keep.txt; echo plan > NOTES.md", []string{"sub/keep.txt"}},
		{"a new file inside the scope", "mkdir -p lib; echo x > lib/new.txt", []string{"lib/new.txt"}},
		{"strays alone are no change", "echo plan > NOTES.md", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t)
			c, err := New(s.options("", tc.text))
			if err != nil {
				t.Fatal(err)
			}
			j := s.job()
			j.Scope = func(path string) bool { return path == "hello.txt" || strings.HasPrefix(path, "lib/") }
			res, err := c.Edit(t.Context(), j, smallTree)
			var got []string
			for _, change := range res.Changes {
				got = append(got, change.Path)
			}
			if !slices.Equal(got, tc.want) || (tc.want == nil) != errors.Is(err, agent.ErrNoChange) {
				t.Fatalf("changes %v, error %v", got, err)
			}
			list := res.Evidence
			if err != nil {
				list = failureOf(t, err).Evidence
			}
			if strings.Contains(tc.text, "NOTES") != strings.Contains(evidence(list, "refused"), "NOTES.md: a new file outside of the scope") {
				t.Errorf("evidence %q", evidence(list, "refused"))
			}
		})
	}
}

func TestCommandRendersItsPromptFromTheTemplates(t *testing.T) {
	s := newScript(t)
	prompts, err := prompt.New("")
	if err != nil {
		t.Fatal(err)
	}
	o := s.options("", "cat > prompt.seen")
	o.Render = prompts.WorkTree
	res, err := s.edit(t.Context(), o)
	if err != nil || len(res.Changes) != 1 || !strings.Contains(string(res.Changes[0].Data), "make beta louder") {
		t.Errorf("%v, changes %v", err, res.Changes)
	}
}
