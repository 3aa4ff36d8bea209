package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePlantIsATrap(t *testing.T) {
	dir, l := copyOf(t, "deceptive")
	for _, c := range []struct {
		name        string
		pump, valve [4]int
		want        [3]float64 // power, pump, valve
	}{
		{"untouched", [4]int{50, 50, 50, 50}, [4]int{50, 50, 50, 50}, [3]float64{50, 0, 0}},
		{"within stage 0 nearer is a little better", [4]int{62, 47, 50, 50}, [4]int{50, 58, 43, 50}, [3]float64{57.5, 0, 0}},
		{"the next stage costs power", [4]int{62, 46, 50, 50}, [4]int{50, 50, 50, 50}, [3]float64{42, 1, 0}},
		{"a finished module alone costs more", [4]int{62, 42, 56, 44}, [4]int{50, 50, 50, 50}, [3]float64{35.25, 2, 0}},
		{"the other one too", [4]int{50, 50, 50, 50}, [4]int{44, 58, 42, 60}, [3]float64{35.25, 0, 2}},
		{"both on their way fight", [4]int{62, 42, 56, 44}, [4]int{44, 58, 48, 50}, [3]float64{10, 0, 0}},
		{"both finished run", [4]int{62, 42, 56, 44}, [4]int{44, 58, 42, 60}, [3]float64{100, 2, 2}},
		{"both nearly right run", [4]int{62, 42, 56, 49}, [4]int{44, 58, 42, 55}, [3]float64{95, 2, 2}},
		{"the wrong way is no progress", [4]int{0, 99, 99, 0}, [4]int{50, 50, 50, 50}, [3]float64{50, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, v := c.pump, c.valve
			setDials(t, dir, fmt.Sprintf("speed = %d\nstroke = %d\ninlet = %d\nprime = %d\n", p[0], p[1], p[2], p[3]),
				fmt.Sprintf("# comment\nlift = %d\ndelay = %d\n\nseat = %d\nspring = %d\n", v[0], v[1], v[2], v[3]))
			r, complaint := measure(t, dir, l)
			if complaint != "" {
				t.Fatal(complaint)
			}
			if got := [3]float64{r.value(t, "power"), r.value(t, "pump"), r.value(t, "valve")}; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestThePlantRefusesBrokenModules(t *testing.T) {
	dir, l := copyOf(t, "deceptive")
	const valve = "lift = 50\ndelay = 50\nseat = 50\nspring = 50\n"
	for _, c := range []struct{ name, pump, want string }{
		{"a dial beyond 99", "speed = 100\nstroke = 5\ninlet = 5\nprime = 5\n", "pump.conf:1: speed = 100 is no dial from 0 to 99"},
		{"a negative dial", "speed = -1\nstroke = 5\ninlet = 5\nprime = 5\n", "is no dial"},
		{"a broken number", "speed = 1.5\nstroke = 5\ninlet = 5\nprime = 5\n", "is no dial"},
		{"a missing dial", "stroke = 5\ninlet = 5\nprime = 5\n", "the dial speed is missing"},
		{"a dial given twice", "speed = 5\nspeed = 5\nstroke = 5\ninlet = 5\nprime = 5\n", "pump.conf:2: speed = 5 is there twice"},
		{"an unknown name", "sped = 5\nstroke = 5\ninlet = 5\nprime = 5\n", "names no dial"},
		{"no assignment", "speed: 5\n", "is not name = value"},
		{"an empty module", "", "is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setDials(t, dir, c.pump, valve)
			if _, complaint := measure(t, dir, l); !strings.Contains(complaint, c.want) {
				t.Errorf("complaint = %q, want %q", complaint, c.want)
			}
		})
	}
}

func setDials(t *testing.T, dir, pump, valve string) {
	t.Helper()
	for name, text := range map[string]string{"pump.conf": pump, "valve.conf": valve} {
		if err := os.WriteFile(filepath.Join(dir, "modules", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
