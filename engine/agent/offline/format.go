package offline

import (
	"math"
	"strconv"
	"strings"
)

// write returns v in the format, or false when v does not fit it: an integer
// that is too big, a value that is not finite, one too small to show. step is
// the size of the change that led to v: digits finer than a hundredth of it
// are dropped, down to the digits the number had. No number has more than 17
// significant digits, and none gets an exponent unless it had one.
func (f numberFormat) write(v, step float64) (string, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "", false
	}
	if f.integer {
		return f.writeInteger(v)
	}
	if f.exponent != 0 {
		return f.writeExponent(v, step), true
	}
	if math.Abs(v) >= 1e15 {
		return "", false
	}
	decimals := f.decimals
	if step > 0 {
		decimals = max(decimals, int(math.Ceil(2-math.Log10(step))))
	}
	whole := 1
	if a := math.Abs(v); a >= 1 {
		whole = int(math.Log10(a)) + 1
	}
	decimals = min(max(decimals, 1), 17-whole)
	if a := math.Abs(v); a > 0 && a < 0.1 { // leading zeros are not significant
		decimals = min(max(f.decimals, decimals), 17+int(-math.Log10(a)))
	}
	s := strconv.FormatFloat(v, 'f', min(decimals, 40), 64)
	s = trimZeros(s, f.decimals)
	return s + f.suffix, true
}

// trimZeros drops zeros at the end of a fraction that has more than keep
// digits, and always leaves one digit after the point.
func trimZeros(s string, keep int) string {
	point := strings.IndexByte(s, '.')
	if point < 0 {
		return s + ".0"
	}
	for len(s)-point-1 > max(keep, 1) && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

func (f numberFormat) writeExponent(v, step float64) string {
	digits := max(f.decimals, 1)
	if v != 0 && step > 0 {
		digits = max(digits, int(math.Ceil(math.Log10(math.Abs(v)/step)))+2)
	}
	s := strconv.FormatFloat(v, 'e', min(digits, 16), 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	sign := ""
	if exp[0] == '-' {
		sign = "-"
	}
	exp = strings.TrimLeft(exp[1:], "0")
	if exp == "" {
		exp = "0"
	}
	return mantissa + string(f.exponent) + sign + exp + f.suffix
}

func (f numberFormat) writeInteger(v float64) (string, bool) {
	if math.Abs(v) > 1<<53 {
		return "", false
	}
	n := int64(math.Round(v))
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := strconv.FormatInt(n, f.base)
	if f.upper {
		s = strings.ToUpper(s)
	}
	if f.group {
		s = groupDigits(s)
	}
	return sign + f.prefix + s + f.suffix, true
}

// groupDigits writes 1000000 as 1_000_000.
func groupDigits(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte('_')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
