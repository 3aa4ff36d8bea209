package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// rack is machines that note what a person decides about them.
type rack struct {
	fleet view.Fleet
	live  bool
	said  []string
}

func (r *rack) Fleet(context.Context) (view.Fleet, bool, error) {
	f := r.fleet
	f.Machines = slices.Clone(f.Machines)
	return f, r.live, nil
}

func (r *rack) Invite(_ context.Context, name string) (string, error) {
	r.said = append(r.said, "invite "+name)
	return "atoll worker --join atoll1.key-of-" + name, nil
}

func (r *rack) decide(what, name, state string) error {
	r.said = append(r.said, what+" "+name)
	for i := range r.fleet.Machines {
		if m := &r.fleet.Machines[i]; m.Name == name {
			m.State = state
		}
	}
	return nil
}

func (r *rack) Drain(_ context.Context, name string) error {
	return r.decide("drain", name, "draining")
}

func (r *rack) Resume(_ context.Context, name string) error { return r.decide("resume", name, "idle") }

func (r *rack) Drop(_ context.Context, name string) error { return r.decide("drop", name, "dropped") }

// again shows what is so now: another snapshot has panes ask anew.
func (r *rig) again(s view.Snapshot) {
	r.t.Helper()
	s.Version = r.app.d.Snap.Version + 1
	r.send(snapMsg{&s})
}

func TestMachinesAreSeenAddedDrainedAndDropped(t *testing.T) {
	m := &rack{live: true, fleet: view.Fleet{Address: "hub:7422", Running: 3, Waiting: 2, Limit: "slots 98 % busy: more machines would measure more", Machines: []view.Machine{
		{Name: "rack1", State: "busy", Slots: 4, Pool: "gpu", Jobs: []record.JobID{7, 8, 9}, Load: 0.75, PerMinute: 31, Done: 120, Rung: 1, Root: 1.02},
		{Name: "rack2", State: "set aside", Why: "it measures the root as 30, the run as 10", Slots: 4, Faults: 3},
	}}}
	snap := tuitest.Snapshot(8)
	r := newRig(t, snap, 140, 36, func(o *Options) { o.Machines = m })
	r.run(r.app.keys.Get("fleet").Run())
	r.tells([]string{"hub:7422", "4 slots", "3 running, 2 waiting", "more machines would measure more", "pool gpu", "rack1", "busy", "x1.02", "set aside", "the run as 10"}, "")
	if got := r.app.Current().Selected().Job; got != 7 {
		t.Errorf("enter on a machine opens job %v, not the first that it works on", got)
	}
	r.keys("a")
	r.typing("rack3")
	r.keys("enter")
	r.tells([]string{"Paste this on rack3", "atoll1.key-of-rack3"}, "")
	r.keys("esc", "d")
	r.again(*snap)
	r.tells([]string{"draining"}, "")
	r.keys("d")
	r.again(*snap)
	r.tells([]string{"idle"}, "draining")
	m.fleet.Machines[0].State = "drained"
	r.again(*snap)
	r.keys("d")
	r.again(*snap)
	r.tells([]string{"idle", "start its worker again"}, "drained")
	r.keys("X")
	r.tells([]string{"Drop rack1"}, "")
	r.keys("d")
	if got := strings.Join(m.said, ", "); got != "invite rack3, drain rack1, resume rack1, resume rack1, drop rack1" {
		t.Errorf("decided: %s", got)
	}
}

func TestAMachineThatJoinsIsSeenWithoutNewsOfTheExperiment(t *testing.T) {
	m := &rack{live: true, fleet: view.Fleet{Address: "hub:7422", Machines: []view.Machine{{Name: "rack1", State: "idle"}}}}
	r := newRig(t, tuitest.Snapshot(8), 140, 36, func(o *Options) { o.Machines = m })
	var timers []tea.Msg
	r.app.after = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(watchMsg); ok {
			timers = append(timers, msg)
		}
		return nil
	}
	r.run(r.app.keys.Get("fleet").Run())
	r.tells([]string{"rack1"}, "rack2")
	m.fleet.Machines = append(m.fleet.Machines, view.Machine{Name: "rack2", State: "idle"})
	if len(timers) != 1 {
		t.Fatalf("%d timers run while the machines are on the screen", len(timers))
	}
	r.send(timers[0])
	r.tells([]string{"rack2"}, "")
	r.keys("p") // a view that stands still is one of the experiment
	m.fleet.Machines = append(m.fleet.Machines, view.Machine{Name: "rack3", State: "idle"})
	r.send(timers[len(timers)-1])
	r.tells([]string{"rack3"}, "")
	r.keys("1", "1")
	before := len(timers)
	r.send(timers[before-1])
	if len(timers) != before {
		t.Error("the machines are asked for though they are not on the screen")
	}
	m.fleet.Machines = m.fleet.Machines[:1]
	r.run(r.app.keys.Get("fleet").Run())
	r.tells([]string{"rack1"}, "rack3")
}

func TestARunWithoutAFleetSaysHowToHaveOne(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(8), 120, 30, func(o *Options) { o.Machines = &rack{} })
	r.run(r.app.keys.Get("fleet").Run())
	r.tells([]string{"measures on its own machine", "--fleet listen:"}, "")
}

func TestJobsNameTheMachineWhereThereIsAFleet(t *testing.T) {
	snap := tuitest.Snapshot(8)
	r := newRig(t, snap, 180, 36)
	r.keys("2", "z")
	r.tells(nil, "machine")
	for i := range snap.Recent {
		snap.Recent[i].Job.Machine = "rack7"
	}
	r = newRig(t, snap, 180, 36)
	r.keys("2", "z")
	r.tells([]string{"machine", "rack7"}, "")
}
