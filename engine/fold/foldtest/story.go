// Package foldtest lets tests tell an experiment without agents and evaluators: a
// [Story] takes jobs of a real store from step to step with the values that a test
// names.
package foldtest

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// Story is an experiment in a store of its own, with one axis of ten niches from 0
// to 1 by the metric x.
type Story struct {
	DB   *store.DB
	Exp  record.Experiment
	t    testing.TB
	tree uint32 // the last tree that was made up
}

// Begin creates the experiment; change may alter it before.
func Begin(t testing.TB, change ...func(*record.Experiment, *config.Config, *record.Settings)) *Story {
	t.Helper()
	cfg := config.Defaults()
	cfg.Map.Axes = []config.Axis{{Metric: "x", Min: 0, Max: 1, Bins: 10}}
	cfg.Evaluator.Direction = config.Maximize
	exp := record.Experiment{Name: "story", RootTime: 1000, Seed: 5, Lookahead: 8}
	settings := record.Settings{Workers: 1, MaxJobs: 100}
	for _, fn := range change {
		fn(&exp, &cfg, &settings)
	}
	exp.Config = config.Encode(cfg)
	s := &Story{t: t}
	var err error
	s.DB, err = store.Open(context.Background(), filepath.Join(t.TempDir(), "atoll.db"), store.Options{})
	s.ok(err)
	t.Cleanup(func() {
		if err := s.DB.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	exp.RootCommit, exp.RootTree = s.hash(), s.hash()
	s.Exp, err = s.DB.CreateExperiment(context.Background(), exp, settings)
	s.ok(err)
	return s
}

func (s *Story) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// hash makes up the name of an object.
func (s *Story) hash() (h record.Hash) {
	s.tree++
	h[16], h[17], h[18], h[19] = byte(s.tree>>24), byte(s.tree>>16), byte(s.tree>>8), byte(s.tree)
	return h
}

// State folds the log.
func (s *Story) State() *fold.State {
	s.t.Helper()
	st, err := fold.LoadState(context.Background(), s.DB, s.Exp.ID)
	s.ok(err)
	return st
}

// Add queues jobs.
func (s *Story) Add(jobs ...record.Job) {
	s.t.Helper()
	for i := range jobs {
		jobs[i].Experiment = s.Exp.ID
	}
	s.ok(s.DB.AddJobs(context.Background(), jobs))
}

// Lease leases the next job.
func (s *Story) Lease() record.Lease {
	s.t.Helper()
	l, err := s.DB.Lease(context.Background(), s.Exp.ID, "w1", time.Minute)
	s.ok(err)
	return *l
}

// Commit gives a leased make job a commit and takes it through the gate.
func (s *Story) Commit(l record.Lease) {
	s.t.Helper()
	ctx := context.Background()
	_, _, err := s.DB.Made(ctx, l, record.Candidate{
		Commit: s.hash(), Tree: s.hash(), Operator: l.Job.Operator, Agent: l.Job.Agent, Intent: "edit " + l.Job.ID.String(),
		Parents: []record.ParentRef{{ID: l.Job.Parent, Role: record.RoleParent}},
	})
	s.ok(err)
	s.ok(s.DB.Stage(ctx, l, record.Committed, record.Gated))
}

// Measure takes the next job to its end: its candidate has a value and lies at x. more
// are the values of further samples.
func (s *Story) Measure(value, x float64, more ...float64) record.Job {
	s.t.Helper()
	l := s.Lease()
	metrics := []record.Metric{{Name: "score", Value: value}, {Name: "x", Value: x}}
	out := store.Outcome{
		State:     record.Done,
		Candidate: &record.Candidate{ID: l.Job.Candidate, Status: record.StatusScored, Objective: &value, Samples: 1 + len(more), Measures: []float64{x}, Metrics: metrics, Version: 1},
		Samples:   []record.Sample{{Objective: value, Metrics: metrics, Version: 1}},
	}
	for i, v := range more {
		out.Candidate.MAD = max(out.Candidate.MAD, math.Abs(v-value))
		out.Samples = append(out.Samples, record.Sample{Objective: v, Metrics: metrics, Version: 1, Repeat: i + 1})
	}
	if l.Job.Kind == record.Make {
		s.Commit(l)
		s.ok(s.DB.Stage(context.Background(), l, record.Gated, record.Evaluating))
		out.State, out.Candidate.ID = record.Scored, record.CandidateID(l.Job.ID)
	}
	_, err := s.DB.Finish(context.Background(), l, out)
	s.ok(err)
	return l.Job
}

// Hold measures the next job and has its candidate wait for a person before its niche.
func (s *Story) Hold(value, x float64) record.Job {
	s.t.Helper()
	l := s.Lease()
	s.Commit(l)
	s.ok(s.DB.Stage(context.Background(), l, record.Gated, record.Evaluating))
	metrics := []record.Metric{{Name: "score", Value: value}, {Name: "x", Value: x}}
	s.ok(s.DB.Hold(context.Background(), l, record.Evaluating, "a person looks at it", store.Outcome{
		Candidate: &record.Candidate{ID: record.CandidateID(l.Job.ID), Status: record.StatusHeld, Objective: &value, Samples: 1, Measures: []float64{x}, Metrics: metrics, Version: 1},
		Samples:   []record.Sample{{Objective: value, Metrics: metrics, Version: 1}},
	}))
	return l.Job
}

// Fail takes the next job to a failure.
func (s *Story) Fail(class record.Class, reason string) record.Job {
	s.t.Helper()
	l := s.Lease()
	_, err := s.DB.Finish(context.Background(), l, store.Outcome{State: record.Failed, Class: class, Reason: reason})
	s.ok(err)
	return l.Job
}

// Decide appends a decision as a verb would.
func (s *Story) Decide(d record.Decision) {
	s.t.Helper()
	d.Who = "ada"
	_, err := s.DB.AppendDecisions(context.Background(), s.Exp.ID, d)
	s.ok(err)
}
