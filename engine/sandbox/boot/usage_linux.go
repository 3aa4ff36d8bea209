package boot

import (
	"syscall"
	"time"
)

// usage is what the watchdog has seen.
type usage struct {
	memory  int64     // largest sum of resident bytes
	tasks   int       // at the last look
	weighed int64     // by the scales, the last time
	weighAt time.Time // not before
	tables  int64     // page tables, when they were last looked at
	tableAt time.Time
	written int64
	writeAt time.Time
}

// check looks at all processes once. It returns how many tasks there are and
// whether a limit was passed. It waits for nobody.
func (k *keeper) check(now time.Time) (tasks int, over bool) {
	j := k.w.job
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru)
	cpu := cpuOf(&ru) - cpuOf(&k.before)
	var memory, space int64
	list := k.processes()
	if j.Procs > 0 && int64(len(list)) > j.Procs { // a storm grows while each is looked at
		k.limit("procs")
		return len(list), true
	}
	for _, pid := range list {
		s, ok := k.proc.stat(pid)
		if !ok || s.zombie {
			continue
		}
		tasks += s.threads
		memory += s.rss
		space += s.space
		cpu += s.cpu * int64(10*time.Millisecond)
	}
	if j.Memory > 0 {
		memory = k.weigh(list, memory, k.tables(list, space, now)+k.heldByNobody(), now)
	}
	k.usage.memory = max(k.usage.memory, memory)
	for _, l := range []struct {
		name      string
		used, max int64
	}{{"memory", memory, j.Memory}, {"procs", int64(tasks), j.Procs}, {"cpu", cpu, j.CPU}} {
		if l.max > 0 && l.used > l.max {
			k.limit(l.name)
			over = true
		}
	}
	if k.diskFull(now, false) {
		k.limit("disk")
		over = over || k.w.job.Rung != 1
	}
	return tasks, over
}

// patience is how long the watchdog waits for the scales before it believes the
// larger, plain sum.
const patience = 2 * time.Second

// weigh returns what the processes take together. The plain sum of their resident
// sizes counts a page that several share once for each. When that is too much the
// scales are asked for the proportional sum, which takes them as long as the kernel
// lets the processes change their memory: until they answer their last answer
// stands. Other bytes, which no process holds alone, are added to both.
func (k *keeper) weigh(list []int, plain, others int64, now time.Time) int64 {
	u := &k.usage
	if v, ok := k.scales.answer(); ok {
		u.weighed, u.weighAt = v, now.Add(2*k.scales.took)
	}
	switch {
	case plain+others <= k.w.job.Memory:
		u.weighed = 0
		return plain + others
	case u.weighed < 0 || k.scales.waited(now) > patience: // the kernel does not tell, or not in time
		return plain + others
	}
	if k.scales.idle() && !now.Before(u.weighAt) {
		k.loads = append(k.loads[:0], list...)
		k.scales.ask(now)
	}
	return u.weighed + others
}

// weighAll is the work of the scales: the proportional sizes of the processes they
// were given, summed up; negative where the kernel does not tell.
func (k *keeper) weighAll(p *procfs) int64 {
	var sum int64
	for _, pid := range k.loads {
		text, err := p.of(pid, "/smaps_rollup").text()
		if err == nil {
			sum += line(text, "Pss:") << 10
			continue
		}
		if err != syscall.ENOENT && err != syscall.ESRCH {
			return -1
		}
		if _, alive := p.stat(pid); alive && !k.rollups(p) {
			return -1
		}
	}
	return sum
}

// rollups reports that the kernel has the files that are weighed by.
func (k *keeper) rollups(p *procfs) bool {
	_, err := p.of(syscall.Getpid(), "/smaps_rollup").text()
	return err == nil
}

// tables returns the page tables of the processes. They are no part of a resident
// size, and a process that reads a byte in every second megabyte of a large empty
// space takes little else. They are looked at while the address space could need
// many, a twentieth of the time at most.
func (k *keeper) tables(list []int, space int64, now time.Time) int64 {
	const reach = 512 // bytes of address space for a byte of page table, at most
	u := &k.usage
	if space/reach < k.w.job.Memory/16 {
		return 0
	}
	if now.Before(u.tableAt) {
		return u.tables
	}
	u.tables = 0
	for _, pid := range list {
		if text, err := k.proc.of(pid, "/status").text(); err == nil {
			u.tables += line(text, "VmPTE:") << 10
		}
	}
	u.tableAt = now.Add(20 * time.Since(now))
	return u.tables
}

// processes lists every process of the sandbox but this one. The list is valid until
// the next call.
func (k *keeper) processes() []int {
	if k.w.apart() {
		return k.proc.all()
	}
	return k.proc.descendants()
}

// diskFull reports that nothing more can be written. Rung 1 asks the file system;
// below, a clerk adds up what was written, a twentieth of the time at most. At the
// end, when nobody writes any more, it is added up here.
func (k *keeper) diskFull(now time.Time, end bool) bool {
	j, u := k.w.job, &k.usage
	switch {
	case j.Disk <= 0:
		return false
	case j.Rung == 1:
		full := func(fd int) bool {
			var fs syscall.Statfs_t
			return syscall.Fstatfs(fd, &fs) == nil && (fs.Bavail == 0 || fs.Ffree == 0)
		}
		return full(k.w.data) || k.w.copyFull()
	case end:
		u.written = k.w.written()
	default:
		if v, ok := k.surveyor.answer(); ok {
			u.written, u.writeAt = v, now.Add(max(100*time.Millisecond, 20*k.surveyor.took))
		}
		if k.surveyor.idle() && !now.Before(u.writeAt) {
			k.surveyor.ask(now)
		}
	}
	return u.written >= j.Disk
}

// written adds up what lies in the folder of the run beyond what was copied there.
func (w *world) written() int64 {
	dir, err := openDir(atFdCwd, w.job.Stage)
	if err != nil {
		return 0
	}
	defer syscall.Close(dir)
	size, _, _ := treeSize(dir)
	return size - w.copied
}

// copyFull reports that as much was written to a copied tree as the limit allows:
// it lies on a file system of its own, which is larger by the copy.
func (w *world) copyFull() bool {
	if !w.report.Copied {
		return false
	}
	fd, err := openDir(atFdCwd, w.tree)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	var fs syscall.Statfs_t
	return syscall.Fstatfs(fd, &fs) == nil && int64(fs.Blocks-fs.Bfree)*fs.Bsize-w.copied >= w.job.Disk
}
