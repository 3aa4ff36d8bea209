package view

import (
	"time"

	"atoll/store/record"
)

// Machine is what is told of a machine of a fleet.
type Machine struct {
	Name      string            `json:"name"`
	State     string            `json:"state"` // idle, busy, checking, draining, drained, away, left, set aside, dropped, invited, not joined
	Why       string            `json:"why,omitempty"`
	Host      string            `json:"host,omitempty"` // what its worker's system calls itself
	Slots     int               `json:"slots"`
	Jobs      []record.JobID    `json:"jobs"` // that it works on
	Load      float64           `json:"load"` // of one minute, by processor
	PerMinute int               `json:"jobs_per_minute"`
	Done      int               `json:"done"`
	Faults    int               `json:"faults"`  // tasks that broke off for a fault of the machine
	Fenced    int               `json:"fenced"`  // results that came too late to count
	Refused   int               `json:"refused"` // messages that no honest worker sends
	Rung      int               `json:"rung"`
	Version   string            `json:"version"`
	Platform  string            `json:"platform"`
	CPUs      int               `json:"cpus"`
	Labels    map[string]string `json:"labels,omitempty"`
	Edits     bool              `json:"edits,omitempty"`    // it runs coding clients, too
	NoEdits   map[string]string `json:"no_edits,omitempty"` // programs with which it gets no more edits, and why
	Pool      string            `json:"pool,omitempty"`
	Root      float64           `json:"root,omitempty"` // its value of the root as a ratio to the run's; 0 unknown
	Seen      time.Time         `json:"seen"`
}

// Fleet is what is told of the machines that measure for a run.
type Fleet struct {
	At      time.Time `json:"at"`
	PID     int       `json:"pid"`
	Address string    `json:"address"`
	Waiting int       `json:"waiting"` // tasks that nobody has
	Running int       `json:"running"`
	// Busy and PerSecond are the share of slots that worked, and the samples, of the last
	// seconds; Limit says in words what keeps the other slots from working.
	Busy      float64   `json:"busy"`
	PerSecond float64   `json:"samples_per_second"`
	Limit     string    `json:"limit,omitempty"`
	Machines  []Machine `json:"machines"`
}

// Slots is how many samples those machines together take at the same time that may have
// any.
func (f *Fleet) Slots() int {
	n := 0
	for _, m := range f.Machines {
		switch m.State {
		case "idle", "busy", "checking":
			n += m.Slots
		}
	}
	return n
}
