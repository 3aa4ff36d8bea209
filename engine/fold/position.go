package fold

import "atoll/store/record"

// position is how far the log was folded, and which jobs have their turn.
type position struct {
	*rules
	Seq      record.Seq
	Version  int                               // objective version at this position of the log
	nextFold record.JobID                      // strict order: the job that is folded next
	Early    map[record.JobID][]record.FoldRow // strict order: rows that came before their turn
	folded   int                               // jobs folded
	heldTold map[record.JobID]bool             // strict order: held jobs that were told before their turn
	late     map[record.JobID]bool             // held jobs that were folded when they were held
	renewal  renewal
	looks    looks
}

// renewal are the jobs that measure again, by number; in strict order they are
// folded before all others.
type renewal struct {
	next, end record.JobID
	strict    bool
	ahead     map[record.JobID]bool // folded before their turn
}

func (r *renewal) open() bool { return r.strict && r.next < r.end }

// passed notes in strict order that a job was folded.
func (p *position) passed(job record.JobID) {
	if p.renewal.open() {
		p.renewal.ahead[job] = true
		p.renewal.next++
	} else {
		p.nextFold++
	}
	for p.renewal.ahead[p.nextFold] {
		delete(p.renewal.ahead, p.nextFold)
		p.nextFold++
	}
}

// turn is the job that is folded next in strict order.
func (p *position) turn() record.JobID {
	if p.renewal.open() {
		return p.renewal.next
	}
	return p.nextFold
}

// FoldCount is F: in strict order the jobs folded without a gap.
func (p *position) FoldCount() int {
	if p.Exp.Strict {
		return int(p.nextFold)
	}
	return p.folded
}

// Before reports whether the fold is at a row of an earlier objective version.
func (p *position) Before() bool { return p.Version < p.Exp.Objective }

// stale reports whether values of a version are history.
func (p *position) stale(version int) bool {
	return p.Exp.Objective > 1 && (p.Before() || version < p.Exp.Objective)
}
