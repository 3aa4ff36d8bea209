package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options are what a Box is made from.
type Options struct {
	Mode Mode // "" = auto
	// Scratch is the folder for private copies; "" picks memory (/dev/shm) when
	// it can be written, else the system's temporary folder.
	Scratch string
	Exe     string           // this program; "" = os.Executable
	Now     func() time.Time // nil = time.Now

	lack lack
}

// lack is what a test takes away, to see a Box on a lesser machine.
type lack struct {
	fences  []fence // the only ones that work below rung 1; nil = all
	overlay bool    // overlay mounts are refused
	pidMax  bool    // the kernel does not limit the processes of a namespace
	group   string  // not taken away but given: a control group without limits
}

// Finding is one fact about the isolation that this machine gives.
type Finding struct {
	Name   string
	OK     bool
	Detail string
	Cure   string // what would raise it; "" when nothing is needed
}

// Box is the isolation that this machine can give. Its methods are safe for
// concurrent use.
type Box struct {
	rung     Rung
	exe      string
	dir      string // private folder of this Box: the stage, and runs of the lower rungs
	now      func() time.Time
	system   system
	facts    facts
	findings []Finding
	tools    tools
	starter  *starter
	lack     lack
	fence    fence   // below rung 1
	groups   *groups // nil: no control group is delegated

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
	filters map[audience][]byte // system call filters
	nursery nursery
}

// New makes a Box. It tries each rung that the mode allows by really running a
// command in it, and takes the first that works.
func New(ctx context.Context, o Options) (*Box, error) {
	if o.Mode == "" {
		o.Mode = ModeAuto
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program to start sandboxes with: %w", err)
		}
		o.Exe = exe
	}
	dir, err := makeHome(o.Scratch)
	if err != nil {
		return nil, err
	}
	b := &Box{
		exe: o.Exe, dir: dir, now: o.Now, system: findSystem(), facts: findFacts(), starter: &starter{exe: o.Exe},
		lack: o.lack,
	}
	b.nursery.box = b
	if err := b.climb(ctx, o.Mode); err != nil {
		b.starter.close()
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return b, nil
}

// makeHome makes the private folder of a Box in scratch.
func makeHome(scratch string) (string, error) {
	if scratch == "" {
		scratch = os.TempDir()
		if shm, err := os.MkdirTemp("/dev/shm", homePrefix+"probe-"); err == nil {
			_ = os.Remove(shm)
			scratch = "/dev/shm"
		}
	}
	scratch, err := filepath.Abs(scratch)
	if err != nil {
		return "", fmt.Errorf("find the scratch folder: %w", err)
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return "", fmt.Errorf("make the scratch folder: %w; choose another with sandbox.scratch", err)
	}
	dir, err := os.MkdirTemp(scratch, homePrefix)
	if err != nil {
		return "", fmt.Errorf("make a private folder for sandboxes: %w; choose another with sandbox.scratch", err)
	}
	for _, sub := range []string{"stage", "runs"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return "", fmt.Errorf("make a private folder for sandboxes: %w", err)
		}
	}
	if err := claim(dir); err != nil {
		return "", err
	}
	return dir, nil
}

// homePrefix begins the name of every Box's private folder.
const homePrefix = "atoll-box-"

// Rung returns the rung that was taken.
func (b *Box) Rung() Rung { return b.rung }

// Fenced reports that no process of a run can escape it: none is made unseen, and
// all are gone when Run returns, however fast they start each other and end.
func (b *Box) Fenced() bool {
	return b.rung == Namespaces || b.fence != 0 || b.rung == Landlock && b.groups != nil
}

// Findings returns what holds on this machine and what would raise it.
func (b *Box) Findings() []Finding { return append([]Finding(nil), b.findings...) }

// Close waits for the runs that are under way and removes the private folder.
// Cancel their contexts first.
func (b *Box) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.nursery.close()
	b.running.Wait()
	b.starter.close()
	if err := removeAll(b.dir); err != nil {
		return fmt.Errorf("remove the sandbox folder %s: %w", b.dir, err)
	}
	return nil
}

// begin registers a run; end is called when it is over.
func (b *Box) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.running.Add(1)
	return nil
}
