package fleet

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atoll/engine/agent/client"
	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// edits is the hello of a machine that runs coding clients, too.
func edits() wire.Ask {
	q := hello()
	q.Hello.Edits = true
	return q
}

// begun counts how often a test's errand began.
type begun struct {
	*task
	times *atomic.Int32
	heard *atomic.Pointer[string]
}

// errand lists an edit whose way to a model is a socket, "" = it has none.
func (l *lab) errand(job record.JobID, gateway string) begun {
	l.t.Helper()
	return l.errandBy(job, gateway, "coder")
}

func (l *lab) errandBy(job record.JobID, gateway, program string) begun {
	l.t.Helper()
	k := begun{l.task(job), &atomic.Int32{}, &atomic.Pointer[string]{}}
	k.errand = &errand{pipes: map[uint64]*wire.Stream{}, Errand: client.Errand{
		Job: job, Program: program, Gateway: gateway, Waits: func() {}, Begins: func() { k.times.Add(1) },
		Spec: sandbox.Spec{OnLine: func(stream int, line string) { k.heard.Store(&line) }},
	}}
	l.offer(k.task)
	return k
}

// part is a piece of what came of an edit.
func part(id, token string, at int, data []byte) wire.Ask {
	return wire.Ask{Kind: wire.AskPart, Part: &wire.Part{Task: id, Token: token, At: at, Data: data}}
}

// edited says that all of it was sent.
func edited(id, token, sum string) wire.Ask {
	return wire.Ask{Kind: wire.AskResult, Result: &wire.Result{Task: id, Token: token, Edited: sum}}
}

func TestAnEditGoesToMachinesAloneThatRunClients(t *testing.T) {
	l := newLab(t)
	measures := l.join("measures")
	measures.must(hello())
	k := l.errand(1, "")
	if a := measures.must(askWork()); a.Next != nil {
		t.Fatal("a machine that only measures got an edit")
	}
	if _, text := l.limits(time.Now(), l.table, l.machines, nil); !strings.Contains(text, "start workers with --edit") {
		t.Errorf("what is told is %q", text)
	}
	h := l.join("edits")
	h.must(edits())
	if id, _ := h.claim(); id != k.id || k.times.Load() != 1 {
		t.Errorf("it got %s, begun %d times", id, k.times.Load())
	}
}

func TestAnEditComesInPartsAndCountsOnce(t *testing.T) {
	l := newLab(t)
	h := l.join("m1")
	h.must(edits())
	k := l.errand(1, "")
	id, token := h.claim()
	res := sandbox.Result{Exit: 3, Stdout: []byte("done\n"), Changes: []record.Change{{Path: "a", Mode: record.Regular, Data: []byte{0xff, 0}}}}
	data, sum, err := wire.FromEdited(&res)
	if err != nil {
		t.Fatal(err)
	}
	half := len(data) / 2
	if a := h.must(part(id, token, half, data[half:])); a.OK {
		t.Error("a part was taken before the one in front of it")
	}
	for _, at := range []int{0, 0} { // the answer was lost
		if a := h.must(part(id, token, at, data[:half])); !a.OK {
			t.Fatalf("a part: %+v", a)
		}
	}
	h.must(part(id, token, half, data[half:]))
	h.must(wire.Ask{Kind: wire.AskLines, Lines: &wire.Lines{Task: id, Token: token, Lines: []wire.Said{{Stream: 1, Text: []byte("hm")}}}})
	if a := h.must(edited(id, token, sum)); !a.OK {
		t.Fatalf("the edit: %+v", a)
	}
	how := <-k.done
	if how.err != nil || how.edited.Exit != 3 || string(how.edited.Stdout) != "done\n" || len(how.edited.Changes) != 1 || string(how.edited.Changes[0].Data) != "\xff\x00" {
		t.Errorf("it ended with %+v", how)
	}
	if said := k.heard.Load(); said == nil || *said != "hm" {
		t.Error("what the client said is not heard")
	}
	if a := h.must(edited(id, token, sum)); !a.Fenced {
		t.Errorf("the same again: %+v", a)
	}
	if m := l.machine("m1"); m.refused != 0 || m.done != 0 {
		t.Errorf("%d refused, %d samples", m.refused, m.done)
	}
}

func TestAnEditOfAMachineThatLostItCountsNoMore(t *testing.T) {
	l := newLab(t)
	first, second := l.join("m1"), l.join("m2")
	first.must(edits())
	k := l.errand(1, "")
	id, old := first.claim()
	first.must(part(id, old, 0, []byte("half")))
	second.must(edits())
	l.mu.Lock()
	l.table.free(k.task, l.opt.Now())
	l.mu.Unlock()
	if again, token := second.claim(); again != id || token == old || k.times.Load() != 2 || len(k.errand.parts) != 0 {
		t.Fatalf("the second machine got %s, begun %d times, with %d bytes of the first", again, k.times.Load(), len(k.errand.parts))
	}
	for name, q := range map[string]wire.Ask{
		"a part": part(id, old, 4, []byte("rest")), "its end": edited(id, old, ""), "a question to the model": {Kind: wire.AskPipe, Pipe: &wire.Pipe{Task: id, Token: old, Conn: 1}},
	} {
		if a := first.must(q); !a.Fenced {
			t.Errorf("%s of the first: %+v", name, a)
		}
	}
	if m := l.machine("m1"); m.refused != 0 {
		t.Errorf("an honest machine is refused %d times", m.refused)
	}
}

func TestWhatNoHonestMachineSendsOfAnEditIsRefused(t *testing.T) {
	whole, _, err := wire.FromEdited(&sandbox.Result{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		say  func(h *hand, id, token string) wire.Answer
	}{
		{"a part with a token of its own", func(h *hand, id, _ string) wire.Answer { return h.must(part(id, wire.NewID(), 0, whole)) }},
		{"a part before the beginning", func(h *hand, id, token string) wire.Answer { return h.must(part(id, token, -1, whole)) }},
		{"a part beyond what may be", func(h *hand, id, token string) wire.Answer { return h.must(part(id, token, wire.MaxEdited, whole)) }},
		{"an end that is another", func(h *hand, id, token string) wire.Answer {
			h.must(part(id, token, 0, whole))
			return h.must(edited(id, token, strings.Repeat("0", 64)))
		}},
		{"a sample instead", func(h *hand, id, token string) wire.Answer { return h.must(good(id, token)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t)
			h := l.join("bad")
			h.must(edits())
			k := l.errand(1, "")
			id, token := h.claim()
			if a := tt.say(h, id, token); a.OK {
				t.Errorf("the answer is %+v", a)
			}
			if m := l.machine("bad"); m.refused != 1 {
				t.Errorf("%d messages are refused", m.refused)
			}
			select {
			case how := <-k.done:
				t.Errorf("the edit ended with %+v", how)
			default:
			}
		})
	}
}

// echoes is a gateway that says each word again, and how many connections to it ended.
func echoes(t *testing.T) (socket string, gone *atomic.Int32) {
	t.Helper()
	socket, gone = filepath.Join(t.TempDir(), "gw.sock"), &atomic.Int32{}
	door, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	go func() {
		for {
			conn, err := door.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
				gone.Add(1)
			}()
		}
	}()
	return socket, gone
}

func TestTheWayToAModelIsThatOfTheMachineThatHasTheEdit(t *testing.T) {
	l := newLab(t)
	h := l.join("m1")
	h.must(edits())
	socket, gone := echoes(t)
	k := l.errand(1, socket)
	id, token := h.claim()
	send := func(conn, seq uint64, text string, end bool) wire.Answer {
		return h.must(wire.Ask{Kind: wire.AskPipe, Pipe: &wire.Pipe{Task: id, Token: token, Conn: conn, Seq: seq, Data: []byte(text), End: end}})
	}
	hears := func(conn, seq uint64, text string, end bool) {
		t.Helper()
		select {
		case o := <-h.orders:
			if p := o.Pipe; p == nil || p.Task != id || p.Conn != conn || p.Seq != seq || string(p.Data) != text || p.End != end {
				t.Fatalf("it hears %+v", o.Pipe)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("it hears nothing")
		}
	}
	if a := send(1, 1, "late", false); a.OK {
		t.Error("a connection began in its middle")
	}
	send(1, 0, "one", false)
	hears(1, 0, "one", false)
	send(1, 1, "two", true)
	hears(1, 1, "two", false)
	hears(1, 2, "", true)
	send(2, 0, "a", false)
	hears(2, 0, "a", false)
	if a := send(2, 2, "c", false); a.OK {
		t.Error("a connection goes on after a hole")
	}
	send(3, 0, "x", false)
	hears(3, 0, "x", false)
	l.mu.Lock()
	l.table.free(k.task, l.opt.Now())
	l.mu.Unlock()
	if a := send(3, 1, "y", false); !a.Fenced {
		t.Errorf("after it lost the edit: %+v", a)
	}
	until(t, "all connections ended", func() bool { return gone.Load() == 3 })
}

func TestAnEditWithoutAModelHasNoWayToOne(t *testing.T) {
	l := newLab(t)
	h := l.join("m1")
	h.must(edits())
	l.errand(1, "")
	id, token := h.claim()
	if a := h.must(wire.Ask{Kind: wire.AskPipe, Pipe: &wire.Pipe{Task: id, Token: token, Conn: 1, Data: []byte("GET /")}}); a.OK {
		t.Errorf("it is answered %+v", a)
	}
}

// machine is a machine as the coordinator knows it, when all was heard that was said.
func (l *lab) machine(name string) machine {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.machines[name]
}

// fails says that an edit could not be done.
func fails(id, token, why string, missing bool) wire.Ask {
	return wire.Ask{Kind: wire.AskResult, Result: &wire.Result{Task: id, Token: token, Fault: why, Missing: missing}}
}

func TestAMachineWithoutAProgramMeasuresOnAndIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		missing bool
		times   int
	}{
		{"that is not there", true, 1},
		{"whose edits break off three times in a row", false, maxFaults},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t)
			h := l.join("m1")
			h.must(edits())
			for n := range tt.times {
				l.errand(record.JobID(n+1), "")
				id, token := h.claim()
				h.must(fails(id, token, "there is no coder", tt.missing))
			}
			l.errand(9, "")
			other := l.errandBy(10, "", "another")
			if id, token := h.claim(); id != other.id {
				t.Errorf("it got %s, want the edit by another program, %s", id, other.id)
			} else {
				h.must(fails(id, token, "no disk", false))
			}
			sample := l.task(11)
			l.offer(sample)
			l.mu.Lock()
			l.table.end(other.task, ended{})
			l.mu.Unlock()
			if id, token := h.claim(); id != sample.id {
				t.Errorf("it got %s and not the sample, %s", id, sample.id)
			} else {
				h.must(good(id, token))
			}
			m := l.machine("m1")
			told := m.tell(nil, l.opt.Now())
			if m.aside != "" || !strings.Contains(told.Why, "coder: ") || !strings.Contains(told.NoEdits["coder"], "there is no coder") || len(told.NoEdits) != 1 {
				t.Errorf("it is told as %+v", told)
			}
			l.mu.Lock()
			l.count(l.machines)
			_, text := l.limits(time.Now(), l.table, l.machines, nil)
			l.mu.Unlock()
			if !strings.Contains(text, "no machine that serves runs coder; m1: ") {
				t.Errorf("of the edit that waits is told %q", text)
			}
			second := l.join("m2")
			second.must(edits())
			id, _ := second.claim()
			l.mu.Lock()
			if k := l.table.tasks[id]; k == nil || k.errand == nil || k.errand.Program != "coder" {
				t.Errorf("another machine got %+v, want an edit by the program", k)
			}
			l.mu.Unlock()
			h.session = wire.NewID()
			again := edits()
			again.Hello.Home = m.hello.Home
			h.must(again)
			if m := l.machine("m1"); !m.edits("coder") {
				t.Error("a worker that was started again gets no edits")
			}
		})
	}
}
