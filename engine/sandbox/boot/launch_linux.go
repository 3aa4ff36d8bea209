package boot

import (
	"os"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/landlock"
	"atoll/engine/sandbox/boot/proc"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// launchMain is the launcher: ATOLL_RUN program arguments...
func launchMain(args []string) int {
	fail := func(what string, err error) int {
		_ = kernel.WriteAll(2, []byte(wire.RunName+": "+what+": "+err.Error()+"\n"))
		return 126
	}
	if len(args) < 2 {
		_ = kernel.WriteAll(2, []byte("usage: "+wire.RunName+" program [arguments]: runs a candidate's code with fewer rights\n"))
		return 2
	}
	self := args[0]
	if !text.Has(self, '/') {
		self = os.Getenv("ATOLL_RUN")
	}
	dir := tree.Parent(self)
	fd, err := syscall.Open(dir+"/"+wire.PolicyName, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return fail("it works inside a sandbox only: read the policy", err)
	}
	text, err := kernel.ReadAll(fd, wire.MaxLaunch)
	syscall.Close(fd)
	p := new(wire.Policy)
	if err == nil {
		err = wire.Decode(text, p)
	}
	if err != nil {
		return fail("read the policy", err)
	}
	env := environ(p, os.Environ())
	if p.Rung == 1 {
		cwd, err := os.Getwd()
		if err != nil {
			return fail("find the working folder", err)
		}
		return ask(dir+"/socket", &wire.Launch{Args: args[1:], Env: env, Cwd: cwd}, fail)
	}
	return runHere(p, args[1:], env, fail)
}

// waitAll waits for the leader and, with sweep, kills and reaps what it left.
func waitAll(leader int, sweep bool) syscall.WaitStatus {
	var status syscall.WaitStatus
	var proc proc.Table
	for {
		var ws syscall.WaitStatus
		pid, err := kernel.Retry(func() (int, error) { return syscall.Wait4(-1, &ws, kernel.WAll, nil) })
		if err != nil {
			return status
		}
		if pid == leader {
			status = ws
			leader = -1
		}
		if leader < 0 && !sweep {
			return status
		}
		if leader < 0 {
			for _, p := range proc.Descendants() {
				_ = syscall.Kill(p, syscall.SIGKILL)
			}
		}
	}
}

// environ is the candidate's environment: the command's without the result
// channel, with a scratch folder of its own.
func environ(p *wire.Policy, env []string) []string {
	own := map[string]string{"TMPDIR": p.Scratch + "/tmp", "HOME": p.Scratch + "/home"}
	drop := map[string]bool{}
	for _, name := range p.Drop {
		drop[name] = true
	}
	var out []string
	for _, e := range env {
		name, _, _ := text.Cut(e, "=")
		if _, ok := own[name]; ok || drop[name] {
			continue
		}
		if before, after, ok := text.Cut(e, "="+p.Home+"/"); ok {
			e = before + "=" + own["HOME"] + "/" + after
		}
		out = append(out, e)
	}
	return append(out, "TMPDIR="+own["TMPDIR"], "HOME="+own["HOME"])
}

// ask has PID 1 run the program in a narrower mount and process namespace. When
// this process dies, PID 1 sees the connection close and kills the program.
func ask(socket string, l *wire.Launch, fail func(string, error) int) int {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fail("open a socket", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		return fail("reach the sandbox", err)
	}
	msg := wire.Encode(l)
	var head [8]byte
	*(*uint64)(unsafe.Pointer(&head)) = uint64(len(msg))
	if err := syscall.Sendmsg(fd, head[:], syscall.UnixRights(0, 1, 2), nil, 0); err != nil {
		return fail("ask the sandbox", err)
	}
	if err := kernel.WriteAll(fd, msg); err != nil {
		return fail("ask the sandbox", err)
	}
	reply, err := kernel.ReadAll(fd, wire.MaxLaunch)
	var a wire.Answer
	if err == nil {
		err = wire.Decode(reply, &a)
	}
	if err != nil {
		return fail("hear from the sandbox", err)
	}
	if a.Err != "" {
		_ = kernel.WriteAll(2, []byte(wire.RunName+": "+a.Err+"\n"))
	}
	return int(a.Status)
}

// runHere gives up rights in a child and waits for it: where there are no
// namespaces. This process stays behind as subreaper and ends what is left.
func runHere(p *wire.Policy, args, env []string, fail func(string, error) int) int {
	if _, _, e := syscall.Syscall(syscall.SYS_PRCTL, kernel.PrSetChildSubreap, 1, 0); e != 0 {
		return fail("become the subreaper", e)
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = p.Tree
	}
	pl, status, err := planHere(p, args, env, cwd)
	if err != nil {
		return fail("prepare the start", err)
	}
	pid, err := pl.Start(status[1])
	syscall.Close(status[1])
	if pid == 0 {
		return fail("start "+args[0], err)
	}
	ws := waitAll(pid, p.Rung == 3)
	if err != nil {
		_ = kernel.WriteAll(2, []byte(wire.RunName+": "+err.Error()+"\n"))
		return start.ErrorStatus(err)
	}
	if p.Rung == 2 {
		if ws, err = start.ReadStatus(status[0]); err != nil {
			return 128 + int(syscall.SIGKILL)
		}
	}
	return start.ExitStatus(ws)
}

// planHere plans the start without namespaces. On rung 2 a small init lives in
// the same Landlock domain; where the kernel scopes signals to the domain it can
// kill everything in there, and nothing else, without a look into /proc.
func planHere(p *wire.Policy, args, env []string, cwd string) (*start.Plan, [2]int, error) {
	var status [2]int
	if err := syscall.Pipe2(status[:], syscall.O_CLOEXEC); err != nil {
		return nil, status, err
	}
	pl := &start.Plan{Sweep: p.Rung == 2 && p.ABI >= 6}
	die := func() {
		pl.Add(start.May, "die with the launcher", syscall.SYS_PRCTL, kernel.PrSetPdeathsig, uintptr(syscall.SIGKILL))
	}
	die()
	pl.Add(start.Must, "set no_new_privs", syscall.SYS_PRCTL, kernel.PrSetNoNewPrivs, 1)
	if p.Rung == 2 {
		// A symlink in the folder that it shares with the command could lead that one to
		// what it may not see itself.
		set, err := (&landlock.Ruleset{Abi: p.ABI, Read: p.Read, Write: p.Write, Port: p.Port, NoLinks: true}).Create()
		if err != nil {
			return nil, status, kernel.Step("prepare Landlock", err)
		}
		pl.Add(start.Must, "enter the Landlock domain", kernel.SysLandlockSelf, uintptr(set), 0)
		pl.Add(start.May, "become the subreaper", syscall.SYS_PRCTL, kernel.PrSetChildSubreap, 1)
		pl.Fork()
		die()
	}
	pl.Add(start.Must, "start a session", syscall.SYS_SETSID)
	pl.Exec(start.LookPath(args[0], env, cwd), args, env, p.Filter)
	return pl, status, nil
}
