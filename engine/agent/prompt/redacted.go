package prompt

import (
	"atoll/engine/agent"
	"atoll/store/record"
)

// redacted returns a copy of the view without secrets. It happens before
// anything is cut, so that no half of a key is left behind.
func (v View) redacted() View {
	r := func(s string) string { return agent.Redact(s, v.secrets...) }
	all := func(list []string) []string {
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = r(s)
		}
		return out
	}
	v.Goal, v.Dir, v.Plan, v.Diff, v.Facts, v.Answer, v.Retry = r(v.Goal), r(v.Dir), r(v.Plan), r(v.Diff), r(v.Facts), r(v.Answer), r(v.Retry)
	v.Conditions = all(v.Conditions)
	if v.Best != nil {
		best := v.Best.redacted(r, all)
		v.Best = &best
	}
	v.Programs = append([]Program(nil), v.Programs...)
	for i, p := range v.Programs {
		v.Programs[i].Text = r(p.Text)
	}
	v.Constraints, v.Acceptance, v.Others = all(v.Constraints), all(v.Acceptance), all(v.Others)
	v.Scope, v.Closed, v.Limits = all(v.Scope), all(v.Closed), all(v.Limits)
	v.Listing, v.Findings, v.Steps = all(v.Listing), all(v.Findings), all(v.Steps)
	v.Target.Hint = r(v.Target.Hint)
	v.Base = v.Base.redacted(r, all)
	v.Inspirations = append([]Shown(nil), v.Inspirations...)
	for i, s := range v.Inspirations {
		v.Inspirations[i] = s.redacted(r, all)
	}
	v.Lessons, v.Failed = redactNotes(v.Lessons, r), redactNotes(v.Failed, r)
	v.Directions, v.Told = redactNotes(v.Directions, r), redactNotes(v.Told, r)
	v.Failures = append([]agent.Failure(nil), v.Failures...)
	for i, f := range v.Failures {
		v.Failures[i].Reason, v.Failures[i].Text = r(f.Reason), r(f.Text)
		v.Failures[i].Intent, v.Failures[i].Diff = r(f.Intent), r(f.Diff)
	}
	v.Feedback = append([]record.Evidence(nil), v.Feedback...)
	for i, e := range v.Feedback {
		v.Feedback[i].Text = []byte(r(string(e.Text)))
	}
	v.Files = append([]FileText(nil), v.Files...)
	for i, f := range v.Files {
		text := r(f.Text)
		v.Files[i].Text, v.Files[i].redacted = text, f.redacted || text != f.Text
	}
	return v
}

func (s Shown) redacted(r func(string) string, all func([]string) []string) Shown {
	s.Intent, s.Diff, s.Against = r(s.Intent), r(s.Diff), r(s.Against)
	s.Metrics, s.Changed, s.Trajectory = all(s.Metrics), all(s.Changed), all(s.Trajectory)
	return s
}

func redactNotes(notes []record.Note, r func(string) string) []record.Note {
	out := append([]record.Note(nil), notes...)
	for i, n := range out {
		out[i].Text = r(n.Text)
	}
	return out
}
