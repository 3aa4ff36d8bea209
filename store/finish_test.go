package store_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"atoll/store"
	"atoll/store/record"
)

func TestTheSameTreeEndsAsADuplicate(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 3)
	w.through(100, 1)
	l := w.lease()
	dup, _, err := w.db.Made(w.ctx, l, candidate(l, 100), store.Outcome{
		Usage: record.Usage{Requests: 2, InputTokens: 30, CostUSD: ptr(0.5)}, EditMS: 7, Evidence: []record.Evidence{{Kind: "transcript", Text: []byte("said")}},
	})
	w.ok(err)
	if dup != 1 {
		t.Fatalf("duplicate of %s, want c1", dup)
	}
	j := w.job(2)
	if j.State != record.Duplicate || j.Duplicate != 1 || j.Candidate != record.NoCandidate || j.Reason != "same tree as c1" {
		t.Errorf("got %+v", j)
	}
	if u := j.Usage; u.Requests != 2 || u.InputTokens != 30 || u.CostUSD == nil || *u.CostUSD != 0.5 || j.EditMS != 7 {
		t.Errorf("what the attempt used is lost: %+v, %d ms", u, j.EditMS)
	}
	if said, err := w.db.EvidenceOf(w.ctx, w.exp, 2); err != nil || len(said) != 1 {
		t.Errorf("the evidence is lost: %v, %v", said, err)
	}
	_, err = w.db.Candidate(w.ctx, w.exp, 2)
	wants(t, err, store.ErrNotFound)
	root := w.lease()
	if dup, _, err := w.db.Made(w.ctx, root, candidate(root, 2)); dup != record.Root || err != nil {
		t.Errorf("the tree of the root: got %s, %v", dup, err)
	}
}

func TestATreeWithoutAVerdictIsNoOriginal(t *testing.T) {
	for _, c := range []struct {
		name  string
		state record.JobState
		class record.Class
		dup   record.CandidateID
	}{
		{"cancelled", record.Cancelled, record.ClassNone, record.NoCandidate},
		{"failed by atoll itself", record.Failed, record.ClassInternal, record.NoCandidate},
		{"failed by the evaluator", record.Failed, record.ClassEvaluator, record.NoCandidate},
		{"failed its tests", record.Failed, record.ClassTest, 1},
		{"rejected", record.Rejected, record.ClassGate, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, record.Settings{})
			w.addMakes(1, 2)
			l := w.lease()
			w.made(l, 100)
			w.finish(l, store.Outcome{State: c.state, Class: c.class, Reason: "because"})
			if got := w.candidate(1); string(got.Status) != string(c.state) || got.Class != c.class || got.Reason != "because" {
				t.Errorf("got candidate %+v", got)
			}
			l = w.lease()
			dup, _, err := w.db.Made(w.ctx, l, candidate(l, 100))
			w.ok(err)
			if dup != c.dup {
				t.Errorf("got %s, want %s", dup, c.dup)
			}
		})
	}
}

func TestSamplesOfAnEvaluateJobAreARowOfTheirOwn(t *testing.T) {
	w := open(t, record.Settings{})
	w.add(evaluateJob(0, record.Root), evaluateJob(1, record.Root))
	l := w.lease()
	o := store.Outcome{State: record.Done, Evals: 3, Candidate: &record.Candidate{Objective: ptr(2), MAD: 0.5, Dev: 0.7, Samples: 3, ClaimedDev: 0.25}}
	for i, v := range []float64{1.5, 2, 2.5} {
		o.Samples = append(o.Samples, record.Sample{Repeat: i, Objective: v, Load: &v, Metrics: []record.Metric{{Name: "ms", Value: v}}})
	}
	seq := w.finish(l, o)
	rows, err := w.db.Log(w.ctx, w.exp, seq-1, 1)
	w.ok(err)
	if rows[0].Kind != record.LogSample || rows[0].Candidate != record.Root || rows[0].Job != 0 {
		t.Errorf("got row %+v", rows[0])
	}
	root := w.candidate(record.Root)
	if root.Status != record.StatusScored || *root.Objective != 2 || root.Samples != 3 || root.Dev != 0.7 || root.ClaimedDev != 0.25 || root.Scored != seq {
		t.Errorf("got root %+v", root)
	}
	samples, err := w.db.SamplesOf(w.ctx, w.exp, record.Root)
	w.ok(err)
	if len(samples) != 3 || samples[2].Objective != 2.5 || samples[2].Metrics[0].Value != 2.5 || samples[0].At == 0 || *samples[2].Load != 2.5 {
		t.Errorf("got %+v", samples)
	}
	seq = w.finish(w.lease(), store.Outcome{State: record.Failed, Class: record.ClassTimeout, Reason: "too slow"})
	rows, err = w.db.Log(w.ctx, w.exp, seq-1, 1)
	w.ok(err)
	if rows[0].Kind != record.LogEnd || string(rows[0].Data) != `{"state":"failed","class":"timeout","reason":"too slow"}` {
		t.Errorf("got row %+v %s", rows[0], rows[0].Data)
	}
	if root := w.candidate(record.Root); root.Status != record.StatusScored {
		t.Errorf("a failed measurement made the root %s", root.Status)
	}
}

func TestNumbersThatAreNotFiniteAreRefusedAtTheDoor(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	l := w.lease()
	w.made(l, 100)
	before := len(w.kinds())
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, o := range map[string]store.Outcome{
			"objective": {Candidate: &record.Candidate{Objective: &bad}},
			"spread":    {Candidate: &record.Candidate{MAD: bad}},
			"deviation": {Candidate: &record.Candidate{Dev: bad}},
			"claimed":   {Candidate: &record.Candidate{Claimed: &bad}},
			"measure":   {Candidate: &record.Candidate{Measures: []float64{1, bad}}},
			"metric":    {Candidate: &record.Candidate{Metrics: []record.Metric{{Name: "m", Value: bad}}}},
			"sample":    {Samples: []record.Sample{{Objective: bad}}},
			"of sample": {Samples: []record.Sample{{Metrics: []record.Metric{{Name: "m", Value: bad}}}}},
			"vector":    {Vector: []float32{float32(bad)}},
			"cost":      {Usage: record.Usage{CostUSD: &bad}},
			"own time":  {OwnMS: bad},
		} {
			o.State = record.Scored
			_, err := w.db.Finish(w.ctx, l, o)
			if err == nil {
				t.Fatalf("%s %g was taken", name, bad)
			}
			wants(t, err, store.ErrNotFinite)
		}
		_, err := w.db.PutSettings(w.ctx, w.exp, record.Settings{MaxCostUSD: bad})
		wants(t, err, store.ErrNotFinite)
		_, err = w.db.PutSettings(w.ctx, w.exp, record.Settings{Agents: map[string]float64{"x": bad}})
		wants(t, err, store.ErrNotFinite)
		_, err = w.db.AppendDecision(w.ctx, w.exp, record.Decision{Verb: record.Boost, Value: bad})
		wants(t, err, store.ErrNotFinite)
		_, err = w.db.PutSpace(w.ctx, w.exp, record.Space{Version: 1, Report: record.SpaceReport{Moved: bad}})
		wants(t, err, store.ErrNotFinite)
		wants(t, w.db.Reserve(w.ctx, l, bad), store.ErrNotFinite)
		wants(t, w.db.Settle(w.ctx, l, bad, record.Usage{}), store.ErrNotFinite)
		wants(t, w.db.PutBlobVectors(w.ctx, "e", map[record.Hash][]float32{hash(1): {float32(bad)}}), store.ErrNotFinite)
	}
	if after := len(w.kinds()); after != before || w.job(1).State != record.Committed {
		t.Errorf("%d rows were added, the job is %s", after-before, w.job(1).State)
	}
}

func TestAJobEndsOnlyAsItsKindDoes(t *testing.T) {
	w := open(t, record.Settings{})
	w.add(makeJob(1), evaluateJob(2, 0), record.Job{ID: 3, Kind: record.Assist})
	for range 3 {
		l := w.lease()
		ends := map[record.JobState]bool{
			record.Done: l.Job.Kind != record.Make, record.Scored: l.Job.Kind == record.Make, record.Rejected: l.Job.Kind != record.Assist,
			record.Queued: false, record.Held: false, record.Evaluating: false,
		}
		for state, ok := range ends {
			if ok {
				continue
			}
			_, err := w.db.Finish(w.ctx, l, store.Outcome{State: state})
			wants(t, err, store.ErrInvalid)
		}
		w.finish(l, store.Outcome{State: record.Cancelled})
	}
}

func TestEvidenceComesBackWhole(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	l := w.lease()
	noise := make([]byte, 200_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	texts := [][]byte{[]byte("short"), {}, bytes.Repeat([]byte("the same line again\n"), 50_000), noise}
	o := store.Outcome{State: record.Failed}
	for _, text := range texts {
		o.Evidence = append(o.Evidence, record.Evidence{Kind: "stderr", Text: text, Cut: int64(len(text))})
	}
	w.ok(w.db.PutEvidence(w.ctx, w.exp, []record.Evidence{{Job: 1, Attempt: 1, Kind: "prompt", Text: []byte("please")}}))
	w.finish(l, o)
	got, err := w.db.EvidenceOf(w.ctx, w.exp, 1)
	w.ok(err)
	if len(got) != 5 || got[0].Kind != "prompt" {
		t.Fatalf("got %d texts", len(got))
	}
	for i, text := range texts {
		e := got[i+1]
		if !bytes.Equal(e.Text, text) || e.Job != 1 || e.Attempt != 1 || e.Kind != "stderr" || e.Cut != int64(len(text)) {
			t.Errorf("text %d: %d bytes, want %d", i, len(e.Text), len(text))
		}
	}
	if size := w.fileSize(); size > 1<<20 {
		t.Errorf("a megabyte of equal lines was not compressed: the store has %d bytes", size)
	}
}

func TestReviewBeforeMeasuring(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	l := w.lease()
	wants(t, w.db.Hold(w.ctx, l, record.Gated, "nothing to hold"), store.ErrInvalid)
	w.made(l, 100)
	wants(t, w.db.Hold(w.ctx, l, record.Editing, "no such point"), store.ErrInvalid)
	w.ok(w.db.Stage(w.ctx, l, record.Committed, record.Gated))
	w.ok(w.db.Hold(w.ctx, l, record.Gated, "touches the build"))
	if j := w.job(1); j.State != record.Held || j.HeldAt != record.Gated || j.Reason != "touches the build" || j.LeaseUntil != 0 {
		t.Errorf("got %+v", j)
	}
	if c := w.candidate(1); c.Status != record.StatusHeld || c.Reason != "touches the build" {
		t.Errorf("got %+v", c)
	}
	wants(t, w.db.Heartbeat(w.ctx, l, time.Minute), store.ErrLost)
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrNoJob)
	w.ok(w.db.Release(w.ctx, w.exp, 1))
	wants(t, w.db.Release(w.ctx, w.exp, 1), store.ErrLost)
	l = w.lease()
	if l.Job.State != record.Gated || !l.Job.Approved || l.Attempt != 2 || l.Job.Candidate != 1 {
		t.Fatalf("got %+v", l.Job)
	}
	w.ok(w.db.Stage(w.ctx, l, record.Gated, record.Evaluating))
	w.finish(l, scored(3))
}

func TestReviewBeforeANicheKeepsTheMeasurement(t *testing.T) {
	w := open(t, record.Settings{MaxEvals: 1})
	w.addMakes(1, 1)
	l := w.lease()
	w.made(l, 100)
	w.ok(w.db.Stage(w.ctx, l, record.Committed, record.Evaluating))
	o := scored(9)
	o.Evals, o.Vector = 1, []float32{1, 2}
	w.ok(w.db.Hold(w.ctx, l, record.Evaluating, "new best", o))
	c := w.candidate(1)
	if c.Status != record.StatusHeld || *c.Objective != 9 || c.Scored != 0 || len(c.Metrics) != 1 {
		t.Errorf("got %+v", c)
	}
	if v, err := w.db.Vector(w.ctx, w.exp, 1); err != nil || v[1] != 2 {
		t.Errorf("got %v, %v", v, err)
	}
	w.ok(w.db.Release(w.ctx, w.exp, 1))
	l = w.lease() // although no evaluation is left: there is nothing to measure
	if l.Job.State != record.Evaluating || l.Job.HeldAt != record.Evaluating {
		t.Fatalf("got %+v", l.Job)
	}
	c.Status = ""
	seq := w.finish(l, store.Outcome{State: record.Scored, Candidate: &c})
	if c := w.candidate(1); c.Status != record.StatusScored || c.Scored != seq {
		t.Errorf("got %+v", c)
	}
}

func TestAPersonEndsAHeldJobAndTakesItBack(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 2)
	l := w.lease()
	w.made(l, 100)
	w.ok(w.db.Hold(w.ctx, l, record.Gated, "risky"))
	wants(t, w.db.EndHeld(w.ctx, w.exp, 1, record.Scored, "", ""), store.ErrInvalid)
	w.ok(w.db.EndHeld(w.ctx, w.exp, 1, record.Rejected, record.ClassReview, "too clever"))
	if c := w.candidate(1); c.Status != record.StatusRejected || c.Class != record.ClassReview {
		t.Errorf("got %+v", c)
	}
	wants(t, w.db.EndHeld(w.ctx, w.exp, 1, record.Rejected, record.ClassReview, "again"), store.ErrLost)
	w.ok(w.db.Reopen(w.ctx, w.exp, 1))
	if j, c := w.job(1), w.candidate(1); j.State != record.Held || j.Ended != 0 || c.Status != record.StatusHeld {
		t.Errorf("got %+v and %+v", j, c)
	}
	wants(t, w.db.Reopen(w.ctx, w.exp, 1), store.ErrLost)
	w.ok(w.db.EndHeld(w.ctx, w.exp, 2, record.Cancelled, record.ClassReview, "no need"))
	wants(t, w.db.Reopen(w.ctx, w.exp, 2), store.ErrLost)
	if ok, err := w.db.CancelQueued(w.ctx, w.exp, 2, "no need"); ok || err != nil {
		t.Errorf("cancelled an ended job: %v %v", ok, err)
	}
}

func TestAJobIsPlacedAfterItsFold(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 2)
	id := w.through(100, 1)
	l := w.lease()
	w.ok(w.db.Place(w.ctx, w.exp, id, l.Job.ID, 99))
	if a, b := w.job(id).State, w.job(l.Job.ID).State; a != record.Placed || b != record.Editing {
		t.Errorf("got %s and %s", a, b)
	}
	if c := w.counters(); c.Jobs(record.Make, record.Placed) != 1 || c.Jobs(record.Make, record.Scored) != 0 {
		t.Errorf("got %+v", c)
	}
}
