package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// refusedHere are refused calls that only this architecture names so.
var refusedHere = []int{unix.SYS_KEXEC_FILE_LOAD, unix.SYS_LOOKUP_DCOOKIE}

var (
	chmodHere []int
	chownHere []int
)

// foreign has nothing to do: this architecture has one interface.
func (p *program) foreign() {}
