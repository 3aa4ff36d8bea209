package steer

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/keys"
	"atoll/tui/widget"
)

// machineHolder is a pane whose cursor stands on a machine.
type machineHolder interface{ Machine() (name, state string) }

// machines is what a person can do to the machines that measure for a run.
type machines struct{ *Actions }

// MachineKeys are the rows about the machines that measure for a run.
func MachineKeys(actions *Actions) []*keys.Binding {
	a := machines{actions}
	in := []keys.Scope{keys.InFleet}
	return []*keys.Binding{
		{ID: "add-machine", Keys: []string{"a"}, Title: "add a machine", Doc: "makes the line that lets it join, and copies it", In: in, Decides: true, Bar: 72, Off: a.noMachines, Run: a.addMachine},
		{ID: "drain-machine", Keys: []string{"d"}, Title: "drain", Says: a.drainWord, Doc: "it finishes what it has and gets nothing more; again: it gets jobs again", In: in, Decides: true, Bar: 71, Off: a.noMachine, Run: a.drainMachine},
		{ID: "drop-machine", Keys: []string{"X"}, Title: "drop", Doc: "its jobs go to others, its key opens nothing any more", In: in, Decides: true, Danger: true, Bar: 70, Off: a.noMachine, Run: a.dropMachine},
	}
}

// machine is the one under the cursor, "" for none.
func (a machines) machine() (name, state string) {
	if p, ok := a.Host.Current().(machineHolder); ok {
		return p.Machine()
	}
	return "", ""
}

func (a machines) noMachines() string {
	if a.Machines == nil {
		return "machines are looked after where the run is"
	}
	return ""
}

func (a machines) noMachine() string {
	name, state := a.machine()
	switch {
	case a.Machines == nil:
		return a.noMachines()
	case name == "":
		return "no machine is selected"
	case state == "dropped":
		return name + " is dropped; add it again"
	}
	return ""
}

func (a machines) addMachine() tea.Cmd {
	m := a.Machines
	return a.Host.Ask(widget.NewPrompt("Add a machine", "its name: up to 40 of a-z, 0-9 and -", "", func(name string) tea.Cmd {
		if name == "" {
			return nil
		}
		return a.Act("invite", func(ctx context.Context) Done {
			line, err := m.Invite(ctx, name)
			if err != nil {
				return Done{Err: err}
			}
			return Done{Text: "copied the line that lets " + name + " join", Then: tea.SetClipboard(line), Next: func() tea.Cmd {
				return a.Host.Ask(widget.NewPrompt("Paste this on "+name, "it holds a key, so show it to nobody else", line, func(string) tea.Cmd { return nil }))
			}}
		})
	}))
}

// isDrained reports whether a machine finishes what it has, or did and ended.
func isDrained(state string) bool { return state == "draining" || state == "drained" }

func (a machines) drainWord() string {
	if _, state := a.machine(); isDrained(state) {
		return "resume"
	}
	return "drain"
}

func (a machines) drainMachine() tea.Cmd {
	name, state := a.machine()
	do, said := a.Machines.Drain, name+" finishes what it has"
	if isDrained(state) {
		do, said = a.Machines.Resume, name+" gets jobs again"
	}
	if state == "drained" {
		said += "; start its worker again"
	}
	return a.onMachine(name, said, do)
}

func (a machines) dropMachine() tea.Cmd {
	name, _ := a.machine()
	drop := a.Machines.Drop
	return a.Host.Ask(&widget.Confirm{
		Title: "Drop " + name,
		Text:  []string{"What it measures now is lost and goes to others. Its key opens nothing any more."},
		Choices: []widget.Choice{{Key: "esc", Label: "keep it"}, {Key: "d", Label: "drop it", Run: func() tea.Cmd {
			return a.onMachine(name, name+" is dropped", drop)
		}}},
	})
}

func (a machines) onMachine(name, said string, do func(ctx context.Context, name string) error) tea.Cmd {
	return a.Act("machine", func(ctx context.Context) Done {
		if err := do(ctx, name); err != nil {
			return Done{Err: err}
		}
		return Done{Text: said}
	})
}
