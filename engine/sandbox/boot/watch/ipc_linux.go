package watch

import (
	"syscall"

	"atoll/engine/sandbox/boot/proc"
)

// ipcFiles list what a namespace holds of segments, semaphores and queues: memory
// that belongs to no process. Each has the column of its size, and what a unit of it
// takes: a semaphore has a line of the processor's cache for itself.
var ipcFiles = []struct {
	path   string
	column int
	unit   int64
}{{"/proc/sysvipc/shm", 3, 1}, {"/proc/sysvipc/sem", 3, 64}, {"/proc/sysvipc/msg", 3, 1}}

// Listen has the keeper serve launchers that come to the socket, -1 for none, and
// count what no process holds. It is called before the command starts.
func (k *Keeper) Listen(broker int) {
	k.broker = broker
	k.openIPC()
}

// openIPC opens the lists of this namespace, where it has one of its own: candidate
// code may make nothing of the kind, and below rung 1 nobody may.
func (k *Keeper) openIPC() {
	if k.job.Rung != 1 || k.job.Limits.Memory <= 0 {
		return
	}
	for _, f := range ipcFiles {
		fd, err := syscall.Open(f.path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			fd = -1
		}
		k.ipc = append(k.ipc, fd)
	}
}

// heldByNobody adds up what the lists hold.
func (k *Keeper) heldByNobody() int64 {
	var sum int64
	for i, fd := range k.ipc {
		if fd < 0 {
			continue
		}
		if _, err := syscall.Seek(fd, 0, 0); err != nil {
			continue
		}
		text, err := k.proc.Rest(fd)
		if err != nil {
			continue
		}
		sum += columnSum(text, ipcFiles[i].column) * ipcFiles[i].unit
	}
	return sum
}

// columnSum adds up a column of numbers below a heading, counted from 0.
func columnSum(text []byte, column int) int64 {
	var sum int64
	heading := true
	for at := 0; len(text) > 0; {
		if text[0] == '\n' {
			text, at, heading = text[1:], 0, false
			continue
		}
		if text[0] == ' ' || text[0] == '\t' {
			text = text[1:]
			continue
		}
		if heading {
			text = text[1:]
			continue
		}
		var v int64
		if v, text = proc.Field(text); at == column {
			sum += v
		}
		at++
	}
	return sum
}
