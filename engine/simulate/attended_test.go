package simulate_test

import (
	"fmt"
	"testing"

	"atoll/engine/simulate"
	"atoll/store/record"
)

// sampled are jobs of a second, one after the other, that a machine measured.
func sampled(machine string, from, jobs int) (out []record.Job) {
	for n := range jobs {
		out = append(out, record.Job{Kind: record.Make, State: record.Scored, Machine: machine, EvalMS: 900, Ended: record.Millis(1000 * (from + n + 1))})
	}
	return out
}

func TestMachinesThatComeAndGoCountAsOftenAsTheyAreThere(t *testing.T) {
	var jobs []record.Job
	said := map[string]int{}
	for n := range 20 { // pods of which two are there at any time
		name := fmt.Sprintf("pod-%d", n)
		said[name] = 1
		jobs = append(jobs, sampled(name, 50*n, 100)...)
	}
	p := simulate.Defaults()
	x, err := simulate.FromJobs(&p, jobs, 0, said)
	if err != nil || x.Machines != 2 || x.Slots != 1 || x.Seen != 20 || x.Still != 0 {
		t.Errorf("%+v, %v", x, err)
	}
}

func TestTheTimeInWhichARunStoodDoesNotCount(t *testing.T) {
	jobs := append(sampled("a", 0, 100), sampled("a", 3700, 100)...) // an hour in which nobody ran it
	jobs = append(jobs, sampled("b", 0, 100)...)
	jobs = append(jobs, sampled("b", 3700, 100)...)
	p := simulate.Defaults()
	x, err := simulate.FromJobs(&p, jobs, 0, map[string]int{"a": 1, "b": 1})
	if err != nil || x.Machines != 2 || x.Seen != 2 {
		t.Errorf("%+v, %v", x, err)
	}
	near(t, "the time in which it stood", x.Still, 3600, 0.01)
	near(t, "jobs an hour", x.PerHour, 7200, 0.02)
}
