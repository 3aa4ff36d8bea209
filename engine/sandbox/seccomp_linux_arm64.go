package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// What other architectures have in addition, this one names by the newer calls alone.
var (
	allowedHere, refusedHere          []int
	changesModeHere, changesOwnerHere []int
	watchesHere                       []int
)

// foreign has nothing to do: this architecture has one interface.
func (p *program) foreign() {}
