package door

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Command is a verb with what it is about, as the command line takes it.
type Command struct {
	Verb string `json:"verb" enum:"approve,reject,restore,freeze,boost,release,pin,unpin,measure,pause,resume,stop,cancel,retry,prioritise,refit,start,set,note,inject,promote,undo,redo" doc:"What to do." jsonschema:"what to do"`
	// Of is what the verb is about.
	Of []string `json:"of,omitempty" maxItems:"100" doc:"Candidates (c128, best), niches (9,4), target:NAME or jobs (#341), as the verb takes them." jsonschema:"candidates (c128, best), niches (9,4), target:NAME or jobs (#341), as the verb takes them"`
	By *float64 `json:"by,omitempty" doc:"Of boost: the factor, above 0 and at most 100; 2 where it is left out. Of prioritise: the priority, a whole number from -1000000 to 1000000; 1 where it is left out." jsonschema:"of boost the factor, of prioritise the priority"`
	// Text is the reason of a rejection, the text of a note, the revision of inject,
	// the branch of promote.
	Text  string `json:"text,omitempty" maxLength:"20000" doc:"Of reject: why. Of note: the lesson. Of inject: the revision. Of promote: the branch, made up where it is left out." jsonschema:"of reject why; of note the lesson; of inject the revision; of promote the branch"`
	Key   string `json:"key,omitempty" maxLength:"200" doc:"Of set: the setting, such as workers." jsonschema:"of set: the setting, such as workers"`
	Value string `json:"value,omitempty" maxLength:"20000" doc:"Of set: its new value." jsonschema:"of set: its new value"`
	// Seq names what undo and redo are about, so that two who see the same do not take
	// back two decisions.
	Seq   *record.Seq `json:"seq,omitempty" minimum:"1" doc:"Of undo and redo: the position of the decision, as undo and redo of the status name it; refused where another one is last by now. Left out: whatever is last." jsonschema:"of undo and redo: the position of the decision, as undo and redo of the status name it; refused where another one is last by now"`
	Start *Start      `json:"start,omitempty" doc:"Of start: the job; what is left out is drawn." jsonschema:"of start: the job; what is left out is drawn"`
	Note  *Topic      `json:"note,omitempty" doc:"Of note: what it is about." jsonschema:"of note: what it is about"`
}

// Start describes a job that a person wants.
type Start struct {
	Parent   string `json:"parent,omitempty" maxLength:"40" doc:"The candidate to edit." jsonschema:"the candidate to edit"`
	Operator string `json:"operator,omitempty" maxLength:"40" doc:"tune, mutate, crossover, ..." jsonschema:"tune, mutate, crossover, ..."`
	Agent    string `json:"agent,omitempty" maxLength:"200" doc:"Who edits." jsonschema:"who edits"`
	Goal     string `json:"goal,omitempty" maxLength:"20000" doc:"Goal of this job alone." jsonschema:"goal of this job alone"`
}

// Topic says what a note is about.
type Topic struct {
	Kind   string `json:"kind,omitempty" enum:"direction,failure,short,long" doc:"direction where it is left out." jsonschema:"direction, failure, short or long"`
	Target string `json:"target,omitempty" maxLength:"200" doc:"Only for jobs on this target." jsonschema:"only for jobs on this target"`
}

// Done is what became of a command.
type Done struct {
	Verb string `json:"verb"`
	Said string `json:"said" doc:"What was decided, as a sentence."`
	Who  string `json:"who" doc:"Who signed it."`
	// Seq is the position of the decision's last row in the log, 0 where it has none.
	Seq record.Seq `json:"seq"`
}

// What a boost and a priority are that name no number.
const (
	defaultBoost    = 2
	defaultPriority = 1
)

// by is the number of a command, or the usual one where it names none.
func (c *Command) by(usual float64) float64 {
	if c.By == nil {
		return usual
	}
	return *c.By
}

// Do carries out a command for a caller: it is a row of the log when Do returns.
// Errors are told apart by [KindOf].
func (d *Door) Do(ctx context.Context, who Caller, c Command) (Done, error) {
	verb := record.Verb(c.Verb)
	done := Done{Verb: c.Verb, Who: who.Name}
	if !who.Role.May(verb) {
		return done, fmt.Errorf("%w: %s has the role %s, which has no %s", engine.ErrRole, who.Name, who.Role, verb)
	}
	if err := c.check(); err != nil {
		return done, err
	}
	eng := d.eng.As(who.Name, who.Role.May)
	var err error
	switch verb {
	case record.Undo:
		return c.unwound(ctx, done, eng.Undo)
	case record.Redo:
		return c.unwound(ctx, done, eng.Redo)
	case record.Promote:
		return d.promote(ctx, eng, done, c)
	case record.Inject:
		commit, seq, err := eng.Inject(ctx, engine.Injection{Revision: c.Text})
		done.Seq = seq
		done.Said = "queued " + commit.Short() + " as a candidate"
		return done, err
	case record.Stop:
		if s := d.Snapshot(); !s.Owner && s.OwnerPID == 0 {
			return done, fmt.Errorf("%w: no engine runs here: there is nothing to stop", fold.ErrDecision)
		}
	}
	ds, err := d.decisions(ctx, verb, c)
	if err != nil {
		return done, err
	}
	said := make([]string, len(ds))
	for i, one := range ds {
		one.Who = who.Name
		if said[i], err = d.Reader().Deciding(ctx, one); err != nil { // what it changes is known before it is changed
			return done, err
		}
	}
	if done.Seq, err = eng.Decide(ctx, ds...); err != nil {
		return done, err
	}
	done.Said = view.CleanLine(strings.Join(said, "; "))
	return done, nil
}

// unwound takes back or does again what the command names.
func (c *Command) unwound(ctx context.Context, done Done, fn func(context.Context, record.Seq) (view.Unwound, error)) (Done, error) {
	of := record.Seq(0)
	if c.Seq != nil {
		of = *c.Seq
	}
	u, err := fn(ctx, of)
	done.Said, done.Seq = u.Said, u.Seq
	return done, err
}

// The most that a command is about, and that one of its texts has in characters, as
// the document of the doors says.
const (
	mostOf   = 100
	mostText = 20_000
)

// check refuses commands that nobody means.
func (c *Command) check() error {
	if len(c.Of) > mostOf {
		return bad("%d things at once: at most %d", len(c.Of), mostOf)
	}
	for _, f := range []struct {
		name  string
		there bool
		verbs []record.Verb
	}{
		{"of", len(c.Of) > 0, []record.Verb{
			record.Approve, record.Reject, record.Restore, record.Pin, record.Unpin, record.Measure, record.Freeze, record.Boost, record.Release,
			record.Cancel, record.Retry, record.Prioritise, record.Promote,
		}},
		{"by", c.By != nil, []record.Verb{record.Boost, record.Prioritise}},
		{"key", c.Key != "", []record.Verb{record.Set}},
		{"value", c.Value != "", []record.Verb{record.Set}},
		{"seq", c.Seq != nil, []record.Verb{record.Undo, record.Redo}},
		{"start", c.Start != nil, []record.Verb{record.StartJob}},
		{"note", c.Note != nil, []record.Verb{record.WriteNote}},
	} {
		if f.there && !slices.Contains(f.verbs, record.Verb(c.Verb)) {
			return bad("%s takes no %s; that is for %s", c.Verb, f.name, verbs(f.verbs))
		}
	}
	if c.Seq != nil && *c.Seq <= 0 {
		return bad("seq is the position of a decision, from 1 on")
	}
	texts := append([]string{c.Text, c.Key, c.Value}, c.Of...)
	if c.Start != nil {
		texts = append(texts, c.Start.Parent, c.Start.Operator, c.Start.Agent, c.Start.Goal)
	}
	if c.Note != nil {
		texts = append(texts, c.Note.Kind, c.Note.Target)
	}
	for _, text := range texts {
		if n := utf8.RuneCountInString(text); n > mostText {
			return bad("a text of %d characters: at most %d", n, mostText)
		}
	}
	return nil
}

func verbs(list []record.Verb) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

func (d *Door) promote(ctx context.Context, eng *engine.Engine, done Done, c Command) (Done, error) {
	if len(c.Of) != 1 {
		return done, bad("promote takes one candidate")
	}
	id, err := d.Candidate(c.Of[0])
	if err != nil {
		return done, err
	}
	branch, err := eng.Promote(ctx, id, c.Text)
	done.Said = fmt.Sprintf("branch %s is %s", branch, id)
	return done, err
}

// decisions are the rows of a command, one for each thing it is about.
func (d *Door) decisions(ctx context.Context, verb record.Verb, c Command) ([]record.Decision, error) {
	switch verb {
	case record.Approve, record.Reject, record.Restore, record.Pin, record.Unpin, record.Measure:
		return d.each(c, func(arg string) (one record.Decision, err error) {
			one = record.NewDecision(verb)
			one.Candidate, err = d.Candidate(arg)
			one.Text = c.Text
			return one, err
		})
	case record.Freeze, record.Boost, record.Release:
		return d.each(c, func(arg string) (record.Decision, error) {
			one, err := AboutNiche(verb, arg, d.Candidate, func(text string) (int, error) { return d.Niche(ctx, text) })
			if verb == record.Boost {
				one.Value = c.by(defaultBoost)
			}
			return one, err
		})
	case record.Cancel, record.Retry, record.Prioritise:
		return d.each(c, func(arg string) (record.Decision, error) { return d.job(ctx, verb, arg, c.by(defaultPriority)) })
	case record.Pause, record.Resume, record.Stop, record.Refit:
		return []record.Decision{record.NewDecision(verb)}, nil
	}
	one := record.NewDecision(verb)
	var args any
	switch verb {
	case record.Set:
		args = map[string]string{"key": c.Key, "value": c.Value}
	case record.WriteNote:
		n := record.Note{Text: clean(c.Text)} // who reads it reads the arguments of the decision, too
		if c.Note != nil {
			n.Kind, n.Target = c.Note.Kind, c.Note.Target
		}
		args, one.Text = n, c.Text
	case record.StartJob:
		job, err := d.start(c.Start)
		if err != nil {
			return nil, err
		}
		args, one.Text = job, strings.TrimSpace(string(job.Operator)+" "+job.Goal)
	default:
		return nil, bad("there is no verb %q", verb)
	}
	var err error
	one.Args, err = json.Marshal(args)
	return []record.Decision{one}, err
}

func (d *Door) each(c Command, fn func(arg string) (record.Decision, error)) ([]record.Decision, error) {
	if len(c.Of) == 0 {
		return nil, bad("%s needs to know what it is about: name it in `of`", c.Verb)
	}
	var ds []record.Decision
	for _, arg := range c.Of {
		one, err := fn(arg)
		if err != nil {
			return nil, err
		}
		ds = append(ds, one)
	}
	return ds, nil
}

func (d *Door) start(s *Start) (record.Job, error) {
	job := record.Job{Parent: record.NoCandidate}
	if s == nil {
		return job, nil
	}
	job.Operator, job.Agent, job.Goal = record.Operator(s.Operator), s.Agent, s.Goal
	if s.Parent == "" {
		return job, nil
	}
	id, err := d.Candidate(s.Parent)
	job.Parent = id
	return job, err
}

// Candidate reads c128, 128, best or root.
func (d *Door) Candidate(text string) (record.CandidateID, error) {
	switch text {
	case "root":
		return record.Root, nil
	case "best":
		if id := d.eng.Feed().Latest().Best.ID; id >= 0 {
			return id, nil
		}
		return record.NoCandidate, fmt.Errorf("%w: nothing is measured yet; `atoll run` begins with the root", fold.ErrDecision)
	}
	id, err := record.ParseCandidateID(text)
	if err != nil {
		return id, bad("%s", view.CleanLine(err.Error()))
	}
	return id, nil
}

// AboutNiche makes a decision about a niche (9,4), the candidate that holds one, or
// target:NAME. candidate and niche read names; niche returns the flat index.
func AboutNiche(verb record.Verb, arg string, candidate func(string) (record.CandidateID, error), niche func(string) (int, error)) (d record.Decision, err error) {
	d = record.NewDecision(verb)
	switch name, ok := strings.CutPrefix(arg, "target:"); {
	case ok:
		d.Text = name
	case strings.Contains(arg, ","):
		d.Cell, err = niche(arg)
	default:
		d.Candidate, err = candidate(arg)
	}
	return d, err
}

// Niche reads the flat index of a niche, written "9,4".
func (d *Door) Niche(ctx context.Context, text string) (int, error) {
	coords, err := record.ParseNiche(text)
	if err != nil {
		return -1, bad("%s", view.CleanLine(err.Error()))
	}
	return d.Reader().Cell(ctx, coords)
}

func (d *Door) job(ctx context.Context, verb record.Verb, arg string, by float64) (record.Decision, error) {
	one := record.NewDecision(verb)
	id, err := JobOf(arg)
	if err != nil {
		return one, err
	}
	detail, err := d.Reader().Job(ctx, id)
	if err != nil {
		return one, err
	}
	j := detail.Job
	if j.State.Ended() && verb != record.Retry {
		return one, fmt.Errorf("%w: %s has ended: %s", fold.ErrDecision, j.ID, j.State)
	}
	if verb == record.Prioritise {
		return record.NewPriority(id, j.Priority, by), nil
	}
	one.Job = id
	return one, nil
}

// JobOf reads #341 or 341.
func JobOf(text string) (record.JobID, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64)
	if err != nil || n < 0 {
		return record.NoJob, bad("%q is no job: write 341 or #341", view.CleanLine(text))
	}
	return record.JobID(n), nil
}
