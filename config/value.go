package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parseScalar reads text into v, which has the type of f. The error names the
// value and what is allowed.
func (f field) parseScalar(text string, v reflect.Value) error {
	switch f.kind {
	case kindString:
		return f.parseString(text, v)
	case kindBool:
		return parseBool(text, v)
	case kindInt:
		return f.parseInt(text, v)
	case kindUint:
		n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no whole number from 0 to %d", text, uint64(math.MaxUint64))
		}
		v.SetUint(n)
	case kindSize:
		n, err := ParseSize(text)
		if err != nil {
			return err
		}
		v.SetInt(n)
	case kindFloat, kindFloatPtr:
		x, err := f.parseFloat(text)
		if err != nil {
			return err
		}
		if f.kind == kindFloatPtr {
			v.Set(reflect.ValueOf(&x))
		} else {
			v.SetFloat(x)
		}
	case kindDuration:
		d, err := parseDuration(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(d))
	}
	return nil
}

func (f field) parseString(text string, v reflect.Value) error {
	if f.enum != nil && !slices.Contains(f.enum, text) {
		return fmt.Errorf("%q is not allowed: write one of %s%s", text, f.allowed(), Meant(text, f.choices()))
	}
	v.SetString(text)
	return nil
}

func parseBool(text string, v reflect.Value) error {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		v.SetBool(true)
	case "false", "no", "off", "0":
		v.SetBool(false)
	default:
		return fmt.Errorf("%q is neither true nor false", text)
	}
	return nil
}

func (f field) parseInt(text string, v reflect.Value) error {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || v.OverflowInt(n) {
		return fmt.Errorf("%q is no whole number: write %s", text, f.allowed())
	}
	if err := f.inRange(float64(n), text); err != nil {
		return err
	}
	v.SetInt(n)
	return nil
}

func (f field) parseFloat(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is no finite number", text)
	}
	return x, f.inRange(x, text)
}

func (f field) inRange(x float64, text string) error {
	for _, bound := range []struct {
		tag string
		bad func(float64) bool
	}{
		{f.min, func(b float64) bool { return x < b }},
		{f.max, func(b float64) bool { return x > b }},
	} {
		if bound.tag == "" {
			continue
		}
		if b, err := strconv.ParseFloat(bound.tag, 64); err == nil && bound.bad(b) {
			return fmt.Errorf("%s is out of range: write %s", text, f.allowed())
		}
	}
	return nil
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		if _, number := strconv.ParseFloat(text, 64); number == nil {
			return 0, fmt.Errorf("%q has no unit: write %ss for seconds, or 5m, or 1h30m", text, text)
		}
		return 0, fmt.Errorf("%q is no duration: write 30s, 5m or 1h30m", text)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", text)
	}
	return d, nil
}

// sizeUnits are the units of ParseSize, longest suffix first.
var sizeUnits = []struct {
	suffix string
	factor float64
}{
	{"kib", 1 << 10},
	{"mib", 1 << 20},
	{"gib", 1 << 30},
	{"tib", 1 << 40},
	{"kb", 1e3},
	{"mb", 1e6},
	{"gb", 1e9},
	{"tb", 1e12},
	{"k", 1 << 10},
	{"m", 1 << 20},
	{"g", 1 << 30},
	{"t", 1 << 40},
	{"b", 1},
	{"", 1},
}

// ParseSize reads a number of bytes: "512MiB" and "512M" are 512 * 1024^2,
// "512MB" is 512 * 1000^2, "512" is 512.
func ParseSize(text string) (int64, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	for _, u := range sizeUnits {
		if !strings.HasSuffix(s, u.suffix) {
			continue
		}
		number := strings.ReplaceAll(strings.TrimSpace(strings.TrimSuffix(s, u.suffix)), "_", "")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n >= 0 && float64(n)*u.factor < math.MaxInt64 {
			return n * int64(u.factor), nil
		}
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(x) || x < 0 || x*u.factor >= math.MaxInt64 {
			break
		}
		return int64(x * u.factor), nil
	}
	return 0, fmt.Errorf("%q is no size: write 512MiB, 2GiB or a number of bytes", text)
}

// FormatSize writes a size the way ParseSize reads it, exactly.
func FormatSize(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// formatDuration writes a duration without empty parts: 2m, not 2m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// format writes a value in one line as atoll.yaml would hold it.
func (f field) format(v reflect.Value) string {
	switch f.kind {
	case kindDuration:
		return formatDuration(time.Duration(v.Int()))
	case kindSize:
		return FormatSize(v.Int())
	case kindString:
		return v.String()
	case kindFloatPtr:
		if v.IsNil() {
			return ""
		}
		return formatFloat(v.Elem().Float())
	case kindFloat:
		return formatFloat(v.Float())
	}
	return string(flow(f.plain(v)))
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func stageName(i int) string { return "stage " + strconv.Itoa(i+1) }
