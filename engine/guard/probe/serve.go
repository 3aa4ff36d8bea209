package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"reflect"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The environment of a probe.
const (
	RequestEnv = "ATOLL_GUARD_REQUEST" // file of the request
	ResultEnv  = "ATOLL_GUARD_RESULT"  // file of the answers
)

// gcPercent is how much a probe's memory grows between two collections: cases leave much behind and
// keep little.
const gcPercent = 400

// ErrRequest: the request cannot be read, or names no mode.
var ErrRequest = errors.New("bad request to the probe")

// Serve answers the request that the environment names, about an API.
func Serve(api API) error {
	debug.SetGCPercent(gcPercent)
	data, err := os.ReadFile(os.Getenv(RequestEnv))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRequest, err)
	}
	var q Request
	if err := json.Unmarshal(data, &q); err != nil {
		return fmt.Errorf("%w: %w", ErrRequest, err)
	}
	f, err := os.OpenFile(os.Getenv(ResultEnv), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the result: %w", err)
	}
	err = answer(api, q, f)
	return errors.Join(err, f.Close())
}

// answer writes the answers to a request, each as it comes: what code under test
// ends cannot be written later.
func answer(api API, q Request, to io.Writer) error {
	lib := newLibrary(api, withMoments(q.Literals))
	r := &runner{lib: lib, groups: lib.groups(), byName: map[string]*group{}, tame: map[string]bool{}, known: q.Known}
	r.way.endless = q.Endless
	for _, g := range r.groups {
		r.byName[g.name] = g
	}
	r.variables = lib.readBy(q.Variables)
	r.writers = r.functionsOf(q.Writers)
	for _, name := range q.Tame {
		r.tame[name] = true
	}
	capture, err := os.CreateTemp("", "atoll-guard-")
	if err != nil {
		return fmt.Errorf("keep what is printed: %w", err)
	}
	stdout := os.Stdout
	os.Stdout, r.out = capture, capture
	defer func() {
		os.Stdout = stdout
		_ = capture.Close()
		_ = os.Remove(capture.Name())
	}()
	s := &session{q: q, r: r, api: api, enc: json.NewEncoder(to), aims: map[string][2][]aim{}, long: map[string][]aim{}}
	lib.orders.none = setOf(q.Unordered)
	lib.orders.checked = map[string]int{}
	lib.orders.notice = func(name string) {
		lib.orders.checked[name] = mostChecked
		s.write(Answer{Kind: AnswerNoOrder, Group: name})
	}
	lib.barren.known, lib.barren.dull = setOf(q.Barren), setOf(q.Dull)
	if q.Mode == Survey && len(q.Corpus) == 0 { // what was found with other values is another input with these
		lib.barren.begin(func(kind, name string) { s.write(Answer{Kind: kind, Group: name}) })
	}
	if q.Trace {
		s.r.way.tell = func(name string) { s.write(Answer{Kind: AnswerStep, Step: name}) }
	}
	stop := s.watch()
	defer stop()
	switch q.Mode {
	case Survey:
		s.survey()
	case Explore:
		s.explore()
	case Detail:
		s.detail()
	case Shrink:
		s.shrink()
	default:
		return fmt.Errorf("%w: mode %q", ErrRequest, q.Mode)
	}
	s.write(Answer{Kind: AnswerEnd})
	return s.err
}

func setOf(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// caseSeed is what the common source of random numbers begins a case with.
const caseSeed = 7

// session is one request being answered.
type session struct {
	q     Request
	r     *runner
	api   API
	enc   *json.Encoder
	err   error
	began atomic.Int64 // nanoseconds: the case that runs; 0 between cases
	at    atomic.Int64 // its position
	aims  map[string][2][]aim
	long  map[string][]aim
	told  int  // bytes of inputs and outcomes that were told whole
	over  bool // the case that was to be traced came back

	corpora map[string][]outcome // the cases of the corpus, run once, where all is made from it
}

func (s *session) write(a Answer) {
	if err := s.enc.Encode(a); err != nil && s.err == nil {
		s.err = fmt.Errorf("write an answer: %w", err)
	}
}

// one runs one case under the watch, and first without what it sets.
func (s *session) one(position int, g *group, d *draws) outcome {
	if len(d.sets) > 0 && !d.dry && len(s.r.variables[g.name]) > 0 {
		s.one(position, g, d.unset())
	}
	//lint:ignore SA1019 what draws from the common source draws the same in every tree, whatever ran before
	rand.Seed(caseSeed)
	s.at.Store(int64(position))
	s.began.Store(time.Now().UnixNano())
	o := s.r.run(g, d)
	s.began.Store(0)
	return o
}

// chosen are the groups that the request is about, in its order.
func (s *session) chosen() []*group {
	var out []*group
	for _, g := range s.r.groups {
		if len(s.q.Groups) == 0 && g.lasting || len(s.q.Groups) > 0 && !slices.Contains(s.q.Groups, g.name) {
			continue
		}
		out = append(out, g)
	}
	slices.SortStableFunc(out, func(a, b *group) int { return s.rank(a) - s.rank(b) })
	if s.q.Backwards {
		slices.Reverse(out)
	}
	return out
}

// rank of a group: those that are close to the change come first.
func (s *session) rank(g *group) int {
	if slices.Contains(s.q.Close, g.name) {
		return 0
	}
	return 1
}

// values tells what exported constants and variables hold before any case ran, and which can be set.
func (s *session) values() {
	if s.q.Count > 0 {
		return
	}
	for _, x := range s.r.lib.api.Values {
		if v := reflect.ValueOf(x.Value); v.IsValid() && plainType(v.Type(), 0) {
			s.write(Answer{Kind: AnswerValue, Group: x.Name, Out: (&shower{lib: s.r.lib, plain: true}).show(v)})
		}
	}
	for _, v := range s.r.lib.variablesOf() {
		s.write(Answer{Kind: AnswerVariable, Group: v.name, Signature: v.at.Type().String()})
	}
}

// plainType reports a type whose values are all that a caller can see of them.
func plainType(t reflect.Type, depth int) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr, reflect.Invalid:
		return false
	case reflect.Slice, reflect.Array:
		return depth < deepestShown && plainType(t.Elem(), depth+1)
	case reflect.Map:
		return depth < deepestShown && plainType(t.Key(), depth+1) && plainType(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !f.IsExported() || depth >= deepestShown || !plainType(f.Type, depth+1) {
				return false
			}
		}
	}
	return true
}

// survey runs many cases of each group.
func (s *session) survey() {
	if s.q.From == 0 {
		s.values()
		for _, g := range s.r.groups {
			s.write(Answer{Kind: AnswerGroup, Group: g.name, Signature: g.signature(), Lasting: g.lasting, Test: g.script != nil})
		}
	}
	position := 0
	for _, g := range s.chosen() {
		s.surveyOf(g, &position, 0, s.total(g.name))
	}
	for _, g := range s.chosen() {
		s.surveyOf(g, &position, s.total(g.name), s.total(g.name)+s.settings(g.name))
	}
	for _, g := range s.chosen() {
		from := s.total(g.name) + s.settings(g.name)
		s.surveyOf(g, &position, from, from+s.sweeps(g.name))
	}
}

// surveyOf runs some cases of one group, behind a position.
func (s *session) surveyOf(g *group, position *int, from, to int) {
	started, purse := false, s.purse(g)
	until, some := s.q.Until[g.name]
	for i := from; i < to; i++ {
		*position++
		at := *position
		if at <= s.q.From || s.over || purse.empty() || some && i >= until || slices.Contains(s.q.Skip, g.name) || i < s.total(g.name) && i >= s.count(g.name)+len(s.stretchedCases(g.name)) {
			continue
		}
		if !started {
			started = true
			s.write(Answer{Kind: AnswerStart, Group: g.name, Index: i, Position: at})
		}
		if slices.Contains(s.q.Omit, at) {
			continue
		}
		s.at.Store(int64(at)) // of a case that is run to make this one
		d := s.draws(g.name, i)
		s.path()
		o := s.one(at, g, d)
		s.over = s.q.Trace
		a := Answer{Kind: AnswerCase, Group: g.name, Index: i, Position: at, In: short(o.in), Out: short(o.out), Path: s.path(), Void: o.void}
		if strings.Contains(o.out, NilMark) {
			a.Marked, a.Out = a.Out, short(strings.ReplaceAll(o.out, NilMark, ""))
		}
		if o.results != "" {
			a.Results = short(strings.ReplaceAll(o.results, NilMark, ""))
		}
		s.write(a)
	}
}

// path is the way through the watched code since it was asked last.
func (s *session) path() string {
	if s.api.Path == nil {
		return ""
	}
	return strconv.FormatUint(s.api.Path(), 36)
}

// count is how many cases a group gets.
func (s *session) count(group string) int {
	if slices.Contains(s.q.Close, group) {
		return CloseFactor * s.q.Count
	}
	return s.q.Count
}

// total is how many positions of a survey a group has.
func (s *session) total(group string) int {
	if s.q.Around || s.q.Drawn {
		return s.count(group)
	}
	return s.count(group) + s.room(group)
}

// draws are the choices of a case of a survey: first the edges, whatever the seed,
// and those of the corpus, then in turn others made from them and new ones, and last
// the edges that may end the process and texts that are made long. Where all are drawn there are no edges.
func (s *session) draws(group string, index int) *draws {
	if i := index - s.total(group); i >= 0 && i < s.settings(group) {
		return s.settingCase(group, i)
	} else if i -= s.settings(group); i >= 0 && i < s.sweeps(group) {
		return s.sweepCase(group, i)
	}
	corpus := s.q.Corpus[group]
	if s.q.Around && len(corpus) > 0 {
		if index < len(corpus) {
			return replayed(corpus[index])
		}
		return s.near(group, s.ran(group), s.seed(group, index))
	}
	if s.q.Drawn {
		if len(corpus) > 0 && index%2 == 1 {
			return s.near(group, s.ran(group), s.seed(group, index))
		}
		return seeded(s.seed(group, index))
	}
	if i := index - s.count(group); i >= 0 && i < len(s.stretchedCases(group)) {
		return aimed(group, index, s.stretchedCases(group)[i])
	}
	early, late := s.edgeCases(group)
	if index < len(early) {
		return aimed(group, index, early[index])
	}
	if i := index - (s.count(group) - len(late)); i >= 0 && i < len(late) {
		return aimed(group, index, late[i])
	}
	index -= len(early)
	switch {
	case index < len(corpus):
		return replayed(corpus[index])
	case len(corpus) > 0 && index%2 == 0:
		return s.near(group, s.ran(group), s.seed(group, index))
	}
	return seeded(s.seed(group, index))
}

// ran are the cases of a group's corpus, with the places of their values.
func (s *session) ran(group string) []outcome {
	if list, ok := s.corpora[group]; ok {
		return list
	}
	if s.corpora == nil {
		s.corpora = map[string][]outcome{}
	}
	var list []outcome
	for _, c := range s.q.Corpus[group] {
		list = append(list, s.one(int(s.at.Load()), s.r.byName[group], replayed(c)))
	}
	s.corpora[group] = list
	return list
}

// aimed are choices with an edge among others that do not depend on the seed.
func aimed(group string, index int, a aim) *draws {
	d := seeded(hash("edge", group, strconv.Itoa(index)))
	d.aim = &a
	return d
}

func (s *session) seed(group string, index int) uint64 {
	return hash(strconv.FormatUint(s.q.Seed, 16), group, strconv.Itoa(index))
}

func short(text string) string { return strconv.FormatUint(hash(text), 36) }

// detail runs the named cases and tells everything about them.
func (s *session) detail() {
	for n, c := range s.q.Cases {
		g := s.r.byName[c.Group]
		if g == nil || n < s.q.From {
			continue
		}
		s.at.Store(int64(n + 1))
		d := s.draws(c.Group, c.Index)
		if len(c.Choices) > 0 {
			d = replayed(c.Choices)
		}
		if c.Mute {
			s.one(n+1, g, d)
		} else if !s.tell(g, n, d) {
			return
		}
	}
}

// tell runs the case number n of a request and tells everything about it. It reports
// false where the answer is so long that nothing more is told.
func (s *session) tell(g *group, n int, d *draws) (more bool) {
	s.write(Answer{Kind: AnswerStart, Group: g.name, Index: n, Position: n + 1})
	o := s.one(n+1, g, d)
	s.write(Answer{Kind: AnswerCase, Group: g.name, Index: n, Position: n + 1, In: o.in, Out: o.out, Results: o.results, Choices: o.choices, Void: o.void})
	s.told += len(o.in) + len(o.out) + 3*len(o.choices)
	return s.told <= mostTold
}

// mostVariants bounds one round of shrinking, mostTold the bytes of inputs and outcomes
// in one answer: a result that is longer than its reader takes is no answer.
const (
	mostVariants = 400
	mostTold     = 2 << 20
)

// shrink runs simpler variants of the first case, itself first.
func (s *session) shrink() {
	if len(s.q.Cases) == 0 {
		return
	}
	c := s.q.Cases[0]
	g := s.r.byName[c.Group]
	if g == nil {
		return
	}
	for n, v := range append([][]uint64{c.Choices}, variants(c.Choices, mostVariants)...) {
		if n >= s.q.From && !s.tell(g, n, replayed(v)) {
			return
		}
	}
}

// watch ends the process when a case takes too long or fills the memory: both
// cannot be stopped from outside the goroutine that does it.
func (s *session) watch() (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	limit := time.Duration(s.q.CaseMS) * time.Millisecond
	go func() {
		defer close(gone)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var first clocks // when the case was seen first, at
		var at int64
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			began := s.began.Load()
			if began == 0 {
				continue
			}
			if at != began {
				first, at = readClocks(), began
			}
			metrics.Read(heap)
			slow := limit > 0 && time.Since(first.now) > min(limit, shortest) && readClocks().since(first).tooLong(limit)
			if full := s.q.HeapMiB > 0 && heap[0].Value.Uint64()>>20 > s.q.HeapMiB; slow || full {
				s.write(Answer{Kind: AnswerStuck, Position: int(s.at.Load()), Step: s.r.way.under()})
				os.Exit(3)
			}
		}
	}()
	return func() { close(done); <-gone }
}
