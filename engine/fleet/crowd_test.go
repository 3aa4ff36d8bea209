package fleet

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/config/suitetest"
	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// crowdFile has this program be a crowd of workers: the file of their invites.
const crowdFile = "ATOLL_TEST_CROWD"

// nap is how long a worker of the crowd "measures".
const nap = 50 * time.Millisecond

func TestMain(m *testing.M) {
	if path := os.Getenv(crowdFile); path != "" {
		if err := crowd(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// crowd is many workers in one process, each with a connection of its own, which speak
// as a real one does and sleep instead of measuring. It ends when it is killed.
func crowd(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	errs := make(chan error)
	for line := range strings.Lines(string(text)) {
		i, err := wire.ParseInvite(line)
		if err != nil {
			return err
		}
		s, err := i.Dial()
		if err != nil {
			return err
		}
		opts := append(wire.Patient(), s.Options...)
		nc, err := nats.Connect(s.URL, append(opts, nats.CustomInboxPrefix(s.Subjects.Inbox(i.Name)), nats.Timeout(time.Minute))...)
		if err != nil {
			return err
		}
		go func() { errs <- sleeper(nc, i.Name) }()
	}
	return <-errs
}

// sleeper is one worker of a crowd.
func sleeper(nc *nats.Conn, name string) error {
	var spoke atomic.Int64
	session := wire.NewID()
	ask := func(q wire.Ask) (wire.Answer, error) {
		q.V, q.Session = wire.Protocol, session
		spoke.Store(time.Now().UnixNano())
		data, err := wire.Encode(q)
		if err != nil {
			return wire.Answer{}, err
		}
		m, err := nc.Request(wire.Subjects{}.Up(name), data, time.Minute)
		if err != nil {
			return wire.Answer{}, err
		}
		return wire.Decode[wire.Answer](m.Data)
	}
	q := hello()
	q.Hello.Slots, q.Hello.Home = 1, wire.NewID()
	if a, err := ask(q); err != nil || !a.OK {
		return fmt.Errorf("%s: %w %s", name, err, a.Why)
	}
	orders := make(chan wire.Next, 4)
	if _, err := nc.Subscribe(wire.Subjects{}.Down(name), func(m *nats.Msg) {
		if o, err := wire.Decode[wire.Order](m.Data); err == nil && o.Kind == wire.OrderMeasure {
			orders <- *o.Next
		}
	}); err != nil {
		return err
	}
	go func() {
		for range time.Tick(2 * time.Second) {
			if time.Since(time.Unix(0, spoke.Load())) > time.Second { // as a worker whose tasks are all young
				_, _ = ask(wire.Ask{Kind: wire.AskBeat, Beat: &wire.Beat{}})
			}
		}
	}()
	a, err := ask(askWork())
	for ; err == nil; a, err = ask(askWork()) {
		for err == nil && (a.Next != nil || a.Wait) {
			if a.Next == nil {
				select {
				case n := <-orders:
					a.Next = &n
				case <-time.After(wire.PatienceMS * time.Millisecond):
					a.Wait = false
					continue
				}
			}
			k, bad := wire.Decode[wire.Task](a.Next.Task)
			if bad != nil {
				return bad
			}
			time.Sleep(nap)
			q := good(k.ID, a.Next.Token)
			q.Result.More = true
			a, err = ask(q)
		}
	}
	return err
}

// crowdRun is a run for a crowd: jobs of a real store, each measured through the queue.
type crowdRun struct {
	*lab
	db  *store.DB
	exp record.ExperimentID
}

// one takes a job from its lease to its end.
func (r *crowdRun) one() error {
	ctx := r.t.Context()
	l, err := r.db.Lease(ctx, r.exp, "w1", time.Hour)
	if err != nil {
		return err
	}
	id := l.Job.ID
	var name record.Hash
	for i := range 8 {
		name[i] = byte(id >> (8 * i))
	}
	c := record.Candidate{Commit: name, Tree: name, Operator: l.Job.Operator, Agent: l.Job.Agent, Parents: []record.ParentRef{{ID: l.Job.Parent, Role: record.RoleParent}}}
	if _, _, err := r.db.Made(ctx, *l, c); err != nil {
		return err
	}
	if err := r.db.Evaluate(ctx, *l, record.Committed, 1); err != nil {
		return err
	}
	k, err := newTask(wire.Task{V: wire.Protocol, ID: wire.NewID(), Job: id, Tree: name}, work.Measurement{Job: id, Candidate: record.CandidateID(id)}, []string{"measure"})
	if err != nil {
		return err
	}
	r.offer(k)
	how := <-k.done
	if how.err != nil {
		return how.err
	}
	value := how.result.Objective
	_, err = r.db.Finish(ctx, *l, store.Outcome{
		State: record.Scored, Evals: 1, EvalMS: nap.Milliseconds(), Machine: how.machine,
		Candidate: &record.Candidate{Objective: &value, Samples: 1, Measures: []float64{value}, Metrics: how.result.Metrics},
		Samples:   []record.Sample{{Objective: value, Machine: how.machine}},
	})
	return err
}

// processor is the time that this process and, once it ended, its children used.
func processor(t *testing.T, who int) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// peak is the most memory that this process had, in MiB.
func peak(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("the system does not tell how much memory a process has: %v", err)
	}
	kib := 0
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			break
		}
	}
	return kib >> 10
}

func TestACrowdOfMachinesIsServed(t *testing.T) {
	suitetest.Full(t, "serves many machines at once; TestManyTasksGoThroughTheQueueOnce serves four every day")
	machines := suitetest.Pick(50, 50, 500)
	jobs := 20 * machines
	l := newLab(t)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "atoll.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	e, err := db.CreateExperiment(t.Context(), record.Experiment{Name: "crowd", Config: []byte("{}")}, record.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	r := &crowdRun{l, db, e.ID}
	r.fill(jobs)
	end := r.invites(machines)
	for end := time.Now().Add(5 * time.Minute); l.Slots() < machines; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of %d machines joined", l.Slots(), machines)
		}
	}
	debug.FreeOSMemory()
	began, before := time.Now(), processor(t, syscall.RUSAGE_SELF)
	var left atomic.Int64
	left.Store(int64(jobs))
	var hands sync.WaitGroup
	for range machines + machines/4 {
		hands.Go(func() {
			for left.Add(-1) >= 0 {
				if err := r.one(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	hands.Wait()
	took, used, mib := time.Since(began), processor(t, syscall.RUSAGE_SELF)-before, peak(t)
	rate := float64(jobs) / took.Seconds()
	busy := rate * nap.Seconds() / float64(machines)
	t.Logf("%d machines, %d jobs of %s in %s: %.0f jobs/s, slots %.0f %% busy, %.0f µs of processor a job at the run, peak memory %d MiB",
		machines, jobs, nap, took.Round(time.Millisecond), rate, 100*busy, float64(used.Microseconds())/float64(jobs), mib)
	if mib > 300 {
		t.Errorf("the run takes %d MiB", mib)
	}
	limit := l.status(time.Now()).Limit
	if t.Log(limit); busy < fullyBusy && limit == "" && took > gaugeBack {
		t.Error("nothing says why slots are free")
	}
	theirs := processor(t, syscall.RUSAGE_CHILDREN)
	end()
	theirs = processor(t, syscall.RUSAGE_CHILDREN) - theirs
	t.Logf("the crowd took %.0f µs of processor a job, with %d connections made", float64(theirs.Microseconds())/float64(jobs), machines)
	s := l.status(time.Now())
	done := 0
	for _, m := range s.Machines {
		done += m.Done
		if m.Refused > 0 || m.Done == 0 {
			t.Errorf("%s: %d done, %d refused", m.Name, m.Done, m.Refused)
		}
	}
	c, err := db.Counters(t.Context(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Jobs(record.Make, record.Scored); done != jobs || n != jobs {
		t.Errorf("%d results counted, %d jobs are scored, of %d", done, n, jobs)
	}
}

// fill queues jobs.
func (r *crowdRun) fill(n int) {
	r.t.Helper()
	list := make([]record.Job, n)
	for i := range list {
		list[i] = record.NewJob(r.exp, record.JobID(i+1), record.Make)
		list[i].Operator, list[i].Agent = record.OpTune, "offline"
	}
	for part := range slices.Chunk(list, 1000) {
		if err := r.db.AddJobs(r.t.Context(), part); err != nil {
			r.t.Fatal(err)
		}
	}
}

// invites starts a crowd of so many machines, in a process of its own.
func (r *crowdRun) invites(n int) (end func()) {
	r.t.Helper()
	id, err := server.IdentityOf(r.state, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	var lines strings.Builder
	members := make([]server.Member, n)
	for i := range n {
		seed, public, err := server.NewKey()
		if err != nil {
			r.t.Fatal(err)
		}
		name := fmt.Sprintf("m%04d", i)
		members[i] = server.Member{Name: name, Key: public, State: server.Active}
		fmt.Fprintln(&lines, wire.Invite{Address: r.Address(), Name: name, Seed: seed, Server: id.Print})
	}
	list, err := json.Marshal(members)
	if err != nil {
		r.t.Fatal(err)
	}
	path := filepath.Join(r.t.TempDir(), "invites")
	for to, text := range map[string][]byte{path: []byte(lines.String()), filepath.Join(server.Dir(r.state), "members.json"): list} {
		if err := os.WriteFile(to, text, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(r.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crowdFile+"="+path)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	r.t.Cleanup(end)
	return end
}
