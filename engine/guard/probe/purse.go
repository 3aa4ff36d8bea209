package probe

import (
	"slices"
	"syscall"
	"time"
)

// purse is the processor time that the cases of one group may take in one request: what is dear is no longer asked, and
// leaves the rest to others.
type purse struct {
	until time.Duration // of the process; 0: no bound
	over  bool
}

// purse begins with what a group may take.
func (s *session) purse(g *group) *purse {
	if s.q.GroupMS == 0 {
		return &purse{}
	}
	ms := s.q.GroupMS
	if slices.Contains(s.q.Close, g.name) {
		ms *= CloseFactor
	}
	return &purse{until: processorTime() + time.Duration(ms)*time.Millisecond}
}

func (p *purse) empty() bool {
	p.over = p.over || p.until > 0 && processorTime() > p.until
	return p.over
}

// processorTime is what the process used until now.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
