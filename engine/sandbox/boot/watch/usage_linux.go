package watch

import (
	"syscall"
	"time"

	"atoll/engine/sandbox/boot/proc"
)

// usage is what the watchdog has seen.
type usage struct {
	memory  int64     // largest sum of resident bytes
	tasks   int       // at the last look
	weighed int64     // by the scales, the last time
	weighAt time.Time // not before
	tables  int64     // page tables, when they were last looked at
	tableAt time.Time
	maps    int64 // what mappings take, when they were last counted
	mapAt   time.Time
	written int64
	writeAt time.Time
}

// check looks at all processes once. It returns how many tasks there are and
// whether a limit was passed. It waits for nobody.
func (k *Keeper) check(now time.Time) (tasks int, over bool) {
	j := k.job
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru)
	cpu := cpuOf(&ru) - cpuOf(&k.before) + k.guest.cpu
	var memory, space int64
	list := k.processes()
	if j.Limits.Procs > 0 && int64(len(list)) > j.Limits.Procs { // a storm grows while each is looked at
		k.limit("procs")
		return len(list), true
	}
	for i, pid := range list {
		s, ok := k.proc.Stat(pid)
		if !ok || s.Zombie {
			continue
		}
		list[i] = s.Alive
		tasks += s.Threads
		memory += s.Rss
		space += s.Space
		cpu += s.Cpu * int64(10*time.Millisecond)
	}
	if j.Limits.Memory > 0 {
		memory = k.weigh(list, memory, k.tables(list, space, now)+k.mappings(list, space, now)+k.heldByNobody(), now)
	}
	k.usage.memory = max(k.usage.memory, memory)
	for _, l := range []struct {
		name      string
		used, max int64
	}{{"memory", memory, j.Limits.Memory}, {"procs", int64(tasks), j.Limits.Procs}, {"cpu", cpu, j.Limits.CPU}} {
		if l.max > 0 && l.used > l.max {
			k.limit(l.name)
			over = true
		}
	}
	if k.diskFull(now, false) {
		k.limit("disk")
		over = over || k.job.Rung != 1
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
func (k *Keeper) weigh(list []int, plain, others int64, now time.Time) int64 {
	u := &k.usage
	if v, ok := k.scales.answer(); ok {
		u.weighed, u.weighAt = v, now.Add(2*k.scales.took)
	}
	switch {
	case plain+others <= k.job.Limits.Memory:
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
func (k *Keeper) weighAll(p *proc.Table) int64 {
	var sum int64
	for _, pid := range k.loads {
		text, err := p.Of(pid, "/smaps_rollup").Text()
		if err == nil {
			sum += proc.Line(text, "Pss:") << 10
			continue
		}
		if err != syscall.ENOENT && err != syscall.ESRCH {
			return -1
		}
		if _, alive := p.Stat(pid); alive && !k.rollups(p) {
			return -1
		}
	}
	return sum
}

// rollups reports that the kernel has the files that are weighed by.
func (k *Keeper) rollups(p *proc.Table) bool {
	_, err := p.Of(syscall.Getpid(), "/smaps_rollup").Text()
	return err == nil
}

// tables returns the page tables of the processes. They are no part of a resident
// size, and a process that reads a byte in every second megabyte of a large empty
// space takes little else. The kernel tells them without waiting for the process. They
// are looked at wherever they could be many, a tenth of the time at most: a hundred
// processes in each look.
func (k *Keeper) tables(list []int, space int64, now time.Time) int64 {
	const most = 3 // bytes for a byte of address space: a lone page may need a table on each level
	u := &k.usage
	if space*most < k.job.Limits.Memory/16 {
		return 0
	}
	if now.Before(u.tableAt) {
		return u.tables
	}
	u.tables = 0
	for _, pid := range list {
		if text, err := k.proc.Of(pid, "/status").Text(); err == nil {
			u.tables += proc.Line(text, "VmPTE:") << 10
		}
	}
	u.tableAt = now.Add(10 * time.Since(now))
	return u.tables
}

// What the kernel keeps for mappings.
const (
	mappingBytes = 256   // for one: its record, and its part of the tree they stand in
	mappingMost  = 65530 // of a process, unless the machine's owner allows more
	pageBytes    = 4096  // the least that one maps
)

// mappings returns what the kernel keeps for the mappings of the processes, as they
// were when a clerk counted them last: to count them it may have to wait. It counts
// wherever they could be many, a fifth of the time at most.
func (k *Keeper) mappings(list []int, space int64, now time.Time) int64 {
	u := &k.usage
	if v, ok := k.mapper.answer(); ok {
		u.maps, u.mapAt = v, now.Add(max(100*time.Millisecond, 4*k.mapper.took))
	}
	if space/pageBytes*mappingBytes < k.job.Limits.Memory/16 {
		return 0
	}
	if k.mapper.idle() && !now.Before(u.mapAt) {
		k.mapped = append(k.mapped[:0], list...)
		k.mapper.ask(now)
	}
	return u.maps
}

// mapAll is the work of the mapper. Of a process that does not show its mappings it
// takes the most that its address space could hold.
func (k *Keeper) mapAll(p *proc.Table) int64 {
	var sum int64
	for _, pid := range k.mapped {
		n, err := p.Of(pid, "/maps").Lines()
		if err == syscall.EACCES || err == syscall.EPERM {
			if s, ok := p.Stat(pid); ok {
				n = min(s.Space/pageBytes, mappingMost)
			}
		}
		sum += n * mappingBytes
	}
	return sum
}

// processes lists every process of the sandbox but this one. The list is valid until
// the next call.
func (k *Keeper) processes() []int { return k.processesBy(&k.proc) }

// processesBy lists them in a table of the caller's.
func (k *Keeper) processesBy(p *proc.Table) []int {
	if k.job.Apart() {
		return p.All()
	}
	return p.Descendants()
}

// survey returns the work of the surveyor: what lies in the folder, and what the
// processes hold open that has no name any more.
func (k *Keeper) survey(folder func() int64, device uint64) func() int64 {
	p := &proc.Table{}
	open := proc.Nameless{}
	return func() int64 {
		written := folder()
		if written >= k.job.Limits.Disk {
			return written
		}
		open.Begin(device)
		for _, pid := range k.processesBy(p) {
			open.Add(p, pid)
		}
		return written + open.Bytes
	}
}

// diskFull reports that nothing more can be written. Rung 1 asks the file system;
// below, a clerk adds up what was written, a twentieth of the time at most unless it
// grows quickly. At the end, when nobody writes any more, it is added up here.
func (k *Keeper) diskFull(now time.Time, end bool) bool {
	j, u := k.job, &k.usage
	switch {
	case j.Limits.Disk <= 0:
		return false
	case j.Rung == 1:
		return k.ground.Full()
	case end:
		written, _ := k.ground.Surveyor()
		u.written = written()
	default:
		if v, ok := k.surveyor.answer(); ok {
			pause := 20 * k.surveyor.took
			if v-u.written > j.Limits.Disk/16 { // soon there may be far too much
				pause = 2 * k.surveyor.took
			}
			u.written, u.writeAt = v, now.Add(max(100*time.Millisecond, pause))
		}
		if k.surveyor.idle() && !now.Before(u.writeAt) {
			k.surveyor.ask(now)
		}
	}
	return u.written >= j.Limits.Disk
}
