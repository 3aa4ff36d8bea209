package work

import (
	"testing"

	"atoll/config"
	"atoll/store/record"
)

func TestPrivateMetricsReachNoPrompt(t *testing.T) {
	f := Facts{Config: config.Config{Evaluator: config.Evaluator{Private: []string{"secret_score"}}}}
	got := f.public([]record.Metric{{Name: "score"}, {Name: "secret_score"}, {Name: "time"}})
	if len(got) != 2 || got[0].Name != "score" || got[1].Name != "time" {
		t.Errorf("metrics %+v", got)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a line that names one is left out", "score=1\nsecret_score=2\ntime=3\n", "score=1\ntime=3\n"},
		{"the last line may have no end", "score=1\nsecret_score=2", "score=1\n"},
		{"a text without one stays", "all is well\n", "all is well\n"},
	} {
		if got := f.publicText(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := (&Facts{}).publicText("secret_score=2"); got != "secret_score=2" {
		t.Errorf("without private metrics the text became %q", got)
	}
}

func TestValuesOfAnotherObjectiveVersionAreNotCompared(t *testing.T) {
	f := Facts{Experiment: record.Experiment{Objective: 2}}
	for _, tt := range []struct {
		version int
		stays   bool
	}{{1, false}, {2, true}} {
		c := record.Candidate{Version: tt.version, Objective: number(1), Metrics: []record.Metric{{Name: "a"}}}
		f.comparable(&c)
		if (c.Objective != nil) != tt.stays || (c.Metrics != nil) != tt.stays {
			t.Errorf("version %d became %+v", tt.version, c)
		}
	}
	if Versioned("x", 1) != "x" || Versioned("x", 0) != "x" || Versioned("x", 3) != "x 3" {
		t.Error("the names of facts of versions")
	}
}

func TestDecidingAndHeldOutSamplesAreSummedUpApart(t *testing.T) {
	f := Facts{Experiment: record.Experiment{Objective: 1}}
	f.Config.Map.Axes = []config.Axis{{Metric: "kb"}}
	sample := func(v float64, held bool) record.Sample {
		return record.Sample{Version: 1, Objective: v, HeldOut: held, Metrics: []record.Metric{{Name: "kb", Value: 10 * v}}}
	}
	for _, tt := range []struct {
		name    string
		samples []record.Sample
		value   float64
		n       int
		mad     float64
		claimed float64 // 0 = none
	}{
		{"one sample", []record.Sample{sample(3, false)}, 3, 1, 0, 0},
		{"the median of three", []record.Sample{sample(1, false), sample(9, false), sample(2, false)}, 2, 3, 1, 0},
		{"spread is there when most agree", []record.Sample{sample(2, false), sample(2, false), sample(5, false)}, 2, 3, 1, 0},
		{"held-out samples are the claim alone", []record.Sample{sample(1, false), sample(5, true), sample(7, true)}, 1, 1, 0, 6},
		{"another version does not count", []record.Sample{sample(1, false), {Version: 2, Objective: 50}}, 1, 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := record.Candidate{ID: 4}
			if err := f.summarise(&c, tt.samples); err != nil {
				t.Fatal(err)
			}
			if *c.Objective != tt.value || c.Samples != tt.n || c.MAD != tt.mad {
				t.Errorf("%g of %d samples, spread %g", *c.Objective, c.Samples, c.MAD)
			}
			if (c.Claimed != nil) != (tt.claimed != 0) || c.Claimed != nil && *c.Claimed != tt.claimed {
				t.Errorf("claimed %v, want %g", c.Claimed, tt.claimed)
			}
			if len(c.Measures) != 1 || c.Measures[0] != 10*tt.value {
				t.Errorf("measures %v", c.Measures)
			}
		})
	}
	c := record.Candidate{}
	if err := f.summarise(&c, []record.Sample{{Version: 1, Objective: 1}}); err == nil || c.Objective != nil {
		t.Errorf("without the metric of an axis: %v, %v", c.Objective, err)
	}
	if err := f.summarise(&c, nil); err == nil {
		t.Error("nothing was measured, and nothing said so")
	}
}

func TestMetricsOfACandidateAreOfOneSampleAndCannotContradictEachOther(t *testing.T) {
	f := Facts{Experiment: record.Experiment{Objective: 1}}
	// Each sample has a time, a rate that is its inverse, and two parts that add up to it.
	sample := func(ms, read float64, more ...record.Metric) record.Sample {
		return record.Sample{Version: 1, Objective: ms, Metrics: append([]record.Metric{
			{Name: "ms", Value: ms}, {Name: "rate", Value: 1000 / ms}, {Name: "read", Value: read}, {Name: "write", Value: ms - read},
		}, more...)}
	}
	for _, tt := range []struct {
		name    string
		samples []record.Sample
		want    map[string]float64
	}{
		{"of three the middle one", []record.Sample{sample(8, 7), sample(2, 1), sample(4, 0)}, map[string]float64{"ms": 4, "rate": 250, "read": 0, "write": 4}},
		{"of four the means of two", []record.Sample{sample(8, 7), sample(5, 1), sample(4, 2), sample(1, 1)}, map[string]float64{"ms": 4.5, "rate": 225, "read": 1.5, "write": 3}},
		{"what the middle one lacks is the median of the others", []record.Sample{sample(8, 7, record.Metric{Name: "x", Value: 3}), sample(2, 1, record.Metric{Name: "x", Value: 5}), sample(4, 0)}, map[string]float64{"ms": 4, "x": 4}},
	} {
		c := record.Candidate{ID: 4}
		if err := f.summarise(&c, tt.samples); err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, m := range c.Metrics {
			got[m.Name] = m.Value
		}
		for name, v := range tt.want {
			if got[name] != v {
				t.Errorf("%s: %s is %g, want %g", tt.name, name, got[name], v)
			}
		}
		if got["ms"] != *c.Objective || got["read"]+got["write"] != got["ms"] {
			t.Errorf("%s: %v beside an objective of %g", tt.name, got, *c.Objective)
		}
	}
}
