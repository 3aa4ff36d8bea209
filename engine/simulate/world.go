package simulate

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/engine/schedule"
	"atoll/engine/search"
	"atoll/store/record"
)

// event is something that happens at a moment of virtual time.
type event struct {
	at   time.Duration
	seq  uint64 // of two at one moment the one that was planned first comes first
	what what
	job  *work
	unit int // machine
	turn int // of the machine: what was planned before it was lost does not come
}

type what uint8

const (
	edited what = iota
	arrived
	measured
	lostMachine
	backMachine
	expired // the lease of a task whose machine was lost
)

// agenda is what is to happen, soonest first.
type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(event)) }
func (a *agenda) Pop() any {
	old := *a
	e := old[len(old)-1]
	*a = old[:len(old)-1]
	return e
}

// work is a job that was chosen.
type work struct {
	job    record.Job
	edit   Edit
	chosen int // results folded when it was
	rng    *rand.Rand
	asked  time.Duration // when it began to wait for a slot
	began  time.Duration // when its measurement began
	unit   int
}

// machine is one machine.
type machine struct {
	free  int
	up    bool
	turn  int
	tasks map[*work]bool
}

// world is a search in virtual time; it is the log of its own state.
type world struct {
	plan     Plan
	exp      record.Experiment
	settings record.Settings
	st       *fold.State
	land     *land

	now      time.Duration
	seq      uint64
	agenda   agenda
	rng      *rand.Rand // of machines
	machines []machine
	idle     []int           // machines with a free slot, one entry a slot; entries of lost machines are skipped
	since    []time.Duration // when each of them became free
	slots    []*work         // that wait for a slot, oldest first
	queue    []*work         // jobs that exist and are in nobody's hands
	active   int             // jobs in work
	editing  int             // of them, at the agent
	clerk    time.Duration   // when the run itself is free again

	rows   []record.FoldRow // those that are not folded yet
	folded record.Seq       // of rows
	next   record.JobID
	made   int

	tally
	bill
	every time.Duration
}

// tally is what is counted on the way.
type tally struct {
	out       Outcome
	waitSlot  time.Duration
	idleTime  time.Duration
	fetched   int
	measuring time.Duration
	stale     int
}

// bill is what edits cost.
type bill struct {
	owed   float64 // by all jobs that were made, those that wait among them
	agents map[string]*Spent
	cards  []int // the order in which edits of the past come, until it begins anew
}

// Run carries out a plan. now is the real clock, which tells how long it took.
func Run(ctx context.Context, p Plan, now func() time.Time) (Outcome, error) {
	if err := p.check(); err != nil {
		return Outcome{}, err
	}
	began := now()
	w := newWorld(p)
	var err error
	if w.st, err = fold.OpenState(ctx, w, w.exp.ID); err != nil {
		return Outcome{}, err
	}
	w.st.Quiet = true
	if err := w.run(ctx); err != nil {
		return Outcome{}, err
	}
	w.conclude()
	w.out.RealMS = now().Sub(began).Milliseconds()
	return w.out, nil
}

func newWorld(p Plan) *world {
	cfg := config.Defaults()
	cfg.Evaluator.Objective, cfg.Evaluator.Direction = objective, "maximize"
	cfg.Workers, cfg.Seed = p.Workers, p.Seed
	cfg.Map.Axes = []config.Axis{{Metric: "x", Max: 1, Bins: bins}, {Metric: "y", Max: 1, Bins: bins}}
	w := &world{
		bill: bill{agents: map[string]*Spent{}}, plan: p, settings: cfg.Settings(), rng: rand.New(rand.NewPCG(p.Seed, 1)), land: newLand(p), machines: make([]machine, p.Machines),
		exp: record.Experiment{
			ID: 1, Name: "simulated", Seed: p.Seed, Strict: p.Strict, Lookahead: p.Lookahead, State: record.ExperimentRunning, Objective: 1,
			Config: config.Encode(cfg),
		},
	}
	for i := range w.machines {
		w.machines[i] = machine{tasks: map[*work]bool{}}
		w.start(i)
	}
	return w
}

// start brings a machine up.
func (w *world) start(i int) {
	m := &w.machines[i]
	m.up, m.free = true, w.plan.Slots
	for range w.plan.Slots {
		w.idle, w.since = append(w.idle, i), append(w.since, w.now)
	}
	if w.plan.Loss > 0 {
		w.after(time.Duration(w.rng.ExpFloat64()*float64(w.plan.Loss)), event{what: lostMachine, unit: i, turn: m.turn})
	}
}

func (w *world) after(d time.Duration, e event) {
	w.seq++
	e.at, e.seq = w.now+d, w.seq
	heap.Push(&w.agenda, e)
}

// run measures the root and lets things happen until a budget is used up.
func (w *world) run(ctx context.Context) error {
	w.row(record.FoldRow{LogRow: record.LogRow{Kind: record.LogSample, Job: 0, Candidate: record.Root}, Cand: w.land.root(), Work: rootJob(w.exp.ID)})
	w.next = 1
	if err := w.catchUp(ctx); err != nil {
		return err
	}
	w.assign()
	for n := 0; w.agenda.Len() > 0; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := heap.Pop(&w.agenda).(event)
		if w.plan.For > 0 && e.at > w.plan.For {
			w.now, w.out.Ended = w.plan.For, "time"
			return nil
		}
		w.now = e.at
		if err := w.happen(ctx, e); err != nil {
			return err
		}
		if w.active == 0 && len(w.queue) == 0 {
			return nil
		}
	}
	return nil
}

func rootJob(exp record.ExperimentID) *record.Job {
	job := record.NewJob(exp, 0, record.Evaluate)
	job.Purpose, job.Candidate, job.State = record.PurposeRoot, record.Root, record.Done
	return &job
}

// happen carries out one event.
func (w *world) happen(ctx context.Context, e event) error {
	switch e.what {
	case edited:
		return w.committed(ctx, e.job)
	case arrived:
		w.slots = append(w.slots, e.job)
		e.job.asked = w.now
	case measured:
		m := &w.machines[e.unit]
		if m.turn != e.turn || !m.tasks[e.job] {
			return nil
		}
		delete(m.tasks, e.job)
		m.free++
		w.idle, w.since = append(w.idle, e.unit), append(w.since, w.now)
		w.measuring += w.now - e.job.began
		if err := w.finish(ctx, e.job); err != nil {
			return err
		}
	case lostMachine:
		if w.machines[e.unit].turn == e.turn {
			w.lose(e.unit)
		}
	case backMachine:
		w.start(e.unit)
	case expired:
		w.slots = append(w.slots, e.job)
		e.job.asked = w.now
	}
	w.assign()
	return nil
}

// lose takes a machine away with what it measured.
func (w *world) lose(unit int) {
	m := &w.machines[unit]
	m.up, m.free = false, 0
	m.turn++
	for k := range m.tasks {
		w.out.Lost++
		w.measuring += w.now - k.began
	}
	for _, k := range sortedTasks(m.tasks) {
		w.after(w.plan.Lease, event{what: expired, job: k})
	}
	clear(m.tasks)
	w.after(w.plan.Back, event{what: backMachine, unit: unit})
}

// assign hands out jobs and slots for as long as there are any.
func (w *world) assign() {
	slots := w.up()
	for len(w.queue) > 0 && w.active < max(w.plan.Workers, min(w.editing+slots+slots/4+1, 2*slots+w.plan.Workers)) {
		k := w.queue[0]
		w.queue = w.queue[1:]
		w.active++
		w.editing++
		w.pay(k)
		w.after(k.edit.Time, event{what: edited, job: k})
	}
	for len(w.slots) > 0 && len(w.idle) > 0 {
		unit, since := w.idle[0], w.since[0]
		w.idle, w.since = w.idle[1:], w.since[1:]
		m := &w.machines[unit]
		if !m.up || m.free == 0 {
			continue
		}
		k := w.slots[0]
		w.slots = w.slots[1:]
		m.free--
		m.tasks[k] = true
		k.unit, k.began = unit, w.now
		w.waitSlot += w.now - k.asked
		w.idleTime += w.now - since
		w.fetched++
		w.after(w.plan.Eval.of(k.rng)+w.plan.Travel, event{what: measured, job: k, unit: unit, turn: m.turn})
	}
}

// up is how many slots there are now.
func (w *world) up() int {
	if w.plan.Loss <= 0 {
		return w.plan.Machines * w.plan.Slots
	}
	n := 0
	for i := range w.machines {
		if w.machines[i].up {
			n += w.plan.Slots
		}
	}
	return n
}

// clerked is when the run itself is done with a step that it begins now.
func (w *world) clerked() time.Duration {
	w.clerk = max(w.clerk, w.now) + w.plan.Overhead
	return w.clerk - w.now
}

// committed goes on with a job whose edit is there.
func (w *world) committed(ctx context.Context, k *work) error {
	w.editing--
	if k.rng.Float64() < w.plan.Barren {
		w.out.Barren++
		k.job.State, k.job.Class, k.job.Reason = record.Failed, record.ClassAgent, "it gave no candidate"
		err := w.ended(ctx, k, record.FoldRow{LogRow: record.LogRow{
			Kind: record.LogEnd, Job: k.job.ID, Candidate: record.NoCandidate, Data: fmt.Appendf(nil, `{"state":%q,"class":%q}`, k.job.State, k.job.Class),
		}, Work: &k.job})
		w.assign()
		return err
	}
	if k.rng.Float64() < w.plan.Twins {
		k.job.State, k.job.Duplicate = record.Duplicate, k.job.Parent
		w.out.Duplicates++
		err := w.ended(ctx, k, record.FoldRow{LogRow: record.LogRow{
			Kind: record.LogEnd, Job: k.job.ID, Candidate: record.NoCandidate, Data: []byte(`{"state":"duplicate"}`),
		}, Work: &k.job})
		w.assign()
		return err
	}
	w.after(w.clerked(), event{what: arrived, job: k})
	return nil
}

// finish ends a job that was measured.
func (w *world) finish(ctx context.Context, k *work) error {
	id := record.CandidateID(k.job.ID)
	k.job.Candidate = id
	row := record.FoldRow{LogRow: record.LogRow{Kind: record.LogEnd, Job: k.job.ID, Candidate: id}, Work: &k.job}
	if k.rng.Float64() < w.plan.Fail {
		w.out.Failed++
		k.job.State, k.job.Class, k.job.Reason = record.Failed, record.ClassTest, "it failed"
		row.Cand = &record.FoldCandidate{
			ID: id, Parent: k.job.Parent, Operator: k.job.Operator, Agent: k.job.Agent, Status: record.StatusFailed, Class: k.job.Class,
			Reason: k.job.Reason, Version: 1, State: k.job.State,
		}
		row.Data = fmt.Appendf(nil, `{"state":%q,"class":%q}`, k.job.State, k.job.Class)
		w.land.failed(id, k.job.Parent)
	} else {
		k.job.State = record.Scored
		row.Cand = w.land.child(k)
	}
	return w.ended(ctx, k, row)
}

// ended folds the end of a job and chooses what comes next.
func (w *world) ended(ctx context.Context, k *work, row record.FoldRow) error {
	w.active--
	w.out.Jobs++
	w.stale += w.st.FoldCount() - k.chosen
	w.row(row)
	return w.catchUp(ctx)
}

// catchUp folds new rows and fills the queue at every fold position.
func (w *world) catchUp(ctx context.Context) error {
	err := w.st.CatchUp(ctx, w, func(record.JobID) error { w.fill(); return nil })
	w.rows = w.rows[:0]
	w.st.Placed = nil
	w.st.TakeEvents()
	w.look()
	return err
}

// fill chooses jobs up to the depth of the queue, as an experiment does.
func (w *world) fill() {
	depth := w.plan.Lookahead
	if !w.plan.Strict {
		depth = 2 * max(w.plan.Workers, w.up())
	}
	for int(w.next) < w.st.FoldCount()+depth {
		switch {
		case w.plan.Jobs > 0 && w.made >= w.plan.Jobs:
			w.out.Ended = "jobs"
			return
		}
		rng := rand.New(rand.NewPCG(w.plan.Seed, uint64(w.next)<<8|2))
		edit := w.draw(rng)
		if cost := edit.Cost + w.plan.Beside; w.plan.MaxCost > 0 && w.owed+cost > w.plan.MaxCost {
			w.out.Ended = "cost"
			return
		}
		job := schedule.MakeJob(w.st, w.next, search.Free())
		w.queue = append(w.queue, &work{job: job, edit: edit, chosen: w.st.FoldCount(), rng: rng})
		w.owed += edit.Cost + w.plan.Beside
		w.next++
		w.made++
	}
}

// draw is the edit of the next job. Those of the past come all once, in an order that the
// seed says, before one comes again: how dear they are together is no matter of luck.
func (w *world) draw(rng *rand.Rand) Edit {
	p := &w.plan
	if len(p.Past) == 0 {
		return Edit{Time: p.Edit.of(rng), Cost: p.Cost}
	}
	at := w.made % len(p.Past)
	if at == 0 {
		w.cards = rand.New(rand.NewPCG(p.Seed, uint64(w.made)<<8|3)).Perm(len(p.Past))
	}
	e := p.Past[w.cards[at]]
	if e.Time < 0 {
		e.Time = p.Edit.of(rng)
	}
	return e
}

// pay counts what a job that begins costs.
func (w *world) pay(k *work) {
	w.out.Cost += k.edit.Cost + w.plan.Beside
	s := w.agents[k.edit.Agent]
	if s == nil {
		s = &Spent{Agent: k.edit.Agent}
		w.agents[s.Agent] = s
	}
	s.Jobs++
	s.Cost += k.edit.Cost
}

// row adds a row to the log, at the present moment.
func (w *world) row(r record.FoldRow) {
	w.folded++
	r.Seq, r.Experiment, r.At = w.folded, w.exp.ID, record.Millis(w.now.Milliseconds())
	w.rows = append(w.rows, r)
}

// Experiment implements [fold.Log].
func (w *world) Experiment(context.Context, record.ExperimentID) (record.Experiment, error) {
	return w.exp, nil
}

// Settings implements [fold.Log].
func (w *world) Settings(context.Context, record.ExperimentID) (record.Settings, error) {
	return w.settings, nil
}

// FoldLog implements [fold.Log]: what was folded is kept no longer.
func (w *world) FoldLog(_ context.Context, _ record.ExperimentID, after record.Seq, fn func(record.FoldRow) error) error {
	for _, r := range w.rows {
		if r.Seq > after {
			if err := fn(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Spaces implements [fold.Log].
func (w *world) Spaces(context.Context, record.ExperimentID) ([]record.Space, error) { return nil, nil }

// Space implements [fold.Log].
func (w *world) Space(context.Context, record.ExperimentID, int) (record.Space, error) {
	return record.Space{}, errMap
}

// Vector implements [fold.Log].
func (w *world) Vector(context.Context, record.ExperimentID, record.CandidateID) ([]float32, error) {
	return nil, errMap
}

// Vectors implements [fold.Log].
func (w *world) Vectors(context.Context, record.ExperimentID, func(record.CandidateID, []float32) error) error {
	return errMap
}

// Metrics implements [fold.Log]: nothing counts beside the objective.
func (w *world) Metrics(context.Context, record.ExperimentID, record.CandidateID) ([]record.Metric, error) {
	return nil, nil
}
