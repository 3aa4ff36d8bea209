package fleet

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
)

func TestNobodyIsSilentWhileTheQueueIsOutOfReach(t *testing.T) {
	l, clock := newLabAt(t, Options{Lease: time.Minute})
	h := l.join("m1")
	h.must(hello())
	l.add(1)
	id, token := h.claim()
	hearing{l.Coordinator}.isCut(errors.New("EOF"))
	clock.passes(3 * time.Minute)
	l.listen(l.opt.Now())
	if s := l.status(l.opt.Now()); s.Machines[0].State != "busy" || !strings.Contains(s.Limit, "the queue cannot be reached for 3m0s") {
		t.Errorf("meanwhile %q, %q", s.Machines[0].State, s.Limit)
	}
	hearing{l.Coordinator}.isJoined()
	l.listen(l.opt.Now())
	if a := h.must(good(id, token)); !a.OK {
		t.Errorf("what was measured meanwhile does not count: %+v", a)
	}
	said := l.listener.all()
	for _, want := range []string{"cannot be reached: EOF", "can be reached again, after 3m0s"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("the run does not say %q once:\n%s", want, said)
		}
	}
	clock.passes(2 * time.Minute)
	if l.listen(l.opt.Now()); !strings.Contains(l.listener.all(), "m1 is silent") {
		t.Errorf("after that silence is not told:\n%s", l.listener.all())
	}
}

func TestARunThatEndsWaitsNoLongerThanALeaseForAQueueThatIsOutOfReach(t *testing.T) {
	l, clock := newLabAt(t, Options{Lease: time.Minute})
	h := l.join("m1")
	h.must(hello())
	k := l.add(1)
	h.claim()
	s := &session{c: l.Coordinator}
	hearing{l.Coordinator}.isCut(errors.New("EOF"))
	clock.passes(30 * time.Second)
	if s.forsaken(k) {
		t.Error("half a lease is too long")
	}
	clock.passes(time.Minute)
	if !s.forsaken(k) {
		t.Error("after a lease it waits on")
	}
}

func TestMachinesThatAreGoneForLongAreForgotten(t *testing.T) {
	l, clock := newLabAt(t, Options{})
	gone, asked, liar, here := l.named("pod-1"), l.named("pod-2"), l.named("pod-3"), l.named("pod-4")
	gone.left, gone.away = true, true
	asked.away, asked.state = true, server.Draining
	liar.away, liar.refused = true, 1
	clock.passes(2 * remembers)
	here.seen = l.opt.Now()
	l.listen(l.opt.Now())
	for name, want := range map[string]bool{"pod-1": false, "pod-2": true, "pod-3": true, "pod-4": true} {
		if got := l.Coordinator.machines[name] != nil; got != want {
			t.Errorf("%s is listed: %v", name, got)
		}
	}
}

func TestADrainedMachineThatEndedIsToldToBeDrained(t *testing.T) {
	m := machine{session: "s", left: true, away: true, state: server.Draining}
	if got := m.standing(0); got != "drained" {
		t.Errorf("it is %s", got)
	}
}

func TestWhatIsToldOfAMachineIsNotToldAgainAndAgain(t *testing.T) {
	l, clock := newLabAt(t, Options{})
	h := l.join("m1")
	for n := range 60 {
		q := hello()
		q.Hello.Version = fmt.Sprintf("v%d", 2+n/50)
		h.session = wire.NewID()
		h.must(q)
		clock.passes(time.Second)
	}
	if n := strings.Count(l.listener.all(), "may not join"); n != 2 {
		t.Errorf("one reason for 50 seconds and another for 10 are told %d times:\n%s", n, l.listener.all())
	}
	for range 30 {
		h.session = wire.NewID()
		h.must(hello())
		clock.passes(time.Second)
	}
	if n := strings.Count(l.listener.all(), "m1 joined"); n != maxJoins {
		t.Errorf("a worker that starts every second for half a minute is told %d times:\n%s", n, l.listener.all())
	}
}
