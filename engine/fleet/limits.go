package fleet

import (
	"fmt"
	"runtime"
	"syscall"
	"time"

	"atoll/engine/work"
	"atoll/store/record"
)

// reading is how much the fleet and the run did up to a moment.
type reading struct {
	at      time.Time
	done    int           // samples
	used    time.Duration // processor time of this process
	slots   int
	busy    int // tasks that a machine has
	waiting int // tasks that nobody has
}

// gauge is what the slots of a fleet did of late, and what keeps the others from working.
type gauge struct {
	read []reading // the oldest first
	said bound     // what was told last
	when time.Time
	held bound // what holds now, since when
	from time.Time
}

// How far a gauge looks back, from how much on it tells anything, for how long something
// must hold before the run's log tells it (soon: that nobody can measure), and how soon
// after another that may be.
const (
	gaugeBack   = 10 * time.Second
	gaugeLeast  = 3 * time.Second
	gaugeSoon   = 5 * time.Second
	gaugeSteady = 30 * time.Second
	gaugeQuiet  = 10 * time.Minute
)

// Shares from which slots count as busy, and a processor as used up.
const (
	fullyBusy = 0.95
	usedUp    = 0.7
)

// bound is what limits a fleet.
type bound string

const (
	boundUnknown   bound = ""
	boundCut       bound = "cut"       // the queue is out of reach
	boundNobody    bound = "nobody"    // there is no slot
	boundMachines  bound = "machines"  // all slots work
	boundNothing   bound = "nothing"   // there is nothing to measure
	boundLookahead bound = "lookahead" // strict order has too few jobs in work
	boundProcessor bound = "processor" // the run makes and folds no more
	boundOthers    bound = "load"      // other work on the run's machine
	boundQueue     bound = "queue"     // samples wait although slots are free
	boundEdits     bound = "edits"     // the run makes too few candidates
)

// add takes a reading, and forgets those of long ago.
func (g *gauge) add(r reading) {
	g.read = append(g.read, r)
	for len(g.read) > 2 && r.at.Sub(g.read[1].at) >= gaugeBack {
		g.read = g.read[1:]
	}
}

// pace is what a gauge shows.
type pace struct {
	slots, busy, waiting float64       // on the average
	rate                 float64       // samples a second
	each                 time.Duration // processor time of the run a sample
	share                float64       // of the processors, that the run used
}

// pace is false while too little was read.
func (g *gauge) pace(cores int) (p pace, ok bool) {
	if len(g.read) < 2 {
		return p, false
	}
	first, last := g.read[0], g.read[len(g.read)-1]
	took := last.at.Sub(first.at)
	if took < gaugeLeast {
		return p, false
	}
	for _, r := range g.read[1:] {
		n := float64(len(g.read) - 1)
		p.slots, p.busy, p.waiting = p.slots+float64(r.slots)/n, p.busy+float64(r.busy)/n, p.waiting+float64(r.waiting)/n
	}
	done := last.done - first.done
	p.rate = float64(done) / took.Seconds()
	p.each = (last.used - first.used) / time.Duration(max(1, done))
	p.share = float64(last.used-first.used) / float64(took) / float64(cores)
	return p, p.slots > 0
}

// limits says what keeps slots from working: lookahead is that of strict order, 0 for
// another, load that of this machine by processor, 0 where it is unknown.
func (p pace) limits(lookahead, cores int, load float64) (bound, string) {
	busy := p.busy / p.slots
	told := fmt.Sprintf("slots %.0f %% busy", 100*min(1, busy))
	makes := fmt.Sprintf("the run makes %.3g candidates a second", p.rate)
	switch {
	case busy >= fullyBusy:
		return boundMachines, told + ": more machines would measure more"
	case p.rate == 0 && p.busy+p.waiting < 1:
		return boundNothing, told + ": the run has nothing to measure now"
	case p.share >= usedUp:
		return boundProcessor, fmt.Sprintf("%s: %s and has no more processor: each takes it %s of %d; longer measurements, cheaper edits or a larger machine for the run keep more slots busy",
			told, makes, short(p.each), cores)
	case load >= 2 && p.waiting+p.busy < p.slots:
		return boundOthers, fmt.Sprintf("%s: %s; its machine has other work, a load of %.1f for each processor", told, makes, load)
	case p.waiting >= max(1, (p.slots-p.busy)/4):
		return boundQueue, fmt.Sprintf("%s although %.0f samples wait: the way to the machines takes long (network, queue), or machines are held back", told, p.waiting)
	case lookahead > 0 && float64(lookahead) < p.slots:
		return boundLookahead, fmt.Sprintf("%s: order: strict has %d jobs in work at most; lookahead: %.0f in the atoll.yaml of a new experiment would fill %.0f slots",
			told, lookahead, p.slots*5/4, p.slots)
	}
	return boundEdits, fmt.Sprintf("%s: %s, %s of its processor each: edits are what takes long; agents that more jobs can ask at the same time make more", told, makes, short(p.each))
}

// short writes a time with two figures.
func short(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%.2g ms", float64(d)/float64(time.Millisecond))
	}
	step := time.Millisecond / 10
	for step < d/100 {
		step *= 10
	}
	return d.Round(step).String()
}

// flow is how the work of a fleet goes.
type flow struct {
	slots   int        // of the machines that serve, as they were seen last
	serving int        // those machines
	editors []*machine // of them, that run coding clients, too
	counted int        // results that counted
	gauge   gauge
	cut     time.Time // since when the queue cannot be reached; zero: it can
	// refusedFor says of machines that cannot measure for this run what they lack.
	refusedFor map[string]string
	refusals   told // of workers that may not join
}

// count notes how many slots there are now.
func (f *flow) count(machines map[string]*machine) {
	f.slots, f.serving, f.editors = 0, 0, nil
	for _, m := range machines {
		if m.serves() && !m.check.held {
			f.slots += m.hello.Slots
			f.serving++
			if m.hello.Edits {
				f.editors = append(f.editors, m)
			}
		}
	}
}

// others is how many machines serve that may have a task.
func others(k *task, f *flow) int {
	if k.errand == nil {
		return f.serving
	}
	n := 0
	for _, m := range f.editors {
		if m.edits(k.errand.Program) {
			n++
		}
	}
	return n
}

// gauging reads the gauge, and tells the run's log what limits the fleet where that holds
// for a while and is news.
func (f *flow) gauging(now time.Time, t *table, machines map[string]*machine, run *session, listener Listener) {
	g := &f.gauge
	g.add(reading{now, f.counted, processorTime(), f.slots, t.taken, len(t.tasks) - t.taken})
	kind, text := f.limits(now, t, machines, run)
	if kind != g.held {
		g.held, g.from = kind, now
	}
	level, steady := "info", gaugeSteady
	switch kind {
	case boundMachines, boundNothing: // what was told is over
		if now.Sub(g.from) >= gaugeSteady {
			g.said = boundUnknown
		}
		return
	case boundUnknown, boundCut, g.said:
		return
	case boundNobody:
		level, steady = "warn", gaugeSoon
	}
	if now.Sub(g.from) >= steady && (g.when.IsZero() || now.Sub(g.when) >= gaugeQuiet) && listener != nil {
		g.said, g.when = kind, now
		listener.Note(level, record.NoJob, "fleet: "+text)
	}
}

// limits says what limits the fleet now.
func (f *flow) limits(now time.Time, t *table, machines map[string]*machine, run *session) (bound, string) {
	if !f.cut.IsZero() {
		return boundCut, fmt.Sprintf("the queue cannot be reached for %s: machines finish what they have and keep what it gave; what is below is how it was", now.Sub(f.cut).Round(time.Second))
	}
	if f.slots == 0 && len(t.tasks) > 0 {
		return boundNobody, f.nobody(len(t.tasks), machines)
	}
	if text := f.stuck(t); text != "" {
		return boundNobody, text
	}
	cores := runtime.NumCPU()
	p, ok := f.gauge.pace(cores)
	if !ok {
		return boundUnknown, ""
	}
	lookahead := 0
	if run != nil && run.job.Config.Order == "strict" {
		lookahead = run.job.Config.Lookahead
	}
	load := 0.0
	if l := work.MachineLoad(); l != nil {
		load = *l
	}
	return p.limits(lookahead, cores, load)
}

// processorTime is what this process used so far.
func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
