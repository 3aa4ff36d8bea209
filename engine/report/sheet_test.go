package report

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestASheetShowsItsChartsAndEscapesItsTexts(t *testing.T) {
	s := &Sheet{
		Title: "a <b>", Facts: []Fact{{Name: "jobs", Value: "7"}}, Says: []string{"<script>"}, Again: "atoll simulate --edit 'a b'", Made: time.Unix(0, 0),
		Charts: []Chart{
			{Title: "over <time>", Across: "hours", Lines: []Line{{Points: [][2]float64{{0, 1}, {1, math.NaN()}, {2, 3}}, Steps: true}}},
			{Title: "by machines", Across: "machines", Places: []float64{1, 2, 4, 5}, Zero: true, Lines: []Line{{Points: [][2]float64{{1, 1}, {5, 4}}}, {Points: [][2]float64{{1, 1}, {5, 5}}, Dashed: true}}},
			{Title: "of nothing", Lines: []Line{{Points: [][2]float64{{0, 1}}}}},
		},
		Tables: []Grid{{Title: "table", Heads: []string{"A", "B", "C"}, Words: []int{2}, Rows: [][]string{{"x", "1", "<i>"}}, Below: "below"}},
	}
	var b strings.Builder
	if err := s.HTML(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for want, times := range map[string]int{
		"<svg": 2, "var(--mark)": 2, "stroke-dasharray": 1, "a &lt;b&gt;": 2, "&lt;script&gt;": 1, "<script": 0, "of nothing": 0, `aria-label="over &lt;time&gt;"`: 1,
		`<th class="n">B</th>`: 1, "<td>&lt;i&gt;</td>": 1, ">below<": 1, "http://www.w3.org/2000/svg": 2, "src=": 0, "--edit &#39;a b&#39;": 1,
	} {
		if got := strings.Count(text, want); times == 0 && got > 0 || got < times {
			t.Errorf("%q is there %d times, want %d", want, got, times)
		}
	}
}

func TestNotEachPlaceOfAnAxisHasALabel(t *testing.T) {
	at := make([]float64, 12)
	for i := range at {
		at[i] = float64(int(1) << i)
	}
	labels := 0
	ticks := places(at)
	for _, one := range ticks {
		if one.Label != "" {
			labels++
		}
	}
	if labels > 8 || ticks[11].Label != "2048" {
		t.Errorf("%d labels, the last %q", labels, ticks[11].Label)
	}
}
