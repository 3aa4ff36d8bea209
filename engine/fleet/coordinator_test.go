package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/engine/work"
	"atoll/store/record"
)

// listener keeps what the fleet said.
type listener struct {
	mu   sync.Mutex
	said []string
}

func (v *listener) Note(level string, _ record.JobID, text string, _ ...time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said = append(v.said, level+": "+text)
}

func (v *listener) Wake() {}

func (v *listener) all() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(v.said, "\n")
}

// lab is a coordinator with a server of its own.
type lab struct {
	t *testing.T
	*Coordinator
	listener *listener
	state    string
}

// newLab's leases last longer than a test, on the busiest machine.
func newLab(t *testing.T) *lab {
	t.Helper()
	return newLabLeasing(t, 5*time.Minute)
}

func newLabLeasing(t *testing.T, lease time.Duration) *lab {
	t.Helper()
	return newLabWith(t, Options{Lease: lease})
}

func newLabWith(t *testing.T, o Options) *lab {
	t.Helper()
	l := &lab{t: t, listener: &listener{}, state: t.TempDir()}
	o.Address, o.State, o.Version = "listen:127.0.0.1:0", l.state, "v1"
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.mu.Lock()
	c.listener, c.rung = l.listener, 1
	c.mu.Unlock()
	l.Coordinator = c
	return l
}

// add lists a task.
func (l *lab) add(job record.JobID) *task {
	l.t.Helper()
	k := &task{
		id: wire.NewID(), done: make(chan ended, 1), issued: map[string]string{}, stages: []string{"measure"},
		what: work.Measurement{Job: job, Candidate: record.CandidateID(job)},
	}
	data, err := wire.Encode(wire.Task{V: wire.Protocol, ID: k.id, Job: job})
	if err != nil {
		l.t.Fatal(err)
	}
	k.data = data
	l.offer(k)
	return k
}

// hand is a machine that says whatever the test wants.
type hand struct {
	t    *testing.T
	name string
	// session and home are those of its worker.
	session, home string
	orders        chan wire.Order
	nc            *nats.Conn
	errs          chan error
}

// join invites a machine and connects as it.
func (l *lab) join(name string) *hand {
	l.t.Helper()
	return l.with(name, l.seed(name))
}

func dial(t *testing.T, i wire.Invite) (*hand, error) {
	t.Helper()
	s, err := i.Dial()
	if err != nil {
		t.Fatal(err)
	}
	h := &hand{t: t, name: i.Name, session: wire.NewID(), home: wire.NewID(), orders: make(chan wire.Order, 64), errs: make(chan error, 64)}
	h.nc, err = nats.Connect(s.URL, append(s.Options, nats.CustomInboxPrefix(wire.Subjects{}.Inbox(i.Name)), nats.MaxReconnects(0), nats.Timeout(2*time.Minute), nats.Name(h.session),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { h.errs <- err }))...)
	if err != nil {
		return h, err
	}
	t.Cleanup(h.nc.Close)
	_, err = h.nc.Subscribe(wire.Subjects{}.Down(i.Name), func(m *nats.Msg) {
		if o, err := wire.Decode[wire.Order](m.Data); err == nil && (o.Kind == wire.OrderMeasure || o.Kind == wire.OrderPipe) {
			h.orders <- o
		}
	})
	return h, err
}

// say asks as the machine, under the name that is given.
func (h *hand) say(as string, q wire.Ask) (wire.Answer, error) {
	h.t.Helper()
	q.V, q.Session = wire.Protocol, h.session
	if q.Hello != nil {
		q.Hello.Home = h.home
	}
	data, err := wire.Encode(q)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.raw(as, data)
}

func (h *hand) raw(as string, data []byte) (wire.Answer, error) {
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer cancel()
	msg, err := h.nc.RequestWithContext(ctx, wire.Subjects{}.Up(as), data)
	if err != nil {
		return wire.Answer{}, err
	}
	return wire.Decode[wire.Answer](msg.Data)
}

func (h *hand) must(q wire.Ask) wire.Answer {
	h.t.Helper()
	a, err := h.say(h.name, q)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func hello() wire.Ask {
	return wire.Ask{Kind: wire.AskHello, Hello: &wire.Hello{Version: "v1", Slots: 2, OS: "linux", Arch: "amd64", Rung: 1}}
}

// claim asks for work until it is given a task, with the answer or by an order.
func (h *hand) claim() (id, token string) {
	h.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		next := h.must(askWork()).Next
		select {
		case o := <-h.orders:
			if next == nil && o.Session == h.session {
				next = o.Next
			}
		case <-time.After(10 * time.Millisecond):
		}
		if next != nil {
			return h.given(next).ID, next.Token
		}
	}
	h.t.Fatal("it is given no task")
	return "", ""
}

// askWork asks for work for a slot.
func askWork() wire.Ask { return wire.Ask{Kind: wire.AskWork, Work: &wire.Work{ID: wire.NewID()}} }

func good(id, token string) wire.Ask {
	return wire.Ask{Kind: wire.AskResult, Result: &wire.Result{
		Task: id, Token: token, Objective: 1, ObjectiveName: "s", Metrics: []record.Metric{{Name: "s", Value: 1}}, Runs: 1,
	}}
}

func TestAMachineMayJoinOnlyWhenItIsAsTheCoordinator(t *testing.T) {
	l := newLab(t)
	h := l.join("m1")
	for name, change := range map[string]func(*wire.Hello){
		"install the same on both": func(h *wire.Hello) { h.Version = "v2" },
		"values would not compare": func(h *wire.Hello) { h.OS = "plan9" },
		"sandbox holds less":       func(h *wire.Hello) { h.Rung = 3 },
		"use 1 to 4096":            func(h *wire.Hello) { h.Slots = 0 },
	} {
		q := hello()
		change(q.Hello)
		if a := h.must(q); a.OK || !a.Leave || !strings.Contains(a.Why, name) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := h.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.Greet {
		t.Errorf("a beat before hello: %+v", a)
	}
	if a, err := h.raw("m1", []byte(`{"v":7,"kind":"hello"}`)); err != nil || !a.Leave || !strings.Contains(a.Why, "run the same version") {
		t.Errorf("another protocol: %+v, %v", a, err)
	}
	if a := h.must(hello()); !a.OK || a.Welcome == nil {
		t.Errorf("one that is alike: %+v", a)
	}
	if n := l.Slots(); n != 2 {
		t.Errorf("%d slots", n)
	}
}

func TestAHostileMachineIsRefusedAndNamed(t *testing.T) {
	l := newLab(t)
	bad, fair := l.join("bad"), l.join("fair")
	bad.must(hello())
	fair.must(hello())
	k := l.add(7)
	id, token := fair.claim()
	for name, q := range map[string]wire.Ask{
		"a result with another's token": good(id, token),
		"a result with a made-up token": good(id, wire.NewID()),
	} {
		if a := bad.must(q); a.OK || !a.Fenced {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := bad.must(askWork()); a.Next != nil {
		t.Errorf("it is given another's task: %+v", a)
	}
	for _, path := range []string{"../../etc/passwd", "/etc/passwd", "server.pem", strings.Repeat("a", 64), ""} {
		if a := bad.must(wire.Ask{Kind: wire.AskBlob, Blob: &wire.Chunk{Hash: path}}); a.OK || len(a.Data) > 0 {
			t.Errorf("it fetches %q: %+v", path, a)
		}
	}
	if a, err := bad.raw("bad", fmt.Appendf(nil, `{"v":%d,"session":%q,"kind":"result"}`, wire.Protocol, bad.session)); err != nil || a.OK {
		t.Errorf("a message that says nothing: %+v, %v", a, err)
	}
	if a := fair.must(good(id, token)); !a.OK {
		t.Errorf("the honest machine: %+v", a)
	}
	if how := <-k.done; how.err != nil || how.machine != "fair" {
		t.Errorf("the task ended by %q, %v", how.machine, how.err)
	}
	if a := fair.must(good(id, token)); a.OK || !a.Fenced {
		t.Errorf("the same result again: %+v", a)
	}
	if said := l.listener.all(); !strings.Contains(said, "error: refused from bad: a result of a task that it was not given") || strings.Contains(said, "refused from fair") {
		t.Errorf("what is told:\n%s", said)
	}
}

func TestAMachineThatKeepsLyingIsSetAside(t *testing.T) {
	l := newLab(t)
	bad := l.join("bad")
	bad.must(hello())
	k := l.add(7)
	for range maxRefused {
		id, token := bad.claim() // the task comes back each time
		forgery := good(id, token)
		forgery.Result.Objective = 1e9
		if a := bad.must(forgery); a.OK {
			t.Fatalf("a forged result: %+v", a)
		}
	}
	if len(k.done) > 0 {
		t.Error("a forged result counted")
	}
	if a := bad.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.Leave {
		t.Errorf("its beat is answered %+v", a)
	}
	if a := bad.must(hello()); a.OK || !a.Leave {
		t.Errorf("it may come back: %+v", a)
	}
	if l.Slots() != 0 || !strings.Contains(l.listener.all(), "bad is set aside") {
		t.Errorf("%d slots; told: %s", l.Slots(), l.listener.all())
	}
}

func TestTheServerLetsAMachineSpeakForItselfAlone(t *testing.T) {
	l := newLab(t)
	h := l.join("m1")
	h.must(hello())
	own := wire.Subjects{}
	for _, subject := range []string{
		own.Up("m2"), own.Down("m2"), own.Jobs(wire.DefaultPool), own.Lead(), "$JS.API.STREAM.PURGE." + own.Stream(), "$JS.API.STREAM.DELETE." + own.Stream(),
		"$JS.API.STREAM.MSG.GET." + own.Stream(), "$JS.API.CONSUMER.CREATE." + own.Stream(), "$SYS.REQ.USER.INFO",
		"$JS.API.CONSUMER.MSG.NEXT." + own.Stream() + "." + own.Consumer(wire.DefaultPool), "$JS.ACK." + own.Stream() + "." + own.Consumer(wire.DefaultPool) + ".1.1.1.1.0",
	} {
		if err := h.nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		h.refused("publish to " + subject)
	}
	for _, subject := range []string{own.AllUp(), own.AllJobs(), own.Down("m2"), own.Inbox("m2") + ".>", ">", "$SYS.>"} {
		if _, err := h.nc.Subscribe(subject, func(*nats.Msg) {}); err != nil {
			t.Fatal(err)
		}
		h.refused("subscribe to " + subject)
	}
	if err := h.nc.Publish(own.Up("m1"), make([]byte, 2<<20)); err == nil {
		t.Error("a message of 2 MiB is sent")
	}
}

// refused waits for the server's word that something is not allowed.
func (h *hand) refused(what string) {
	h.t.Helper()
	select {
	case err := <-h.errs:
		if !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			h.t.Errorf("%s: %v", what, err)
		}
	case <-time.After(2 * time.Minute):
		h.t.Errorf("%s: the server says nothing", what)
	}
}

func TestOnlyTheInvitedConnectAndOnlyToTheServerOfTheInvite(t *testing.T) {
	l := newLab(t)
	l.join("m1")
	id, err := server.IdentityOf(l.state, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	seed, _, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	stranger := wire.Invite{Address: l.Address(), Name: "m1", Seed: seed, Server: id.Print}
	if _, err := dial(t, stranger); err == nil {
		t.Error("a key that nobody was given connects")
	}
	stranger.Server = make([]byte, 32)
	if _, err := dial(t, stranger); err == nil || !strings.Contains(err.Error(), "not the one of the invite") {
		t.Errorf("another server: %v", err)
	}
	if nc, err := nats.Connect("nats://"+l.Address(), nats.MaxReconnects(0)); err == nil {
		nc.Close()
		t.Error("it takes a connection without TLS or key")
	}
	if nc, err := nats.Connect("tls://"+l.Address(), nats.MaxReconnects(0), nats.UserInfo("coordinator", "guess"), nats.Secure(nil)); err == nil {
		nc.Close()
		t.Error("it takes a guessed password")
	}
}

func TestTheTaskOfAMachineThatFellSilentGoesToAnother(t *testing.T) {
	t.Attr("timing", "a machine counts as silent by the clock, and this one may fall silent itself")
	l := newLabLeasing(t, 2*time.Second)
	one, two := l.join("one"), l.join("two")
	one.must(hello())
	two.must(hello())
	k := l.add(7)
	id, old := one.claim()
	again, token := two.claim() // waits until the lease of the first is over
	if again != id {
		t.Fatalf("another task came: %s", again)
	}
	if a := one.must(good(id, old)); !a.Fenced {
		t.Errorf("the late result: %+v", a)
	}
	if a := two.must(good(id, token)); !a.OK {
		t.Errorf("the result in time: %+v", a)
	}
	if how := <-k.done; how.machine != "two" {
		t.Errorf("it counts as that of %q", how.machine)
	}
	if said := l.listener.all(); strings.Contains(said, "refused") {
		t.Errorf("an honest machine is told off:\n%s", said)
	}
}

func TestASecondRunIsRefusedTheSameFleet(t *testing.T) {
	l := newLab(t)
	user, password := l.server.Credentials()
	other := &Coordinator{opt: Options{State: t.TempDir(), Lease: time.Second, Now: time.Now}, address: "here"}
	nc, err := nats.Connect("", nats.InProcessServer(l.server.InProcess()), nats.UserInfo(user, password))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	other.nc = nc
	if err := other.lead(t.Context()); err == nil || !strings.Contains(err.Error(), ErrLed.Error()) {
		t.Errorf("it leads as well: %v", err)
	}
}

func TestManyTasksGoThroughTheQueueOnce(t *testing.T) {
	l := newLab(t)
	const machines, tasks = 4, 200
	var all []*task
	for n := range tasks {
		all = append(all, l.add(record.JobID(n+1)))
	}
	var hands sync.WaitGroup
	for n := range machines {
		h := l.join(fmt.Sprintf("m%d", n))
		h.must(hello())
		hands.Go(func() {
			for range tasks / machines {
				id, token := h.claim()
				h.must(good(id, token))
			}
		})
	}
	hands.Wait()
	for _, k := range all {
		select {
		case how := <-k.done:
			if how.err != nil {
				t.Errorf("%s: %v", k.what.Job, how.err)
			}
		default:
			t.Errorf("%s did not end", k.what.Job)
		}
	}
}

func TestARunThatEndsDoesNotWaitForMachinesThatAreNotThere(t *testing.T) {
	l := newLab(t)
	s := &session{c: l.Coordinator}
	drain := make(chan struct{})
	type end struct {
		how ended
		err error
	}
	await := func(k *task) <-chan end {
		l.offer(k)
		out := make(chan end, 1)
		go func() {
			how, err := s.wait(t.Context(), k, drain)
			out <- end{how, err}
		}()
		return out
	}
	h := l.join("m1")
	h.must(hello())
	has := await(l.task(1))
	id, token := h.claim()
	second := l.task(2)
	waits := await(second) // for the slot of the machine
	close(drain)
	h.must(good(id, token))
	if e := <-has; e.err != nil || e.how.err != nil {
		t.Errorf("what a machine had ended with %+v", e)
	}
	if id, _ := h.claim(); id != second.id {
		t.Fatal("what waited for a machine that is there was given up")
	}
	h.must(wire.Ask{Kind: wire.AskBye})
	if e := <-waits; !errors.Is(e.err, work.ErrDrained) {
		t.Errorf("what nobody has any more ended with %+v", e)
	}
}
