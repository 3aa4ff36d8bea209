package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// groups makes a control group (version 2, https://docs.kernel.org/admin-guide/cgroup-v2.html)
// for each run, below one that was delegated to this user: the kernel itself then
// bounds processes and memory, that of the kernel for them included, and ends all of
// a run at once, whatever they do.
type groups struct {
	dir     string // of this program; runs are folders in it
	bounded bool   // it has the controllers of memory and processes
}

// supervisors is the part of a delegated group that this program moves to: groups
// that hold processes cannot bound those below them.
const supervisors = "atoll-supervisor"

// errNoGroup says why there is no control group.
var errNoGroup = errors.New("no delegated control group")

// findGroups looks in proc, a process's own folder of /proc, for a delegated control
// group with what runs need, and prepares it. A group is delegated when its owner
// said so (Delegate=yes of systemd) or when it is all that can be seen of the tree, as
// in a container. Errors: errNoGroup with the reason.
func findGroups(proc string) (*groups, error) {
	dir, whole, err := ownGroup(proc)
	if err != nil {
		return nil, err
	}
	if filepath.Base(dir) == supervisors {
		dir = filepath.Dir(dir)
	}
	if !whole && !delegated(dir, "user.delegate") && !delegated(dir, "trusted.delegate") {
		return nil, fmt.Errorf("%w: %s belongs to whoever started atoll", errNoGroup, dir)
	}
	if err := enableControllers(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	return &groups{dir: dir, bounded: true}, nil
}

// ownGroup is the folder of the group that a process is in, and whether it is the
// highest that can be seen.
func ownGroup(proc string) (dir string, whole bool, err error) {
	text, err := os.ReadFile(filepath.Join(proc, "cgroup"))
	if err != nil {
		return "", false, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	path := ""
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "0::"); ok {
			path = strings.TrimSpace(rest)
		}
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/..") {
		return "", false, fmt.Errorf("%w: there is no version 2 here", errNoGroup)
	}
	mounts, err := os.ReadFile(filepath.Join(proc, "mountinfo"))
	if err != nil {
		return "", false, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	for line := range strings.Lines(string(mounts)) {
		head, tail, _ := strings.Cut(line, " - ")
		f := strings.Fields(head)
		if len(f) < 5 || !strings.HasPrefix(tail, "cgroup2 ") {
			continue
		}
		if root := strings.TrimSuffix(f[3], "/"); path == root || strings.HasPrefix(path, root+"/") {
			return filepath.Join(f[4], path[len(root):]), path == "/", nil
		}
	}
	return "", false, fmt.Errorf("%w: version 2 is not mounted", errNoGroup)
}

// delegated reports that an attribute of dir says so.
func delegated(dir, name string) bool {
	var value [4]byte
	n, err := unix.Getxattr(dir, name, value[:])
	return err == nil && string(value[:n]) == "1"
}

// wanted are the controllers that runs need.
var wanted = []string{"memory", "pids"}

// enableControllers has the groups below dir bounded. This process moves out of the
// way; where others stand in it, it moves back.
func enableControllers(dir string) error {
	have, err := words(dir, "cgroup.controllers")
	if err != nil {
		return err
	}
	on, err := words(dir, "cgroup.subtree_control")
	if err != nil {
		return err
	}
	var missing []string
	for _, c := range wanted {
		if !slices.Contains(have, c) {
			return fmt.Errorf("%s has no controller of %s", dir, c)
		}
		if !slices.Contains(on, c) {
			missing = append(missing, "+"+c)
		}
	}
	if len(missing) == 0 {
		return writable(dir)
	}
	aside := filepath.Join(dir, supervisors)
	if err := os.Mkdir(aside, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := putFile(aside, "cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
		_ = os.Remove(aside)
		return err
	}
	if err := putFile(dir, "cgroup.subtree_control", strings.Join(missing, " ")); err != nil {
		_ = putFile(dir, "cgroup.procs", strconv.Itoa(os.Getpid()))
		_ = os.Remove(aside)
		return fmt.Errorf("%w (other processes stand in it)", err)
	}
	return nil
}

// words reads a file of one line.
func words(dir, name string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	return strings.Fields(string(text)), err
}

// writable reports an error where no group can be made in dir.
func writable(dir string) error { return unix.Access(dir, unix.W_OK) }

// putFile writes a setting. It makes no file: the kernel's are there.
func putFile(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// group is the control group of one run. A nil group does nothing.
type group struct {
	dir  string
	file *os.File // the folder, to start processes in
}

// What a run may have beyond its limits in its group, which counts the first process
// and what is written to memory too.
const (
	spareGroupTasks  = 64
	spareGroupMemory = 64 << 20
)

// open makes the group of a run; without groups it is nil.
func (g *groups) open(l Limits) (*group, error) {
	if g == nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp(g.dir, "atoll-run-")
	if err != nil {
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	own := &group{dir: dir}
	if g.bounded {
		err = own.bound(l)
	}
	if err == nil {
		own.file, err = os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		_ = os.Remove(dir)
		return nil, fmt.Errorf("prepare a control group: %w", err)
	}
	return own, nil
}

// bound writes the limits. Files that the command writes lie in memory and count as
// memory: without a limit of theirs there is none of memory here.
func (g *group) bound(l Limits) error {
	var errs []error
	if l.Procs > 0 {
		errs = append(errs, putFile(g.dir, "pids.max", strconv.Itoa(l.Procs+spareGroupTasks)))
	}
	if l.Memory > 0 && l.Disk > 0 {
		errs = append(errs, putFile(g.dir, "memory.max", strconv.FormatInt(l.Memory+l.Disk+spareGroupMemory, 10)))
		_ = putFile(g.dir, "memory.swap.max", "0") // not there without swap
	}
	return errors.Join(errs...)
}

// fd is the descriptor to start processes in the group with.
func (g *group) fd() int { return int(g.file.Fd()) }

// kill ends all processes of the group at once (Linux 5.14).
func (g *group) kill() {
	if g != nil {
		_ = putFile(g.dir, "cgroup.kill", "1")
	}
}

// groupPatience is how long the kernel may take to let go of killed processes.
const groupPatience = 2 * time.Second

// end kills what is left, removes the group, and returns the limits that the kernel
// itself had to hold.
func (g *group) end() (limits []string) {
	if g == nil {
		return nil
	}
	if g.event("cgroup.events", "populated") > 0 {
		g.kill()
	}
	if g.event("memory.events", "oom_kill") > 0 {
		limits = append(limits, "memory")
	}
	if g.event("pids.events", "max") > 0 {
		limits = append(limits, "procs")
	}
	_ = g.file.Close()
	for end := time.Now().Add(groupPatience); ; time.Sleep(time.Millisecond) {
		if err := os.Remove(g.dir); !errors.Is(err, unix.EBUSY) || time.Now().After(end) {
			return limits
		}
	}
}

// event reads one line "name number" of a file, 0 where there is none.
func (g *group) event(file, name string) int64 {
	text, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64)
			return n
		}
	}
	return 0
}

// findGroup looks for a delegated control group.
func (b *Box) findGroup() (*groups, error) {
	if g := b.lack.group; g != "" {
		return &groups{dir: g}, nil
	}
	return findGroups("/proc/self")
}
