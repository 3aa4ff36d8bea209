package engine_test

import (
	"strings"
	"testing"

	"atoll/store/record"
)

// Products are the numbers rounded to halves: many trees give the same one.
func TestSameProductEndsAsADuplicate(t *testing.T) {
	t.Parallel()
	l := bareLab(t, map[string]string{
		"program.txt": program,
		"build.sh":    "awk '{printf \"%s = %.1f\\n\", $1, int($3*2)/2}' program.txt > product\n",
		"measure.sh":  "sh build.sh && mv product program.txt\n" + measure,
	})
	l.create("evaluator.artifact=product", "evaluator.protected=[measure.sh, build.sh]", "budget.jobs=40",
		"evaluator.stages=[{name: build, command: sh build.sh, output: none}, {name: full}]")
	l.run()
	twins := 0
	for _, j := range l.jobs(record.Duplicate) {
		if !strings.HasPrefix(j.Reason, "same build product as c") {
			continue
		}
		twins++
		c, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, record.CandidateID(j.ID))
		if err != nil || c.Objective != nil || c.Status != record.StatusRejected {
			t.Errorf("%s is %s with objective %v (%v), expected a rejected one that was not measured", c.ID, c.Status, c.Objective, err)
		}
		if of, err := l.ses.DB.Candidate(t.Context(), l.exp.ID, j.Duplicate); err != nil || of.Objective == nil {
			t.Errorf("%s is the duplicate of %s, which was not measured (%v)", c.ID, j.Duplicate, err)
		}
	}
	if twins == 0 {
		t.Error("no two candidates had the same product: this test shows nothing")
	}
	if err := l.state().CheckArchive(); err != nil {
		t.Error(err)
	}
}
