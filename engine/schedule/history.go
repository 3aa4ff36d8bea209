package schedule

import (
	"context"

	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// remember gives the jobs that belong to the present fold position their
// counts. While the past is folded it only notes the position.
func (o *Owner) remember() {
	l := &o.st.Lessons
	switch {
	case !l.On:
	case l.Tag == nil:
		l.Mark(o.st.FoldCount(), o.depth())
	default:
		o.give(o.st.FoldCount())
	}
}

func (o *Owner) give(folded int) {
	o.st.Lessons.Keep(folded, o.depth())
	o.hand(record.JobID(folded + o.depth() - 1))
	if folded == 1 {
		for job := 1; job < o.depth(); job++ {
			o.hand(record.JobID(job))
		}
	}
}

// learn reads what the candidates of the past were meant to be and counts what
// came of it. From then on candidates are looked up one by one.
func (o *Owner) learn(ctx context.Context) error {
	tags, names := []string{}, map[string]string{}
	err := o.db.EachCandidate(ctx, o.exp, record.NoCandidate, func(c *record.Candidate) error {
		tag := offline.IntentTag(c.Intent)
		if tag == "" {
			return nil
		}
		if _, ok := names[tag]; !ok {
			names[tag] = tag
		}
		for int(c.ID) >= len(tags) {
			tags = append(tags, make([]string, max(64, len(tags)))...)
		}
		tags[c.ID] = names[tag]
		return nil
	})
	if err != nil {
		return err
	}
	l := &o.st.Lessons
	l.Tag = func(id record.CandidateID) string {
		if id < 0 || int(id) >= len(tags) {
			return ""
		}
		return tags[id]
	}
	from := 0
	for _, m := range l.Marks {
		for _, end := range l.Past[from:m.Outcomes] {
			l.Observe(end)
		}
		from = m.Outcomes
		o.give(m.Folded)
	}
	for _, end := range l.Past[from:] {
		l.Observe(end)
	}
	l.Past, l.Marks = nil, nil
	l.Tag = func(id record.CandidateID) string {
		if id == record.NoCandidate {
			return ""
		}
		c, err := o.db.Candidate(ctx, o.exp, id)
		if err != nil {
			return ""
		}
		return offline.IntentTag(c.Intent)
	}
	return nil
}

// hand gives a job that was created at this fold position its counts.
func (o *Owner) hand(job record.JobID) {
	h := o.st.Lessons.Of(job, o.depth())
	o.work.SetHistory(job, h, job-record.JobID(8*o.depth()))
}
