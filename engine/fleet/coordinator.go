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
	queue   queue
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
	// strangers are names that ask for work and did not say hello, since when.
	strangers map[string]time.Time
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
		table: newTable(o.Lease), machines: map[string]*machine{}, strangers: map[string]time.Time{}, flow: flow{refusedFor: map[string]string{}, refusals: told{}},
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
	c.care.Go(func() { keeper{c}.keep(run) })
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
		opts = append(opts, nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				hearing{c}.isCut(err)
			}
		}), nats.ReconnectHandler(func(*nats.Conn) { hearing{c}.isJoined() }))
		url, c.subject, c.address = s.URL, s.Subjects, s.Shown
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return fmt.Errorf("connect to the fleet at %s: %w; is the NATS server there, and may this machine use it?", c.address, err)
	}
	c.nc = nc
	if c.queue, err = newQueue(nc, c.subject, c.server != nil); err != nil {
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
	if err := c.queue.open(ctx); err != nil {
		return err
	}
	if err := c.queue.clear(ctx); err != nil {
		return err
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

// offer lists a task: a slot that waits for an order gets it at once, else the next one
// that asks. The caller holds no lock.
func (c *Coordinator) offer(k *task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.opt.Now()
	c.table.list(k, now)
	c.serve(now)
}

// serve gives tasks that wait to slots that wait. The caller holds the lock.
func (c *Coordinator) serve(now time.Time) {
	t := c.table
	var still []idle
	for len(t.idle) > 0 && len(t.ready) > 0 {
		w := t.idle[0]
		t.idle = t.idle[1:]
		m := c.machines[w.machine]
		if m == nil || m.session != w.session || !now.Before(w.until) || !m.serves() || m.check.held {
			continue
		}
		k := t.next(m, &c.flow)
		if k == nil {
			still = append(still, w)
			continue
		}
		c.order(m, wire.Order{Kind: wire.OrderMeasure, Next: c.given(m, k, "", now)})
	}
	if len(still) > 0 {
		t.idle = append(still, t.idle...)
	}
}

// given gives a task to a machine.
func (c *Coordinator) given(m *machine, k *task, asked string, now time.Time) *wire.Next {
	c.table.give(k, m.name, asked, now)
	k.live("on " + m.name)
	return &wire.Next{Task: k.data, Token: k.token}
}

// standby is how long a slot may be thought to wait for an order: less than it does.
const standby = wire.PatienceMS * time.Millisecond * 3 / 4

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
