package engine_test

import (
	"testing"

	"atoll/config"
	"atoll/engine"
	"atoll/store"
	"atoll/store/record"
)

func TestAnExperimentIsWrittenWithTheMeasurementOfItsRootInOneStep(t *testing.T) {
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	l.create()
	var kinds []record.LogKind
	err := l.ses.DB.FoldLog(t.Context(), l.exp.ID, 0, func(r record.FoldRow) error {
		kinds = append(kinds, r.Kind)
		return nil
	})
	if err != nil || len(kinds) != 1 {
		t.Fatalf("the log begins with %v, %v", kinds, err)
	}
	jobs, err := l.ses.DB.Jobs(t.Context(), l.exp.ID, store.JobFilter{})
	if err != nil || len(jobs) != 1 || jobs[0].ID != 0 || jobs[0].Purpose != record.PurposeRoot || jobs[0].Experiment != l.exp.ID {
		t.Fatalf("jobs %+v, %v", jobs, err)
	}
}

func TestAnExperimentWhoseRootWasNeverQueuedBeginsWithIt(t *testing.T) {
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": measure})
	cfg := l.loaded(labYAML, "budget.jobs=3")
	root, err := l.ses.Repo.Import(t.Context(), l.ses.Target, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	info, err := l.ses.Repo.Commit(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	l.exp, err = l.ses.DB.CreateExperiment(t.Context(), record.Experiment{ // as an earlier atoll that was killed left it
		Name: "half", Repository: l.repo, Branch: "main", RootCommit: root, RootTree: info.Tree, RootTime: record.Millis(info.Time.UnixMilli()),
		Seed: 1, Config: config.Encode(cfg), EvalKey: config.MeasureKey(cfg), Objective: 1, State: record.ExperimentRunning,
	}, cfg.Settings())
	if err != nil {
		t.Fatal(err)
	}
	snap, err := l.runWith(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if snap.Root.Samples == 0 || snap.State != record.ExperimentDone {
		t.Errorf("it ended %s: %s", snap.State, snap.Reason)
	}
}
