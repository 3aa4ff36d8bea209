package view

import (
	"fmt"
	"strconv"
)

// Plural counts things: "1 job", "2 jobs".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// FormatValue writes a metric with up to six significant digits.
func FormatValue(v float64) string { return fmt.Sprintf("%.6g", v) }
