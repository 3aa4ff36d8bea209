package sandbox

// Lack is what a test takes away from a machine.
type Lack struct {
	Fence   string // the only one that works below rung 1; "" = all do
	Overlay bool   // overlay mounts are refused
	PidMax  bool   // the kernel does not limit the processes of a namespace
}

var fences = map[string]fence{"namespace": fenceNamespace, "trace": fenceTrace, "none": fenceNone}

// On returns options for a machine that lacks something.
func (l Lack) On(o Options) Options {
	o.lack = lack{overlay: l.Overlay, pidMax: l.PidMax}
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
