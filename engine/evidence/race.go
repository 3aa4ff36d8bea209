package evidence

import "math"

// Runner is one side of a race: the mean or median of its samples, where more is
// better, and their number.
type Runner struct {
	Value float64
	N     int
}

// Move is what a race needs next.
type Move int

// The moves.
const (
	Lost       Move = iota // the challenger is no better than the holder, as far as can be told
	Won                    // it looked better at every look, to the last
	Challenger             // it is measured again
	Holder                 // the holder is measured again, to match
)

// farAbove is by how many standard errors one has to be above another so that it
// is plainly better.
const farAbove = 3.0

// Plain reports whether the runner is above another by far more than the noise of
// both explains. Noise is the standard deviation of one sample; without any
// nothing is plain.
func (r Runner) Plain(other Runner, noise float64) bool {
	return noise > 0 && r.Value-other.Value > farAbove*noise*math.Sqrt(1/float64(max(1, r.N))+1/float64(max(1, other.N)))
}

// Cautious is the value less one standard error: who leads by it is good, and not
// only lucky.
func (r Runner) Cautious(noise float64) float64 { return r.Value - r.error(noise) }

func (r Runner) error(noise float64) float64 { return noise / math.Sqrt(float64(max(1, r.N))) }

// Step says how a race for a niche goes on: in looks of 1, 2, 4, ... samples, at
// which the holder is topped up to match, a challenger that is not above falls out
// at once, one that is plainly above wins, and so does one that is above at depth
// samples. Noise is the standard deviation of one sample; n is the number of
// further samples that the move asks for.
//
// Cheap losers fall out after one or two samples, as in successive halving
// (Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits",
// 2013), and a holder, whose samples stay, becomes well known.
func Step(challenger, holder Runner, noise float64, depth int) (move Move, n int) {
	look := min(challenger.N, depth)
	switch {
	case !(challenger.Value > holder.Value):
		return Lost, 0
	case holder.N < look:
		return Holder, look - holder.N
	case challenger.N >= depth || challenger.Plain(holder, noise):
		return Won, 0
	}
	return Challenger, min(max(1, challenger.N), depth-challenger.N)
}

// Duel says who of the leader and the one that looks best beside it is measured
// next: the lesser known of the two, as many times again as it was before, up to
// most samples; nobody ([Lost]) when what the challenger may be worth at best is no
// more than what the leader is worth at least. So its depth follows the noise: two
// that lie close are measured deep, and one that lies far behind not at all.
//
// Both ends are one standard error away. Measuring the leader and the strongest of
// the others is the rule LUCB (Kalyanakrishnan, Tewari, Auer, Stone, "PAC Subset
// Selection in Stochastic Multi-armed Bandits", 2012); looks that double are those
// of [Step].
func Duel(leader, challenger Runner, noise float64, most int) (move Move, n int) {
	if !(challenger.Value+challenger.error(noise) > leader.Cautious(noise)) {
		return Lost, 0
	}
	move, known := Challenger, challenger.N
	if leader.N < challenger.N {
		move, known = Holder, leader.N
	}
	if known >= most {
		return Lost, 0
	}
	return move, min(max(1, known), most-known)
}

// The parts of all samples that look again: at who may be the best, where the
// noise is far larger than a step forward, and at challengers of niches, where it
// is far smaller.
const (
	leadMost  = 0.22
	nicheMost = 0.4
)

// Split divides the samples that look again: lead is the part of all samples for
// [Duel], niche that for [Step]. Noise is the standard deviation of one sample;
// gain is the mean step of the leader's line, not positive while none is known.
// Where a step stands out from the noise, most of those that look better are, and
// each is worth a look; where it does not, the samples go to the few that may be
// the best. The two constants, and twice the noise being as good as a step, were
// found by simulation (docs/decisions/0012).
func Split(noise, gain float64) (lead, niche float64) {
	r := 1.0
	if noise > 0 && gain > 0 {
		r = min(2*noise/gain, 1e6)
	}
	return leadMost * r / (1 + r), nicheMost / (1 + r)
}

// Share is the part of all samples that goes into measuring again what was
// measured: least where the noise is small beside a real step forward, growing to
// most where it is as large. Gain is the mean step of the leader's line, 0 or less
// where the line has gone nowhere.
func Share(noise, gain, least, most float64) float64 {
	switch {
	case noise <= 0:
		return least
	case gain <= 0:
		return max(least, most)
	}
	return max(least, min(most, most*noise/gain))
}
