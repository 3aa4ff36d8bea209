package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"atoll/engine/view"
)

// meter reads what an experiment takes of the machine. Safe for concurrent use.
type meter struct {
	dir string // the state directory
	now func() time.Time

	mu      sync.Mutex
	disk    int64
	weighed time.Time
	took    time.Duration // to add up the files last
}

// The files of the state directory are added up so seldom that it takes a hundredth of
// the time, and at least every weighEvery.
const (
	weighEvery = 30 * time.Second
	weighShare = 100
)

// kernelTick is the unit of processor time in /proc: USER_HZ is 100 on all that Go
// runs on.
const kernelTick = 10 * time.Millisecond

// read measures process pid with all that descends from it.
func (m *meter) read(ctx context.Context, pid int) (view.Resources, error) {
	out := view.Resources{At: m.now()}
	all, err := procfs.AllProcs()
	if err != nil {
		return out, fmt.Errorf("read the processes: %w", err)
	}
	stats := map[int]procfs.ProcStat{}
	kids := map[int][]int{}
	for _, p := range all {
		if s, err := p.Stat(); err == nil { // else it is gone
			stats[s.PID] = s
			kids[s.PPID] = append(kids[s.PPID], s.PID)
		}
	}
	for family := []int{pid}; len(family) > 0; family = family[1:] {
		s := stats[family[0]]
		out.CPU += kernelTick * time.Duration(int(s.UTime)+int(s.STime)+int(s.CUTime)+int(s.CSTime))
		out.Memory += int64(s.ResidentMemory())
		family = append(family, kids[family[0]]...)
	}
	out.Disk = m.weigh(ctx)
	var on syscall.Statfs_t
	if err := syscall.Statfs(m.dir, &on); err == nil {
		out.Free = int64(on.Bavail) * on.Bsize
	}
	return out, nil
}

// weigh adds up the files of the state directory, as of a while ago.
func (m *meter) weigh(ctx context.Context) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	began := m.now()
	if !m.weighed.IsZero() && began.Sub(m.weighed) < min(weighEvery, weighShare*m.took) {
		return m.disk
	}
	m.disk, m.weighed = 0, began
	_ = filepath.WalkDir(m.dir, func(_ string, d fs.DirEntry, err error) error { // what vanishes meanwhile counts nothing
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				m.disk += info.Size()
			}
		}
		return ctx.Err()
	})
	m.took = m.now().Sub(began)
	return m.disk
}
