package schedule

import (
	"context"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// remember gives the jobs that belong to the present fold position their
// counts. While the past is folded it only notes the position.
func (o *Owner) remember() {
	l := &o.st.Lessons
	switch {
	case !l.On:
	case l.Past:
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

// tags reads what all candidates are meant to be. They are few kinds of edits; only of the
// newest is also told which number they moved. One that came later is looked up.
func (o *Owner) tags(ctx context.Context) (func(record.CandidateID) string, error) {
	kinds, numbers := []string{""}, map[string]int32{"": 0}
	var of []int32 // kinds, by candidate
	moves := map[record.CandidateID]string{}
	newest := record.CandidateID(o.nextJob) - 2*agent.MovesLast
	err := o.db.EachIntent(ctx, o.exp, func(id record.CandidateID, intent string) error {
		full := offline.IntentTag(intent)
		tag := agent.WithoutMove(full)
		if tag != full && id >= newest {
			moves[id] = strings.Clone(full)
		}
		n, ok := numbers[tag]
		if !ok {
			n = int32(len(kinds))
			tag = strings.Clone(tag)
			numbers[tag], kinds = n, append(kinds, tag)
		}
		for int(id) >= len(of) {
			of = append(of, 0)
		}
		of[id] = n
		return nil
	})
	one := o.tag(ctx)
	return func(id record.CandidateID) string {
		if tag, ok := moves[id]; ok {
			return tag
		}
		if id >= 0 && int(id) < len(of) {
			return kinds[of[id]]
		}
		return one(id)
	}, err
}

// tag looks up what one candidate is meant to be.
func (o *Owner) tag(ctx context.Context) func(record.CandidateID) string {
	return func(id record.CandidateID) string {
		if id == record.NoCandidate {
			return ""
		}
		c, err := o.db.Candidate(ctx, o.exp, id)
		if err != nil {
			return ""
		}
		return offline.IntentTag(c.Intent)
	}
}

// hand gives a job that was created at this fold position its counts.
func (o *Owner) hand(job record.JobID) {
	h := o.st.Lessons.Of(job, o.depth())
	o.work.SetHistory(job, h, job-record.JobID(8*o.depth()))
}
