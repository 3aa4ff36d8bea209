package work

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"atoll/store/record"
)

// busyLoad is the load by processor above which times of this machine say little:
// twice what this program itself may cause.
const busyLoad = 2.0

// loadAge is how old a load may be: the kernel counts every five seconds, and asking it
// for each of hundreds of samples a second takes half a percent of their time.
const loadAge = time.Second

// machine knows how busy the machine is. It warns once a run. It may be used from many
// goroutines.
type machine struct {
	read func() (string, error) // the text of /proc/loadavg
	warn sync.Once

	mu   sync.Mutex
	last *float64
	at   time.Time // when last was read
}

func newMachine() *machine { return &machine{read: readLoad} }

func readLoad() (string, error) {
	text, err := os.ReadFile("/proc/loadavg")
	return string(text), err
}

// load is the load of the last minute by processor, asked for again when a second has
// passed; nil where it is not known.
func (m *machine) load(now time.Time) *float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if age := now.Sub(m.at); m.at.IsZero() || age < 0 || age >= loadAge {
		m.last, m.at = loadOf(m.read()), now
	}
	return m.last
}

func loadOf(text string, err error) *float64 {
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
func MachineLoad() *float64 { return loadOf(readLoad()) }

// noteBusy warns where times are measured on a busy machine.
func (m *machine) noteBusy(host Host, job record.JobID, load *float64) {
	if load == nil || *load < busyLoad {
		return
	}
	m.warn.Do(func() {
		host.Note("warn", job, fmt.Sprintf("the machine is busy (a load of %.1f for each processor): times vary more and gains take longer to confirm", *load))
	})
}
