package fold

import (
	"strings"
	"testing"

	"atoll/config"
	"atoll/store/record"
)

func TestAPlaceIsToldByWhatItMeans(t *testing.T) {
	for _, tt := range []struct {
		name        string
		at          []float64 // of c0, c1, ...
		of          record.CandidateID
		place, open string
	}{
		{"with the values of its niche", []float64{0.15, 0.35}, 1, "niche (3): x 0.3 to 0.4", "x 0.2 to 0.3; x 0.4 to 0.5"},
		{"not beside a held one", []float64{0.15, 0.25}, 1, "niche (2): x 0.2 to 0.3", "x 0.3 to 0.4"},
		{"at the lower end", []float64{0.15, -4}, 1, "niche (0): x below 0.1", ""},
		{"at the upper end", []float64{0.15, 4}, 1, "niche (9): x 0.9 and above", "x 0.8 to 0.9"},
		{"not where there is none", []float64{0.15}, 7, "", ""},
	} {
		s := begin(t)
		for i, x := range tt.at {
			s.measured(i, float64(i), x)
		}
		if place, open := s.st.PlaceText(tt.of), OpenText(s.st, tt.of); place != tt.place || open != tt.open {
			t.Errorf("%s: %q and %q, want %q and %q", tt.name, place, open, tt.place, tt.open)
		}
	}
}

func TestAPlaceOnTwoAxesHasFourBesideIt(t *testing.T) {
	s := begin(t, func(_ *record.Experiment, cfg *config.Config) {
		cfg.Map.Axes = append(cfg.Map.Axes, config.Axis{Metric: "y", Edges: []float64{1, 10}, Bins: 3})
	})
	s.placed(0, 1, 0.15, 5)
	want := "y below 1; y 10 and above; x below 0.1; x 0.2 to 0.3"
	if place, open := s.st.PlaceText(0), OpenText(s.st, 0); place != "niche (1,1): x 0.1 to 0.2, y 1 to 10" || open != want {
		t.Errorf("%q and %q, want %q", place, open, want)
	}
}

func TestARegionIsToldByItsNumberAlone(t *testing.T) {
	s := begin(t, func(_ *record.Experiment, cfg *config.Config) {
		cfg.Map.Axes = append(cfg.Map.Axes, config.Axis{Metric: "y", Min: 0, Max: 1, Bins: 4})
		cfg.Map.Regions = 9
	})
	s.placed(0, 1, 0.15, 0.5)
	if place, open := s.st.PlaceText(0), OpenText(s.st, 0); !strings.HasPrefix(place, "niche (") || strings.Contains(place, "x ") || open != "" {
		t.Errorf("%q and %q", place, open)
	}
}
