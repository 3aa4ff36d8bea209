package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/engine/guard/probe"
	"atoll/engine/sandbox"
)

// subject is a probe in one tree: the same request gives the same inputs in
// another tree.
type subject struct {
	box     Runner
	spec    sandbox.Spec // without the request
	caseMS  int64        // longest time of one case
	deaths  int          // most cases that may end the process
	hasty   int64        // longest time of one case behind a few that ended the process, and of groups that do; 0: the same
	tames   bool         // its probe knows of small numbers, for groups that end the process too often
	product func([]byte) // takes what the spec's product held; may be nil
	extra   []string     // of the request
	changed []string     // of the request
	learns  bool         // all is asked again without what does not come back, or ends the process, on the way to the call of a case, and once it is known what has no order or gives no values
	hashes  bool         // the order of its sets hangs on a seed of hashes
	settled func() bool  // of a candidate: all changed lines were seen to run; nil where they are not counted
}

// impatient is the subject for a first look, where little is lost with a case: it
// waits for none as long, gives up after few that end the process, counts no lines, and uses a budget of its own.
func (s *subject) impatient(budget *budget) *subject {
	quick := s.with(budget)
	quick.caseMS, quick.deaths, quick.changed = min(s.caseMS, rootCaseMS), fewDeaths, nil
	return quick
}

// with is the subject whose processes a budget runs.
func (s *subject) with(budget *budget) *subject {
	own := *s
	own.box = budget
	return &own
}

// learning is the subject that learns from its tree.
func (s *subject) learning() *subject {
	own := *s
	own.learns = true
	return &own
}

// site is one case of a survey, or of a list.
type site struct {
	group string
	index int
}

// reply is what a probe said of a request.
type reply struct {
	groups    []probe.Answer
	values    []probe.Answer
	variables []probe.Answer
	cases     map[site]probe.Answer
	fatal     map[site]string // the case ended the process, and how
	at        map[site]int    // position of a fatal case
	kept      map[string][][]uint64
	// groups of which some input ran what changed
	reaching  map[string]bool
	unordered []string     // methods that gave lists in no order, and were told as if they had one
	barren    []string     // functions that gave no value of use
	dull      []string     // functions that gave what looks the same
	habits    probe.Habits // with which it was asked, those that were learnt on the way among them
	given     []string     // groups that were given up: too many of their cases were fatal
	cut       bool         // too many were fatal: the rest was not asked
}

func newReply() *reply {
	return &reply{cases: map[site]probe.Answer{}, fatal: map[site]string{}, at: map[site]int{}, kept: map[string][][]uint64{}, reaching: map[string]bool{}}
}

// until is, of a survey, by group where its answers end, of those that were given up or left out; nil where none was.
func (r *reply) until(groups []string) map[string]int {
	if len(r.given) == 0 && !r.cut {
		return nil
	}
	out := map[string]int{}
	for _, group := range groups {
		if r.cut || slices.Contains(r.given, group) {
			out[group] = 0
		}
	}
	for at := range r.cases {
		if last, ok := out[at.group]; ok {
			out[at.group] = max(last, at.index+1)
		}
	}
	return out
}

// errProbe: a probe did not answer at all.
var errProbe = errors.New("the probe did not answer")

const requestName = "request.json"

// The bounds of one process of a probe.
const (
	mostGroupDeaths = 2
	mostCloseDeaths = 4   // of a group that is close to the change, where few are
	headway         = 100 // cases of a group that came back behind one that ended the process: those before count no more
	mostForgiven    = 12  // of one group
	fewDeaths       = 6
	mostEndless     = 40 // methods and functions that one request may learn to leave out
	calmDeaths      = 4  // behind them a subject is hasty
	processWork     = 90 * time.Second
	heapMiB         = 700
)

// ask puts a request to the probe. A case that ends the process is noted, and
// the rest is asked of a new one. With the error of a context that ends comes what was said until then.
func (s *subject) ask(ctx context.Context, q probe.Request) (*reply, error) {
	q.CaseMS, q.HeapMiB, q.Extra = s.caseMS, heapMiB, s.extra
	if s.hasty > 0 && len(q.Tame) > 0 {
		q.CaseMS = min(q.CaseMS, s.hasty)
	}
	r, lost, skip, endless := newReply(), losing{}, q.Skip, len(q.Endless)
	for {
		r.habits = q.Habits
		q.Changed = s.changed
		if s.settled != nil && s.settled() {
			q.Changed = nil
		}
		res, err := s.run(ctx, q)
		if err != nil {
			return nil, err
		}
		if s.product != nil && res.HasProduct {
			s.product(res.Product)
		}
		end, err := r.take(res.Result)
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		if !end.ended && end.position == 0 {
			return nil, fmt.Errorf("%w: %s", errProbe, lastWords(&res))
		}
		if s.learns {
			learnt, err := s.learn(ctx, &q, r, end, len(q.Endless)-endless < mostEndless)
			if err != nil {
				return nil, err
			}
			if learnt {
				r, lost, q.From, q.Skip = newReply(), losing{}, 0, skip
				continue
			}
		}
		if end.ended {
			return r, nil
		}
		r.fatal[end.site] = fatalText(&res, end.stuck)
		r.at[end.site] = end.position
		if s.behind(&q, r, end, lost.died(end.site)); r.cut {
			return r, nil
		}
	}
}

// learn adds to a request what a process of the root showed, and reports whether that was something: at its end what
// has no order or gives no values, and where it met its end on the way to the call of a case what is to be left out there, while there is room for that.
func (s *subject) learn(ctx context.Context, q *probe.Request, r *reply, end ending, room bool) (learnt bool, err error) {
	if !end.ended && !end.stuck && room && q.Mode == probe.Survey {
		if end.step, err = s.trace(ctx, *q, end.position); err != nil {
			return false, err
		}
	}
	ends := !end.ended && room && end.step != ""
	if ends {
		q.Endless = slices.Concat(q.Endless, []string{end.step})
	}
	if learnt = ends || end.ended && len(r.unordered)+len(r.barren)+len(r.dull) > 0; learnt {
		q.Unordered, q.Barren, q.Dull = slices.Concat(q.Unordered, r.unordered), slices.Concat(q.Barren, r.barren), slices.Concat(q.Dull, r.dull)
	}
	return learnt, nil
}

// behind has a request ask what stands behind a case that ended the process, of a group of which so many did with little headway between
// them. A group that does so too often is given up, and all is where too many did.
func (s *subject) behind(q *probe.Request, r *reply, end ending, deaths int) {
	q.From = end.position
	if s.hasty > 0 && len(r.fatal) >= calmDeaths {
		q.CaseMS = min(q.CaseMS, s.hasty)
	}
	most := mostGroupDeaths
	if len(q.Close) <= fewGroups && slices.Contains(q.Close, end.site.group) {
		most = mostCloseDeaths
	}
	if deaths >= most {
		q.Skip = append(slices.Clone(q.Skip), end.site.group)
		r.given = append(r.given, end.site.group)
	}
	r.cut = len(r.fatal) >= s.deaths
}

// losing is by group the last case that ended the process, how many did with little headway between them, and how many in all.
type losing map[string]struct{ last, deaths, all int }

// died notes that a case ended the process, and returns how many of its group did so that count.
func (l losing) died(at site) int {
	of := l[at.group]
	if of.deaths > 0 && at.index-of.last > headway && of.all < mostForgiven {
		of.deaths = 0
	}
	of.last, of.deaths, of.all = at.index, of.deaths+1, of.all+1
	l[at.group] = of
	return of.deaths
}

// run puts a request to one process of the probe.
func (s *subject) run(ctx context.Context, q probe.Request) (sandbox.Result, error) {
	data, err := json.Marshal(q)
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("write a request: %w", err)
	}
	spec := s.spec
	spec.Files = map[string][]byte{requestName: data}
	spec.ResultName = sandbox.ResultName
	spec.Env = append(slices.Clone(spec.Env), probe.RequestEnv+"="+sandbox.ControlDir+"/"+requestName, probe.ResultEnv+"="+sandbox.ResultPath)
	if q.Backwards { // also the order of sets in Python
		spec.Env = append(spec.Env, "PYTHONHASHSEED=4711")
	} else {
		spec.Env = append(spec.Env, "PYTHONHASHSEED=0")
	}
	within(&spec, processWork)
	return s.box.Run(ctx, spec)
}

// trace runs the case at a position, which ended its process, once more and tells in which call on the way that was; "" for
// none.
func (s *subject) trace(ctx context.Context, q probe.Request, position int) (step string, err error) {
	q.From, q.Trace = position-1, true
	res, err := s.run(ctx, q)
	if err != nil {
		return "", err
	}
	end, err := newReply().take(res.Result)
	if err != nil || end.ended {
		return "", err
	}
	return end.step, nil
}

// ending is how one process of a probe came to its end.
type ending struct {
	ended    bool
	stuck    bool
	site     site   // the case it was at
	position int    // 0: it had not begun
	step     string // what did not come back on the way to the call of the case; "" for none
}

// take reads the answers of one process.
func (r *reply) take(data []byte) (ending, error) {
	var end ending
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // cut off in the middle
		}
		var a probe.Answer
		if err := json.Unmarshal(line, &a); err != nil {
			return end, fmt.Errorf("%w: %w", errProbe, err)
		}
		switch a.Kind {
		case probe.AnswerGroup:
			r.groups = append(r.groups, a)
		case probe.AnswerValue:
			r.values = append(r.values, a)
		case probe.AnswerVariable:
			r.variables = append(r.variables, a)
		case probe.AnswerStart:
			end.site, end.position = site{a.Group, a.Index}, a.Position
		case probe.AnswerCase:
			r.cases[site{a.Group, a.Index}] = a
			end.site, end.position = site{a.Group, a.Index + 1}, a.Position+1
		case probe.AnswerKeep:
			r.kept[a.Group] = append(r.kept[a.Group], a.Choices)
			end.site, end.position = site{a.Group, a.Index + 1}, a.Position+1
		case probe.AnswerStep:
			end.step = a.Step
		case probe.AnswerNoOrder:
			if !slices.Contains(r.unordered, a.Group) {
				r.unordered = append(r.unordered, a.Group)
			}
		case probe.AnswerBarren:
			if !slices.Contains(r.barren, a.Group) {
				r.barren = append(r.barren, a.Group)
			}
		case probe.AnswerDull:
			if !slices.Contains(r.dull, a.Group) {
				r.dull = append(r.dull, a.Group)
			}
		case probe.AnswerReach:
			r.reaching[a.Group] = true
		case probe.AnswerStuck:
			end.site.index += a.Position - end.position
			end.position, end.stuck = a.Position, true
			end.step = a.Step
		case probe.AnswerLost:
			at := site{a.Group, a.Index}
			r.fatal[at], r.at[at] = "does not come back", a.Position
			end.site, end.position = site{a.Group, a.Index + 1}, a.Position+1
		case probe.AnswerGiven:
			r.given = append(r.given, a.Group)
		case probe.AnswerEnd:
			end.ended = true
		}
	}
	return end, nil
}

func fatalText(res *sandbox.Result, stuck bool) string {
	switch {
	case stuck:
		return "does not come back, or takes all memory"
	case slices.Contains(res.Limits, "memory"):
		return "takes all memory"
	case res.TimedOut, slices.Contains(res.Limits, "cpu"):
		return "does not come back"
	case res.Signal != "":
		return "ends the process: " + res.Signal
	}
	if words := firstWords(res.Stderr); words != "" {
		return "ends the process: " + words
	}
	return fmt.Sprintf("ends the process with code %d", res.Exit)
}

// firstWords is the first line of a crash that says what it was.
func firstWords(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return ""
}

// lastWords is why a probe could not start.
func lastWords(res *sandbox.Result) string {
	text := strings.TrimSpace(string(res.Stderr))
	if text == "" {
		text = strings.TrimSpace(string(res.Stdout))
	}
	if text == "" {
		return fmt.Sprintf("it ended with code %d", res.Exit)
	}
	if lines := strings.Split(text, "\n"); len(lines) > 3 {
		text = strings.Join(lines[len(lines)-3:], "; ")
	}
	if len(text) > 300 {
		text = text[:300]
	}
	return text
}
