package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"atoll/engine/fleet/wire"
	"atoll/engine/sandbox"
	"atoll/store/whole"
)

// Options say who a worker is and where it works.
type Options struct {
	Join    string // an invite, or the URL of a NATS server
	Name    string // with a URL: who this is
	Slots   int    // samples at the same time
	Labels  map[string]string
	Pool    string // with a URL: the machines that this one belongs to, "" = none in particular
	Edits   bool   // coding clients run here, too
	Version string // of this program, with its commit
	State   string // a folder of its own
	Cache   int64  // bytes that it may keep there from one start to the next
	Sandbox sandbox.Options
	Say     func(level, text string) // from any goroutine
	Now     func() time.Time
}

// Worker is a machine of a fleet while it runs.
type Worker struct {
	o       Options
	subject wire.Subjects
	pool    string
	nc      *nats.Conn
	session string // new each time
	home    string // of its folder
	box     *sandbox.Box
	lab     *laboratory
	lost    chan struct{}  // closed: the connection was closed for good
	orders  chan wire.Next // tasks that came by an order

	drainOnce sync.Once
	drained   chan struct{} // closed: nothing more is taken

	greeting sync.Mutex

	mu      sync.Mutex
	welcome wire.Welcome
	hold    bool      // one slot alone asks for work
	held    time.Time // when it did
	running map[string]begun
	tunnels map[string]*tunnel // ways to a model, by task
	told    time.Time          // when a result was last taken
	beat    time.Time          // the last one
	done    int
	failed  int
	leave   error
}

// begun is a task that the worker has.
type begun struct {
	cancel context.CancelCauseFunc
	since  time.Time
}

// The errors of this package that callers tell apart.
var (
	// ErrRefused reports a coordinator that does not want the machine.
	ErrRefused = errors.New("the coordinator refused this machine")
	// ErrInUse reports a state folder that another worker uses.
	ErrInUse = errors.New("another worker uses this folder")
)

// The reasons for which an execution is cancelled.
var (
	errStopped = errors.New("the coordinator wants it no more")
	errEnding  = errors.New("the worker ends")
)

// Run works until drain is closed and what it had is done, until the coordinator
// sends the machine away, or until ctx ends, which breaks off what runs.
func Run(ctx context.Context, o Options, drain <-chan struct{}) error {
	w := &Worker{o: o, pool: o.Pool, session: wire.NewID(), drained: make(chan struct{}), lost: make(chan struct{}), orders: make(chan wire.Next, o.Slots+4), running: map[string]begun{}, tunnels: map[string]*tunnel{}}
	lock, err := w.takeFolder()
	if err != nil {
		return err
	}
	defer lock.Close()
	// A process that is being started just now has the file, too, until its exec, so
	// closing alone would not end the lock.
	defer syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	if w.box, err = sandbox.New(ctx, o.Sandbox); err != nil {
		return err
	}
	if w.lab, err = newLaboratory(ctx, o, w.box, w.ask); err != nil {
		return errors.Join(err, w.box.Close())
	}
	err = w.serve(ctx, drain)
	return errors.Join(err, w.box.Close(), w.lab.close())
}

// takeFolder makes the state folder this worker's own.
func (w *Worker) takeFolder() (*os.File, error) {
	if err := os.MkdirAll(w.o.State, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the worker: %w; choose another with --state", err)
	}
	lock, err := os.OpenFile(filepath.Join(w.o.State, "worker.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of the worker: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("%w: %s; choose another with --state", ErrInUse, w.o.State)
	}
	if err := w.settle(); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("the folder of the worker: %w", err)
	}
	return lock, nil
}

// settle reads what tells the workers of this folder from others, or draws it.
func (w *Worker) settle() error {
	path := filepath.Join(w.o.State, "home")
	text, err := os.ReadFile(path)
	if err == nil && wire.IsID(string(text)) {
		w.home = string(text)
		return nil
	}
	w.home = wire.NewID()
	return whole.Write(path, whole.Options{}, whole.Bytes([]byte(w.home)))
}

// connect reaches the server. One that is not there yet is waited for.
func (w *Worker) connect() error {
	var s wire.Server
	var err error
	if wire.IsInvite(w.o.Join) {
		i, perr := wire.ParseInvite(w.o.Join)
		if perr != nil {
			return perr
		}
		w.o.Name, w.pool = i.Name, i.Pool
		s, err = i.Dial()
	} else {
		s, err = wire.ParseServer(w.o.Join)
	}
	if err != nil {
		return err
	}
	if err := wire.CheckName(w.o.Name); err != nil {
		return err
	}
	w.subject = s.Subjects
	opts := append(wire.Patient(), s.Options...)
	opts = append(opts, nats.Name(w.session), nats.CustomInboxPrefix(s.Subjects.Inbox(w.o.Name)), nats.RetryOnFailedConnect(true),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				w.o.Say("warn", "the connection broke: "+err.Error()+"; what runs goes on, and is told later")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { w.o.Say("info", "connected to "+s.Shown) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				w.o.Say("error", err.Error())
			}
		}),
		nats.ClosedHandler(func(nc *nats.Conn) { close(w.lost) }))
	if w.nc, err = nats.Connect(s.URL, opts...); err != nil {
		return fmt.Errorf("connect to the fleet at %s: %w", s.Shown, err)
	}
	if !w.nc.IsConnected() {
		why := "it does not answer"
		if err := w.nc.LastError(); err != nil {
			why = err.Error()
		}
		w.o.Say("warn", "cannot reach the fleet at "+s.Shown+" yet ("+why+"); waiting for it")
	}
	_, err = w.nc.Subscribe(w.subject.Down(w.o.Name), w.obey)
	return err
}

// serve joins the fleet and works for it.
func (w *Worker) serve(ctx context.Context, drain <-chan struct{}) error {
	if err := w.connect(); err != nil {
		return err
	}
	defer w.nc.Close()
	ctx, end := context.WithCancelCause(ctx)
	defer end(errEnding)
	var hands, beat sync.WaitGroup
	go func() { // ends with ctx, which serve ends
		select {
		case <-ctx.Done():
		case <-drain:
			w.Drain()
		case <-w.lost:
			end(w.shutOut(w.nc.LastError()))
		}
	}()
	if err := w.greet(ctx); err != nil || w.draining() {
		return err
	}
	beats, still := context.WithCancel(ctx)
	beat.Go(func() { w.beats(beats) })
	for range w.o.Slots {
		hands.Go(func() { w.work(ctx) })
	}
	hands.Wait()
	for len(w.orders) > 0 { // of slots that wait for none any more
		w.execution(<-w.orders).run(ctx)
	}
	still()
	beat.Wait()
	w.bye(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if cause := context.Cause(ctx); w.leave == nil && errors.Is(cause, ErrRefused) {
		return cause
	}
	return w.leave
}

// shutOut is why a server that closed the connection for good did so.
func (w *Worker) shutOut(why error) error {
	if errors.Is(why, nats.ErrAuthorization) && wire.IsInvite(w.o.Join) {
		return fmt.Errorf("%w: the key of its invite opens nothing, since %s was invited again or dropped; `atoll fleet invite %[2]s` on the machine of the run prints another line", ErrRefused, w.o.Name)
	}
	return fmt.Errorf("%w: the server closed the connection for good: %w", ErrRefused, why)
}

// bye says that the worker ends, so that nobody waits for it. Where that is lost its
// lease runs out.
func (w *Worker) bye(ctx context.Context) {
	if !w.nc.IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if a, err := w.ask(ctx, wire.Ask{Kind: wire.AskBye}); err == nil && a.OK {
		w.mu.Lock()
		done := w.done
		w.mu.Unlock()
		w.o.Say("info", fmt.Sprintf("left; %d results of it count", done))
	}
}

// Drain has the worker take nothing more and end when what it has is done.
func (w *Worker) Drain() { w.drainOnce.Do(func() { close(w.drained) }) }

func (w *Worker) draining() bool {
	select {
	case <-w.drained:
		return true
	default:
		return false
	}
}

// go away for a reason that a person has to look into.
func (w *Worker) goAway(why string) {
	w.mu.Lock()
	w.leave = fmt.Errorf("%w: %s", ErrRefused, why)
	w.mu.Unlock()
	w.Drain()
}

// patience is how long an answer may take.
const patience = 5 * time.Second

// ask says something to the coordinator and waits for its answer.
func (w *Worker) ask(ctx context.Context, q wire.Ask) (wire.Answer, error) {
	q.V, q.Session = wire.Protocol, w.session
	data, err := wire.Encode(q)
	if err != nil {
		return wire.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	msg, err := w.nc.RequestWithContext(ctx, w.subject.Up(w.o.Name), data)
	if err != nil {
		return wire.Answer{}, err
	}
	a, err := wire.Decode[wire.Answer](msg.Data)
	if err == nil {
		w.mu.Lock()
		w.hold = a.Hold
		w.mu.Unlock()
	}
	return a, err
}

// greet says hello until the coordinator answers. Where another worker has the name it
// waits whether that one is silent for a lease.
func (w *Worker) greet(ctx context.Context) error {
	w.greeting.Lock()
	defer w.greeting.Unlock()
	host, _ := os.Hostname() // without one: another machine
	hello := wire.Hello{
		Home: w.home, Host: host,
		Version: w.o.Version, Slots: w.o.Slots, CPUs: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Rung: int(w.box.Rung()), Edits: w.o.Edits, Labels: w.o.Labels, Pool: w.pool,
	}
	waits := false
	var busy time.Time // since when another one has the name
	for {
		a, err := w.ask(ctx, wire.Ask{Kind: wire.AskHello, Hello: &hello})
		if err == nil && a.BusyMS > 0 {
			now, lease := w.o.Now(), time.Duration(a.BusyMS)*time.Millisecond
			switch {
			case busy.IsZero():
				busy = now
				w.o.Say("warn", fmt.Sprintf("%s; waiting for %s whether that one still lives", a.Why, lease))
			case now.Sub(busy) > lease+lease/4:
				a.Leave = true
			}
		}
		switch {
		case errors.Is(err, wire.ErrMessage):
			return err
		case err == nil && a.Leave:
			return fmt.Errorf("%w: %s", ErrRefused, a.Why)
		case err == nil && a.Welcome != nil:
			w.mu.Lock()
			w.welcome = *a.Welcome
			w.mu.Unlock()
			w.o.Say("info", fmt.Sprintf("joined as %s; slots: %d", w.o.Name, w.o.Slots))
			return nil
		case !waits && busy.IsZero() && w.nc.IsConnected():
			waits = true
			w.o.Say("info", "no coordinator answers yet; waiting for one")
		}
		if !w.rest(ctx, time.Second) {
			return ignoreEnd(ctx)
		}
	}
}

// ignoreEnd is why a context ended, nil where that was wanted.
func ignoreEnd(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrRefused) {
		return cause
	}
	return nil
}

// rest waits; false: the worker ends.
func (w *Worker) rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-w.drained:
		return false
	case <-time.After(d):
		return true
	}
}

// lease is how long a silent worker keeps a task.
func (w *Worker) lease() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lives()
}

// lives is lease for who holds the lock.
func (w *Worker) lives() time.Duration {
	return max(200*time.Millisecond, time.Duration(w.welcome.LeaseMS)*time.Millisecond)
}
