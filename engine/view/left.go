package view

import "time"

// Left is how long a run goes on as of now: until its jobs are done, in eta, or until its time is
// over at ends where that is sooner, which byTime says. 0 = unknown, or over; eta and ends may be
// zero, which is unknown and never.
func Left(eta time.Duration, ends, now time.Time) (left time.Duration, byTime bool) {
	switch over := max(0, ends.Sub(now)); {
	case ends.IsZero():
		return eta, false
	case eta <= 0 || over < eta:
		return over, true
	}
	return eta, false
}
