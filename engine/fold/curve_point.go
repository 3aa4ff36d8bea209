package fold

import "atoll/store/record"

// curvePoint is how the search stood when x candidates were scored.
type curvePoint struct {
	x                        int
	at                       record.Millis
	best, mean, qd, coverage float64
	held                     float64 // value of the best by samples that decided nothing
	told                     bool    // there are such samples, or it is the root
}
