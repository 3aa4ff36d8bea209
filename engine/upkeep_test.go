package engine_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/store/record"
)

// verified are experiments of which every kind of state is compared.
func verified() map[string]func(t *testing.T) *lab {
	named := func(extra ...string) func(t *testing.T) *lab {
		return func(t *testing.T) *lab { t.Helper(); return newLab(t, extra...) }
	}
	return map[string]func(t *testing.T) *lab{
		"in the order of completion": named("budget.jobs=24"),
		"in strict order":            named("budget.jobs=24", "order=strict", "workers=3"),
		"of a noisy objective": func(t *testing.T) *lab {
			t.Helper()
			return noisyLab(t, 1, "budget.jobs=60", "workers=3", "map.axes=[{metric: first, min: 0, max: 10, bins: 6}, {metric: second, min: 0, max: 10, bins: 6}]")
		},
		"on a learned map": func(t *testing.T) *lab {
			t.Helper()
			l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
			l.begin(l.loaded(kindsYAML, "map.refit_every=10"))
			return l
		},
	}
}

func TestAStateThatIsNotTheFoldOfItsLogIsFound(t *testing.T) {
	t.Parallel()
	for order, begin := range verified() {
		t.Run(order, func(t *testing.T) {
			if order != "on a learned map" {
				suitetest.Full(t, "two more runs; a learned map stands for them")
			}
			l := begin(t)
			l.run()
			t.Run("by upkeep, while it runs", l.upkeepFinds)
			t.Run("by doctor, in the store", l.doctorFinds)
		})
	}
}

func (l *lab) upkeepFinds(t *testing.T) {
	for _, c := range []struct {
		name   string
		plant  func(*fold.State)
		warns  string
		pauses bool
	}{
		{"a fold of the log is one", func(*fold.State) {}, "", false},
		{"a niche has another holder", func(s *fold.State) { s.Archive().Remove(s.Best) }, "archive", true},
		{"a decision is missing from the log", func(s *fold.State) {
			s.Decided.All = append(s.Decided.All, record.Decision{Verb: record.Pause})
		}, "decisions", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := l.state()
			c.plant(s)
			lines, pause := engine.CheckFold(t.Context(), l.ses, l.exp.ID, query.Alone{State: s})
			said := strings.Join(lines, "\n")
			if (c.warns == "") != (said == "") || !strings.Contains(said, c.warns) || (c.warns != "") != strings.Contains(said, "start it again") {
				t.Errorf("the log pane says %q", said)
			}
			if (pause != "") != c.pauses {
				t.Errorf("the run pauses: %q", pause)
			}
		})
	}
}

// archiveCheck is what doctor says of the archive, through its entry.
func (l *lab) archiveCheck() view.CheckLine {
	l.t.Helper()
	for _, c := range engine.Doctor(l.t.Context(), doctor.Options{State: l.ses.Dir, Target: l.ses.Target}) {
		if c.Group == "store" && c.Name == "archive" {
			return c
		}
	}
	l.t.Fatal("doctor says nothing of the archive")
	return view.CheckLine{}
}

// change changes the store behind the program's back.
func (l *lab) change(statement string) {
	l.t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(l.ses.Dir, "atoll.db"))
	if err == nil {
		_, err = db.Exec(statement)
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) doctorFinds(t *testing.T) {
	for _, c := range []struct {
		name, statement, says string
	}{
		{"nothing", "", ""},
		{"the value of the best", "UPDATE candidate SET objective = objective - 1 WHERE id = (SELECT id FROM candidate ORDER BY objective DESC LIMIT 1)", "and the log says"},
		{"who made a candidate", "UPDATE candidate SET operator = 'structural' WHERE id = (SELECT max(id) FROM candidate)", "s]"}, // yields, or tries
		{"a decision", `INSERT INTO log (experiment, fold, seq, at, kind, job, candidate, data) SELECT experiment, 1, seq, at, 'decision', -1, -1,
		CAST('{"who":"nobody","verb":"pause","candidate":-1,"job":-1,"cell":-1}' AS BLOB)
		FROM (SELECT * FROM log WHERE fold = 0 ORDER BY seq LIMIT 1)`, "decisions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			twin := l.copied(t)
			if c.statement != "" {
				twin.change(c.statement)
			}
			got := twin.archiveCheck()
			if got.OK != (c.says == "") || !strings.Contains(got.Detail, c.says) || !got.OK && got.Cure == "" {
				t.Errorf("doctor says %+v", got)
			}
		})
	}
}

// copied is the lab with a state directory of its own that holds the same. Nothing
// may run on it meanwhile.
func (l *lab) copied(t *testing.T) *lab {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(l.ses.Dir)); err != nil {
		t.Fatal(err)
	}
	twin := &lab{t: t, repo: l.repo, exp: l.exp}
	twin.open(dir)
	return twin
}

// What a job came to later is no part of what it came to before.
func TestTheFoldOfARejectionThatWasTakenBackStaysTheSameWhenTheJobHasGoneOn(t *testing.T) {
	t.Parallel()
	l := bareLab(t, map[string]string{"program.txt": dials, "measure.sh": measure})
	l.begin(l.loaded(dialsYAML, "budget.jobs=8", "review.niche=all"))
	l.run()
	eng, stop := l.startWith(engine.Options{KeepState: true})
	s := l.await(eng, "somebody waits", func(s *view.Snapshot) bool { return s.Owner && len(s.Review) > 0 })
	id := s.Review[0].Candidate.ID
	for _, act := range []func() error{
		func() error { _, err := eng.Decide(t.Context(), about(record.Reject, id)); return err },
		func() error { _, err := eng.Undo(t.Context(), 0); return err },
		func() error { _, err := eng.Decide(t.Context(), about(record.Approve, id)); return err },
	} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
		settled(t, l, eng)
	}
	l.await(eng, "the approved one has ended", func(s *view.Snapshot) bool { return s.Jobs.Running == 0 && s.Jobs.Queued == 0 })
	stop()
	if c := l.archiveCheck(); !c.OK {
		t.Errorf("doctor says: %s", c.Detail)
	}
}

func TestACandidateWithARefOfItsOwnIsInNoDanger(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=4")
	l.run()
	store := filepath.Join(l.ses.Dir, "store.git")
	before := git(t, store, "rev-parse", "refs/heads/anchor/1")
	l.raise(8)
	l.run()
	for _, c := range []struct {
		name   string
		marked bool // as a run leaves them that was killed
		danger bool
	}{{"killed before the next anchor", true, false}, {"held by nothing", false, true}} {
		git(t, store, "update-ref", "refs/heads/anchor/1", before)
		for i, line := range l.candidates() {
			name := fmt.Sprintf("refs/atoll/1/attempt/%d", i)
			switch {
			case i <= 4: // anchored before
			case c.marked:
				git(t, store, "update-ref", name, strings.Fields(line)[1])
			default:
				git(t, store, "update-ref", "-d", name)
			}
		}
		l.reopen()
		lines, err := engine.Reanchor(t.Context(), l.ses, l.exp.ID)
		if said := strings.Join(lines, "\n"); err != nil || strings.Contains(said, "could have been dropped") != c.danger {
			t.Errorf("%s: the log pane says %q, %v", c.name, said, err)
		}
	}
}
