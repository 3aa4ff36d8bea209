package sandbox

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_X86_64

// refusedHere are refused calls that only this architecture has.
var refusedHere = []int{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_LOOKUP_DCOOKIE}

var (
	chmodHere = []int{unix.SYS_CHMOD}
	chownHere = []int{unix.SYS_CHOWN, unix.SYS_LCHOWN}
)

// foreign kills callers of the x32 interface, whose numbers the table does not
// know.
func (p *program) foreign() {
	p.add(bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: 0x40000000, SkipFalse: 1}, bpf.RetConstant{Val: retKill})
}
