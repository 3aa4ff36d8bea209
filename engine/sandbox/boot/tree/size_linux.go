package tree

import (
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
)

// pageBytes is the least that a file or folder counts for: an empty one costs the
// kernel memory, or a disk a place, too.
const pageBytes = 4096

// sizeOf is what a file counts for.
func sizeOf(st *syscall.Stat_t) int64 { return max((st.Size+pageBytes-1)&^(pageBytes-1), pageBytes) }

// maxDepth is how many folders may lie within each other where hostile code makes
// them. Each level of a walk keeps a file open; a path that programs can name has less
// than two thousand.
const maxDepth = 256

// ErrTooMuch is the answer of a [Scale] that did not look at everything: it had seen
// more than asked for, or folders deeper than anybody needs.
const ErrTooMuch = syscall.E2BIG

// Scale adds up what lies below a folder, also while hostile code changes it, again and
// again and without new memory: nothing collects garbage in a first process. It is for
// one goroutine.
type Scale struct {
	// Most is how many bytes are worth counting: with more the answer is ErrTooMuch. 0
	// is any number.
	Most int64
	// Force gives the rights back that were taken away from folders.
	Force bool

	bytes, files int64
	buffers      [][]byte // one for each level
}

// TreeSize adds up the files and folders below dir, each a page at least.
func TreeSize(dir int) (bytes, files int64, err error) { return (&Scale{}).Weigh(dir) }

// Weigh adds up the files and folders below dir, each a page at least. What vanishes
// meanwhile is left out. With an error the sums hold what was seen until then.
func (s *Scale) Weigh(dir int) (bytes, files int64, err error) {
	s.bytes, s.files = 0, 0
	fd, err := kernel.OpenDir(dir, ".")
	if err != nil {
		return 0, 0, err
	}
	defer syscall.Close(fd)
	err = s.folder(fd, 0)
	return s.bytes, s.files, err
}

// folder adds up an open folder, from where its list stands.
func (s *Scale) folder(dir, depth int) error {
	if depth == maxDepth {
		return ErrTooMuch
	}
	if depth == len(s.buffers) {
		s.buffers = append(s.buffers, make([]byte, 16<<10))
	}
	buf := s.buffers[depth]
	for {
		n, err := kernel.Retry(func() (int, error) { return syscall.ReadDirent(dir, buf) })
		if err == syscall.ENOENT { // the folder itself has vanished
			return nil
		}
		if err != nil || n <= 0 {
			return err
		}
		for at := 0; at < n; {
			// linux_dirent64: the length at 16, the name at 19.
			size := int(buf[at+16]) | int(buf[at+17])<<8
			if err := s.entry(dir, buf[at+19:at+size], depth); err != nil {
				return err
			}
			at += size
		}
	}
}

// entry adds up one name of a folder, zero-terminated.
func (s *Scale) entry(dir int, name []byte, depth int) error {
	if name[0] == '.' && (name[1] == 0 || name[1] == '.' && name[2] == 0) {
		return nil
	}
	var st syscall.Stat_t
	if err := kernel.FstatatRaw(dir, &name[0], &st); err != nil {
		return unlessGone(err)
	}
	s.files++
	s.bytes += sizeOf(&st)
	if s.Most > 0 && s.bytes > s.Most {
		return ErrTooMuch
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		return nil
	}
	sub, err := s.open(dir, &name[0])
	if err != nil {
		return unlessGone(err)
	}
	err = s.folder(sub, depth+1)
	syscall.Close(sub)
	return err
}

// open opens a folder for its list.
func (s *Scale) open(dir int, name *byte) (int, error) {
	const flags = syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	fd, err := kernel.OpenatRaw(dir, name, flags|syscall.O_RDONLY)
	if err != syscall.EACCES || !s.Force {
		return fd, err
	}
	// What has the name may be another thing at each call: hence by the descriptor.
	held, err := kernel.OpenatRaw(dir, name, flags|kernel.OPath)
	if err != nil {
		return -1, err
	}
	defer syscall.Close(held)
	if err := syscall.Chmod("/proc/self/fd/"+strconv.Itoa(held), 0o700); err != nil {
		return -1, err
	}
	return kernel.OpenDir(held, ".")
}

// unlessGone drops the errors of what is no longer there, or no longer a folder.
func unlessGone(err error) error {
	switch err {
	case syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP:
		return nil
	}
	return err
}
