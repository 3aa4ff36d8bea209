package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/store/record"
)

// DefaultLease is how long a silent machine keeps its tasks.
const DefaultLease = 20 * time.Second

// listenPrefix begins an address at which the coordinator itself is the server.
const listenPrefix = "listen:"

// ErrLed reports a fleet that another run uses.
var ErrLed = errors.New("another run uses this fleet")

// Options say how a coordinator reaches its fleet.
type Options struct {
	Address string // listen:HOST:PORT, or the URL of a NATS server
	State   string // the state directory
	Version string // of this program, with its commit; workers must have the same
	Lease   time.Duration
	// Agree is how far a machine's value of the root may lie from the run's, as a
	// share; 0: nobody asks. Recheck is how often it is asked again.
	Agree   float64
	Recheck time.Duration
	Now     func() time.Time
}

// Listener is who hears what the fleet has to say. Its methods are safe for
// concurrent use and do not wait.
type Listener interface {
	Note(level string, job record.JobID, text string, at ...time.Time)
	Wake() // there may be something to do
}

// Coordinator gives tasks to machines and takes their results. Make one with
// [Start]; it serves one run after the other. Close it.
type Coordinator struct {
	opt     Options
	pid     int
	address string
	subject wire.Subjects
	server  *server.Server // nil: it runs elsewhere
	members server.Members
	nc      *nats.Conn
	js      jetstream.JetStream
	blobs   *blobs
	stop    context.CancelFunc
	kept    chan refusal // what the server kept machines from
	care    sync.WaitGroup

	mu       sync.Mutex
	table    *table
	machines map[string]*machine
	listed   []server.Member
	changed  int64    // of the members
	rung     int      // of this machine's sandbox; 0: nothing is measured yet
	listener Listener // nil: nobody listens
	run      *session // nil: none was opened
	ref      reference
	first    string // machine that measures the root while it has no value
	flow
	early []func(Listener)
}

// Start reaches the fleet, or starts its server.
func Start(ctx context.Context, o Options) (*Coordinator, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	if o.Recheck <= 0 {
		o.Recheck = DefaultRecheck
	}
	dir := server.Dir(o.State)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the fleet: %w", err)
	}
	c := &Coordinator{
		opt: o, pid: os.Getpid(), members: server.MembersOf(o.State), blobs: newBlobs(filepath.Join(dir, "blobs")),
		kept:  make(chan refusal, 64),
		table: newTable(o.Lease), machines: map[string]*machine{}, flow: flow{refusedFor: map[string]string{}},
	}
	if err := c.connect(ctx); err != nil {
		c.Close()
		return nil, err
	}
	c.readMembers()
	if err := c.lead(ctx); err != nil {
		c.Close()
		return nil, err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	c.care.Go(func() { c.look(run) })
	return c, nil
}

// connect starts the server where it is ours, and connects.
func (c *Coordinator) connect(ctx context.Context) error {
	opts := append(wire.Patient(), nats.Name("atoll coordinator"))
	url := ""
	if at, ours := strings.CutPrefix(c.opt.Address, listenPrefix); ours {
		s, err := server.Start(server.Options{State: c.opt.State, Address: at, Now: c.opt.Now, Refused: c.keptFrom})
		if err != nil {
			return err
		}
		c.server, c.address = s, s.Address()
		user, password := s.Credentials()
		opts = append(opts, nats.InProcessServer(s.InProcess()), nats.UserInfo(user, password))
	} else {
		s, err := wire.ParseServer(c.opt.Address)
		if err != nil {
			return err
		}
		opts = append(opts, s.Options...)
		url, c.subject, c.address = s.URL, s.Subjects, s.Shown
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return fmt.Errorf("connect to the fleet at %s: %w; is the NATS server there, and may this machine use it?", c.address, err)
	}
	c.nc = nc
	if c.js, err = jetstream.New(nc); err != nil {
		return err
	}
	return ctx.Err()
}

// lead makes this process the one coordinator and clears the queue: what lies in
// it is of a run that ended, and the log knows what is to be done.
func (c *Coordinator) lead(ctx context.Context) error {
	if _, err := c.nc.RequestWithContext(within(ctx, time.Second), c.subject.Lead(), nil); err == nil {
		return fmt.Errorf("%w at %s: end it first, or tell them apart with ?fleet=NAME", ErrLed, c.address)
	}
	if _, err := c.nc.Subscribe(c.subject.Lead(), func(m *nats.Msg) { _ = m.Respond([]byte("here")) }); err != nil {
		return err
	}
	if err := c.openQueue(ctx); err != nil {
		return err
	}
	s, err := c.js.Stream(ctx, c.subject.Stream())
	if err == nil {
		err = s.Purge(ctx)
	}
	if err != nil {
		return fmt.Errorf("clear the queue of the fleet: %w", err)
	}
	if _, err := c.nc.Subscribe(c.subject.AllUp(), c.hear); err != nil {
		return err
	}
	// Whoever is told the address finds the server listening for us.
	return c.nc.FlushWithContext(within(ctx, 10*time.Second))
}

// within bounds a context; it ends by itself.
func within(ctx context.Context, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(ctx, d)
	context.AfterFunc(ctx, cancel)
	return ctx
}

// openQueue makes the stream and the consumers of all pools, unless they are
// there.
func (c *Coordinator) openQueue(ctx context.Context) error {
	ctx = within(ctx, 10*time.Second)
	storage := jetstream.FileStorage
	if c.server != nil {
		storage = jetstream.MemoryStorage
	}
	_, err := c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: c.subject.Stream(), Subjects: []string{c.subject.AllJobs()}, Retention: jetstream.WorkQueuePolicy, Storage: storage,
		Duplicates: 2 * time.Minute, MaxMsgSize: wire.MaxMessage,
	})
	if err != nil {
		return fmt.Errorf("open the queue of the fleet: %w; the NATS server needs JetStream (nats-server -js)", err)
	}
	_, err = c.js.CreateOrUpdateConsumer(ctx, c.subject.Stream(), jetstream.ConsumerConfig{
		Durable: c.subject.Consumer(wire.DefaultPool), FilterSubject: c.subject.Jobs(wire.DefaultPool), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: c.opt.Lease, MaxDeliver: -1, MaxAckPending: 100_000, MaxWaiting: 16_384,
	})
	if err != nil {
		return fmt.Errorf("open the queue of the fleet: %w", err)
	}
	return nil
}

// offer lists a task. A slot that waits for an order gets it at once. Else it goes into
// the queue where a slot may look for it there; else it waits for one that becomes free,
// whose machine gets it with the answer to its result: both spare the queue, and the
// machine a claim. What waits for long is published. The caller holds no lock.
func (c *Coordinator) offer(k *task) {
	c.mu.Lock()
	now := c.opt.Now()
	c.table.tasks[k.id] = k
	to, wait := "", false
	if len(k.data) <= maxDirect {
		to = c.table.waiter(now, func(name string) bool { m := c.machines[name]; return m.serves() && !m.check.held })
		wait = to == "" && c.slots > 0 && c.table.taken+c.table.open >= c.slots
	}
	switch {
	case to != "":
		k.give(c.table, to, now)
		k.direct = true
	case wait:
		c.table.ready = append(c.table.ready, k)
	}
	o := wire.Order{Kind: wire.OrderMeasure, Data: k.data, Token: k.token}
	c.mu.Unlock()
	switch {
	case to != "":
		k.live("on " + to)
		c.order(to, o)
	case !wait:
		c.publish(k)
	}
}

// maxDirect is the longest task that goes to a machine without the queue, and standby
// how long a slot may be thought to wait for one: less than it does.
const (
	maxDirect = wire.MaxMessage / 2
	standby   = wire.PatienceMS * time.Millisecond * 3 / 4
)

// publish puts a task in the queue. What cannot be put there now is tried again
// by look; false: it is not there. The caller holds no lock.
func (c *Coordinator) publish(k *task) bool {
	c.mu.Lock()
	if c.table.tasks[k.id] != k || k.machine != "" || k.only != "" {
		c.mu.Unlock()
		return true
	}
	c.table.queued(k, c.opt.Now())
	c.mu.Unlock()
	_, err := c.js.Publish(within(context.Background(), 5*time.Second), c.subject.Jobs(wire.DefaultPool), k.data)
	if err != nil {
		c.mu.Lock()
		if c.table.tasks[k.id] == k && k.machine == "" {
			c.table.unqueued(k)
		}
		c.mu.Unlock()
	}
	return err == nil
}

// republish puts tasks that lost their machine back in the queue. The caller holds
// the lock.
func (c *Coordinator) republish(tasks []*task) {
	if len(tasks) == 0 {
		return
	}
	c.care.Go(func() {
		for _, k := range tasks {
			c.publish(k)
		}
	})
}

// Slots is how many samples the fleet takes at the same time now.
func (c *Coordinator) Slots() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(c.machines)
	return c.slots
}

// Tasks is how many samples are being taken or wait for that.
func (c *Coordinator) Tasks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table.wanted()
}

// Address is where machines reach the fleet.
func (c *Coordinator) Address() string { return c.address }

// say tells the listener; what is said before there is one waits for it.
func (c *Coordinator) say(level, text string) {
	at := c.opt.Now()
	tell := func(v Listener) { v.Note(level, record.NoJob, text, at) }
	if c.listener != nil {
		tell(c.listener)
		c.listener.Wake()
	} else if len(c.early) < 100 {
		c.early = append(c.early, tell)
	}
}

// Close ends the coordinator: tasks that are in work are cancelled.
func (c *Coordinator) Close() {
	if c.stop != nil {
		c.stop()
	}
	c.care.Wait()
	if c.nc != nil {
		_ = c.nc.FlushTimeout(time.Second) // orders that are under way
		c.nc.Close()
	}
	if c.server != nil {
		c.server.Close()
	}
	_ = os.Remove(filepath.Join(server.Dir(c.opt.State), StatusName))
}
