package bench

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The plant of the example "deceptive", as its evaluator has it.
var (
	pumpDials  = map[string]int{"speed": 62, "stroke": 42, "inlet": 56, "prime": 44}
	valveDials = map[string]int{"lift": 44, "delay": 58, "seat": 42, "spring": 60}
)

const (
	plantStart    = 32 // how far an untouched module is, all dials together
	plantOnWay    = 16
	plantFinished = 27
)

// plant measures a plant.
func plant(_ context.Context, files map[string]string) (map[string]float64, error) {
	dials := map[string]int{}
	for _, path := range []string{"modules/pump.conf", "modules/valve.conf"} {
		if err := readDials(files[path], dials); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	p, err := progress(dials, pumpDials)
	if err != nil {
		return nil, err
	}
	v, err := progress(dials, valveDials)
	if err != nil {
		return nil, err
	}
	ps, vs := stage(p), stage(v)
	power := 50 - 8*float64(ps+vs) + within(p) + within(v)
	switch {
	case ps == 2 && vs == 2:
		power = 100 - float64(2*plantStart-p-v)/2
	case ps > 0 && vs > 0:
		power, ps, vs = 10, 0, 0
	}
	return map[string]float64{"power": math.Round(power*100) / 100, "pump": float64(ps), "valve": float64(vs)}, nil
}

func readDials(text string, dials map[string]int) error {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 || words[1] != "=" {
			return fmt.Errorf("%q is not name = value", line)
		}
		name := words[0]
		if _, ok := pumpDials[name]; !ok && valveDials[name] == 0 {
			return fmt.Errorf("%q names no dial", line)
		}
		if _, ok := dials[name]; ok {
			return fmt.Errorf("%q is there twice", name)
		}
		n, err := strconv.Atoi(words[2])
		if err != nil || len(words[2]) > 2 || n < 0 || words[2][0] == '+' || words[2][0] == '-' {
			return fmt.Errorf("%q is no dial from 0 to 99", line)
		}
		dials[name] = n
	}
	return nil
}

// progress is how much nearer the dials of a module are than at the start.
func progress(dials, belongs map[string]int) (int, error) {
	far := 0
	for name, want := range belongs {
		got, ok := dials[name]
		if !ok {
			return 0, fmt.Errorf("the dial %s is missing", name)
		}
		far += max(got-want, want-got)
	}
	return max(0, plantStart-far), nil
}

func stage(nearer int) int {
	switch {
	case nearer >= plantFinished:
		return 2
	case nearer >= plantOnWay:
		return 1
	}
	return 0
}

// within a stage, nearer is a little better.
func within(nearer int) float64 {
	return float64(nearer-[...]int{0, plantOnWay, plantFinished}[stage(nearer)]) / 4
}
