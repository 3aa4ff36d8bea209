package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// climb tries the rungs that the mode allows, from the top, and keeps what it
// learned as findings.
func (b *Box) climb(ctx context.Context, mode Mode) error {
	var try []Rung
	switch mode {
	case ModeAuto:
		try = []Rung{Namespaces, Landlock}
	case ModeNamespaces:
		try = []Rung{Namespaces}
	case ModeLandlock:
		try = []Rung{Landlock}
	case ModeUnsafe:
		try = []Rung{Plain}
	default:
		return fmt.Errorf("%w: mode %q: use auto, namespaces, landlock or unsafe", ErrSpec, mode)
	}
	var why []string
	for _, r := range try {
		fence, err := b.enclose(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.findings = append(b.findings, finding(r, err))
		if err == nil {
			b.rung, b.fence = r, fence
			b.describe(b.joinGroup(ctx))
			return nil
		}
		why = append(why, r.String()+": "+err.Error())
	}
	return fmt.Errorf("%w: %s; sandbox.mode: unsafe runs without isolation, on trusted code only", ErrNoRung, strings.Join(why, "; "))
}

// probeTime is how long a rung may take to run one command. It takes a tenth of a second on a calm machine, and a rung that
// is only slow must not be taken for one that does not work.
const probeTime = time.Minute

// probe really runs a command on a rung behind a fence: what sysctls and versions
// promise is often not what a container or a security module grants.
func (b *Box) probe(ctx context.Context, r Rung, f fence) error {
	if r == Landlock && b.facts.abi == 0 {
		return errors.New("this kernel has no Landlock, or it is not enabled")
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	base, err := os.MkdirTemp(b.dir, "probe-")
	if err != nil {
		return fmt.Errorf("make a folder to probe with: %w", err)
	}
	defer func() { _ = os.RemoveAll(base) }()
	if err := os.WriteFile(base+"/old", []byte("old\n"), 0o644); err != nil {
		return fmt.Errorf("make a file to probe with: %w", err)
	}
	trial := &Box{rung: r, fence: f, exe: b.exe, dir: b.dir, now: b.now, system: b.system, facts: b.facts, starter: b.starter, groups: b.groups, lack: b.lack}
	res, err := trial.Run(ctx, Spec{
		Args: []string{"/bin/sh", "-c", "read line < old && echo new > old && (echo $line) && /bin/true"},
		Base: base, Limits: Limits{Wall: 5 * time.Second, Disk: 1 << 20}, Harvest: true,
	})
	if err != nil {
		return err
	}
	if res.Exit != 0 || strings.TrimSpace(string(res.Stdout)) != "old" {
		return fmt.Errorf("a trial command ended with %d: %s", res.Exit, tail(res.Stderr))
	}
	if len(res.Changes) != 1 || string(res.Changes[0].Data) != "new\n" {
		return fmt.Errorf("a trial command's change did not come back")
	}
	if data, err := os.ReadFile(base + "/old"); err != nil || string(data) != "old\n" {
		return errors.New("a trial command changed its base checkout")
	}
	if r == Namespaces && res.Copied {
		b.findings = append(b.findings, Finding{
			Name: "overlay", Detail: "the kernel refuses overlay mounts here: each run copies its tree",
			Cure: "Linux 5.11 or newer, and a scratch folder that is not itself on an overlay",
		})
	}
	return nil
}

// finding says what a probe found.
func finding(r Rung, err error) Finding {
	f := Finding{Name: "rung " + r.String(), OK: err == nil, Detail: "works"}
	if err == nil {
		if r == Plain {
			f.OK, f.Detail = false, "asked for: limits and clean-up, no isolation"
			f.Cure = "sandbox.mode: auto"
		}
		return f
	}
	f.Detail = err.Error()
	switch r {
	case Namespaces:
		f.Cure = "allow user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 (Debian), " +
			"kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 24.04); in a container run it with " +
			"--security-opt seccomp=unconfined --security-opt systempaths=unconfined"
	case Landlock:
		f.Cure = "Linux 5.13 or newer with landlock in the kernel's lsm= list"
	}
	return f
}

// joinGroup has runs live in control groups, where one is delegated and a command
// really runs in it. Else the error says why not.
func (b *Box) joinGroup(ctx context.Context) (err error) {
	if b.groups, err = b.findGroup(); err != nil {
		return err
	}
	if err = b.probe(ctx, b.rung, b.fence); err != nil {
		b.groups = nil
	}
	return err
}

// describe adds what the chosen rung lacks. group says why there is no control group.
func (b *Box) describe(group error) {
	add := func(ok bool, name, detail, cure string) {
		b.findings = append(b.findings, Finding{Name: name, OK: ok, Detail: detail, Cure: cure})
	}
	if b.rung != Namespaces {
		f := b.fence.finding()
		if b.fence == fenceNone && b.Fenced() {
			f = Finding{Name: "processes", OK: true, Detail: "a control group of their own bounds them, and ends them together"}
		}
		b.findings = append(b.findings, f)
	}
	add(true, "control group", pick(b.groups != nil, "each run has one of its own: the kernel bounds its processes and memory",
		fmt.Sprintf("%v: the watchdog counts alone; `systemd-run --user --scope -p Delegate=yes atoll run` has one", group)), "")
	switch b.rung {
	case Namespaces:
		if b.facts.root {
			add(true, "user", "runs as root: commands get none of its capabilities, and processes are counted by the watchdog", "")
		}
	case Landlock:
		abi := fmt.Sprintf("Landlock version %d", b.facts.abi)
		add(b.facts.abi >= 6, "signals", pick(b.facts.abi >= 6, abi+" keeps signals inside", abi+" lets a command signal other processes of this user"),
			pick(b.facts.abi >= 6, "", "Linux 6.12 or newer, or rung 1"))
		add(b.facts.abi >= 4, "gateway", pick(b.facts.abi >= 4, "connections are limited to the gateway's port", abi+" cannot limit connections: agents that need the gateway are refused"),
			pick(b.facts.abi >= 4, "", "Linux 6.7 or newer, or rung 1"))
		add(false, "network", "no sockets at all, not even the command's own loopback", "rung 1")
		add(false, "disk", "written bytes are added up several times a second, not limited by the file system", "rung 1")
	case Plain:
		add(false, "isolation", "a command can read, change and connect to whatever this user can", "sandbox.mode: auto")
	}
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
