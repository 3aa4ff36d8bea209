package work

import (
	"fmt"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
)

// commitMessage says what a job meant, whole: a commit whose row a crash took is all that
// tells it then, and what later jobs learn from it. A subject that is too long is cut, and
// the whole of it is the paragraph behind it.
func commitMessage(exp record.ExperimentID, job record.Job, intent string) string {
	whole := view.CleanLine(firstLine(intent))
	subject := subjectOf(whole, job)
	if subject != whole && whole != "" {
		subject += "\n\n" + whole
	}
	return subject + trailers(exp, job)
}

// briefMessage is the message of commits that have the subject alone, as all had once.
func briefMessage(exp record.ExperimentID, job record.Job, intent string) string {
	return subjectOf(view.CleanLine(firstLine(intent)), job) + trailers(exp, job)
}

// maxSubject is how long the first line of a commit's message may be, in bytes.
const maxSubject = 72

// cutMark ends a subject that was cut.
const cutMark = "..."

func subjectOf(intent string, job record.Job) string {
	switch {
	case intent == "":
		return string(job.Operator)
	case len(intent) > maxSubject:
		return strings.TrimSpace(strings.ToValidUTF8(intent[:maxSubject-len(cutMark)], "")) + cutMark
	}
	return intent
}

func trailers(exp record.ExperimentID, job record.Job) string {
	return fmt.Sprintf("\n\nAtoll-Experiment: %d\nAtoll-Job: %d\nAtoll-Operator: %s\nAtoll-Agent: %s\n", exp, job.ID, job.Operator, job.Agent)
}

// intentOf is what the message of a commit says that was meant.
func intentOf(message string) string {
	subject, rest, _ := strings.Cut(message, "\n")
	if begin, cut := strings.CutSuffix(subject, cutMark); cut {
		if whole := firstLine(strings.TrimLeft(rest, "\n")); strings.HasPrefix(whole, begin) && len(whole) > maxSubject {
			return whole
		}
	}
	return firstLine(message)
}
