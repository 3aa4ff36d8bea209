package plot

import (
	"math"
	"testing"
)

func TestRoundNumbersLieOnWholeRowsAsFarApart(t *testing.T) {
	for _, r := range [][2]float64{{-28.75, 64.1865}, {2.16, 2.41}, {0, 100}, {-1e-7, 3e-7}, {1e9, 1e9 + 1}, {0.999, 1.001}, {-5, -4.2}, {57.36, 138.89}} {
		for rows := 2; rows < 60; rows++ {
			lo, hi := r[0], r[1]
			from, to, ticks := levels(lo, hi, rows)
			if len(ticks) == 0 {
				if rows > 3 {
					t.Errorf("%g to %g in %d rows has no numbers", lo, hi, rows)
				}
				continue
			}
			span := hi - lo
			if from > lo+1e-6*span || to < hi-1e-6*span || to-from > 3*span {
				t.Errorf("%g to %g in %d rows is drawn from %g to %g", lo, hi, rows, from, to)
			}
			if len(ticks) < 2 || len(ticks) > 10 {
				t.Errorf("%g to %g in %d rows has the numbers %v", lo, hi, rows, ticks)
			}
			unit, apart := (to-from)/float64(rows-1), ticks[1]-ticks[0]
			for i, v := range ticks {
				row := (v - from) / unit
				if math.Abs(row-math.Round(row)) > 1e-3 || i > 0 && math.Abs(v-ticks[i-1]-apart) > 1e-3*apart {
					t.Errorf("%g to %g in %d rows: %v is not on a row, or not as far from its neighbour as others", lo, hi, rows, ticks)
					break
				}
			}
		}
	}
}
