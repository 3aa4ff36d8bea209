package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// Completer asks a model and takes keys out of texts. [gateway.Client] is one.
type Completer interface {
	Complete(ctx context.Context, r gateway.Request) (gateway.Response, error)
	Redact(s string) string
}

// Brief is what a job's prompts show, gathered once and written for each role.
type Brief interface {
	// Files are the paths whose text it shows.
	Files() []string
	// Render writes the prompt of a role; the same arguments give the same bytes.
	Render(role string, o Told) (Rendered, error)
}

// Told is what a conversation adds to a brief.
type Told struct {
	Answer string // how the answer must be written
	Plan   string // of the planner, for the coder
	Retry  string // why the attempt before this one was refused
}

var (
	_ Completer = (*gateway.Client)(nil)
	_ Agent     = (*Chat)(nil)
)

// ChatOptions describe an agent that asks a model in words. Client, Coder with
// its provider and model, and Brief are required.
type ChatOptions struct {
	Client   Completer
	Coder    gateway.Request // how it is asked; system, messages and account are those of a job
	Edit     edit.Format     // empty: EditBlocks
	Attempts int             // answers of the coder in one job, and of the planner; 0: 3
	// Planner is how a model is asked for a plan before the coder edits; nil: there
	// is no plan.
	Planner *gateway.Request
	// Brief gathers what the prompts of a job show.
	Brief func(ctx context.Context, j Job, t Tree) (Brief, error)
	// Account gives who pays for a job; nil: nobody keeps money. What a ledger
	// settles is not in Result.Usage, or it would count twice.
	Account func(Job) *gateway.Account
}

// Chat edits by asking a model over an API: an optional plan, then edits in a
// text, applied here and corrected once by the model when they do not apply.
// It is safe for concurrent use.
type Chat struct{ opt ChatOptions }

// NewChat checks the options. Nothing is sent.
func NewChat(o ChatOptions) (*Chat, error) {
	switch {
	case o.Client == nil:
		return nil, errors.New("chat agent: it needs a client of the gateway")
	case o.Coder.Provider == "":
		return nil, errors.New("chat agent: it needs a provider")
	case o.Coder.Model == "":
		return nil, errors.New("chat agent: it needs a model: set model")
	case o.Brief == nil:
		return nil, errors.New("chat agent: it needs prompts")
	}
	switch o.Edit {
	case "":
		o.Edit = edit.Blocks
	case edit.Blocks, edit.Whole, edit.Diff:
	default:
		return nil, fmt.Errorf("chat agent: %q is no way to write edits: use blocks, whole or diff", o.Edit)
	}
	if o.Attempts <= 0 {
		o.Attempts = 3
	}
	return &Chat{opt: o}, nil
}

// Edit implements [Agent]. A failure is an [*Error]; that of a model that
// offered no change is [ErrNoChange] too.
func (c *Chat) Edit(ctx context.Context, j Job, t Tree) (Result, error) {
	r, err := c.begin(ctx, j, t)
	if err != nil {
		return Result{}, err
	}
	if c.opt.Planner != nil {
		if err := r.plan(ctx); err != nil {
			return Result{}, r.fail(ctx, err)
		}
	}
	res, err := r.code(ctx)
	if err != nil {
		return Result{}, r.fail(ctx, err)
	}
	res.Usage, res.Evidence = r.usage(), r.evidence()
	return res, nil
}

// Preview renders the prompt that Edit would send first, to show it before
// anything is paid.
func (c *Chat) Preview(ctx context.Context, j Job, t Tree) (Rendered, error) {
	r, err := c.begin(ctx, j, t)
	if err != nil {
		return Rendered{}, err
	}
	if c.opt.Planner != nil {
		return r.render(RolePlanner, "")
	}
	return r.render(RoleCoder, "")
}

// begin gathers what the prompts of a job show.
func (c *Chat) begin(ctx context.Context, j Job, t Tree) (*chatRun, error) {
	brief, err := c.opt.Brief(ctx, j, t)
	if err != nil {
		return nil, fmt.Errorf("gather what the prompt shows: %w", err)
	}
	r := &chatRun{c: c, j: j, t: t, brief: brief}
	if c.opt.Account != nil {
		r.account = c.opt.Account(j)
	}
	if r.account == nil {
		r.account = gateway.NewAccount(gateway.AccountOptions{Name: j.Number.String()})
	}
	return r, nil
}

// chatRun is one Edit.
type chatRun struct {
	c       *Chat
	j       Job
	t       Tree
	brief   Brief
	account *gateway.Account
	used    record.Usage
	tries   int
	prompt  []string // as sent
	log     strings.Builder
	planned string
}

// usage is what nobody else counts.
func (r *chatRun) usage() record.Usage {
	if r.account.Settles() {
		return record.Usage{}
	}
	return r.used
}

func (r *chatRun) fail(ctx context.Context, err error) error {
	return classify(ctx, err, r.tries, r.usage(), r.evidence())
}

func (r *chatRun) stage(name string) {
	if r.j.Progress != nil {
		r.j.Progress(name)
	}
}

func (r *chatRun) render(role, retry string) (Rendered, error) {
	told := Told{Retry: retry}
	switch role {
	case RolePlanner:
		told.Answer = planAnswer
	default:
		told.Answer, told.Plan = editAnswer(r.c.opt.Edit), r.planned
	}
	out, err := r.brief.Render(role, told)
	if err != nil {
		return Rendered{}, fmt.Errorf("write the prompt of the %s: %w", role, err)
	}
	out.System, out.User = r.c.opt.Client.Redact(out.System), r.c.opt.Client.Redact(out.User)
	return out, nil
}

// plan asks for a plan until there is an answer.
func (r *chatRun) plan(ctx context.Context) error {
	r.stage("planning")
	back := PlanFallback{Acceptance: r.j.Acceptance}
	for _, m := range r.j.Parent.Metrics {
		back.Metrics = append(back.Metrics, m.Name)
	}
	return r.converse(ctx, RolePlanner, *r.c.opt.Planner, func(answer string, _ Rendered) error {
		r.planned = ParsePlan(answer, back).Text()
		return nil
	})
}

// code asks for edits until they apply.
func (r *chatRun) code(ctx context.Context) (Result, error) {
	r.stage("writing")
	var res Result
	err := r.converse(ctx, RoleCoder, r.c.opt.Coder, func(answer string, sent Rendered) error {
		edits, err := edit.Parse(r.c.opt.Edit, answer, r.brief.Files())
		if err != nil {
			return err
		}
		changes, err := edit.Apply(ctx, r.t, edits, edit.Scope{Allowed: r.j.Scope, Partial: sent.Partial})
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return ErrNoChange
		}
		res.Changes, res.Intent = changes, r.intent(answer)
		return nil
	})
	return res, err
}

// converse asks, hands the answer to take, and tells the model once what was
// wrong with it. After that, or after an answer that cannot be used, a new
// conversation begins while there are attempts left.
func (r *chatRun) converse(ctx context.Context, role string, ask gateway.Request, take func(string, Rendered) error) error {
	retry := ""
	told := false
	var sent Rendered
	for try := 1; ; try++ {
		if !told {
			var err error
			if sent, err = r.render(role, retry); err != nil {
				return err
			}
			ask.System, ask.Messages = sent.System, []gateway.Message{{Role: "user", Content: sent.User}}
			r.prompt = append(r.prompt, sent.System+"\n\n"+sent.User)
			r.j.Tell(role, sent.System+"\n\n"+sent.User)
		}
		answer, err := r.ask(ctx, role, ask)
		if err == nil {
			err = take(answer, sent)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		next, text := judge(err)
		r.note(role, "problem", err.Error())
		if next == giveUp || try >= r.c.opt.Attempts {
			return err
		}
		if told = next == feedBack && !told; told {
			r.note("atoll", "told", text)
			ask.Messages = append(slices.Clone(ask.Messages),
				gateway.Message{Role: "assistant", Content: clean.Middle(answer, maxEcho)}, gateway.Message{Role: "user", Content: correction(text)})
		}
		retry = text
	}
}

// ask sends one request of a conversation.
func (r *chatRun) ask(ctx context.Context, role string, q gateway.Request) (string, error) {
	lines := &liveLines{out: r.j.Live, redact: r.c.opt.Client.Redact}
	q.Account, q.OnText = r.account, lines.add
	res, err := r.c.opt.Client.Complete(ctx, q)
	lines.flush()
	r.tries++
	r.used = r.used.Add(res.Usage)
	r.note(role, fmt.Sprintf("answer %d of %s, %d tokens in, %d out, ended %q", r.tries, q.Model, res.Tokens.In(), res.Tokens.Output, clean.Line(res.Finish)), res.Text)
	return res.Text, err
}

// note adds to the transcript.
func (r *chatRun) note(who, what, text string) {
	fmt.Fprintf(&r.log, "=== %s: %s\n%s\n", who, clean.Line(what), text)
}

// intent is the line in which the model says what it did, or the first of its
// plan.
func (r *chatRun) intent(answer string) string {
	for _, l := range strings.Split(edit.WithoutThoughts(answer), "\n") {
		t := strings.Trim(strings.TrimSpace(l), "*# ")
		if rest, ok := strings.CutPrefix(t, "INTENT:"); ok {
			return clean.Clip(clean.Line(strings.Trim(rest, "* ")), maxChatIntent)
		}
	}
	if words := firstWords(answer); words != "" {
		return clean.Clip(words, maxChatIntent)
	}
	if r.planned != "" {
		return clean.Clip(clean.Line(firstOf(r.planned)), maxChatIntent)
	}
	return string(r.j.Operator)
}

// firstWords are the first words that a model says to people before its first
// edit: no heading without words, no path, no code. "" when there are none.
func firstWords(answer string) string {
	for line := range strings.Lines(edit.WithoutThoughts(answer)) {
		t := strings.Trim(clean.Line(line), "*#>- ")
		if strings.HasPrefix(t, "```") || strings.HasPrefix(t, "<<<<<") || strings.HasPrefix(t, "@@") {
			return ""
		}
		if strings.ContainsAny(t, "<`{=") || len(strings.Fields(t)) < 2 || edit.LooksLikePath(edit.CleanName(t)) {
			continue
		}
		return t
	}
	return ""
}

// maxChatIntent is the longest intent, in characters.
const maxChatIntent = 200

// maxEvidence bounds each piece of evidence, maxEcho the model's own answer in
// a correction.
const (
	maxEvidence = 256 << 10
	maxEcho     = 96 << 10
)

// evidence is what is kept of the run, without keys.
func (r *chatRun) evidence() []record.Evidence {
	var out []record.Evidence
	add := func(kind, text string) {
		if text == "" {
			return
		}
		text = r.c.opt.Client.Redact(text)
		short := clean.Middle(text, maxEvidence)
		out = append(out, record.Evidence{Job: r.j.Number, Attempt: r.j.Attempt, Kind: kind, Text: []byte(short), Cut: int64(max(0, len(text)-len(short)))})
	}
	add("prompt", strings.Join(r.prompt, "\n\n=== a new conversation\n\n"))
	add("plan", r.planned)
	add("transcript", r.log.String())
	return out
}
