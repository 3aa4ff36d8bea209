package fleet

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
)

// later is a clock that a test moves on.
type later struct{ by atomic.Int64 }

func (l *later) now() time.Time         { return time.Now().Add(time.Duration(l.by.Load())) }
func (l *later) passes(d time.Duration) { l.by.Add(int64(d)) }

// newLabAt is a lab whose clock a test moves on.
func newLabAt(t *testing.T, o Options) (*lab, *later) {
	t.Helper()
	clock := &later{}
	o.Now = clock.now
	if o.Lease == 0 {
		o.Lease = 5 * time.Minute
	}
	return newLabWith(t, o), clock
}

// twin is another worker that joins with the same invite; again has it be the same one,
// started anew.
func (h *hand) twin(again bool) *hand {
	h.t.Helper()
	other := *h
	other.session = wire.NewID()
	if !again {
		other.home = wire.NewID()
	}
	return &other
}

// on is a hello of a worker on a host.
func on(host string) wire.Ask {
	q := hello()
	q.Hello.Host = host
	return q
}

func TestASecondWorkerOfANameIsRefusedAndNamedWhileTheFirstLives(t *testing.T) {
	l := newLab(t)
	one := l.join("rack1")
	one.must(on("alpha"))
	k := l.add(7)
	id, token := one.claim()
	two := one.twin(false)
	for range 2 {
		if a := two.must(on("beta")); a.OK || a.BusyMS == 0 || !strings.Contains(a.Why, "another worker has the name rack1, on alpha") {
			t.Errorf("the second is answered %+v", a)
		}
	}
	l.add(8)
	if a := two.must(askWork()); a.Next != nil || !a.Greet {
		t.Errorf("it asks for work all the same: %+v", a)
	}
	if a := two.must(good(id, token)); a.OK {
		t.Errorf("it brings a result of the first: %+v", a)
	}
	if a := one.must(good(id, token)); !a.OK {
		t.Errorf("the result of the first: %+v", a)
	}
	if how := <-k.done; how.err != nil || how.machine != "rack1" {
		t.Errorf("the task ended with %+v", how)
	}
	said := l.listener.all()
	if n := strings.Count(said, "a second worker under the name rack1, on beta, may not join: the one on alpha has it"); n != 1 {
		t.Errorf("told %d times:\n%s", n, said)
	}
}

func TestAWorkerThatStartsAgainTakesItsNameOverAtOnce(t *testing.T) {
	l := newLab(t)
	one := l.join("rack1")
	one.must(hello())
	k := l.add(7)
	id, token := one.claim()
	two := one.twin(true)
	if a := two.must(hello()); !a.OK || a.Welcome == nil {
		t.Fatalf("it is answered %+v", a)
	}
	if again, _ := two.claim(); again != k.id {
		t.Errorf("what the worker before had is not given out again, but %s", again)
	}
	for name, q := range map[string]wire.Ask{
		"a result": good(id, token), "a beat": {Kind: wire.AskBeat, Beat: &wire.Beat{}}, "a request": askWork(), "a hello that came late": hello(),
	} {
		if a := one.must(q); a.OK || !a.Leave || !strings.Contains(a.Why, "the name rack1 is another worker's now") {
			t.Errorf("%s of the worker before: %+v", name, a)
		}
	}
	if len(k.done) > 0 || l.Slots() != 2 {
		t.Errorf("%d results counted, %d slots", len(k.done), l.Slots())
	}
	if said := l.listener.all(); !strings.Contains(said, "rack1 joined again, in the place of its worker before, whose 1 task goes to others") || strings.Contains(said, "refused") {
		t.Errorf("told: %s", said)
	}
}

func TestWhatAWorkerProvedDoesNotCountForAnotherOfItsName(t *testing.T) {
	l := newLabWith(t, Options{Lease: 5 * time.Minute, Agree: 0.25})
	l.begins(nil, 10, 10.4)
	one := l.join("rack1")
	one.must(hello())
	one.obeys(10.2)
	if a := one.must(hello()); a.Hold {
		t.Error("the same worker, which says hello again, is to measure the root again")
	}
	l.add(7)
	two := one.twin(true)
	if a := two.must(hello()); !a.OK || !a.Hold {
		t.Errorf("the next one is answered %+v", a)
	}
	if a := two.obeys(10.3); !a.OK || a.Hold {
		t.Errorf("its value of the root: %+v", a)
	}
	two.claim()
}

func TestASecondWorkerTakesTheNameOfOneThatIsSilentForALease(t *testing.T) {
	l, clock := newLabAt(t, Options{})
	one := l.join("rack1")
	one.must(hello())
	two := one.twin(false)
	clock.passes(4 * time.Minute)
	if a := two.must(hello()); a.OK {
		t.Fatalf("before the lease is over: %+v", a)
	}
	clock.passes(2 * time.Minute)
	if a := two.must(hello()); !a.OK {
		t.Errorf("after it: %+v", a)
	}
	if a := one.must(askWork()); !a.Leave {
		t.Errorf("the first, which comes back: %+v", a)
	}
}

func TestASecondWorkerTakesTheNameOfOneThatIsNotConnectedAnyMore(t *testing.T) {
	l, clock := newLabAt(t, Options{})
	seed := l.seed("rack1")
	one := l.with("rack1", seed)
	one.must(hello())
	two := l.with("rack1", seed)
	clock.passes(2 * time.Minute) // within the lease
	if a := two.must(hello()); a.OK {
		t.Fatalf("while the first is connected: %+v", a)
	}
	one.nc.Close()
	until(t, "the second may join", func() bool { return two.must(hello()).OK })
}

func TestAnInviteThatIsMadeAgainEndsTheWorkerOfTheOneBefore(t *testing.T) {
	l := newLab(t)
	one := l.join("rack1")
	one.must(hello())
	k := l.add(7)
	one.claim()
	two := l.join("rack1")
	two.home = wire.NewID()
	until(t, "the next one may join", func() bool { a, err := two.say("rack1", hello()); return err == nil && a.OK })
	until(t, "the first is disconnected", func() bool { return !one.nc.IsConnected() })
	if id, _ := two.claim(); id != k.id {
		t.Errorf("it is given %s", id)
	}
	l.told("rack1 was invited again: the key before opens nothing any more, and 1 of its tasks go to others")
}

func TestAKeyThatAsksForWorkAndNeverJoinsIsRefusedAndNamed(t *testing.T) {
	l, clock := newLabAt(t, Options{})
	k := l.add(7)
	h := l.join("lurker")
	if a := h.must(askWork()); a.Next != nil || !a.Greet {
		t.Errorf("it is answered %+v", a)
	}
	if said := l.listener.all(); strings.Contains(said, "refused") {
		t.Errorf("at once told: %s", said)
	}
	for range maxRefused {
		clock.passes(time.Minute)
		if a := h.must(askWork()); a.Next != nil {
			t.Errorf("it is answered %+v", a)
		}
	}
	l.told("refused from lurker: it asks for tasks and does not join")
	l.told("lurker is set aside")
	if a := h.must(hello()); a.OK || !a.Leave {
		t.Errorf("then it says hello: %+v", a)
	}
	fair := l.join("fair")
	fair.must(hello())
	if id, _ := fair.claim(); id != k.id {
		t.Errorf("the task went to %s", id)
	}
}

func TestNoMachineHasTheCoordinatorSpeakToOthersForIt(t *testing.T) {
	l := newLab(t)
	k := l.add(7)
	until(t, "a task lies in the queue", func() bool { return l.lies(k) && l.length() == 1 })
	for n, reply := range []string{
		"$JS.API.STREAM.PURGE." + l.subject.Stream(), "$JS.API.STREAM.DELETE." + l.subject.Stream(), l.subject.Up("fair"), l.subject.Down("fair"),
		l.subject.Inbox("fair") + ".a", l.subject.Inbox("bad0"), l.subject.Inbox("bad0") + ".", l.subject.Inbox("bad0") + ".>", l.subject.Jobs(wire.DefaultPool),
	} {
		name := "bad" + string(rune('0'+n))
		h := l.join(name)
		heard, err := h.nc.SubscribeSync(l.subject.Inbox(name) + ".>")
		if err != nil {
			t.Fatal(err)
		}
		data, err := wire.Encode(wire.Ask{V: wire.Protocol, Kind: wire.AskWork, Session: h.session, Work: &wire.Work{ID: wire.NewID()}})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.nc.PublishRequest(l.subject.Up(name), reply, data); err != nil {
			t.Fatal(err)
		}
		l.told("refused from " + name + ": a message whose answer would go to others")
		if a := h.must(askWork()); !a.Greet { // a message later: the answer would have come before
			t.Errorf("%s: %+v", name, a)
		}
		if n, _, _ := heard.Pending(); n > 1 {
			t.Errorf("%s is answered under %s", name, reply)
		}
	}
	if l.length() != 1 {
		t.Error("the queue was changed")
	}
}

// seed invites a machine, and returns its key.
func (l *lab) seed(name string) string {
	l.t.Helper()
	seed, public, err := server.NewKey()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.members.Put(server.Member{Name: name, Key: public, State: server.Active}); err != nil {
		l.t.Fatal(err)
	}
	return seed
}

// with connects as a machine with a key.
func (l *lab) with(name, seed string) *hand {
	l.t.Helper()
	id, err := server.IdentityOf(l.state, time.Now())
	if err != nil {
		l.t.Fatal(err)
	}
	h, err := dial(l.t, wire.Invite{Address: l.Address(), Name: name, Seed: seed, Server: id.Print})
	if err != nil {
		l.t.Fatal(err)
	}
	return h
}

func TestAWorkerThatEndsIsNotWaitedFor(t *testing.T) {
	l := newLab(t)
	h, other := l.join("m1"), l.join("m2")
	h.must(hello())
	k := l.add(1)
	h.claim()
	if a := h.must(wire.Ask{Kind: wire.AskBye}); !a.OK {
		t.Fatalf("its last word: %+v", a)
	}
	if n := l.Slots(); n != 0 {
		t.Errorf("%d slots are counted of machines that left", n)
	}
	if m := l.machine("m1"); m.standing(0) != "left" {
		t.Errorf("it is %s", m.standing(0))
	}
	other.must(hello())
	if id, _ := other.claim(); id != k.id {
		t.Errorf("what it had does not go to another")
	}
	if a := h.must(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}}); !a.Leave {
		t.Errorf("what it says after its last word is answered %+v", a)
	}
	h.session = wire.NewID()
	h.must(hello())
	if m := l.machine("m1"); m.standing(0) != "idle" && m.standing(0) != "checking" {
		t.Errorf("when it was started again it is %s", m.standing(0))
	}
	if said := l.listener.all(); strings.Contains(said, "silent") || !strings.Contains(said, "m1 left; 1 of its tasks go to others") {
		t.Errorf("the run says\n%s", said)
	}
}

func TestWhatIsToldOfAMachineThatJoinedCanBeReadAgain(t *testing.T) {
	l := newLab(t)
	h := hello()
	h.Hello.Slots = 1
	one := l.join("rack1")
	one.must(h)
	l.add(7)
	one.claim()
	one.twin(true).must(hello())
	two := hello()
	two.Hello.Slots = 7
	l.join("rack-2").must(two)
	var got []string
	for line := range strings.Lines(l.listener.all()) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name, slots, ok := Joined(text); ok {
			got = append(got, fmt.Sprint(name, " ", slots))
		}
	}
	if want := []string{"rack1 1", fmt.Sprint("rack1 ", hello().Hello.Slots), "rack-2 7"}; !slices.Equal(got, want) {
		t.Errorf("%q are read of\n%s", got, l.listener.all())
	}
	for _, text := range []string{"rack1 joined", "rack1 left", "x may not join: it joined with 4 slots", "rack1 joined with 0 slots", "RACK joined with 2 slots"} {
		if name, slots, ok := Joined(text); ok {
			t.Errorf("%q is read as %s with %d", text, name, slots)
		}
	}
}
