package fold

import (
	"fmt"

	"atoll/store/record"
)

// BreakAfter is how many in a row must fail alike.
const BreakAfter = 20

// Streak counts failures in a row that look the same.
type Streak struct {
	key   string
	n     int
	limit int  // grows each time the root proves the evaluator right
	check bool // the root has to be measured again
	text  string
}

// Add counts a failure and reports whether there are too many now.
func (a *Streak) Add(class record.Class, reason string, weight int) bool {
	key := string(class) + ": " + figures.ReplaceAllString(reason, "N")
	if key != a.key {
		a.key, a.n = key, 0
	}
	a.n += weight
	if a.n < max(a.limit, BreakAfter) {
		return false
	}
	a.n, a.text = 0, reason
	return true
}

// suspect takes the failure of a make job.
func (q *asks) suspect(row record.FoldRow, class record.Class, reason string) {
	weight := 1
	switch class {
	case record.ClassEvaluator: // the same as on the root
		weight = BreakAfter / 4
	case record.ClassBuild, record.ClassTest, record.ClassTimeout, record.ClassMemory, record.ClassOutput, record.ClassCrash,
		record.ClassMetric, record.ClassSandbox:
	default:
		return // not the evaluator's
	}
	if q.Streak.Add(class, reason, weight) {
		q.Streak.check = true
		q.say(row, "warn", fmt.Sprintf("many candidates in a row failed alike (%s): the root is measured again, to see whether the evaluator is broken", reason))
	}
}

// trust takes a measurement that went well: of a candidate, or of the root that
// was asked.
func (q *asks) trust(row record.FoldRow) {
	if row.Work != nil && IsCheck(row.Candidate, row.Work.Purpose) {
		q.Streak.limit = 2 * max(q.Streak.limit, BreakAfter)
		q.say(row, "info", "the root measures well: it is the candidates that fail")
	}
	q.Streak.key, q.Streak.n = "", 0
}

// IsCheck reports whether an evaluate job is a look at the root, whether the evaluator is broken;
// the root has no other reason to be challenged.
func IsCheck(id record.CandidateID, p record.Purpose) bool {
	return id == record.Root && p == record.PurposeChallenge
}

// Asked notes that an evaluate job is queued: its candidate is not asked for again
// until it ends.
func (q *asks) Asked(job record.Job) {
	m := q.Candidate(job.Candidate)
	if m == nil {
		return
	}
	q.Track(m).Measuring = job.ID
	q.Evidence.Note(job.Purpose, job.Samples)
	if IsCheck(job.Candidate, job.Purpose) {
		q.Streak.check = false
	}
}
