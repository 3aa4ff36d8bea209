package work

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"atoll/store/record"
)

// busyLoad is the load by processor above which times of this machine say little:
// twice what this program itself may cause.
const busyLoad = 2.0

// machine knows how busy the machine is. It warns once a run.
type machine struct {
	read func() (string, error) // the text of /proc/loadavg
	warn sync.Once
}

func newMachine() *machine {
	return &machine{read: func() (string, error) {
		text, err := os.ReadFile("/proc/loadavg")
		return string(text), err
	}}
}

// load is the load of the last minute by processor; nil where it is not known.
func (m *machine) load() *float64 {
	text, err := m.read()
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return nil
	}
	v /= float64(runtime.NumCPU())
	return &v
}

// MachineLoad is the load of this machine in the last minute by processor; nil where it is
// not known.
func MachineLoad() *float64 { return newMachine().load() }

// noteBusy warns where times are measured on a busy machine.
func (m *machine) noteBusy(host Host, job record.JobID, load *float64) {
	if load == nil || *load < busyLoad {
		return
	}
	m.warn.Do(func() {
		host.Note("warn", job, fmt.Sprintf("the machine is busy (a load of %.1f for each processor): times vary more and gains take longer to confirm", *load))
	})
}
