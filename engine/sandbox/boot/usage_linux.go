package boot

import (
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what the watchdog has seen.
type usage struct {
	memory  int64 // largest sum of resident bytes
	tasks   int   // at the last look
	nextDu  time.Time
	written int64
}

// stat is the part of /proc/PID/stat that the watchdog needs.
type stat struct {
	parent, threads int
	cpu             int64 // ticks of 10 ms, with reaped children
	rss             int64 // bytes
	zombie          bool
}

// check looks at all processes once. It returns how many tasks there are and
// whether a limit was passed.
func (k *keeper) check() (tasks int, over bool) {
	j := k.w.job
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru)
	cpu := cpuOf(&ru) - cpuOf(&k.before)
	var memory int64
	list := k.processes()
	if j.Procs > 0 && int64(len(list)) > j.Procs { // a storm grows while each is looked at
		k.limit("procs")
		return len(list), true
	}
	for _, pid := range list {
		s, ok := readStat(pid)
		if !ok || s.zombie {
			continue
		}
		tasks += s.threads
		memory += s.rss
		cpu += s.cpu * int64(10*time.Millisecond)
	}
	if j.Memory > 0 && memory > j.Memory {
		memory = shared(list, memory)
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
	if k.diskFull(false) {
		k.limit("disk")
		over = over || k.w.job.Rung != 1
	}
	return tasks, over
}

// shared replaces the sum of resident sizes by the sum of proportional ones,
// which counts a page that several processes share once. Where the kernel does
// not tell, the plain sum stands.
func shared(list []int, plain int64) int64 {
	var sum int64
	for _, pid := range list {
		fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/smaps_rollup", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.ENOENT {
			continue
		}
		if err != nil {
			return plain
		}
		text, err := readAll(fd, 1<<16)
		syscall.Close(fd)
		if err != nil {
			continue // it ended meanwhile
		}
		if i := strings.Index(string(text), "\nPss:"); i >= 0 {
			f := strings.Fields(string(text[i+5:]))
			if n, err := strconv.ParseInt(f[0], 10, 64); err == nil {
				sum += n << 10
			}
		}
	}
	return sum
}

// processes lists every process of the sandbox but this one.
func (k *keeper) processes() []int {
	if !k.w.apart() {
		return descendants()
	}
	dir, err := openDir(atFdCwd, "/proc")
	if err != nil {
		return nil
	}
	defer syscall.Close(dir)
	var list []int
	_ = eachName(dir, func(name string) error {
		if name[0] > '0' && name[0] <= '9' && name != "1" {
			if n, err := strconv.Atoi(name); err == nil {
				list = append(list, n)
			}
		}
		return nil
	})
	return list
}

// descendants lists the children of this process, their children, and so on.
// Orphans are among them because this process is their subreaper.
func descendants() []int {
	queue := []int{syscall.Getpid()}
	var list []int
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		children, ok := childrenOf(pid)
		if !ok {
			return descendantsByParent()
		}
		list = append(list, children...)
		queue = append(queue, children...)
	}
	return list
}

// childrenOf reads the children of each thread of pid. It is not ok when the
// kernel was built without that file.
func childrenOf(pid int) ([]int, bool) {
	base := "/proc/" + strconv.Itoa(pid) + "/task"
	dir, err := openDir(atFdCwd, base)
	if err != nil {
		return nil, true
	}
	defer syscall.Close(dir)
	var list []int
	ok := true
	_ = eachName(dir, func(name string) error {
		if name[0] == '.' {
			return nil
		}
		fd, err := syscall.Openat(dir, name+"/children", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			if pid == syscall.Getpid() && name == strconv.Itoa(pid) {
				ok = false
			}
			return nil
		}
		text, _ := readAll(fd, 1<<20)
		syscall.Close(fd)
		for _, f := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(f); err == nil {
				list = append(list, n)
			}
		}
		return nil
	})
	return list, ok
}

// descendantsByParent finds the same through the parent of every process.
func descendantsByParent() []int {
	dir, err := openDir(atFdCwd, "/proc")
	if err != nil {
		return nil
	}
	defer syscall.Close(dir)
	children := map[int][]int{}
	_ = eachName(dir, func(name string) error {
		if n, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(n); ok {
				children[s.parent] = append(children[s.parent], n)
			}
		}
		return nil
	})
	var list []int
	queue := []int{syscall.Getpid()}
	for len(queue) > 0 {
		next := children[queue[0]]
		queue = append(queue[1:], next...)
		list = append(list, next...)
	}
	return list
}

// readStat parses /proc/PID/stat. The name in it may hold anything, hence the
// search for the last parenthesis.
func readStat(pid int) (stat, bool) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return stat{}, false
	}
	var buf [1024]byte
	n, err := syscall.Read(fd, buf[:])
	syscall.Close(fd)
	if err != nil || n <= 0 {
		return stat{}, false
	}
	return parseStat(string(buf[:n]))
}

func parseStat(text string) (stat, bool) {
	i := strings.LastIndexByte(text, ')')
	if i < 0 {
		return stat{}, false
	}
	f := strings.Fields(text[i+1:])
	if len(f) < 22 {
		return stat{}, false
	}
	at := func(i int) int64 { n, _ := strconv.ParseInt(f[i], 10, 64); return n }
	return stat{parent: int(at(1)), threads: int(at(17)), cpu: at(11) + at(12) + at(13) + at(14),
		rss: at(21) * int64(syscall.Getpagesize()), zombie: f[0] == "Z" || f[0] == "X"}, true
}

// diskFull reports that nothing more can be written. Rung 1 asks the file
// system; below, what was written is added up, at most a twentieth of the time, or now.
func (k *keeper) diskFull(now bool) bool {
	j := k.w.job
	if j.Disk <= 0 {
		return false
	}
	if j.Rung == 1 {
		full := func(fd int) bool {
			var fs syscall.Statfs_t
			return syscall.Fstatfs(fd, &fs) == nil && (fs.Bavail == 0 || fs.Ffree == 0)
		}
		return full(k.w.data) || k.w.copyFull()
	}
	if !now && time.Now().Before(k.usage.nextDu) {
		return k.usage.written >= j.Disk
	}
	began := time.Now()
	dir, err := openDir(atFdCwd, j.Stage)
	if err != nil {
		return false
	}
	size, _, _ := treeSize(dir)
	syscall.Close(dir)
	k.usage.written = size - k.w.copied
	k.usage.nextDu = began.Add(max(100*time.Millisecond, 20*time.Since(began)))
	return k.usage.written >= j.Disk
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
