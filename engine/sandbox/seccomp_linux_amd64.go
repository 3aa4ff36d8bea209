package sandbox

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_X86_64

// allowedHere are allowed calls that only this architecture has.
var allowedHere = []int{
	// Processes and threads.
	unix.SYS_ARCH_PRCTL, unix.SYS_FORK, unix.SYS_GETPGRP, unix.SYS_GET_THREAD_AREA, unix.SYS_PAUSE,
	unix.SYS_SET_THREAD_AREA, unix.SYS_URETPROBE, unix.SYS_VFORK,
	// Signals.
	unix.SYS_SIGNALFD,
	// Time.
	unix.SYS_ALARM, unix.SYS_TIME,
	// Sockets and what passes between processes.
	unix.SYS_EVENTFD, unix.SYS_PIPE,
	// Waiting for files.
	unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_INOTIFY_INIT, unix.SYS_POLL, unix.SYS_SELECT,
	// Files.
	unix.SYS_ACCESS, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_CREAT, unix.SYS_DUP2, unix.SYS_FUTIMESAT,
	unix.SYS_GETDENTS, unix.SYS_LCHOWN, unix.SYS_LINK, unix.SYS_LSTAT, unix.SYS_MKDIR, unix.SYS_MKNOD,
	unix.SYS_OPEN, unix.SYS_READLINK, unix.SYS_RENAME, unix.SYS_RMDIR, unix.SYS_STAT, unix.SYS_SYMLINK,
	unix.SYS_UNLINK, unix.SYS_UTIME, unix.SYS_UTIMES,
}

// refusedHere are refused calls that only this architecture has.
var refusedHere = []int{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT}

var (
	watchesHere      = []int{unix.SYS_INOTIFY_INIT}
	changesModeHere  = []int{unix.SYS_CHMOD}
	changesOwnerHere = []int{unix.SYS_CHOWN, unix.SYS_LCHOWN}
)

// foreign kills callers of the x32 interface, whose numbers the table does not
// know.
func (p *program) foreign() {
	p.add(bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: 0x40000000, SkipFalse: 1}, bpf.RetConstant{Val: retKill})
}
