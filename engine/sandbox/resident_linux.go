package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/engine/sandbox/boot/wire"
	"atoll/engine/sandbox/prepared"

	"golang.org/x/sys/unix"
)

// resident is one prepared interpreter.
type resident struct {
	starter *starter
	id      int64 // of its order

	mu   sync.Mutex
	conn *net.UnixConn // nil before it is started
	over bool
}

// load starts an interpreter in a world of its own, like that of its runs but with an empty
// tree, and waits until it has loaded its modules.
func (n *nursery) load(s *Spec) (_ *resident, err error) {
	b := n.box
	c, why := b.preparable(s)
	if why != "" {
		return nil, fmt.Errorf("%w: %s", errUnfit, why)
	}
	which := "known"
	switch {
	case s.Prepared.Beside:
		which = "beside"
	case s.Prepared.All:
		which = "all"
	}
	spec := Spec{
		Args:   slices.Concat(c.Options, []string{ControlDir + "/" + prepared.ScriptName, which, c.Script}, s.Prepared.Files),
		Env:    b.environ(s), // with what belongs to the run alone, too: a copy has the same
		Mounts: s.Mounts, Caches: s.Caches, Files: map[string][]byte{prepared.ScriptName: prepared.Script}, Net: NetNone,
	}
	for name, data := range s.Files {
		if name != ContextName {
			spec.Files[name] = data
		}
	}
	job, err := b.job(&spec, filepath.Join(b.dir, "stage"))
	if err != nil {
		return nil, err
	}
	job.Resident = true
	job.Limits = wire.Limits{Memory: s.Limits.Memory, Disk: s.Limits.Disk} // of each process; its runs have their own
	if job.Filter, err = b.filter(audience{rung: b.rung, net: NetNone, resident: true}); err != nil {
		return nil, err
	}
	r := &resident{starter: &starter{exe: b.exe, apart: true}}
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return nil, ErrClosed
	}
	if n.all == nil {
		n.all = map[*resident]bool{}
	}
	n.all[r] = true
	n.mu.Unlock()
	defer func() {
		if err != nil {
			n.mu.Lock()
			delete(n.all, r)
			n.mu.Unlock()
			r.close()
		}
	}()
	return r, n.await(r, &spec, job)
}

// await starts an interpreter and waits until it is ready.
func (n *nursery) await(r *resident, spec *Spec, job *wire.Job) error {
	b := n.box
	run := &run{box: b, spec: spec, job: job, began: b.now()}
	p, err := run.open()
	if err != nil {
		return err
	}
	_ = p.orders.Close()
	ours, theirs, err := packets()
	if err != nil {
		for _, f := range append(p.child, p.stdout, p.stderr, p.report) {
			_ = f.Close()
		}
		return err
	}
	_ = p.child[4].Close()
	p.child[4] = theirs
	flags := uintptr(unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWNET)
	first, err := r.starter.launch(launch{env: run.initEnv(), flags: flags, files: p.child})
	for _, f := range p.child {
		_ = f.Close()
	}
	var conn net.Conn
	if err == nil {
		r.id = first.id
		conn, err = net.FileConn(ours)
	}
	_ = ours.Close()
	if err != nil {
		for _, f := range []*os.File{p.stdout, p.stderr, p.report} {
			_ = f.Close()
		}
		return fmt.Errorf("%w: start it: %w", errUnfit, err)
	}
	r.adopt(conn.(*net.UnixConn))
	said := &spoken{}
	b.running.Go(func() { said.read(p.stdout) })
	b.running.Go(func() { said.read(p.stderr) })
	_ = r.conn.SetReadDeadline(time.Now().Add(loadTime))
	buf := make([]byte, 4096)
	got, err := r.conn.Read(buf)
	_ = r.conn.SetReadDeadline(time.Time{})
	report, _ := io.ReadAll(io.LimitReader(p.report, 1<<20)) // it ends when the command begins
	_ = p.report.Close()
	var failed wire.Report
	switch {
	case len(report) > 0 && wire.Decode(report, &failed) == nil && failed.Err != "":
		return fmt.Errorf("%w: %s", errUnfit, failed.Err)
	case err != nil || got == 0:
		return fmt.Errorf("%w: the interpreter ended, or took more than %v to load: %s", errUnfit, loadTime, said.text())
	case buf[0] == wire.GuestNot:
		return fmt.Errorf("%w: %s", errUnfit, buf[1:got])
	}
	return nil
}

// adopt makes the connection known to whoever closes the interpreter meanwhile.
func (r *resident) adopt(conn *net.UnixConn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conn = conn
	if r.over {
		_ = conn.Close()
	}
}

// packets is a pair of sockets of packets.
func packets() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket for a prepared interpreter: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "prepared"), os.NewFile(uintptr(fds[1]), "prepared"), nil
}

// spoken is the beginning of what an interpreter printed.
type spoken struct {
	mu   sync.Mutex
	head []byte
}

func (s *spoken) read(f *os.File) {
	defer func() { _ = f.Close() }()
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		s.mu.Lock()
		if room := 300 - len(s.head); room > 0 {
			s.head = append(s.head, buf[:min(n, room)]...)
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *spoken) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(string(s.head))
}

// connect has the interpreter serve one more run and returns the end of the connection
// that the run's first process gets.
func (r *resident) connect() (*os.File, error) {
	ours, theirs, err := packets()
	if err != nil {
		return nil, err
	}
	_, _, err = r.conn.WriteMsgUnix([]byte{wire.GuestGo}, unix.UnixRights(int(theirs.Fd())), nil)
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("ask the prepared interpreter: %w", err)
	}
	return ours, nil
}

// close ends the interpreter and whatever runs in its namespace, and waits for that.
func (r *resident) close() {
	r.mu.Lock()
	if r.conn != nil {
		_ = r.conn.Close()
	}
	r.over = true
	r.mu.Unlock()
	r.starter.close()
}
