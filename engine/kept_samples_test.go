package engine_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/fault"
)

// severalYAML measures everything three times, from one seed.
var severalYAML = strings.Replace(labYAML, "root_repeats: 2\n", "root_repeats: 3\n  repeats: 3\nseed: 7\n", 1)

func TestAKillBetweenSamplesHasNoneOfThemMeasuredAgain(t *testing.T) {
	suitetest.Full(t, "kills runs again and again; TestKillsAtEveryPointAndAtAnyMomentLoseNothing stands for it")
	t.Parallel()
	const kills = 8
	calm := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	calm.begin(calm.loaded(severalYAML, "budget.jobs=40"))
	calm.run()
	c := newCrashes(t, severalYAML, 1, 11)
	c.repeats = 3
	for i := 0; c.kills < kills; i++ {
		if i > 5*kills {
			t.Fatalf("only %d of %d tries were kills", c.kills, i)
		}
		c.killedRun(fault.Kept, 1+i%4, 0)
	}
	c.settle()
	db, err := sql.Open("sqlite3", filepath.Join(c.state, "atoll.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var evals, samples, kept int
	if err := db.QueryRow(`SELECT (SELECT evals FROM total), (SELECT count(*) FROM sample), (SELECT count(*) FROM meta WHERE key LIKE 'sample %')`).Scan(&evals, &samples, &kept); err != nil {
		t.Fatal(err)
	}
	if evals != samples || samples < 3*kills {
		t.Errorf("%d evaluations for %d samples: something was measured twice", evals, samples)
	}
	if kept != 0 {
		t.Errorf("%d samples are kept of jobs that ended", kept)
	}
	killed := &lab{t: t, repo: c.repo}
	killed.open(c.state)
	killed.exp = calm.exp
	got := killed.commits(kills)
	if len(got) < kills/2 {
		t.Fatalf("%d candidates show nothing", len(got))
	}
	if diff := same(calm.commits(kills)[:len(got)], got); diff != "" {
		t.Errorf("after kills other candidates were made:\n%s", diff)
	}
}
