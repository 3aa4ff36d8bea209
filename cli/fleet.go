package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/engine"
	"atoll/engine/fleet"
	"atoll/engine/fleet/server"
	"atoll/engine/fleet/wire"
	"atoll/engine/view"
	"atoll/store/record"
)

// fleetFlags are those of a run that has others measure.
type fleetFlags struct {
	address string
	lease   time.Duration
	agree   float64
}

func (f *fleetFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.address, "fleet", "", "measure on other machines: listen:HOST:PORT, or the URL of a NATS server")
	fl.DurationVar(&f.lease, "fleet-lease", fleet.DefaultLease, "how long a silent machine keeps its jobs")
	fl.Float64Var(&f.agree, "fleet-agree", fleet.DefaultAgree, "how far apart machines may measure the root, as a share; 0: do not compare them")
}

// release names this program for others that must be the same.
func (b Build) release() string {
	text := b.Version
	if b.Commit != "" {
		text += " " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Modified {
		text += " with changes"
	}
	return text
}

// lead makes this run the coordinator of a fleet.
func (a *App) lead(ctx context.Context, ses *engine.Session, f fleetFlags) (*fleet.Coordinator, error) {
	if f.lease < time.Second {
		return nil, usage("--fleet-lease %s: at least 1s", f.lease)
	}
	if !(f.agree >= 0 && f.agree <= 10) {
		return nil, usage("--fleet-agree %g: a share from 0 to 10", f.agree)
	}
	c, err := fleet.Start(ctx, fleet.Options{Address: f.address, State: ses.Dir, Version: a.Build.release(), Lease: f.lease, Agree: f.agree, Now: a.Now})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (a *App) fleetCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "fleet", Short: "List the machines that measure for a run, invite, drain or drop them",
		Example: "  atoll fleet\n  atoll fleet invite rack1 --address hub.lan:7422\n  atoll fleet drain rack1", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.machines(cmd.Context()) },
	}
	var address, pool string
	invite := &cobra.Command{
		Use: "invite NAME", Short: "Print the line that lets a machine join", Args: cobra.ExactArgs(1),
		Long: "invite prints one line to paste on the other machine. It holds a key that lets one machine of that name take jobs and answer, and\nnothing else; whoever has it can do so. Inviting a name again makes the key before worthless.",
		RunE: func(cmd *cobra.Command, args []string) error { return a.invite(cmd.Context(), args[0], address, pool) },
	}
	invite.Flags().StringVar(&address, "address", "", "host:port at which the other machine reaches this one (default: where the run listens)")
	invite.Flags().StringVar(&pool, "pool", "", "the machines that it belongs to; evaluator.pool has a pool measure alone")
	set := func(use, short string, state server.State, done string) *cobra.Command {
		return &cobra.Command{
			Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.setMachine(cmd.Context(), args[0], state, done)
			},
		}
	}
	cmd.AddCommand(invite,
		set("drain", "Have a machine finish what runs and get nothing more", server.Draining, "finishes what it has and gets nothing more"),
		set("drop", "Take a machine's jobs and its key away", server.Dropped, "is dropped; what it had goes to others"),
		set("resume", "Give a drained machine jobs again", server.Active, "gets jobs again; where its worker has ended, start it again"))
	return cmd
}

// fleetStatus is what a run that is under way tells of its fleet; live is false where the
// run that told it has died.
func fleetStatus(state string, now time.Time) (s view.Fleet, live bool, err error) {
	data, err := os.ReadFile(filepath.Join(server.Dir(state), fleet.StatusName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, false, fmt.Errorf("read how the fleet stands: %w", err)
	}
	return s, engine.Running(state) && now.Sub(s.At) < time.Minute, nil
}

// fleetHere is the fleet of the run that is under way; else, with live false, the
// machines that were invited.
func fleetHere(state string, now time.Time) (s view.Fleet, live bool, err error) {
	if s, live, err = fleetStatus(state, now); live || err != nil {
		return s, live, err
	}
	list, err := server.MembersOf(state).List()
	s = view.Fleet{Machines: []view.Machine{}}
	for _, m := range list {
		s.Machines = append(s.Machines, view.Machine{Name: m.Name, State: m.Told(), Jobs: []record.JobID{}})
	}
	return s, false, err
}

// machines prints the fleet.
func (a *App) machines(ctx context.Context) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	s, live, err := fleetHere(p.state, a.Now())
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, s)
	}
	if !live {
		fmt.Fprintln(a.Out, a.spell("no run has a fleet here now; `atoll run --fleet listen:0.0.0.0:7422` starts one"))
	} else {
		fmt.Fprintf(a.Out, "%s: %s, %s; %d running, %d waiting\n", s.Address, view.Plural(len(s.Machines), "machine"), view.Plural(s.Slots(), "slot"), s.Running, s.Waiting)
		if s.Limit != "" {
			fmt.Fprintln(a.Out, s.Limit)
		}
	}
	if len(s.Machines) == 0 {
		fmt.Fprintln(a.Out, a.spell("no machine; `atoll fleet invite NAME` prints the line that lets one join"))
		return nil
	}
	return writeMachines(a.Out, s.Machines)
}

// writeMachines prints machines as a table, and below it why some of them are as they are:
// each reason once.
func writeMachines(to io.Writer, machines []view.Machine) error {
	tw := table(to)
	fmt.Fprintln(tw, "MACHINE\tSTATE\tPOOL\tSLOTS\tJOBS\tLOAD\tPER MIN\tDONE\tFAULTS\tREFUSED\tROOT\tRUNG\tVERSION")
	var reasons []string
	of := map[string][]string{}
	for _, m := range machines {
		if m.Why != "" {
			if of[m.Why] == nil {
				reasons = append(reasons, m.Why)
			}
			of[m.Why] = append(of[m.Why], m.Name)
		}
		if m.Slots == 0 { // no worker of it was here
			fmt.Fprintf(tw, "%s\t%s\t-\t-\t-\t-\t-\t%d\t%d\t%d\t-\t-\t-\n", m.Name, m.State, m.Done, m.Faults, m.Refused)
			continue
		}
		root := "-"
		if m.Root != 0 {
			root = fmt.Sprintf("x%.3g", m.Root)
		}
		jobs := make([]string, 0, len(m.Jobs))
		for _, j := range m.Jobs {
			jobs = append(jobs, j.String())
		}
		if len(jobs) > 4 {
			jobs = append(jobs[:4], fmt.Sprintf("and %d more", len(m.Jobs)-4))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%.2f\t%d\t%d\t%d\t%d\t%s\t%d\t%s\n", m.Name, m.State, cmp.Or(m.Pool, "-"), m.Slots, cmp.Or(strings.Join(jobs, " "), "-"), m.Load,
			m.PerMinute, m.Done, m.Faults, m.Refused, root, m.Rung, view.CleanLine(m.Version))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, why := range reasons {
		names := of[why]
		if len(names) > 6 {
			names = append(slices.Clone(names[:6]), fmt.Sprintf("%d more", len(names)-6))
		}
		fmt.Fprintf(to, "%s: %s\n", strings.Join(names, ", "), view.CleanLine(why))
	}
	return nil
}

// invited is what invite prints as JSON. Command holds a key.
type invited struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Command string `json:"command"`
}

// invite makes a key for a machine and prints the line that it joins with.
func (a *App) invite(ctx context.Context, name, address, pool string) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	out, err := a.inviteTo(p.state, name, address, pool)
	if err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, out)
	}
	fmt.Fprintln(a.Err, "atoll: paste this on the other machine; it holds a key, so show it to nobody else")
	fmt.Fprintln(a.Out, out.Command)
	return nil
}

// inviteTo makes a key for a machine.
func (a *App) inviteTo(state, name, address, pool string) (invited, error) {
	if err := wire.CheckName(name); err != nil {
		return invited{}, usage("%v", err)
	}
	if pool != "" && wire.CheckName(pool) != nil {
		return invited{}, usage("--pool %q: use up to 40 of a-z, 0-9 and -, such as gpu", pool)
	}
	address, err := a.reachable(state, address)
	if err != nil {
		return invited{}, err
	}
	id, err := server.IdentityOf(state, a.Now())
	if err != nil {
		return invited{}, err
	}
	seed, public, err := server.NewKey()
	if err != nil {
		return invited{}, fmt.Errorf("make a key for %s: %w", name, err)
	}
	if err := server.MembersOf(state).Put(server.Member{Name: name, Key: public, Pool: pool, State: server.Active, Since: a.Now()}); err != nil {
		return invited{}, err
	}
	return invited{name, address, "atoll worker --join " + wire.Invite{Address: address, Name: name, Pool: pool, Seed: seed, Server: id.Print}.String()}, nil
}

// reachable is where another machine finds this one: what was given, or where
// the run listens.
func (a *App) reachable(state, address string) (string, error) {
	if address == "" {
		s, live, err := fleetStatus(state, a.Now())
		if err != nil {
			return "", err
		}
		if !live {
			return "", usage("--address is missing: say at which host:port the other machine reaches this one, such as hub.lan:7422")
		}
		address = s.Address
		if strings.Contains(address, "://") {
			return "", usage("the queue is on a NATS server of your own, which knows its machines: start `atoll worker --join %s --name NAME` there", address)
		}
	}
	host, port, err := net.SplitHostPort(address)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || !hosts.MatchString(host) {
		return "", usage("--address %q: write HOST:PORT, such as hub.lan:7422", address)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		name, err := os.Hostname()
		if err != nil {
			return "", usage("--address is missing: the run listens at all addresses; say by which one the other machine reaches it")
		}
		address = net.JoinHostPort(name, port)
	}
	return address, nil
}

// hosts are names and addresses by which a machine can be reached.
var hosts = regexp.MustCompile(`^[0-9A-Za-z._:%-]+$`)

// decided is what drain, drop and resume print as JSON.
type decided struct {
	Name  string       `json:"name"`
	State server.State `json:"state"` // active, draining or dropped
}

// setMachine notes what a person decided about a machine, and says so.
func (a *App) setMachine(ctx context.Context, name string, state server.State, done string) error {
	p, err := a.place(ctx)
	if err != nil {
		return err
	}
	if err := a.decideMachine(p.state, name, state); err != nil {
		return err
	}
	if a.flags.json {
		return writeJSON(a.Out, decided{name, state})
	}
	fmt.Fprintln(a.Out, name, done)
	return nil
}

// decideMachine notes what a person decided about a machine; the run that is under way
// carries it out.
func (a *App) decideMachine(dir, name string, state server.State) error {
	s, live, err := fleetStatus(dir, a.Now())
	if err != nil {
		return err
	}
	known := false
	for _, m := range s.Machines {
		known = known || live && m.Name == name
	}
	err = server.MembersOf(dir).Set(name, state, known, a.Now())
	if errors.Is(err, server.ErrMember) || errors.Is(err, server.ErrDropped) {
		return usage("%v", err)
	}
	return err
}

// stewards is how the console looks after the machines of a run.
type stewards struct {
	app   *App
	state string // the state directory
}

// Fleet implements [pane.Machines].
func (s stewards) Fleet(context.Context) (view.Fleet, bool, error) {
	return fleetHere(s.state, s.app.Now())
}

// Invite implements [pane.Machines].
func (s stewards) Invite(_ context.Context, name string) (string, error) {
	out, err := s.app.inviteTo(s.state, name, "", "")
	return out.Command, said(err)
}

// said is an error without the word for what is typed wrongly: in the console nobody typed.
func said(err error) error {
	if rest, typed := strings.CutPrefix(fmt.Sprint(err), errUsage.Error()+": "); typed {
		return errors.New(rest)
	}
	return err
}

// Drain implements [pane.Machines].
func (s stewards) Drain(_ context.Context, name string) error {
	return said(s.app.decideMachine(s.state, name, server.Draining))
}

// Resume implements [pane.Machines].
func (s stewards) Resume(_ context.Context, name string) error {
	return said(s.app.decideMachine(s.state, name, server.Active))
}

// Drop implements [pane.Machines].
func (s stewards) Drop(_ context.Context, name string) error {
	return said(s.app.decideMachine(s.state, name, server.Dropped))
}
