package behavior_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"atoll/engine/behavior"
)

func TestAProvisionalMapMeasuresAgainstTheRoot(t *testing.T) {
	root := []float32{3, 0, 4, 0} // of length 5
	s, err := behavior.Provisional(root, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		vector []float32
		want   []float64
	}{
		{"the root itself", root, []float64{0, 0, 0.5}},
		{"as far as the root is long, in one direction", []float32{3, 5, 4, 0}, []float64{1, 0, 0.5 + (1+math.Log(math.Sqrt2-1)/math.Log(1e4))/2}},
		{"a hundredth of that", []float32{3, 0.05, 4, 0}, []float64{0.5, 0, 0.5}},
		{"in all directions alike", []float32{3.025, 0.025, 4.025, -0.025}, []float64{0.5, 1, math.NaN()}},
		{"half as large", []float32{1.5, 0, 2, 0}, []float64{1 + math.Log(0.5)/math.Log(1e4), math.Log(49.0/25) / math.Log(4), 0.5 - (1+math.Log(0.5)/math.Log(1e4))/2}},
		{"much farther", []float32{-300, 90, 1e6, 0}, []float64{1, math.NaN(), 1}},
	} {
		got := s.Project(c.vector)
		for j := range c.want {
			if !math.IsNaN(c.want[j]) && math.Abs(got[j]-c.want[j]) > 1e-5 || got[j] < 0 || got[j] > 1 {
				t.Errorf("%s lies at %v, want %v", c.name, got, c.want)
			}
		}
	}
	for name, v := range map[string][]float32{"too short": {1, 2}, "not finite": {1, 2, float32(math.NaN()), 0}} {
		if p := s.Project(v); p != nil {
			t.Errorf("a vector that is %s lies at %v", name, p)
		}
	}
}

func TestAProvisionalMapIsKeptAndGivesWayToAFit(t *testing.T) {
	root := []float32{3, 0, 4, 0}
	s, err := behavior.Provisional(root, 5)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := behavior.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	v := []float32{3, 1, 4.5, 0.1}
	if !again.Provisional() || !slices.Equal(again.Project(v), s.Project(v)) || len(s.Project(v)) != 5 {
		t.Errorf("%v lies at %v, and at %v on the map that was kept", v, s.Project(v), again.Project(v))
	}
	if names := behavior.ProvisionalNames(5); len(names) != 5 || names[4] != "axis 5" {
		t.Errorf("the axes are %q", names)
	}
	fitted, err := behavior.Fit(t.Context(), [][]float32{root, v, {1, 2, 3, 4}, {4, 3, 2, 1}}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	before := fitted.Project(v)
	fitted.Align(s, [][]float32{root, v})
	if fitted.Provisional() || !slices.Equal(before, fitted.Project(v)) || fitted.Degrees(s) != 0 {
		t.Error("a fit is turned onto a provisional map")
	}
	if _, err := behavior.Provisional([]float32{1, float32(math.Inf(1))}, 2); !errors.Is(err, behavior.ErrVector) {
		t.Errorf("a root that is not finite: %v", err)
	}
	if _, err := behavior.Decode([]byte(`{"version":3,"root":[],"dims":2}`)); !errors.Is(err, behavior.ErrModel) {
		t.Errorf("a kept map without a root: %v", err)
	}
}
