package door

import (
	"context"

	"atoll/engine/view"
	"atoll/store/record"
)

// Curves are histories over measured candidates under the present map; a null is
// not known.
type Curves struct {
	X        []int           `json:"x" doc:"Measured candidates so far."`
	At       []record.Millis `json:"at"`
	Best     []*float64      `json:"best"`
	Mean     []*float64      `json:"mean"`
	QD       []*float64      `json:"qd_score"`
	Coverage []*float64      `json:"coverage"`
	Marks    []Mark          `json:"marks"`
}

// Mark is an event on the curves.
type Mark struct {
	X    int    `json:"x"`
	Text string `json:"text"`
}

// CurvesOf tells the curves of a snapshot.
func CurvesOf(s *view.Snapshot) Curves {
	c := &s.Curves
	return Curves{
		X: append([]int{}, c.X...), At: append([]record.Millis{}, c.At...), Best: finite(c.Best), Mean: finite(c.Mean), QD: finite(c.QD), Coverage: finite(c.Coverage),
		Marks: every(c.Marks, func(m view.Mark) Mark { return Mark{m.X, view.CleanLine(m.Text)} }),
	}
}

// Activity is what happens now and what just happened.
type Activity struct {
	Running []Running         `json:"running" doc:"Oldest first."`
	Review  []Held            `json:"review" doc:"What waits for a person, oldest first."`
	Log     []LogLine         `json:"log" doc:"Newest last."`
	Decided []record.Decision `json:"decisions" doc:"Newest first."`
}

// Running is a job that a worker holds.
type Running struct {
	Job   record.Job    `json:"job"`
	Stage string        `json:"stage"`
	Since record.Millis `json:"since"`
	Line  string        `json:"line" doc:"Last line of its output."`
}

// Held is a candidate that waits for a person.
type Held struct {
	Candidate CandidateLine       `json:"candidate"`
	Before    string              `json:"before" doc:"measuring, or its niche"`
	Findings  []string            `json:"findings"`
	Niche     []int               `json:"niche" doc:"It would take it; null when nobody knows."`
	From      *record.CandidateID `json:"from"`
}

// LogLine is a line of the engine's log.
type LogLine struct {
	N     uint64        `json:"n"`
	At    record.Millis `json:"at"`
	Level string        `json:"level"`
	Text  string        `json:"text"`
}

// logLines is how many lines of the engine's log an answer has.
const logLines = 200

// ActivityOf tells what a snapshot knows of the moment.
func ActivityOf(s *view.Snapshot) Activity {
	return Activity{
		Running: every(s.Running, func(r view.Running) Running {
			return Running{cleanJob(r.Job), r.Stage, record.Millis(r.Since.UnixMilli()), view.CleanLine(r.Line)}
		}),
		Review: every(s.Review, func(h view.Held) Held {
			x := Held{Candidate: CandidateLine{cleanCandidate(h.Candidate), s.Told(h.Candidate.ID, h.Candidate.Objective, nil).String()}, Before: h.Before, Findings: every(h.Findings, view.CleanLine), Niche: coords(s.Grid.Dims, h.Cell)}
			if h.From != record.NoCandidate {
				x.From = &h.From
			}
			return x
		}),
		Log: every(s.Log[max(0, len(s.Log)-logLines):], func(l view.LogLine) LogLine {
			return LogLine{l.N, record.Millis(l.At.UnixMilli()), l.Level, view.CleanLine(l.Text)}
		}),
		Decided: every(s.Decisions, cleanDecision),
	}
}

func cleanDecision(d record.Decision) record.Decision {
	d.Text, d.Who, d.Inverse = clean(d.Text), view.CleanLine(d.Who), nil
	return d
}

// Yields say how operators, agents and targets do.
type Yields struct {
	Operators []Yield `json:"operators"`
	Agents    []Yield `json:"agents"`
	Targets   []Yield `json:"targets"`
}

// Yield is one of them.
type Yield struct {
	Name     string   `json:"name"`
	Weight   float64  `json:"weight"`
	Tries    int      `json:"tries"`
	Scored   int      `json:"scored"`
	Improved int      `json:"improved" doc:"Took a niche."`
	Best     int      `json:"best" doc:"Became the best."`
	Low      float64  `json:"low" doc:"Of the share that improved, with 95 % confidence."`
	High     float64  `json:"high"`
	CostUSD  *float64 `json:"cost_usd" doc:"null: nobody could meter it."`
	Frozen   bool     `json:"frozen"`
	Boost    float64  `json:"boost"`
}

// YieldsOf tells the yields of a snapshot.
func YieldsOf(s *view.Snapshot) Yields {
	one := func(y view.Yield) Yield {
		return Yield{view.CleanLine(y.Name), y.Weight, y.Tries, y.Scored, y.Improved, y.Best, y.Low, y.High, y.CostUSD, y.Frozen, y.Boost}
	}
	return Yields{every(s.Operators, one), every(s.Agents, one), every(s.Targets, one)}
}

// Failure is a group of failures that are alike.
type Failure struct {
	Class  record.Class `json:"class"`
	Reason string       `json:"reason"`
	Count  int          `json:"count"`
	Sample record.JobID `json:"sample" doc:"A job that failed so."`
	Cure   string       `json:"cure"`
}

// FailuresOf tells the failures of a snapshot, most frequent first.
func FailuresOf(s *view.Snapshot) []Failure {
	return every(s.Failures, func(f view.FailureGroup) Failure {
		return Failure{f.Class, clean(f.Reason), f.Count, f.Sample, view.CleanLine(f.Cure)}
	})
}

// NotesOf are the notes that later prompts carry.
func NotesOf(s *view.Snapshot) []record.Note {
	list := []record.Note{}
	for _, n := range s.Notes {
		if !n.Gone {
			n.Text, n.Author, n.Target = clean(n.Text), view.CleanLine(n.Author), view.CleanLine(n.Target)
			list = append(list, n)
		}
	}
	return list
}

// Setting is a key of the configuration as it holds now.
type Setting struct {
	Key     string   `json:"key"`
	Value   string   `json:"value"`
	Default string   `json:"default"`
	Origin  string   `json:"origin"`
	Doc     string   `json:"doc"`
	Live    bool     `json:"live" doc:"May change while the experiment runs."`
	Enum    []string `json:"enum,omitempty"`
}

// Settings explains every key of the configuration.
func (d *Door) Settings(ctx context.Context) ([]Setting, error) {
	list, err := d.Reader().Settings(ctx)
	return every(list, func(s view.SettingInfo) Setting {
		return Setting{s.Key, clean(s.Value), clean(s.Default), view.CleanLine(s.Origin), s.Doc, s.Live, s.Enum}
	}), err
}
