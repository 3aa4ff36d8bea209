package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync"
	"syscall"
	"time"

	"atoll/engine/sandbox/boot"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
	"atoll/store/record"

	"golang.org/x/sys/unix"
)

// slack is how long past its own limits the first process may take before the
// supervisor kills it.
const slack = 1500 * time.Millisecond

// Run runs one command to its end. The error is a failure of the sandbox itself
// (a Spec that cannot be run is [ErrSpec]) or the context's: then everything the
// command started is gone within two seconds, and Result holds what is known.
// Whatever the command does is in the Result.
func (b *Box) Run(ctx context.Context, s Spec) (Result, error) {
	if err := b.begin(); err != nil {
		return Result{}, err
	}
	defer b.running.Done()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if s.Prepared != nil {
		if res, err, done := b.runPrepared(ctx, s); done {
			return res, err
		}
	}
	stage := filepath.Join(b.dir, "stage")
	if b.rung != Namespaces {
		dir, err := os.MkdirTemp(filepath.Join(b.dir, "runs"), "run-")
		if err != nil {
			return Result{}, fmt.Errorf("make a folder for a sandbox: %w", err)
		}
		defer b.discard(dir)
		stage = dir
	}
	job, err := b.job(&s, stage)
	if err != nil {
		return Result{}, err
	}
	if s.Net == NetGateway && b.rung != Namespaces {
		g, err := b.openGateway(job, s.Gateway)
		if err != nil {
			return Result{}, err
		}
		defer g.close()
	}
	r := &run{box: b, spec: &s, job: job, began: b.now()}
	if r.group, err = b.groups.open(s.Limits); err != nil {
		return Result{}, err
	}
	res, err := r.do(ctx)
	for _, name := range r.group.end() {
		if !slices.Contains(res.Limits, name) {
			res.Limits = append(res.Limits, name)
		}
	}
	return res, err
}

// tidyTime is how long a run waits for its folder to be removed. What takes longer
// goes on beside the next runs, until Close: nobody waits for what a command made.
const tidyTime = 500 * time.Millisecond

// discard removes the folder of a run that has ended.
func (b *Box) discard(dir string) {
	gone := make(chan struct{})
	b.running.Go(func() {
		defer close(gone)
		_ = removeAll(dir)
	})
	t := time.NewTimer(tidyTime)
	defer t.Stop()
	select {
	case <-gone:
	case <-t.C:
	}
}

// run is one command under way.
type run struct {
	box   *Box
	spec  *Spec
	job   *wire.Job
	began time.Time

	group  *group    // nil: none is delegated
	copies *resident // nil: the command is started
	killed bool      // by this process: there is no report
	orders *os.File
	out    [2]stream
	report []byte
}

// pipes are the ends of one start: child's are passed on and then closed.
type pipes struct {
	child  []*os.File
	stdout *os.File
	stderr *os.File
	report *os.File
	orders *os.File
}

// do starts the first process, reads all it has to say, and waits for it. The
// goroutines it starts end with the pipes they read.
func (r *run) do(ctx context.Context) (Result, error) {
	p, err := r.open()
	if err != nil {
		return Result{}, err
	}
	r.orders = p.orders
	first, err := r.start(p)
	for _, f := range p.child {
		_ = f.Close()
	}
	if err != nil {
		for _, f := range []*os.File{p.stdout, p.stderr, p.report, p.orders} {
			_ = f.Close()
		}
		return Result{}, fmt.Errorf("start a sandbox: %w", err)
	}
	q := &quota{max: r.spec.Limits.Output, over: func() { r.order(wire.OrderOutput) }}
	if q.max <= 0 {
		q.max = defaultOutput
	}
	var readers sync.WaitGroup
	for i, f := range []*os.File{p.stdout, p.stderr} {
		if r.spec.OnLine != nil {
			r.out[i].each = func(line string) { r.spec.OnLine(i+1, line) }
		}
		readers.Go(func() { r.out[i].read(f, q) })
	}
	readers.Go(func() { r.report, _ = io.ReadAll(io.LimitReader(p.report, 1<<31)) })
	state, killed, ctxErr := r.await(ctx, first)
	r.killed = killed
	if killed {
		r.group.kill()
	}
	if killed && r.box.rung != Namespaces {
		_, _ = reap(r.job.Stage) // its children survive it there
	}
	readers.Wait()
	for _, f := range []*os.File{p.stdout, p.stderr, p.report, p.orders} {
		_ = f.Close()
	}
	res, err := r.result(state)
	if ctxErr != nil {
		return res, ctxErr
	}
	if killed {
		res.TimedOut = true
		return res, nil
	}
	return res, err
}

// order writes one order; a first process that is gone does not read it.
func (r *run) order(o byte) { _, _ = r.orders.Write([]byte{o}) }

// open makes the message and the pipes. Only what this process waits for is made
// known to the runtime's poller.
func (r *run) open() (_ *pipes, err error) {
	p := &pipes{}
	var open []*os.File
	defer func() {
		if err != nil {
			for _, f := range open {
				_ = f.Close()
			}
			err = fmt.Errorf("open the pipes of a sandbox: %w", err)
		}
	}()
	pipe := func(awaited bool) (rd, wr *os.File) {
		var fds [2]int
		if err == nil {
			err = unix.Pipe2(fds[:], unix.O_CLOEXEC)
		}
		if err != nil {
			return nil, nil
		}
		if awaited {
			_ = unix.SetNonblock(fds[0], true)
		}
		rd, wr = os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe")
		open = append(open, rd, wr)
		return rd, wr
	}
	memory := func(data []byte) (f *os.File) {
		if err == nil {
			if f, err = memfile(data); err == nil {
				open = append(open, f)
			}
		}
		return f
	}
	msg := memory(wire.Encode(r.job))
	var guest *os.File
	if r.copies != nil && err == nil {
		if guest, err = r.copies.connect(); err == nil {
			open = append(open, guest)
		}
	}
	var stdin *os.File
	if r.spec.Stdin != nil {
		stdin = memory(r.spec.Stdin)
	} else if err == nil {
		if stdin, err = os.Open(os.DevNull); err == nil {
			open = append(open, stdin)
		}
	}
	var outW, errW, ordR, repW *os.File
	p.stdout, outW = pipe(true)
	p.stderr, errW = pipe(true)
	ordR, p.orders = pipe(false)
	p.report, repW = pipe(true)
	p.child = []*os.File{stdin, outW, errW, msg, ordR, repW}
	if guest != nil {
		p.child = append(p.child, guest)
	}
	return p, err
}

// memfile is an anonymous file that holds data, to be read from its start.
func memfile(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("atoll", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "memory")
	if _, err := f.WriteAt(data, 0); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// start starts the first process: by the starter on rung 1, and directly below
// it, where vfork costs nothing, or when the starter is gone.
func (r *run) start(p *pipes) (*child, error) {
	if r.copies != nil {
		return r.copies.starter.launch(launch{env: r.initEnv(), flags: r.namespaces(), files: p.child, like: r.copies.id})
	}
	if r.box.rung == Namespaces {
		c, err := r.box.starter.launch(launch{env: r.initEnv(), flags: r.namespaces(), files: p.child, group: r.group})
		if !errors.Is(err, errStarter) {
			return c, err
		}
	}
	return r.startHere(p)
}

// startHere starts the first process and waits for it in a goroutine of its own
// thread: the parent-death signal is tied to the thread.
func (r *run) startHere(p *pipes) (*child, error) {
	type started struct {
		proc *os.Process
		err  error
	}
	begun := make(chan started)
	done := make(chan string, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		proc, err := startLazy(r.box.exe, boot.InitName, &os.ProcAttr{
			Dir: "/", Env: r.initEnv(), Files: p.child, Sys: r.attributes(),
		})
		begun <- started{proc, err}
		if err == nil {
			state, _ := proc.Wait()
			done <- state.String()
		}
	}()
	s := <-begun
	if s.err != nil {
		return nil, s.err
	}
	return &child{kill: func() { _ = s.proc.Kill() }, done: done}, nil
}

// lateness is by how much timers of first processes and of the starter may be late,
// but for the watchdog's own. It is also how long their runtimes may take to pass a
// processor on from a goroutine that waits in the kernel, which they hardly do.
const lateness = 2 * time.Millisecond

// startLazy starts this program in another role, its timers being late. A process
// has this from the thread that starts it, and passes it on.
func startLazy(exe, name string, attr *os.ProcAttr) (*os.Process, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if was, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil && was > 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(lateness), 0, 0, 0)
		defer func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(was), 0, 0, 0) }()
	}
	return os.StartProcess(exe, []string{name}, attr)
}

// initEnv keeps the first process's own runtime and C library small, and marks it
// for reaping.
func (r *run) initEnv() []string {
	return []string{
		"GOMAXPROCS=1", "MALLOC_ARENA_MAX=1", "GOGC=off", "GODEBUG=containermaxprocs=0,updatemaxprocs=0,madvdontneed=1",
		mark(r.job.Stage),
	}
}

// namespaces are the clone flags of rung 1.
func (r *run) namespaces() uintptr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)
	if r.job.Net.Own {
		flags |= unix.CLONE_NEWNET
	}
	return flags
}

// attributes are those of a direct start.
func (r *run) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if r.box.rung == Namespaces {
		a.Pdeathsig = syscall.SIGKILL
		a.Cloneflags = r.namespaces()
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideID, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideID, HostID: os.Getgid(), Size: 1}}
		a.AmbientCaps = start.Capabilities
	}
	if r.group != nil {
		a.UseCgroupFD, a.CgroupFD = true, r.group.fd()
	}
	if r.box.fence == fenceNamespace {
		a.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	}
	return a
}

// await waits for the first process. It passes a cancelled context on, and kills
// the process when it does not end in time.
func (r *run) await(ctx context.Context, first *child) (state string, killed bool, err error) {
	var late <-chan time.Time
	if w := r.spec.Limits.Wall; w > 0 {
		t := time.NewTimer(w + grace + 10*time.Second) // preparation is not the command's time
		defer t.Stop()
		late = t.C
	}
	done := ctx.Done()
	for {
		select {
		case state = <-first.done:
			return state, killed, err
		case <-done:
			done, err = nil, context.Cause(ctx)
			r.order(wire.OrderCancel)
			t := time.NewTimer(slack)
			defer t.Stop()
			late = t.C
		case <-late:
			killed, late = true, nil
			first.kill()
		}
	}
}

// result reads the report.
func (r *run) result(state string) (Result, error) {
	res := Result{Wall: r.box.now().Sub(r.began)}
	res.Stdout, res.StdoutCut = r.out[0].bytes()
	res.Stderr, res.StderrCut = r.out[1].bytes()
	var rep wire.Report
	if err := wire.Decode(r.report, &rep); err != nil {
		return res, fmt.Errorf("%w (%s): %s", ErrEnded, state, tail(res.Stderr))
	}
	if rep.Err != "" {
		return res, errors.New("sandbox: " + rep.Err)
	}
	res.Exit, res.TimedOut, res.Limits, res.Violations = int(rep.Exit), rep.TimedOut, rep.Limits, rep.Violations
	if rep.Signal != 0 {
		res.Signal = syscall.Signal(rep.Signal).String()
	}
	res.Wall, res.CPU, res.MaxRSS = time.Duration(rep.Wall), time.Duration(rep.CPU), rep.MaxRSS
	res.Result, res.HasResult, res.Refused, res.Copied = rep.Result, rep.HasResult, rep.Refused, rep.Copied
	res.Product, res.HasProduct = rep.Product, rep.HasProduct
	for _, c := range rep.Changes {
		res.Changes = append(res.Changes, record.Change{Path: c.Path, Mode: record.Mode(c.Mode), Data: c.Data})
	}
	sort.SliceStable(res.Changes, func(a, c int) bool { return res.Changes[a].Path < res.Changes[c].Path })
	return res, nil
}

// tail returns the end of a text for an error message.
func tail(b []byte) string {
	if len(b) > 300 {
		b = b[len(b)-300:]
	}
	return string(b)
}

// removeAll removes a folder that hostile code may have filled.
func removeAll(path string) error { return tree.RemoveAll(path) }
