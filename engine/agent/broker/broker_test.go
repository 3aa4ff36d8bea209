package broker_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"atoll/engine/agent"
	"atoll/engine/agent/broker"
	"atoll/store/record"
)

// clock is set by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// ends is what became of a job.
type ends struct {
	res agent.Result
	err error
}

// put gives a job to the broker.
func put(ctx context.Context, b *broker.Broker, job record.JobID) <-chan ends {
	a := broker.NewAgent(b, "crowd", func(context.Context, agent.Job, agent.Tree) (string, error) { return "do it", nil })
	out := make(chan ends, 1)
	go func() {
		res, err := a.Edit(ctx, agent.Job{Number: job}, nil)
		out <- ends{res, err}
	}()
	return out
}

func take(t *testing.T, b *broker.Broker, worker string) broker.Lease {
	t.Helper()
	task, l, ok := b.Next(t.Context(), worker+"-token", worker, time.Minute)
	if !ok || task.Job != l.Job || task.Worker != worker || task.Prompt != "do it" {
		t.Fatalf("got %+v %+v %v", task, l, ok)
	}
	return l
}

func none(t *testing.T, b *broker.Broker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if task, _, ok := b.Next(ctx, "late-token", "late", 0); ok {
		t.Errorf("got #%d, want nothing", task.Job)
	}
}

// signed is who did a task.
func signed(list []record.Evidence) string {
	for _, e := range list {
		if e.Kind == "worker" {
			return string(e.Text)
		}
	}
	return ""
}

func TestATaskIsOneWorkersUntilItsLeaseEnds(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	b := broker.New(c.now)
	end := put(t.Context(), b, 7)
	first := take(t, b, "ada")
	none(t, b)
	c.pass(50 * time.Second)
	first, err := b.Extend(first, time.Minute, "still at it")
	if err != nil {
		t.Fatal(err)
	}
	c.pass(50 * time.Second)
	none(t, b)
	c.pass(20 * time.Second)
	second := take(t, b, "lou")
	foreign := second
	foreign.Holder = "ada-token"
	for what, err := range map[string]error{
		"another holder's": b.Finish(foreign, agent.Result{}, nil),
		"finish":           b.Finish(first, agent.Result{Intent: "late"}, nil),
		"give back":        b.GiveBack(first),
		"forged":           b.Finish(broker.Lease{Job: 7}, agent.Result{}, nil),
	} {
		if !errors.Is(err, broker.ErrLease) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := b.Finish(second, agent.Result{Intent: "done"}, nil); err != nil {
		t.Fatal(err)
	}
	if e := <-end; e.err != nil || e.res.Intent != "done" || signed(e.res.Evidence) != "lou (token of lou-token)" {
		t.Errorf("got %+v", e)
	}
	if err := b.Finish(second, agent.Result{}, nil); !errors.Is(err, broker.ErrNoTask) {
		t.Errorf("twice: %v", err)
	}
}

func TestATaskThatIsGivenBackIsTheNextWorkers(t *testing.T) {
	b := broker.New(time.Now)
	end := put(t.Context(), b, 3)
	if err := b.GiveBack(take(t, b, "ada")); err != nil {
		t.Fatal(err)
	}
	why := errors.New("too hard")
	if err := b.Finish(take(t, b, "lou"), agent.Result{}, &agent.Error{Err: why}); err != nil {
		t.Fatal(err)
	}
	e := <-end
	var failure *agent.Error
	if !errors.Is(e.err, why) || !errors.As(e.err, &failure) || signed(failure.Evidence) != "lou (token of lou-token)" {
		t.Errorf("got %+v", e.err)
	}
}

func TestATaskGoesWithItsJob(t *testing.T) {
	b := broker.New(time.Now)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("cancelled by a person")
	end := put(ctx, b, 5)
	l := take(t, b, "ada")
	cancel(why)
	if e := <-end; !errors.Is(e.err, why) {
		t.Errorf("got %v", e.err)
	}
	if err := b.Finish(l, agent.Result{}, nil); !errors.Is(err, broker.ErrNoTask) {
		t.Errorf("got %v", err)
	}
	if list := b.Tasks(); len(list) != 0 {
		t.Errorf("left: %+v", list)
	}
}

func TestEightWorkersFinishEachTaskOnce(t *testing.T) {
	b := broker.New(time.Now)
	const jobs = 100
	var all []<-chan ends
	for i := range record.JobID(jobs) {
		all = append(all, put(t.Context(), b, i+1))
	}
	ctx, stop := context.WithCancel(t.Context())
	var crew sync.WaitGroup
	var mu sync.Mutex
	did := map[record.JobID]int{}
	for range 8 {
		crew.Go(func() {
			for {
				_, l, ok := b.Next(ctx, "crew", "w", time.Hour)
				if !ok {
					return
				}
				if b.Finish(l, agent.Result{}, nil) == nil {
					mu.Lock()
					did[l.Job]++
					mu.Unlock()
				}
			}
		})
	}
	for _, end := range all {
		if e := <-end; e.err != nil {
			t.Error(e.err)
		}
	}
	stop()
	crew.Wait()
	for id, n := range did {
		if n != 1 {
			t.Errorf("#%d was finished %d times", id, n)
		}
	}
	if len(did) != jobs {
		t.Errorf("%d of %d", len(did), jobs)
	}
}
