// Package proc reads what the kernel tells of processes, without waiting for any.
package proc

import (
	"bytes"
	"strconv"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
)

// Table reads what the kernel tells of processes, again and again and without new
// memory: nothing collects garbage in a first process. It is for one goroutine.
type Table struct {
	path []byte
	buf  []byte
	dirs []byte
	pids []int // of the last list
	tids []int
}

// Of names a file of a process.
func (p *Table) Of(pid int, rest string) *Table {
	p.path = strconv.AppendInt(append(p.path[:0], "/proc/"...), int64(pid), 10)
	p.path = append(p.path, rest...)
	return p
}

// child names a file of one of its threads.
func (p *Table) thread(pid, tid int, rest string) *Table {
	p.Of(pid, "/task/").path = strconv.AppendInt(p.path, int64(tid), 10)
	p.path = append(p.path, rest...)
	return p
}

// open opens what was named.
func (p *Table) open(flags int) (int, error) {
	at := kernel.AtFdCwd
	p.path = append(p.path, 0)
	fd, _, e := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&p.path[0])),
		uintptr(flags|syscall.O_CLOEXEC), 0, 0, 0)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}

// Text reads what was named. It is valid until the next call.
func (p *Table) Text() ([]byte, error) {
	fd, err := p.open(syscall.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return p.Rest(fd)
}

// Rest reads an open file from where it stands.
func (p *Table) Rest(fd int) ([]byte, error) {
	if p.buf == nil {
		p.buf = make([]byte, 4096)
	}
	for have := 0; ; {
		if have == len(p.buf) {
			p.buf = append(p.buf, make([]byte, len(p.buf))...)
		}
		n, err := kernel.Retry(func() (int, error) { return syscall.Read(fd, p.buf[have:]) })
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return p.buf[:have], nil
		}
		have += n
	}
}

// numbers appends the entries of the folder that was named that are numbers.
func (p *Table) numbers(list []int) ([]int, error) {
	fd, err := p.open(syscall.O_RDONLY | syscall.O_DIRECTORY)
	if err != nil {
		return list, err
	}
	defer syscall.Close(fd)
	if p.dirs == nil {
		p.dirs = make([]byte, 16<<10)
	}
	for {
		n, err := kernel.Retry(func() (int, error) { return syscall.ReadDirent(fd, p.dirs) })
		if err != nil || n <= 0 {
			return list, err
		}
		for at := 0; at < n; {
			// linux_dirent64: the length at 16, the name at 19.
			size := int(p.dirs[at+16]) | int(p.dirs[at+17])<<8
			if v, ok := number(p.dirs[at+19 : at+size]); ok {
				list = append(list, v)
			}
			at += size
		}
	}
}

// number reads a zero-terminated name that is a number.
func number(name []byte) (v int, ok bool) {
	for i, c := range name {
		if c == 0 {
			return v, i > 0
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int(c-'0')
	}
	return v, false
}

// All lists the processes of this namespace but the first. The list is valid until
// the next call.
func (p *Table) All() []int {
	p.path = append(p.path[:0], "/proc"...)
	list, err := p.numbers(p.pids[:0])
	if err != nil {
		return nil
	}
	p.pids = list
	kept := list[:0]
	for _, pid := range list {
		if pid != 1 {
			kept = append(kept, pid)
		}
	}
	return kept
}

// Descendants lists the children of this process, their children, and so on.
// Orphans are among them because this process is their subreaper. The list is valid
// until the next call.
func (p *Table) Descendants() []int {
	self := syscall.Getpid()
	p.pids = append(p.pids[:0], self)
	for i := 0; i < len(p.pids); i++ {
		if !p.addChildren(p.pids[i], self) {
			return p.descendantsByParent(self)
		}
	}
	return p.pids[1:]
}

// addChildren appends the children of each thread of pid to the list. It is not ok
// when the kernel was built without that file.
func (p *Table) addChildren(pid, self int) bool {
	tids, err := p.Of(pid, "/task").numbers(p.tids[:0])
	if err != nil {
		return true
	}
	p.tids = tids
	for _, tid := range tids {
		text, err := p.thread(pid, tid, "/children").Text()
		if err != nil && pid == self && tid == self {
			return false
		}
		for len(text) > 0 {
			var v int64
			if v, text = Field(text); v > 0 {
				p.pids = append(p.pids, int(v))
			}
		}
	}
	return true
}

// descendantsByParent finds the same through the parent of every process.
func (p *Table) descendantsByParent(self int) []int {
	p.path = append(p.path[:0], "/proc"...)
	everyone, _ := p.numbers(nil)
	children := map[int][]int{}
	for _, pid := range everyone {
		if s, ok := p.Stat(pid); ok {
			children[s.parent] = append(children[s.parent], pid)
		}
	}
	p.pids = append(p.pids[:0], self)
	for i := 0; i < len(p.pids); i++ {
		p.pids = append(p.pids, children[p.pids[i]]...)
	}
	return p.pids[1:]
}

// stat is the part of /proc/PID/stat that the watchdog needs. The kernel gives it
// without waiting for the process, whatever that does.
type stat struct {
	parent, Threads int
	Cpu             int64 // ticks of 10 ms, with reaped children
	Space           int64 // bytes of address space
	Rss             int64 // bytes
	Zombie          bool  // and no thread of it lives
	Alive           int   // a thread that lives: the kernel tells of the memory by its number
}

// Stat looks at a process. One whose first thread has ended while others go on looks
// like a dead one that takes no memory: then one of the others is asked.
func (p *Table) Stat(pid int) (stat, bool) {
	s, ok := p.stat(pid)
	if !ok || !s.Zombie || s.Threads < 2 {
		return s, ok
	}
	tids, err := p.Of(pid, "/task").numbers(p.tids[:0])
	if err != nil {
		return s, true
	}
	p.tids = tids
	for _, tid := range tids {
		if other, ok := p.stat(tid); ok && tid != pid && !other.Zombie {
			return other, true
		}
	}
	return s, true
}

// stat reads the line of a process by the number of one of its threads.
func (p *Table) stat(tid int) (stat, bool) {
	text, err := p.Of(tid, "/stat").Text()
	if err != nil {
		return stat{}, false
	}
	s, ok := parseStat(text)
	s.Alive = tid
	return s, ok
}

// Lines counts the lines of the file that was named, however long it is.
func (p *Table) Lines() (int64, error) {
	fd, err := p.open(syscall.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	if p.buf == nil {
		p.buf = make([]byte, 4096)
	}
	for lines := int64(0); ; {
		n, err := kernel.Retry(func() (int, error) { return syscall.Read(fd, p.buf) })
		if err != nil || n == 0 {
			return lines, err
		}
		lines += int64(bytes.Count(p.buf[:n], []byte{'\n'}))
	}
}

// parseStat reads the fields. The name before them may hold anything, hence the
// search for the last parenthesis.
func parseStat(text []byte) (stat, bool) {
	i := bytes.LastIndexByte(text, ')')
	if i < 0 || len(text) < i+4 {
		return stat{}, false
	}
	s := stat{Zombie: text[i+2] == 'Z' || text[i+2] == 'X'}
	text = text[i+3:]
	for at := 1; at <= 21; at++ {
		if len(text) == 0 {
			return stat{}, false
		}
		var v int64
		v, text = Field(text)
		switch at {
		case 1:
			s.parent = int(v)
		case 11, 12, 13, 14:
			s.Cpu += v
		case 17:
			s.Threads = int(v)
		case 20:
			s.Space = v
		case 21:
			s.Rss = v * int64(syscall.Getpagesize())
		}
	}
	return s, true
}

// Field reads a number after blanks, and returns what follows it.
func Field(text []byte) (v int64, rest []byte) {
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
		i++
	}
	minus := i < len(text) && text[i] == '-'
	if minus {
		i++
	}
	for ; i < len(text) && text[i] > ' '; i++ {
		if c := text[i]; c >= '0' && c <= '9' {
			v = 10*v + int64(c-'0')
		}
	}
	if minus {
		v = -v
	}
	return v, text[i:]
}

// Line reads the number of the line that a name begins, 0 without one.
func Line(text []byte, name string) int64 {
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		if len(name) < end && string(text[:len(name)]) == name {
			v, _ := Field(text[len(name):end])
			return v
		}
		text = text[end:]
	}
	return 0
}
