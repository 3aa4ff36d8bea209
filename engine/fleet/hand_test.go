package fleet

import (
	"strings"
	"testing"
	"time"

	"atoll/engine/fleet/wire"
	"atoll/engine/work"
	"atoll/store/record"
)

// task is one that is not listed yet.
func (l *lab) task(job record.JobID) *task {
	l.t.Helper()
	id := wire.NewID()
	k, err := newTask(wire.Task{V: wire.Protocol, ID: id, Job: job}, work.Measurement{Job: job, Candidate: record.CandidateID(job)}, []string{"measure"})
	if err != nil {
		l.t.Fatal(err)
	}
	return k
}

// full has a machine of two slots work on two tasks.
func full(t *testing.T) (l *lab, h *hand, id, token string) {
	t.Helper()
	l = newLab(t)
	h = l.join("m1")
	h.must(hello())
	l.add(1)
	l.add(2)
	h.claim()
	id, token = h.claim()
	return l, h, id, token
}

// more is a good result of a slot that asks for its next task.
func more(id, token string) wire.Ask {
	q := good(id, token)
	q.Result.More = true
	return q
}

// given is the task of an answer.
func (h *hand) given(n *wire.Next) wire.Task {
	h.t.Helper()
	if n == nil {
		h.t.Fatal("no task came with the answer")
	}
	k, err := wire.Decode[wire.Task](n.Task)
	if err != nil {
		h.t.Fatal(err)
	}
	return k
}

// lies reports whether a task lies in the queue.
func (l *lab) lies(k *task) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return k.queued != 0
}

// length is how many messages lie in the queue.
func (l *lab) length() uint64 {
	l.t.Helper()
	n, err := l.queue.length(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

func TestASlotThatBringsAResultGetsTheNextTaskWithTheAnswer(t *testing.T) {
	l, h, id, token := full(t)
	k := l.task(3)
	l.offer(k)
	a := h.must(more(id, token))
	if next := h.given(a.Next); !a.OK || next.ID != k.id || next.Job != 3 {
		t.Fatalf("the answer brings %+v", next)
	}
	if l.lies(k) {
		t.Error("it lies in the queue, too")
	}
	if a := h.must(good(k.id, a.Next.Token)); !a.OK {
		t.Errorf("its result: %+v", a)
	}
	if how := <-k.done; how.err != nil || how.machine != "m1" {
		t.Errorf("it ended with %+v", how)
	}
}

func TestAResultThatIsBroughtAgainBringsTheSameTaskAgain(t *testing.T) {
	l, h, id, token := full(t)
	l.offer(l.task(3))
	first := h.must(more(id, token))
	second := h.must(more(id, token)) // the answer was lost
	if !second.Fenced || second.Next == nil || second.Next.Token != first.Next.Token {
		t.Errorf("first %+v, then %+v", first, second)
	}
}

func TestASlotThatWaitsGetsTheNextTaskByAnOrder(t *testing.T) {
	l, h, id, token := full(t)
	if a := h.must(more(id, token)); !a.Wait || a.Next != nil {
		t.Fatalf("with nothing to do: %+v", a)
	}
	k := l.task(3)
	l.offer(k)
	o := <-h.orders
	if o.Session != h.session {
		t.Fatalf("the order is %+v", o)
	}
	if l.lies(k) {
		t.Error("it lies in the queue, too")
	}
	if a := h.must(good(k.id, o.Next.Token)); !a.OK {
		t.Errorf("its result: %+v", a)
	}
}

func TestWorkThatIsAskedForAgainIsTheSameTask(t *testing.T) {
	l := newLab(t)
	h := l.join("m1")
	h.must(hello())
	l.add(1)
	l.add(2)
	q := askWork()
	first, second := h.must(q), h.must(q) // the answer was lost
	if first.Next == nil || second.Next == nil || first.Next.Token != second.Next.Token {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if a := h.must(askWork()); a.Next == nil || a.Next.Token == first.Next.Token {
		t.Errorf("another slot is answered %+v", a)
	}
}

func TestATaskForWhichNoSlotIsFreeLiesInTheQueueUntilItEnds(t *testing.T) {
	l, _, _, _ := full(t)
	k := l.task(3)
	l.offer(k)
	if l.lies(k) {
		t.Error("it went into the queue at once")
	}
	until(t, "it lies in the queue", func() bool { return l.lies(k) && l.length() == 1 })
	other := l.join("m2")
	other.must(hello())
	id, token := other.claim()
	if id != k.id {
		t.Fatalf("another machine got %s", id)
	}
	if l.length() != 1 {
		t.Error("whoever counts work sees it no more while it is in work")
	}
	other.must(good(id, token))
	until(t, "the queue is empty", func() bool { return l.length() == 0 })
}

func TestAQueueThatTheServerLostIsFilledAnew(t *testing.T) {
	l := newLabLeasing(t, time.Second)
	k := l.task(3)
	l.offer(k)
	until(t, "it lies in the queue", func() bool { return l.lies(k) && l.length() == 1 })
	if err := l.queue.js.DeleteStream(t.Context(), l.subject.Stream()); err != nil {
		t.Fatal(err)
	}
	until(t, "it lies in a new one", func() bool {
		n, err := l.queue.length(t.Context())
		return err == nil && n == 1
	})
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestAMachineThatIsHeldBackOrDrainsIsHandedNothing(t *testing.T) {
	for name, change := range map[string]func(*machine){
		"it measures the root first": func(m *machine) { m.check.held = true },
		"it drains":                  func(m *machine) { m.state = "draining" },
		"it is set aside":            func(m *machine) { m.aside = "x" },
	} {
		l, h, id, token := full(t)
		l.offer(l.task(3))
		l.mu.Lock()
		change(l.machines["m1"])
		l.mu.Unlock()
		if a := h.must(more(id, token)); !a.OK || a.Next != nil || a.Wait {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestResultsAreCountedForAMinute(t *testing.T) {
	var m minute
	c := clock{time.Unix(1000, 0)}
	for range 90 {
		m.add(c.pass(time.Second))
		m.add(c.now)
	}
	if n := m.sum(c.now); n != 120 {
		t.Errorf("two a second give %d a minute", n)
	}
	if n := m.sum(c.pass(30 * time.Second)); n != 60 {
		t.Errorf("half a minute later: %d", n)
	}
	if n := m.sum(c.pass(time.Hour)); n != 0 {
		t.Errorf("an hour later: %d", n)
	}
}

func TestWhatKeepsSlotsFromWorkIsSaid(t *testing.T) {
	for _, tt := range []struct {
		name      string
		p         pace
		lookahead int
		load      float64
		want      bound
		says      string
	}{
		{"all of them work", pace{slots: 8, busy: 7.9, rate: 4}, 0, 0, boundMachines, "slots 99 % busy: more machines"},
		{"nothing is to be measured", pace{slots: 8}, 0, 9, boundNothing, "nothing to measure"},
		{"the run's processor is used up", pace{slots: 500, busy: 15, rate: 257, share: 0.9, each: 880 * time.Microsecond}, 0, 0, boundProcessor, "slots 3 % busy: the run makes 257 candidates a second and has no more processor: each takes it 0.88 ms of 2"},
		{"others use the processor", pace{slots: 500, busy: 15, rate: 257, share: 0.2}, 0, 7, boundOthers, "a load of 7.0"},
		{"samples wait", pace{slots: 8, busy: 4, waiting: 4, rate: 2}, 0, 0, boundQueue, "4 samples wait"},
		{"strict order looks ahead too little", pace{slots: 100, busy: 8, rate: 8}, 8, 0, boundLookahead, "lookahead: 125"},
		{"agents are slow", pace{slots: 8, busy: 2, rate: 0.5, each: 12 * time.Millisecond}, 0, 0, boundEdits, "edits are what takes long"},
	} {
		kind, text := tt.p.limits(tt.lookahead, 2, tt.load)
		if kind != tt.want || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %s: %s", tt.name, kind, text)
		}
	}
}

func TestWhatLimitsAFleetForLongIsToldOnce(t *testing.T) {
	l := newLab(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Unix(1000, 0)
	for range 200 {
		now = now.Add(500 * time.Millisecond)
		l.slots, l.counted = 8, l.counted+1
		l.gauge.add(reading{at: now.Add(-time.Millisecond), done: l.counted, slots: 8})
		l.gauging(now, l.table, l.machines, l.run, l.Coordinator.listener)
	}
	if n := strings.Count(l.listener.all(), "fleet: slots"); n != 1 {
		t.Errorf("told %d times:\n%s", n, l.listener.all())
	}
}
