package output

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// alpha is the chance of calling a difference real that is none, as benchstat
// takes it.
const alpha = 0.05

// CompareGoBench tells how the benchmarks of the candidate stand against those
// of the root beside it, in the manner of benchstat: medians with their spread,
// the change in percent, and the two-sided p of the Mann-Whitney U test over the
// repeats of -count; "~" where the test sees no difference. "" when no benchmark
// is in both.
func CompareGoBench(root, candidate []byte) string {
	a, b := benchTableOf(root), benchTableOf(candidate)
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	suffix := ""
	if len(a.names) > 0 {
		suffix = commonSuffix(a.names)
	}
	rows := 0
	for _, unit := range a.units {
		var logs []float64
		fmt.Fprintf(w, "%s\troot\tcandidate\tchange\n", unit)
		for _, name := range a.names {
			x, y := a.values[name+" "+unit], b.values[name+" "+unit]
			if len(x) == 0 || len(y) == 0 {
				continue
			}
			rows++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", strings.TrimSuffix(name, suffix), spreadText(x), spreadText(y), changeText(x, y))
			if ratio := Median(y) / Median(x); ratio > 0 && !math.IsInf(ratio, 0) {
				logs = append(logs, math.Log(ratio))
			}
		}
		if len(logs) > 1 {
			sum := 0.0
			for _, l := range logs {
				sum += l
			}
			fmt.Fprintf(w, "geometric mean\t\t\t%+.2f %%\n", 100*(math.Exp(sum/float64(len(logs)))-1))
		}
	}
	if rows == 0 || w.Flush() != nil { // a buffer takes every write
		return ""
	}
	return out.String()
}

// benchTableOf reads benchmark output; lines that cannot be read are left out,
// for they were refused where it counts.
func benchTableOf(stdout []byte) benchTable {
	b := benchTable{values: map[string][]float64{}}
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for scan.Scan() {
		if b.line(strings.TrimSpace(scan.Text())) != nil {
			continue
		}
	}
	return b
}

func spreadText(values []float64) string {
	s := StandingOf(values)
	if s.N < 2 || s.Median == 0 {
		return fmt.Sprintf("%.4g", s.Median)
	}
	return fmt.Sprintf("%.4g ±%.0f %%", s.Median, 100*s.MAD/math.Abs(s.Median))
}

func changeText(x, y []float64) string {
	p := mannWhitney(x, y)
	tail := fmt.Sprintf("(p=%.3f n=%d+%d)", p, len(x), len(y))
	switch {
	case slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))):
		return "~ (equal)"
	case p > alpha || Median(x) == 0:
		return "~ " + tail
	}
	return fmt.Sprintf("%+.2f %% %s", 100*(Median(y)/Median(x)-1), tail)
}

// exactCells bounds the table of the exact distribution.
const exactCells = 50

// mannWhitney returns the two-sided p of the U test that x and y come from one
// distribution: exact for small samples without ties, else by the normal
// approximation with corrections for ties and continuity.
func mannWhitney(x, y []float64) float64 {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return 1
	}
	u, ties := uOf(x, y)
	if ties == 0 && n <= exactCells && m <= exactCells {
		return exactP(int(math.Round(min(u, float64(n*m)-u))), n, m)
	}
	total := float64(n + m)
	mean := float64(n*m) / 2
	variance := float64(n*m) / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1
	}
	z := (math.Abs(u-mean) - 0.5) / math.Sqrt(variance)
	return min(1, math.Erfc(max(0, z)/math.Sqrt2))
}

// uOf counts the pairs in which x exceeds y, ties half; ties is the sum of
// t^3 - t over groups of t equal values.
func uOf(x, y []float64) (u, ties float64) {
	for _, a := range x {
		for _, b := range y {
			switch {
			case a > b:
				u++
			case a == b:
				u += 0.5
			}
		}
	}
	all := slices.Sorted(slices.Values(slices.Concat(x, y)))
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return u, ties
}

// exactP is the chance of a U as far out as this one or further, either side.
// ways[i][u] counts the orders of i values of x and j of y whose U is u, for j
// growing to m.
func exactP(u, n, m int) float64 {
	ways := make([][]float64, n+1)
	for i := range ways {
		ways[i] = make([]float64, n*m+1)
		ways[i][0] = 1 // no y: one order, U is 0
	}
	for j := 1; j <= m; j++ {
		next := make([][]float64, n+1)
		next[0] = make([]float64, n*m+1)
		next[0][0] = 1
		for i := 1; i <= n; i++ {
			next[i] = make([]float64, n*m+1)
			for k := range next[i] {
				next[i][k] = ways[i][k] // the largest is a y
				if k >= j {
					next[i][k] += next[i-1][k-j] // the largest is an x: above j values of y
				}
			}
		}
		ways = next
	}
	below, total := 0.0, 0.0
	for k, w := range ways[n] {
		total += w
		if k <= u {
			below += w
		}
	}
	return min(1, 2*below/total)
}
