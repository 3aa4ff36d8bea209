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
	Lost       Move = iota // the challenger looks no better than the holder
	Won                    // it looked better at every look, to the last
	Challenger             // it is measured again
	Holder                 // the holder is measured again, to match
)

// farAbove is by how many standard errors a challenger has to be above to win before
// the last look, firstLook at how many samples of it that may be.
const (
	farAbove  = 3.0
	firstLook = 2
)

// Step says how a race goes on: in looks of 1, 2, 4, ... samples, at which the
// holder is topped up to match, a challenger that is not above falls out at once,
// one that is far above wins, and so does one that is above at depth samples.
// Noise is the standard deviation of one sample; n is the number of further
// samples that the move asks for.
//
// Cheap losers fall out after one or two samples, as in successive halving
// (Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits",
// 2013), and a holder, whose samples stay, becomes well known.
func Step(challenger, holder Runner, noise float64, depth int) (move Move, n int) {
	ahead := challenger.Value - holder.Value
	look := min(challenger.N, depth)
	switch {
	case !(ahead > 0):
		return Lost, 0
	case holder.N < look:
		return Holder, look - holder.N
	case challenger.N >= depth:
		return Won, 0
	case challenger.N >= firstLook && ahead > farAbove*noise*math.Sqrt(1/float64(challenger.N)+1/float64(holder.N)):
		return Won, 0
	}
	return Challenger, min(max(1, challenger.N), depth-challenger.N)
}

// Depth is how many samples a race for the lead ends with at the latest: a power
// of two near (1.5·noise/gain)², from 2 to most. Noise is the standard deviation
// of one sample; gain is the size of a real step forward, such as the mean step of
// the leader's line: 0 while nothing is known of it, negative where the line has
// gone nowhere.
func Depth(noise, gain float64, most int) int {
	most = max(most, firstLook)
	switch {
	case noise <= 0:
		return firstLook
	case gain == 0:
		return min(4, most)
	}
	r := 1.5 * noise / gain
	if gain < 0 || !(r*r < float64(most)) {
		return most
	}
	depth := firstLook
	for float64(depth)*math.Sqrt2 < r*r { // to the nearest, by ratio
		depth *= 2
	}
	return min(depth, most)
}

// Share is the part of all samples that goes into measuring again what was
// measured: least where the noise is small beside a real step forward, growing to
// most where it is as large. Gain is as for [Depth].
func Share(noise, gain, least, most float64) float64 {
	switch {
	case noise <= 0:
		return least
	case gain <= 0:
		return max(least, most)
	}
	return max(least, min(most, most*noise/gain))
}
