package store_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"atoll/store"
	"atoll/store/record"
)

// last returns the last row of the log of any kind.
func (w *world) last() record.LogRow {
	w.t.Helper()
	rows, err := w.db.Tail(w.ctx, w.exp, 1)
	w.ok(err)
	return rows[0]
}

func TestWhatAPersonChangesIsARowWithItsContent(t *testing.T) {
	w := open(t, record.Settings{Workers: 1})
	settings := record.Settings{Workers: 3, Goal: "faster", MaxCostUSD: 0.25, Operators: map[string]float64{"tune": 0.5}}
	space := record.Space{Version: 1, AtFold: 32, Model: []byte{1, 2}, Report: record.SpaceReport{Version: 1, Cause: "first", Axes: []string{"a", "b"}}}
	decision := record.Decision{
		Who: "ada", Verb: record.Boost, Candidate: 4, Job: record.NoJob, Cell: 17, Value: 2, Args: json.RawMessage(`{"until":9}`),
		Inverse: &record.Decision{Verb: record.Release, Candidate: 4, Cell: 17},
	}
	var note record.Note
	for _, c := range []struct {
		name string
		do   func() (record.Seq, error)
		kind record.LogKind
		want any
		into any
	}{
		{
			"settings", func() (record.Seq, error) { return w.db.PutSettings(w.ctx, w.exp, settings) },
			record.LogSetting, &settings, &record.Settings{},
		},
		{"state", func() (record.Seq, error) {
			return w.db.PutState(w.ctx, w.exp, record.ExperimentPaused, "lunch")
		}, record.LogState, &record.StateData{State: record.ExperimentPaused, Reason: "lunch"}, &record.StateData{}},
		{
			"map", func() (record.Seq, error) { return w.db.PutSpace(w.ctx, w.exp, space) },
			record.LogSpace, &space.Report, &record.SpaceReport{},
		},
		{
			"decision", func() (record.Seq, error) { return w.db.AppendDecision(w.ctx, w.exp, decision) },
			record.LogDecision, &decision, &record.Decision{},
		},
		{"note", func() (record.Seq, error) {
			var err error
			note, err = w.db.PutNote(w.ctx, w.exp, record.Note{Kind: "long", Text: "loops matter", Author: "ada"})
			if err != nil {
				return 0, err
			}
			return w.db.LastSeq(w.ctx, w.exp)
		}, record.LogNote, &note, &record.Note{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seq, err := c.do()
			w.ok(err)
			row := w.last()
			if row.Seq != seq || row.Kind != c.kind || row.At == 0 || row.Experiment != w.exp {
				t.Errorf("got row %+v, want %s at %d", row, c.kind, seq)
			}
			w.ok(json.Unmarshal(row.Data, c.into))
			if !reflect.DeepEqual(c.into, c.want) {
				t.Errorf("got %+v, want %+v", c.into, c.want)
			}
		})
	}
	got, err := w.db.Settings(w.ctx, w.exp)
	w.ok(err)
	e, err := w.db.Experiment(w.ctx, w.exp)
	w.ok(err)
	if !reflect.DeepEqual(got, settings) || e.State != record.ExperimentPaused || e.Reason != "lunch" {
		t.Errorf("got %+v and %+v", got, e)
	}
}

func TestDecisionsAreReadBackNewestFirst(t *testing.T) {
	w := open(t, record.Settings{})
	var seqs []record.Seq
	for i := range 5 {
		seq, err := w.db.AppendDecision(w.ctx, w.exp, record.Decision{Verb: record.Freeze, Cell: i, Candidate: 3, Job: record.NoJob})
		w.ok(err)
		seqs = append(seqs, seq)
		w.ok(w.db.AddJobs(w.ctx, []record.Job{{Experiment: w.exp, ID: record.JobID(i), Kind: record.Make}}))
	}
	all, err := w.db.Decisions(w.ctx, w.exp, 3)
	w.ok(err)
	if len(all) != 3 || all[0].Cell != 4 || all[0].Seq != seqs[4] || all[2].Seq != seqs[2] || all[0].At == 0 {
		t.Errorf("got %+v", all)
	}
	d, err := w.db.Decision(w.ctx, w.exp, seqs[1])
	w.ok(err)
	if d.Cell != 1 || d.Seq != seqs[1] {
		t.Errorf("got %+v", d)
	}
	_, err = w.db.Decision(w.ctx, w.exp, seqs[1]+1) // the row of a job
	wants(t, err, store.ErrNotFound)
	_, err = w.db.AppendDecision(w.ctx, 99, record.Decision{Verb: record.Pin})
	wants(t, err, store.ErrNotFound)
}

func TestMapsAndNotes(t *testing.T) {
	w := open(t, record.Settings{})
	for v := 1; v <= 2; v++ {
		seq, err := w.db.PutSpace(w.ctx, w.exp, record.Space{Version: v, AtFold: 10 * v, Model: []byte{byte(v)}})
		w.ok(err)
		s, err := w.db.Space(w.ctx, w.exp, v)
		w.ok(err)
		if s.Seq != seq || s.AtFold != 10*v || s.Model[0] != byte(v) {
			t.Errorf("got %+v", s)
		}
	}
	before := w.last()
	_, err := w.db.PutSpace(w.ctx, w.exp, record.Space{Version: 2})
	wants(t, err, store.ErrExists)
	if after := w.last(); after.Seq != before.Seq {
		t.Error("a refused map left a row")
	}
	all, err := w.db.Spaces(w.ctx, w.exp)
	w.ok(err)
	if len(all) != 2 || all[1].Version != 2 {
		t.Errorf("got %+v", all)
	}
	_, err = w.db.Space(w.ctx, w.exp, 3)
	wants(t, err, store.ErrNotFound)

	n, err := w.db.PutNote(w.ctx, w.exp, record.Note{Kind: "short", Text: "first"})
	w.ok(err)
	n.Gone = true
	_, err = w.db.PutNote(w.ctx, w.exp, n)
	w.ok(err)
	notes, err := w.db.Notes(w.ctx, w.exp)
	w.ok(err)
	if len(notes) != 1 || notes[0] != n {
		t.Errorf("got %+v, want %+v", notes, n)
	}
	_, err = w.db.PutNote(w.ctx, w.exp, record.Note{ID: 99})
	wants(t, err, store.ErrNotFound)
	w.ok(w.db.DropNote(w.ctx, w.exp, n.ID))
	w.ok(w.db.DropNote(w.ctx, w.exp, n.ID))
	if notes, err := w.db.Notes(w.ctx, w.exp); err != nil || len(notes) != 0 {
		t.Errorf("after it was dropped: %+v, %v", notes, err)
	}
	if k := w.kinds(); k[len(k)-1] != record.LogNote {
		t.Errorf("the log does not have it any more: %v", k)
	}
}

func TestSmallFacts(t *testing.T) {
	w := open(t, record.Settings{})
	if _, ok, err := w.db.Meta(w.ctx, w.exp, "seal"); ok || err != nil {
		t.Error(ok, err)
	}
	for _, v := range []string{"a", "b"} {
		w.ok(w.db.PutMeta(w.ctx, w.exp, "seal", v))
		if got, ok, err := w.db.Meta(w.ctx, w.exp, "seal"); got != v || !ok || err != nil {
			t.Error(got, ok, err)
		}
	}
}

func TestTheFoldGetsWhatItNeedsInOrder(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 5)
	w.through(101, 11) // 1: scored
	l := w.lease()     // 2: failed without a commit
	w.finish(l, store.Outcome{
		State: record.Failed, Class: record.ClassAgent, Reason: "no answer", EditMS: 7,
		Usage: record.Usage{Requests: 1, InputTokens: 5, CostUSD: ptr(0.5)},
	})
	l = w.lease() // 3: duplicate of 1
	if dup, _, err := w.db.Made(w.ctx, l, candidate(l, 101)); dup != 1 || err != nil {
		t.Fatal(dup, err)
	}
	l = w.lease() // 4: held
	w.made(l, 104)
	w.ok(w.db.Hold(w.ctx, l, record.Gated, "risky"))
	l = w.lease() // 5: runs
	w.made(l, 105)
	w.add(record.Job{ID: 6, Kind: record.Evaluate, Candidate: 1, Purpose: record.PurposeChallenge, Samples: 1})
	o := scored(12)
	o.State, o.Candidate.Samples, o.Candidate.Claimed, o.Candidate.ClaimedSamples = record.Done, 2, ptr(11.5), 3
	w.finish(w.lease(), o)
	_, err := w.db.AppendDecision(w.ctx, w.exp, record.Decision{Verb: record.Freeze, Candidate: 1, Job: record.NoJob})
	w.ok(err)

	var rows []record.FoldRow
	w.ok(w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
		rows = append(rows, r)
		return nil
	}))
	type brief struct {
		kind record.LogKind
		job  record.JobID
		cand record.CandidateID
	}
	var got []brief
	for _, r := range rows {
		b := brief{r.Kind, r.Job, record.NoCandidate}
		if r.Cand != nil {
			b.cand = r.Cand.ID
		}
		got = append(got, b)
	}
	want := []brief{
		{record.LogExperiment, -1, -1},
		{record.LogEnd, 1, 1},
		{record.LogEnd, 2, -1},
		{record.LogEnd, 3, -1},
		{record.LogHeld, 4, 4},
		{record.LogMade, 5, 5},
		{record.LogSample, 6, 1},
		{record.LogDecision, -1, -1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	last, err := w.db.LastSeq(w.ctx, w.exp)
	w.ok(err)
	if last != rows[len(rows)-1].Seq {
		t.Errorf("LastSeq is %d, the last row %d", last, rows[len(rows)-1].Seq)
	}
	checkFold(t, w, rows)
}

// checkFold compares the columns of fold rows with the records themselves.
func checkFold(t *testing.T, w *world, rows []record.FoldRow) {
	t.Helper()
	for _, r := range rows {
		if r.Cand != nil {
			c := w.candidate(r.Cand.ID)
			if r.Kind == record.LogEnd && r.Cand.ID == 1 { // and more samples since
				c.Objective, c.Samples, c.Claimed, c.ClaimedSamples, c.Measures = ptr(11.0), 1, nil, 0, []float64{11, 22}
			}
			want := record.FoldCandidate{
				Then: c.Objective != nil, ID: c.ID, Parent: c.Parent(), Commit: c.Commit, Tree: c.Tree, Operator: c.Operator, Agent: c.Agent,
				Target: c.Target, Status: c.Status, Class: c.Class, Reason: c.Reason, Objective: c.Objective, MAD: c.MAD,
				Samples: c.Samples, Claimed: c.Claimed, ClaimedSamples: c.ClaimedSamples, Dev: c.Dev, ClaimedDev: c.ClaimedDev, Version: c.Version,
				Measures: c.Measures, Created: c.Created, Added: c.Added, Removed: c.Removed,
				State: r.Cand.State, Usage: r.Cand.Usage,
			}
			if !reflect.DeepEqual(*r.Cand, want) {
				t.Errorf("row %d: got  %+v\nwant %+v", r.Seq, *r.Cand, want)
			}
		}
		if r.Work == nil {
			continue
		}
		j := w.job(r.Job)
		j.Created, j.Attempt, j.Samples, j.HeldAt = 0, 0, 0, ""
		if j.Kind == record.Evaluate {
			j.Parent, j.Operator, j.Agent, j.Target = record.NoCandidate, "", "", ""
		}
		if !reflect.DeepEqual(*r.Work, j) {
			t.Errorf("row %d: got  %+v\nwant %+v", r.Seq, *r.Work, j)
		}
		if r.Cand != nil && (r.Cand.State != j.State || !reflect.DeepEqual(r.Cand.Usage, j.Usage)) {
			t.Errorf("row %d: got state %s, usage %+v", r.Seq, r.Cand.State, r.Cand.Usage)
		}
		if b := r.JobBrief(record.EndData{State: record.Failed, Reason: "x"}); b.ID != r.Job || b.State != record.Failed || b.Reason != "x" {
			t.Errorf("row %d: got %+v", r.Seq, b)
		}
	}
}

func TestARowWithoutValuesHasThoseOfNow(t *testing.T) {
	for name, value := range map[string]string{"of before they were kept": "NULL", "that is damaged": "x'00000000000000400000000000000040'"} {
		t.Run(name, func(t *testing.T) {
			w := open(t, record.Settings{})
			w.addMakes(1, 1)
			w.through(101, 11)
			w.add(record.Job{ID: 2, Kind: record.Evaluate, Candidate: 1, Purpose: record.PurposeChallenge, Samples: 1})
			o := scored(12)
			o.State = record.Done
			w.finish(w.lease(), o)
			w.ok(w.db.Do("UPDATE log SET value = " + value))
			w.ok(w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
				if r.Cand != nil && (r.Cand.Then || *r.Cand.Objective != 12) {
					t.Errorf("row %d: got %+v", r.Seq, r.Cand)
				}
				return nil
			}))
		})
	}
}

func TestARowWithANumberThatNobodyGaveIsDamage(t *testing.T) {
	for _, parent := range []int{-7, 1 << 40} {
		w := open(t, record.Settings{})
		w.fill(1, 3, 1)
		w.ok(w.db.Do(fmt.Sprintf("UPDATE job SET parent = %d WHERE id = 2", parent)))
		w.ok(w.db.Do(fmt.Sprintf("UPDATE candidate SET parent = %d WHERE id = 2", parent)))
		wants(t, w.db.FoldLog(w.ctx, w.exp, 0, func(record.FoldRow) error { return nil }), store.ErrDamaged)
	}
}

func TestTheFoldGoesOnWhereItEnded(t *testing.T) {
	w := open(t, record.Settings{})
	w.fill(1, 2500, 4) // more than one part
	var all, parts []record.Seq
	w.ok(w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
		all = append(all, r.Seq)
		return w.db.PutMeta(w.ctx, w.exp, "fold", "a callback may use the store")
	}))
	if len(all) != 2501 {
		t.Fatalf("%d rows", len(all))
	}
	stop := errRefused
	after := record.Seq(0)
	for len(parts) < len(all) {
		n := 0
		err := w.db.FoldLog(w.ctx, w.exp, after, func(r record.FoldRow) error {
			if n++; n > 700 {
				return stop
			}
			parts = append(parts, r.Seq)
			after = r.Seq
			return nil
		})
		if n > 700 {
			wants(t, err, stop)
		} else {
			w.ok(err)
		}
	}
	if !reflect.DeepEqual(all, parts) {
		t.Errorf("in parts: %d rows, at once: %d", len(parts), len(all))
	}
}
