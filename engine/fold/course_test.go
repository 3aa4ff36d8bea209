package fold

import (
	"slices"
	"testing"
)

func TestACourseTellsTheWholeRunInAsManyStretchesHoweverLongItIs(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   []int
		last int
		want []int
	}{
		{"nothing yet", nil, 3, []int{0, 0, 0, 0}},
		{"each job for itself while they are few", []int{0, 2, 2}, 3, []int{1, 0, 2, 0}},
		{"pairs joined once there are more", []int{0, 1, 2, 40}, 40, append(append([]int{2, 1}, make([]int, 18)...), 1)},
		{"quiet since: the stretches are as long as the run needs", []int{0, 1}, 64, append([]int{2}, make([]int, 16)...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c course
			for _, at := range tt.at {
				c.add(at, 1)
			}
			if got := c.upTo(tt.last); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	var long course
	for at := range 1_000_000 {
		if at%10 == 0 {
			long.add(at, 1)
		}
	}
	total := 0
	for _, n := range long.upTo(1_000_000) {
		total += n
	}
	if n := len(long.upTo(1_000_000)); total != 100_000 || n <= stretches/2 || n > stretches {
		t.Errorf("%d counts in %d stretches", total, n)
	}
}
