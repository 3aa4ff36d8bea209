package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// Lack is what a test takes away from a machine.
type Lack struct {
	Fence   string // the only one that works below rung 1; "" = all do
	Overlay bool   // overlay mounts are refused
	PidMax  bool   // the kernel does not limit the processes of a namespace
	Group   string // a control group that is there, without limits
}

var fences = map[string]fence{"namespace": fenceNamespace, "trace": fenceTrace, "none": fenceNone}

// On returns options for a machine that lacks something.
func (l Lack) On(o Options) Options {
	o.lack = lack{overlay: l.Overlay, pidMax: l.PidMax, group: l.Group}
	if l.Fence != "" {
		o.lack.fences = []fence{fences[l.Fence]}
	}
	return o
}

// Fence names the fence that was taken.
func (b *Box) Fence() string {
	for name, f := range fences {
		if f == b.fence {
			return name
		}
	}
	return ""
}

// Release is the version of the kernel.
func Release() (major, minor int) {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return 0, 0
	}
	return release(unix.ByteSliceToString(u.Release[:]))
}

// FindGroups is findGroups, and says which group was found.
func FindGroups(proc string) (dir string, err error) {
	g, err := findGroups(proc)
	if err != nil {
		return "", err
	}
	return g.dir, nil
}

// BoundGroup writes the limits of a run into the files of its group, which are there.
func BoundGroup(dir string, l Limits) (end func() []string, err error) {
	g := &group{dir: dir}
	if g.file, err = os.Open(dir); err != nil {
		return nil, err
	}
	return g.end, g.bound(l)
}

// Delegate marks a folder as systemd does with Delegate=yes.
func Delegate(dir string) error { return unix.Setxattr(dir, "user.delegate", []byte("1"), 0) }
