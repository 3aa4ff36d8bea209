package fold

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"atoll/engine/archive"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// islands are sub-populations that share the jobs: job n is of the n-th in turns. What
// all of them made competes in the archive of the experiment, and in that of its own island
// besides, whose elites alone are drawn for its jobs. Nothing here depends on when it is
// asked for, nor on the map for what wanders and what ends.
type islands struct {
	*standings
	live  []isle // in the order of the ring; none where there is one island
	last  int32  // the highest number that an island has, or that a job names
	floor int32  // candidates of islands up to here are at home on every one, as those of no island are
}

// isle is one island: what its jobs made, and its guests.
type isle struct {
	number int32                // never given twice
	elites []archive.Holder     // by cell
	guests []record.CandidateID // by number
	best   record.CandidateID   // of all that are here
	jobs   int                  // of the island that were folded
	found  int                  // jobs when the best was found
	taken  []record.CandidateID // of its own, those that took a niche last, newest last
}

// recentTaken is how many of those that took a niche last an island remembers.
const recentTaken = 32

// islandName is how jobs name an island.
func islandName(number int32) string { return strconv.Itoa(int(number)) }

// islandNumber is the island that a job names; 0 is none, as in an experiment of one.
func islandNumber(name string) int32 {
	n, err := strconv.ParseInt(name, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

// begin makes the islands once there is an archive.
func (l *islands) begin() {
	n := l.Config.Search.Islands
	if n < 2 || len(l.live) > 0 || l.arch == nil {
		return
	}
	l.floor = l.last
	for range n {
		l.live = append(l.live, l.next())
	}
	l.refresh()
}

// next is a new island with guests beside those who are at home everywhere.
func (l *islands) next(guests ...record.CandidateID) isle {
	l.last++
	return isle{number: l.last, guests: guests, best: record.NoCandidate}
}

// home notes on which island a candidate was made.
func (l *islands) home(m *Candidate, job *record.Job) {
	if job == nil || job.Kind != record.Make {
		return
	}
	if m.island = islandNumber(job.Island); m.island > l.last {
		l.last = m.island
	}
}

func (l *islands) on(m *Candidate, k *isle) bool {
	if m.island <= l.floor || m.island == k.number {
		return true
	}
	_, guest := slices.BinarySearch(k.guests, m.ID())
	return guest
}

// at is the index of an island by number, -1 where it is no more.
func (l *islands) at(number int32) int {
	return slices.IndexFunc(l.live, func(k isle) bool { return k.number == number })
}

// turn is the island of a job, nil where there is one only.
func (l *islands) turn(job record.JobID) *isle {
	if len(l.live) == 0 {
		return nil
	}
	return &l.live[int(job)%len(l.live)]
}

// seen is the view of an island: its elites, and where axes are named the axis that it follows
// and who leads the others.
func (l *islands) seen(v search.View, k *isle) search.View {
	v.Island, v.Elites = islandName(k.number), k.elites
	if l.Learned || len(l.arch.Shape().Axes) == 0 {
		return v
	}
	v.Named = true
	at := l.at(k.number)
	for i := 1; i < len(l.live); i++ {
		other := v
		other.Axis = l.axis((at + i) % len(l.live))
		if id := l.leader(other, &l.live[(at+i)%len(l.live)]); id != record.NoCandidate {
			v.Leaders = append(v.Leaders, id)
		}
	}
	v.Axis = l.axis(at)
	return v
}

// axis is the one that the island at a place in the ring follows, from 1: the first follows none,
// the others one after the other.
func (l *islands) axis(at int) int {
	if at == 0 {
		return 0
	}
	return 1 + (at-1)%len(l.arch.Shape().Axes)
}

// leader is who leads an island: the first along its axis, or its best.
func (l *islands) leader(v search.View, k *isle) record.CandidateID {
	if v.Axis > 0 {
		return search.Leader(v)
	}
	return k.best
}

// ended counts the end of a make job, and lets its candidate, if it has one that was
// measured for the first time, settle. Took says that it took a niche of the experiment's.
func (l *islands) ended(job *record.Job, m *Candidate, took bool) {
	if len(l.live) == 0 || job.Kind != record.Make {
		return
	}
	i := l.at(islandNumber(job.Island))
	if i >= 0 {
		l.live[i].jobs++
	}
	if m == nil || m.Out() || l.arch == nil {
		return
	}
	for j := range l.live {
		k := &l.live[j]
		if !l.on(m, k) {
			continue
		}
		settled := l.settle(m, k)
		if j == i && (took || settled && !l.Learned) {
			k.taken = append(k.taken[max(0, len(k.taken)-recentTaken+1):], m.ID())
		}
	}
}

// settle gives a candidate the places on an island that it is good enough for, and reports
// whether it took a niche there.
func (l *islands) settle(m *Candidate, k *isle) bool {
	if best := l.Candidate(k.best); best == nil || l.better(m, best) {
		k.best, k.found = m.ID(), k.jobs
	}
	cell, ok := l.arch.CellOf(m.ID())
	if !ok {
		return false
	}
	h := archive.Holder{ID: m.ID(), Cell: cell, Objective: l.Sign * m.Objective, Samples: int(m.Samples), Frozen: l.arch.IsFrozen(m.ID())}
	at, held := slices.BinarySearchFunc(k.elites, cell, func(h archive.Holder, cell int) int { return cmp.Compare(h.Cell, cell) })
	switch {
	case !held:
		k.elites = slices.Insert(k.elites, at, h)
	case k.elites[at].ID == h.ID || !outranks(h, k.elites[at]):
		return false
	default:
		k.elites[at] = h
	}
	return true
}

// outranks is the order of those who compete for a niche, see package archive.
func outranks(a, b archive.Holder) bool {
	if a.Frozen != b.Frozen {
		return a.Frozen
	}
	return cmp.Or(cmp.Compare(b.Objective, a.Objective), cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.ID, b.ID)) < 0
}

// refresh finds elites and bests anew. Whatever changes the archive besides an arrival calls it at
// once, so that it happens at a place in the log.
func (l *islands) refresh() {
	if len(l.live) == 0 || l.arch == nil {
		return
	}
	for i := range l.live {
		k := &l.live[i]
		k.elites = nil
		was := k.best
		k.best = record.NoCandidate
		for id := range l.measured() {
			if m := l.Candidate(id); m.Scored && !m.Out() && l.on(m, k) && (k.best == record.NoCandidate || l.better(m, l.Candidate(k.best))) {
				k.best = id
			}
		}
		if was != k.best {
			k.found = k.jobs
		}
	}
	cell, full := -1, 0
	l.arch.Ranked(func(h archive.Holder) bool {
		if h.Cell < 0 {
			return false
		}
		if h.Cell != cell {
			cell, full = h.Cell, 0
		}
		m := l.Candidate(h.ID)
		for i := range l.live {
			k := &l.live[i]
			if n := len(k.elites); n > 0 && k.elites[n-1].Cell == cell || !l.on(m, k) {
				continue
			}
			k.elites = append(k.elites, h)
			full++
		}
		return full < len(l.live)
	})
}

// wander lets the best of every island, and one drawn from those that took a niche there
// last, be guests of the next one in the ring.
func (l *islands) wander() {
	rng := search.Rand(l.Exp.Seed^wanderSalt, record.JobID(l.folded))
	leaving := make([][]record.CandidateID, len(l.live))
	for i := range l.live {
		k := &l.live[i]
		leaving[i] = append(leaving[i], k.best)
		if x := rng.Float64(); len(k.taken) > 0 {
			leaving[i] = append(leaving[i], k.taken[int(x*float64(len(k.taken)))])
		}
	}
	for i, ids := range leaving {
		k := &l.live[(i+1)%len(l.live)]
		for _, id := range ids {
			if m := l.Candidate(id); m != nil && m.Scored && !m.Out() && !l.on(m, k) {
				at, _ := slices.BinarySearch(k.guests, id)
				k.guests = slices.Insert(k.guests, at, id)
				l.settle(m, k)
			}
		}
	}
}

// wanderSalt keeps the draw of those who wander apart from that of the choice.
const wanderSalt = 0x2545f4914f6cdd1d

// worst is the index of the island whose best is behind those of all others, the younger of
// two alike.
func (l *islands) worst() int {
	worst := 0
	for i := 1; i < len(l.live); i++ {
		a, b := l.Candidate(l.live[i].best), l.Candidate(l.live[worst].best)
		if a == nil || b != nil && l.Sign*a.Objective <= l.Sign*b.Objective {
			worst = i
		}
	}
	return worst
}

// stands reports whether an island found nothing better for long: for a third of its jobs,
// and as many as an epoch has.
func (l *islands) stands(k *isle) bool {
	return k.jobs-k.found >= max(l.Config.Search.Epoch, k.jobs/3)
}

// renew ends an island and begins another in its place, from the best candidate that comes from
// another child of the root than the best of all does. It tells what became.
func (l *islands) renew(i int) string {
	text := fmt.Sprintf("island %d ends, its best is %s: ", l.live[i].number, l.live[i].best)
	founder := l.otherRoad()
	if founder == record.NoCandidate {
		l.live[i] = l.next()
		text += fmt.Sprintf("island %d begins from the root", l.last)
	} else {
		l.live[i] = l.next(founder)
		text += fmt.Sprintf("island %d begins from %s", l.last, founder)
	}
	l.refresh()
	return text
}

// otherRoad is the best of those who do not descend from the child of the root from which
// the best of all comes; NoCandidate where there is none among the best few hundred.
func (l *islands) otherRoad() record.CandidateID {
	first := l.road(l.Best)
	for _, h := range l.arch.Best(roadsMost) {
		if h.ID != record.Root && l.road(h.ID) != first {
			return h.ID
		}
	}
	return record.NoCandidate
}

// roadsMost bounds among how many another road is looked for.
const roadsMost = 512

// road is the child of the root that a candidate descends from, or is.
func (l *islands) road(id record.CandidateID) record.CandidateID {
	m := l.Candidate(id)
	for m != nil && m.Parent() > record.Root && m.Parent() < m.ID() {
		m = l.Candidate(m.Parent())
	}
	if m == nil {
		return record.NoCandidate
	}
	return m.ID()
}

// epoch is the end of an epoch: an island that found nothing better for long and is the worst
// of all ends, and some wander. It tells what people may want to know.
func (l *islands) epoch() (said []string) {
	if len(l.live) == 0 {
		return nil
	}
	if i := l.worst(); l.stands(&l.live[i]) {
		said = append(said, l.renew(i))
	}
	l.wander()
	return said
}

// restart is what happens when the whole search stands: the worst island ends.
func (l *islands) restart() (said []string) {
	if len(l.live) == 0 {
		return nil
	}
	said = append(said, l.renew(l.worst()))
	l.wander()
	return said
}

// told is what islands add up to, as a digest takes it.
func (l *islands) told() (out []any) {
	for i := range l.live {
		k := &l.live[i]
		out = append(out, []any{k.number, k.best, k.jobs, k.found, k.guests, k.taken})
	}
	return out
}

// view is the islands as readers see them.
func (l *islands) view() (out []view.Island) {
	for i := range l.live {
		k := &l.live[i]
		v := view.Island{Number: int(k.number), Best: k.best, Filled: len(k.elites), Jobs: k.jobs}
		if m := l.Candidate(k.best); m != nil {
			v.Objective, v.Claim = m.Objective, l.HeldOut(k.best)
		}
		out = append(out, v)
	}
	return out
}
