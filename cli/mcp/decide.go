package mcp

import (
	"context"

	"atoll/cli/door"
	"atoll/store/record"
)

// some names what a tool is about, reason and factor what some tools take beside it.
type some struct {
	Of []string `json:"of" maxItems:"100" jsonschema:"candidates (c128, best), niches (9,4), target:NAME or jobs (#341), as the tool takes them"`
}

type reason struct {
	some
	Text string `json:"text,omitempty" maxLength:"20000" jsonschema:"why"`
}

type factor struct {
	some
	By *float64 `json:"by,omitempty" jsonschema:"the factor, above 0 and at most 100; 2 where it is left out"`
}

// decide adds the tools that the caller's role has.
func (t tools) decide() {
	for _, v := range []struct {
		verb        record.Verb
		title, text string
	}{
		{record.Approve, "Approve", "Let held candidates go on."},
		{record.Reject, "Reject", "Take candidates out of the archive; the runner-up takes the niche."},
		{record.Restore, "Restore", "Bring rejected candidates back."},
		{record.Freeze, "Freeze", "Keep the elite of a niche (or target:NAME) and do not use it as a parent."},
		{record.Boost, "Boost", "Choose parents from a niche (or target:NAME) more often."},
		{record.Release, "Release", "End the freeze and the boost of a niche or target."},
		{record.Measure, "Measure again", "Measure candidates again."},
		{record.Cancel, "Cancel", "End queued, running or held jobs."},
		{record.Retry, "Retry", "Queue jobs like these again."},
	} {
		undone := v.verb != record.Cancel && v.verb != record.Retry && v.verb != record.Measure
		tool := act(string(v.verb), v.title, v.text, undone)
		switch v.verb {
		case record.Reject:
			add(t, tool, func(ctx context.Context, in reason) (any, error) {
				return t.do(ctx, door.Command{Verb: string(v.verb), Of: in.Of, Text: in.Text})
			})
		case record.Boost:
			add(t, tool, func(ctx context.Context, in factor) (any, error) {
				return t.do(ctx, door.Command{Verb: string(v.verb), Of: in.Of, By: in.By})
			})
		default:
			add(t, tool, func(ctx context.Context, in some) (any, error) {
				return t.do(ctx, door.Command{Verb: string(v.verb), Of: in.Of})
			})
		}
	}
	for _, v := range []struct {
		verb        record.Verb
		title, text string
	}{
		{record.Pause, "Pause", "Claim no new jobs."},
		{record.Resume, "Resume", "Claim jobs again."},
	} {
		add(t, act(string(v.verb), v.title, v.text, true), func(ctx context.Context, _ nothing) (any, error) {
			return t.do(ctx, door.Command{Verb: string(v.verb)})
		})
	}
	for _, v := range []struct {
		verb        record.Verb
		title, text string
	}{
		{record.Undo, "Undo", "Take the last decision back, whoever made it; with seq only if it is that one."},
		{record.Redo, "Redo", "Do again what undo took back; with seq only if it is that decision."},
	} {
		add(t, act(string(v.verb), v.title, v.text, true), func(ctx context.Context, in struct {
			Seq *record.Seq `json:"seq,omitempty" minimum:"1" jsonschema:"the position of the decision, as undo and redo of status name it"`
		},
		) (any, error) {
			return t.do(ctx, door.Command{Verb: string(v.verb), Seq: in.Seq})
		})
	}
	add(t, act("start", "Start a job", "Queue one job; what is left out is drawn.", false), func(ctx context.Context, in door.Start) (any, error) {
		return t.do(ctx, door.Command{Verb: "start", Start: &in})
	})
	add(t, act("note", "Write a note", "Give agents a lesson or a direction for later prompts.", true), func(ctx context.Context, in struct {
		door.Topic
		Text string `json:"text" minLength:"1" maxLength:"20000" jsonschema:"the lesson"`
	},
	) (any, error) {
		return t.do(ctx, door.Command{Verb: "note", Text: in.Text, Note: &in.Topic})
	})
	if t.who.Role >= door.Admin {
		t.rule()
	}
}

// rule adds what reads from and writes to the user's repository, and settings.
func (t tools) rule() {
	add(t, act("promote", "Promote", "Add a branch to the user's repository that is a candidate.", false), func(ctx context.Context, in struct {
		oneCandidate
		Branch string `json:"branch,omitempty" maxLength:"20000" jsonschema:"its name; made up where it is left out"`
	},
	) (any, error) {
		return t.do(ctx, door.Command{Verb: "promote", Of: []string{in.ID}, Text: in.Branch})
	})
	add(t, act("inject", "Inject", "Take a commit of the user's repository as a candidate; the engine measures it.", false), func(ctx context.Context, in struct {
		Revision string `json:"revision" maxLength:"20000" jsonschema:"a branch, a tag or a commit"`
	},
	) (any, error) {
		return t.do(ctx, door.Command{Verb: "inject", Text: in.Revision})
	})
	add(t, act("set", "Change a setting", "Change a setting while the experiment runs.", true), func(ctx context.Context, in struct {
		Key   string `json:"key" maxLength:"200" jsonschema:"such as workers or budget.jobs"`
		Value string `json:"value" maxLength:"20000" jsonschema:"its new value"`
	},
	) (any, error) {
		return t.do(ctx, door.Command{Verb: "set", Key: in.Key, Value: in.Value})
	})
}

func (t tools) do(ctx context.Context, c door.Command) (any, error) {
	return t.door.Do(ctx, t.who, c)
}
