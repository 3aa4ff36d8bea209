package engine_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/engine/repair"
	"atoll/engine/view"
)

// runKept runs the experiment to its end and keeps its fold, however small it is.
func (l *lab) runKept() {
	l.t.Helper()
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true})
	engine.KeepFoldsFrom(eng, 1)
	if err := eng.Run(l.t.Context()); err != nil {
		l.t.Fatalf("run: %v", err)
	}
}

// keptFile is the kept fold of the lab.
func (l *lab) keptFile() string { return filepath.Join(l.ses.Dir, "folds", "1") }

// recalled is the kept fold as it was written; nil where none counts.
func (l *lab) recalled() (*fold.State, []view.LogLine, error) {
	return kept.Open(l.t.Context(), l.ses.Dir, l.ses.DB, l.exp.ID)
}

// alike fails where a reader of the kept fold sees another experiment than one who folds
// every row.
func (l *lab) alike(t *testing.T, learned bool) {
	t.Helper()
	st, err := kept.Load(t.Context(), l.ses.Dir, l.ses.DB, l.exp.ID)
	if err != nil {
		t.Fatal(err)
	}
	fresh := l.state()
	if known, err := fresh.Digest().Compare(st.Digest()); !known || err != nil {
		t.Errorf("the digest is known: %v, and %v", known, err)
	}
	if err := st.CheckArchive(); err != nil {
		t.Error(err)
	}
	got, want := st.Snapshot(), fresh.Snapshot()
	if learned {
		return // how the search went under an earlier map is not in the log
	}
	got.Root.Percent, want.Root.Percent = 0, 0 // of nothing, which is not equal to itself
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a reader sees\n%+v\nnot\n%+v", got, want)
	}
}

func TestAReaderOfAKeptFoldSeesWhatTheLogSays(t *testing.T) {
	t.Parallel()
	for order, begin := range verified() {
		t.Run(order, func(t *testing.T) {
			if order != "in the order of completion" {
				suitetest.Full(t, "two more runs of two parts; the order of completion stands for them")
			}
			t.Parallel()
			l := begin(t)
			learned := order == "on a learned map"
			l.runKept()
			st, lines, err := l.recalled()
			if err != nil || st == nil || len(lines) == 0 {
				t.Fatalf("kept are %v and %d lines: %v", st != nil, len(lines), err)
			}
			l.alike(t, learned)
			l.raise(40)
			l.run() // keeps none, for it is small: rows come after the kept one
			if st, _, _ = l.recalled(); st == nil || st.Seq >= l.state().Seq {
				t.Fatal("the kept fold is not an earlier one")
			}
			l.alike(t, learned)
		})
	}
}

func TestWhoLooksOnStartsFromTheKeptFold(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=20")
	l.runKept()
	_, lines, err := l.recalled()
	if err != nil || len(lines) == 0 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	s := l.await(l.lookOn().eng, "what was kept is shown", func(s *view.Snapshot) bool { return s.State == "done" })
	if len(s.Log) < len(lines) || s.Log[0].Text != lines[0].Text || s.Best.ID != l.state().Best {
		t.Errorf("%d lines of %d, the best is %s", len(s.Log), len(lines), s.Best.ID)
	}
}

func TestAFoldThatDoesNotCountIsNotRead(t *testing.T) {
	t.Parallel()
	l := newLab(t, "budget.jobs=12")
	l.runKept()
	for name, spoil := range map[string]func(*lab){
		"another program wrote it": func(l *lab) {
			l.change(`UPDATE meta SET value = json_set(value, '$.Program', 'of another time') WHERE key = 'kept-fold'`)
		},
		"the file is an earlier one":           func(l *lab) { l.change(`UPDATE meta SET value = json_set(value, '$.ID', 'X') WHERE key = 'kept-fold'`) },
		"the file is gone":                     func(l *lab) { _ = os.Remove(l.keptFile()) },
		"the file is empty":                    func(l *lab) { _ = os.Truncate(l.keptFile(), 0) },
		"the database knows of none":           func(l *lab) { l.change(`DELETE FROM meta WHERE key = 'kept-fold'`) },
		"the experiment has another evaluator": func(l *lab) { l.change(`UPDATE experiment SET objective = 2`) },
	} {
		t.Run(name, func(t *testing.T) {
			twin := l.copied(t)
			spoil(twin)
			if st, _, err := twin.recalled(); st != nil {
				t.Errorf("it is read: %v", err)
			}
		})
	}
}

func TestDoctorFindsWhatIsAmissWithAKeptFoldAndRepairPutsItAside(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several wrecks; TestAFoldThatDoesNotCountIsNotRead stands for it")
	l := newLab(t, "budget.jobs=12")
	l.runKept()
	for name, c := range map[string]struct {
		spoil func(*lab)
		says  string
	}{
		"nothing": {func(*lab) {}, ""},
		"a byte of it": {func(l *lab) {
			data, err := os.ReadFile(l.keptFile())
			if err == nil {
				data[len(data)/2] ^= 1
				err = os.WriteFile(l.keptFile(), data, 0o600)
			}
			if err != nil {
				l.t.Fatal(err)
			}
		}, "damaged"},
		"half of it": {func(l *lab) {
			info, err := os.Stat(l.keptFile())
			if err == nil {
				err = os.Truncate(l.keptFile(), info.Size()/2)
			}
			if err != nil {
				l.t.Fatal(err)
			}
		}, "damaged"},
		"it is of a log that went otherwise": {func(l *lab) {
			l.change(`UPDATE candidate SET operator = 'structural' WHERE id = 3`)
			l.change(`DELETE FROM meta WHERE key = 'digest'`)
		}, "not the fold of the log"},
	} {
		t.Run(name, func(t *testing.T) {
			twin := l.copied(t)
			c.spoil(twin)
			if err := twin.ses.Close(); err != nil {
				t.Fatal(err)
			}
			got := foldCheck(t, twin.ses.Dir)
			if got.OK != (c.says == "") || !strings.Contains(got.Detail, c.says) || !got.OK && !strings.Contains(got.Cure, "repair") {
				t.Errorf("doctor says %+v", got)
			}
			r, err := repair.Run(t.Context(), repair.Options{Dir: twin.ses.Dir, Target: l.ses.Target, Now: time.Now})
			if err != nil || !r.Whole() {
				t.Errorf("%v, %+v", err, r)
			}
			if got := foldCheck(t, twin.ses.Dir); !got.OK {
				t.Errorf("after the repair doctor says %+v", got)
			}
		})
	}
}

func foldCheck(t *testing.T, dir string) view.CheckLine {
	t.Helper()
	for _, c := range doctor.CheckState(t.Context(), doctor.StateOptions{Dir: dir}) {
		if c.Name == "kept fold" {
			return c
		}
	}
	t.Fatal("doctor says nothing of the kept fold")
	return view.CheckLine{}
}
