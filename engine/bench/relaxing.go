package bench

import (
	"math"
	"strconv"
	"strings"
)

// relaxing measures programs of the example with an optimiser that differ from it in the
// constants at the top alone, without a process. It does what the program does, operation
// by operation, so that it comes to the same bits. What is close it leaves to the
// evaluator of the example.
type relaxing struct{ lines []string }

// How many circles the example has, and how many steps they take.
const (
	relaxingN     = 26
	relaxingSteps = 200
)

// relaxingNames are the constants of the program.
var relaxingNames = []string{"COLUMNS", "JITTER", "TURN", "START", "GROW", "PUSH", "SHRINK", "COOL", "MARGIN"}

// relaxingOf takes the program of the example apart; false when it is another one.
func relaxingOf(text string) (relaxing, bool) {
	r := relaxing{strings.Split(text, "\n")}
	_, ok := r.constants(text)
	return r, ok
}

// constants returns the constants of a program; false when it differs in more.
func (r relaxing) constants(text string) (map[string]float64, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) != len(r.lines) {
		return nil, false
	}
	out := map[string]float64{}
	for i, line := range lines {
		name, number, ok := strings.Cut(line, " = ")
		known, _, _ := strings.Cut(r.lines[i], " = ")
		if ok && name == known && name == strings.ToUpper(name) && name != "" && name[0] > ' ' {
			if out[name], ok = constant(number); !ok {
				return nil, false
			}
			continue
		}
		if line != r.lines[i] {
			return nil, false
		}
	}
	for _, name := range relaxingNames {
		if _, ok := out[name]; !ok {
			return nil, false
		}
	}
	return out, len(out) == len(relaxingNames)
}

// constant reads a number as the program would; false where that is not certain.
func constant(number string) (float64, bool) {
	if strings.Trim(number, "0123456789.e-+") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(number, 64)
	return v, err == nil
}

// measure returns the metrics of a program; false when it cannot tell.
func (r relaxing) measure(text string) (map[string]float64, bool) {
	c, ok := r.constants(text)
	if !ok || c["COLUMNS"] < 1 || c["TURN"] < 0 {
		return nil, false
	}
	k := newCircles(relaxingN, c)
	k.relax(c)
	wall, far, ok := k.settle()
	if !ok {
		return nil, false
	}
	for i := range k.r {
		k.r[i] -= c["MARGIN"]
	}
	for i, v := range k.r {
		if !(v >= packingClear) || !(wall[i]-v >= packingClear) {
			return nil, false
		}
		for j := range i {
			if !(far[i][j]-v-k.r[j] >= packingClear) {
				return nil, false
			}
		}
	}
	return packingMetrics(k.r), true
}

// moving are circles that are relaxed.
type moving struct{ x, y, r []float64 }

// newCircles does what start of the program does. Products are rounded one by one, also
// where a processor could add without.
func newCircles(n int, c map[string]float64) moving {
	k := moving{make([]float64, n), make([]float64, n), make([]float64, n)}
	columns, turn, jitter := c["COLUMNS"], c["TURN"], c["JITTER"]
	rows := math.Trunc(float64(n-1)/columns) + 1
	for i := range n {
		row := math.Trunc(float64(i) / columns)
		aside := math.Mod(float64(i)*turn, 1) - 0.5
		along := math.Mod(float64(float64(i)*turn)*turn, 1) - 0.5
		k.x[i] = (float64(i)-float64(row*columns)+0.5)/columns + float64(jitter*aside)
		k.y[i] = (row+0.5)/rows + float64(jitter*along)
		k.r[i] = c["START"]
	}
	return k
}

// relax does what relax of the program does.
func (k moving) relax(c map[string]float64) {
	x, y, r := k.x, k.y, k.r
	push, shrink, heat := c["PUSH"], c["SHRINK"], 1.0
	for range relaxingSteps {
		grow := c["GROW"] * heat
		for i := range r {
			r[i] += grow
		}
		for i := range r {
			for j := range i {
				dx, dy, both := x[i]-x[j], y[i]-y[j], r[i]+r[j]
				square := float64(dx*dx) + float64(dy*dy)
				if !(0 < square && square < float64(both*both)) {
					continue
				}
				far := math.Sqrt(square)
				over := both - far
				move := float64(push*over) / far
				x[i] += float64(move * dx)
				y[i] += float64(move * dy)
				x[j] -= float64(move * dx)
				y[j] -= float64(move * dy)
				r[i] -= float64(shrink * over)
				r[j] -= float64(shrink * over)
			}
		}
		for i := range r {
			for _, line := range [][]float64{x, y} {
				if over := r[i] - line[i]; over > 0 {
					line[i] += float64(float64(2*push) * over)
					r[i] -= float64(shrink * over)
				}
				if over := line[i] + r[i] - 1; over > 0 {
					line[i] -= float64(float64(2*push) * over)
					r[i] -= float64(shrink * over)
				}
			}
		}
		heat *= c["COOL"]
	}
}

// settle does what settle of the program does; false where numbers are not finite.
func (k moving) settle() (wall []float64, far [][]float64, ok bool) {
	x, y, r := k.x, k.y, k.r
	for i := range r {
		if s := x[i] + y[i] + r[i]; math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, nil, false
		}
		wall = append(wall, min(x[i], 1-x[i], y[i], 1-y[i]))
		far = append(far, make([]float64, len(r)))
		for j := range r {
			dx, dy := x[i]-x[j], y[i]-y[j]
			far[i][j] = math.Sqrt(float64(dx*dx) + float64(dy*dy))
		}
	}
	for i := range r {
		r[i] = min(r[i], wall[i])
		for j := range i {
			if over := r[i] + r[j] - far[i][j]; over > 0 {
				r[i] -= over / 2
				r[j] -= over / 2
			}
		}
	}
	for i := range r {
		r[i] = wall[i]
		for j := range r {
			if j != i {
				r[i] = min(r[i], far[i][j]-r[j])
			}
		}
	}
	return wall, far, true
}
