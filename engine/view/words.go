package view

import (
	"fmt"
	"strings"

	"atoll/store/record"
)

const heldBy = "held by "

// HeldByRule is why a candidate waits that nothing was found in: a setting holds all.
func HeldByRule(key string) string { return heldBy + key + " = all" }

// IsHeldByRule reports whether that is why.
func IsHeldByRule(why string) bool {
	return strings.HasPrefix(why, heldBy) && strings.HasSuffix(why, " = all")
}

// Plural counts things: "1 job", "2 jobs".
func Plural(n int, noun string) string { return record.Plural(n, noun) }

// FormatValue writes a metric with up to six significant digits.
func FormatValue(v float64) string { return fmt.Sprintf("%.6g", v) }
