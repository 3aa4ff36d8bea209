package work

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

func TestTheLoadOfTheMachineIsAskedForOnceASecond(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		times []time.Duration // after the start
		reads int
	}{
		{name: "once at the start", times: []time.Duration{0}, reads: 1},
		{name: "not again within the second", times: []time.Duration{0, time.Millisecond, 999 * time.Millisecond}, reads: 1},
		{name: "again when it has passed", times: []time.Duration{0, time.Second, 1500 * time.Millisecond, 2 * time.Second}, reads: 3},
		{name: "again when the clock was set back", times: []time.Duration{0, -time.Hour}, reads: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reads := 0
			m := &machine{read: func() (string, error) {
				reads++
				return "3.00 2.00 1.00 1/100 4242\n", nil
			}}
			for _, after := range tt.times {
				if got, want := m.load(start.Add(after)), 3/float64(runtime.NumCPU()); got == nil || *got != want {
					t.Errorf("the load is %v, want %v", got, want)
				}
			}
			if reads != tt.reads {
				t.Errorf("it was read %d times, want %d", reads, tt.reads)
			}
		})
	}
}

func TestALoadThatIsNotKnownIsNone(t *testing.T) {
	for name, read := range map[string]func() (string, error){
		"no file":  func() (string, error) { return "", errors.New("not there") },
		"no text":  func() (string, error) { return "", nil },
		"no value": func() (string, error) { return "busy\n", nil },
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&machine{read: read}).load(time.Unix(1, 0)); got != nil {
				t.Errorf("the load is %v", *got)
			}
		})
	}
}
