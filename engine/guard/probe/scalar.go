package probe

import (
	"math"
	"math/big"
	"strconv"
)

// integer draws a whole number of so many bits; small numbers and those of the
// sources are frequent.
func (g *maker) integer(bits int, signed bool) (v int64) {
	d := g.d
	if g.small {
		if d.chance(2) {
			return int64(d.n(14))
		}
		return int64(d.n(5))
	}
	from := len(d.used)
	defer func() { madeAt(g, from, place{kind: edgeInt, whole: v, bits: bits, signed: signed}) }()
	lit := func() int64 {
		if len(g.lib.lits.Ints) == 0 {
			return int64(d.n(100))
		}
		return g.lib.lits.Ints[d.n(len(g.lib.lits.Ints))]
	}
	near := func() int64 {
		if n := len(g.lib.lits.NearInts); n > 0 && d.n(2) == 1 {
			return g.lib.lits.NearInts[d.n(n)]
		}
		return lit()
	}
	if at, ok := d.target(edgeInt); ok {
		d.force(16, uint64(at))
	}
	switch d.n(17) {
	case 0, 1, 2, 3:
		v = int64(d.n(6))
	case 4, 5:
		v = near()
	case 6, 7:
		v = near() + int64(d.n(3)) - 1
	case 8:
		v = -int64(d.n(6))
	case 9, 10:
		v = int64(d.n(200))
	case 11:
		v = -int64(d.n(200))
	case 12:
		v = int64(d.n(100_000))
	case 13:
		d.moderate(min(uint64(bits), largestBits+1))
		v = (int64(1) << d.n(min(bits, 63))) + int64(d.n(3)) - 1
	case 14:
		v = -lit()
	case 16:
		v = g.lib.edges.whole(d.n(len(g.lib.edges.ints)), bits, signed)
	default:
		d.moderate(largestMade)
		v = int64(d.wide(math.MaxUint64))
	}
	if g.tame && (v > 64 || v < -64) {
		v %= 64
	}
	if !signed && v < 0 {
		d.moderate(1)
		if !d.chance(4) {
			v = -v
		}
	}
	return v
}

// usualFloats is the first choice of a number behind those of a moderate size: beside a large one all others may be rounding.
const usualFloats = 12

// float draws a number; whole and simple ones are frequent.
func (g *maker) float() (v float64) {
	d := g.d
	from := len(d.used)
	defer func() { madeAt(g, from, place{kind: edgeFloat, float: v}) }()
	if at, ok := d.target(edgeFloat); ok {
		d.force(16, uint64(at))
	} else {
		d.swept()
	}
	d.unspelled(spelledFloat)
	switch d.n(spelledFloat + 1) {
	case spelledFloat:
		return math.Float64frombits(d.wide(math.MaxUint64))
	case 0, 1:
		return float64(d.n(10))
	case 2: // percents, and lengths
		return float64(d.n(sweepSteps))
	case 3:
		if n := len(g.lib.lits.NearFloats); n > 0 {
			return g.lib.lits.NearFloats[d.n(n)] + []float64{0, 0.1, -0.1, 1, -1}[d.n(5)]
		}
		return float64(d.n(5)) / 4
	case 4, 5:
		if n := len(g.lib.lits.Floats); n > 0 {
			return g.lib.lits.Floats[d.n(n)]
		}
		return float64(d.n(100)) / 4
	case 6:
		if n := len(g.lib.lits.Ints); n > 0 {
			return float64(g.lib.lits.Ints[d.n(n)])
		}
		return 0.5
	case 7, 8:
		return float64(d.n(2001)-1000) / 8
	case 9:
		return -float64(d.n(100))
	case 10, 11:
		return float64(d.n(1000)) / 1000
	case 12:
		return float64(d.n(1_000_000))
	case 13:
		return float64(d.n(1_000_000_007)) * 1.5
	case 14:
		return float64(d.n(100)) * 1e-7
	case 16:
		return g.lib.edges.floats[d.n(len(g.lib.edges.floats))]
	}
	d.moderate(5)
	return []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), math.MaxFloat64, 1e21, 5e-324}[d.n(8)]
}

// numeral is written in the place of one in a text: a small one, one of the changed
// code, the next, one below zero, the last that so many bits hold, one of many digits or with a fraction.
func (g *maker) numeral(now string) string {
	if g.tame {
		return strconv.Itoa(g.d.n(64))
	}
	switch g.d.n(9) {
	case 8:
		return now + "." + strconv.Itoa(g.d.n(10))
	case 6:
		return g.digitRun(20)
	case 7:
		return now + g.digitRun(12)
	case 0, 1:
		return strconv.Itoa(g.d.n(4))
	case 2:
		return g.digits()
	case 3:
		return "-" + strconv.Itoa(g.d.n(4))
	case 4:
		return power([]int64{31, 32, 7, 8, 15, 16, 53, 62, 63, 64}[g.d.n(10)], g.d.n(3)-1)
	}
	n, ok := new(big.Int).SetString(now, 10)
	if !ok {
		return "0" + now
	}
	n.Add(n, big.NewInt(int64(2*g.d.n(2)-1)))
	return n.Abs(n).String()
}

// digitRun is of one digit to most.
func (g *maker) digitRun(most int) string {
	out := make([]byte, 1+g.d.n(most))
	for i := range out {
		out[i] = '0' + byte(g.d.n(10))
	}
	return string(out)
}

// power is two to the bits, and beside.
func power(bits int64, beside int) string {
	return new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(int64(beside))).String()
}

// digits are those of a number of the changed code or one beside it, or of what so
// many bits hold.
func (g *maker) digits() string {
	if g.tame {
		return strconv.Itoa(g.d.n(64))
	}
	v := int64(g.d.n(100))
	if n := len(g.lib.lits.NearInts); n > 0 {
		v = g.lib.lits.NearInts[g.d.n(n)]
	}
	if v >= 7 && v <= 64 && g.d.n(2) == 1 {
		return power(v, g.d.n(3)-1)
	}
	return strconv.FormatInt(v+int64(g.d.n(3))-1, 10)
}
