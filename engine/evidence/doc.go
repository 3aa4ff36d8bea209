// Package evidence says what measured values allow to be said.
//
// Its three nouns are [Summary], what the samples of one program show: number,
// mean and spread, with an interval; [Claim], what may be told of a candidate
// beside the root: value, gain, their intervals and a word; and the race, in
// which a challenger earns a place against its holder by more and more samples
// ([Step], [Depth]).
//
// Intervals are confidence sequences: they hold at every number of samples at
// once, so looking often, and stopping when the result pleases, does not inflate
// their error. They come from the t statistic mixed over effect sizes, with no
// knowledge of the spread (Lai 1976; Howard, Ramdas, McAuliffe, Sekhon,
// "Time-uniform, nonparametric, nonasymptotic confidence sequences", 2021; Wang
// and Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means
// with unknown variance", 2023). [Spend] divides one error over all the
// challengers of a run.
//
// Caveats. Intervals are exact for normal noise and hold closely for skewed noise
// of times (the tests say how closely); they know nothing of what shifts all
// samples of a program alike, such as the layout of a binary or a machine that
// grew slower in between. Samples that decided who leads flatter the leader
// whatever their number (the winner's curse): give [Judge] samples that were drawn
// after the decision. Everything here is pure: no clock, no randomness.
package evidence

import "errors"

// What functions of this package report.
var (
	// ErrNone means that there is no sample to speak of.
	ErrNone = errors.New("there are no samples")
	// ErrNotFinite means that a sample is no finite number, or that samples lie so
	// far apart that their spread is none.
	ErrNotFinite = errors.New("a sample is not a finite number")
	// ErrNotPositive means that a time or a size is zero or less, which has no
	// ratio.
	ErrNotPositive = errors.New("a ratio needs values above zero")
)
