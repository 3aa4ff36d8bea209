package proc

import (
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
)

// Nameless adds up the files of one file system that processes hold open and that have
// no name any more: no folder shows them, and they take their room all the same.
type Nameless struct {
	Bytes int64

	device uint64
	seen   map[uint64]bool // file numbers: one file may be open many times
	fds    []int
}

// Begin starts anew, for a file system.
func (n *Nameless) Begin(device uint64) {
	n.Bytes, n.device = 0, device
	if n.seen == nil {
		n.seen = map[uint64]bool{}
	}
	clear(n.seen)
}

// Add adds the files of a process. Of one whose files this user may not see it adds
// none.
func (n *Nameless) Add(p *Table, pid int) {
	var err error
	if n.fds, err = p.Of(pid, "/fd").numbers(n.fds[:0]); err != nil {
		return
	}
	for _, fd := range n.fds {
		p.Of(pid, "/fd/").path = strconv.AppendInt(p.path, int64(fd), 10)
		var st syscall.Stat_t
		p.path = append(p.path, 0)
		if kernel.StatRaw(&p.path[0], &st) != nil {
			continue
		}
		if st.Nlink > 0 || st.Dev != n.device || st.Mode&syscall.S_IFMT != syscall.S_IFREG || n.seen[st.Ino] {
			continue
		}
		n.seen[st.Ino] = true
		n.Bytes += st.Blocks * 512
	}
}
