package survey

import (
	"testing"

	"atoll/store/record"
)

func TestAFigureOfTheRootIsToldOnceWithItsUnit(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     record.Metric
		value float64
		want  string
	}{
		{"a benchmark's time, named by its unit", record.Metric{Name: "ns/op", Unit: "ns/op"}, 39648.2, "39,650 ns/op"},
		{"of some digits", record.Metric{Name: "ns/op", Unit: "ns/op"}, 812.46, "812.5 ns/op"},
		{"of many", record.Metric{Name: "ns/op", Unit: "ns/op"}, 1234567890, "1,235,000,000 ns/op"},
		{"below zero", record.Metric{Name: "score"}, -123456, "score = -123,500"},
		{"a name beside its unit", record.Metric{Name: "parse", Unit: "ms"}, 12.34567, "parse = 12.35 ms"},
		{"without a unit", record.Metric{Name: "pass_rate"}, 0.5, "pass_rate = 0.5"},
		{"beyond all groups", record.Metric{Name: "score"}, 1.25e18, "score = 1.25e+18"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := figureText(c.m, c.value); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
