package probe

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestInputsStandWhereTheAnswerChanges(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, c := range map[string]struct {
		f    any
		want []any // these are asked, and worth doing again
	}{
		"hours that become years":          {func(d time.Duration) string { return fmt.Sprint(int(d.Hours()) / 24 / 365) }, []any{3 * year}},
		"a number at which a product ends": {func(n int) bool { return n*3 < 100_000 }, []any{33_333, 33_334}},
		"a number below zero":              {func(n int32) bool { return n/7 < -1000 }, []any{int32(-7006), int32(-7007)}},
		"a number without a sign":          {func(n uint16) int { return len(fmt.Sprint(n / 3)) }, []any{uint16(2999), uint16(3000)}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := map[any]bool{}
			f := reflect.ValueOf(c.f)
			told := reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
				asked[args[0].Interface()] = true
				return f.Call(args)
			})
			kept := keptOf(t, told)
			for _, v := range c.want {
				if !asked[v] || !slices.Contains(kept, v) {
					t.Errorf("%v was asked %t, and is kept %t", v, asked[v], slices.Contains(kept, v))
				}
			}
		})
	}
}

// keptOf explores a function of one argument, and lists what of it is kept.
func keptOf(t *testing.T, f reflect.Value) (out []any) {
	t.Helper()
	api := API{Watch: make([]byte, 8), Funcs: []Func{{"f", f}}}
	var q Request
	for _, a := range mustAnswer(t, api, Request{Mode: Explore, Seed: 3, Count: 2400, Groups: []string{"f"}}) {
		if a.Kind == AnswerKeep {
			m := &maker{d: replayed(a.Choices), lib: newLibrary(api, q.Literals)}
			args, _ := m.arguments(f.Type(), 0, nil)
			out = append(out, args[0].Interface())
		}
	}
	return out
}

func TestFractionsThatRoundingMovesAreOneBesideTheOther(t *testing.T) {
	f := reflect.ValueOf(func(v float64) bool { return v*0.3 < 7.5 })
	below, above := false, false
	for _, v := range keptOf(t, f) {
		if v, ok := v.(float64); ok && math.Abs(v-25) < 0.001 {
			below, above = below || v*0.3 < 7.5, above || v*0.3 >= 7.5
			if v != 25 && math.Abs(v-25) < 1e-6 {
				t.Errorf("%v is as near as rounding", v)
			}
		}
	}
	if !below || !above {
		t.Errorf("kept are one below %t, one above %t", below, above)
	}
}

func TestTheOrderOfFractionsIsThatOfTheirNumbers(t *testing.T) {
	all := []float64{math.Inf(-1), -2, -1.5, -5e-324, 0, 5e-324, 1, 1.0000001, 1e300, math.Inf(1)}
	for i, v := range all {
		if fraction(ordered(v)) != v || i > 0 && ordered(all[i-1]) >= ordered(v) {
			t.Errorf("%v is %d and back %v", v, ordered(v), fraction(ordered(v)))
		}
	}
}
