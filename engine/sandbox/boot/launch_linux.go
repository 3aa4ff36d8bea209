package boot

import (
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// Policy is what the launcher needs to know. It lies beside the launcher, where
// the command can read it and not write it.
type Policy struct {
	Rung        int
	ABI         int64
	Port        int64
	Read, Write []string
	Tree        string
	Scratch     string // of the candidate
	Home        string // of the command
	Drop        []string
}

func (p *Policy) code(c *codec) {
	c.num(&p.Rung)
	c.i64(&p.ABI)
	c.i64(&p.Port)
	c.strs(&p.Read)
	c.strs(&p.Write)
	c.str(&p.Tree)
	c.str(&p.Scratch)
	c.str(&p.Home)
	c.strs(&p.Drop)
}

// launch is a request to PID 1: run args with the three descriptors sent along.
type launch struct {
	Args, Env []string
	Cwd       string
}

func (l *launch) code(c *codec) {
	c.strs(&l.Args)
	c.strs(&l.Env)
	c.str(&l.Cwd)
}

// answer is what came of a launch: the exit status as a shell gives it, or why
// it could not be started.
type answer struct {
	Status int64
	Err    string
}

func (a *answer) code(c *codec) {
	c.i64(&a.Status)
	c.str(&a.Err)
}

// policyName is the file beside the launcher that says what candidate code may do.
const policyName = "policy"

// maxLaunch bounds one message between launcher and PID 1.
const maxLaunch = 8 << 20

// launchMain is the launcher: ATOLL_RUN program arguments...
func launchMain(args []string) int {
	fail := func(what string, err error) int {
		_ = writeAll(2, []byte(RunName+": "+what+": "+err.Error()+"\n"))
		return 126
	}
	if len(args) < 2 {
		_ = writeAll(2, []byte("usage: "+RunName+" program [arguments]: runs a candidate's code with fewer rights\n"))
		return 2
	}
	self := args[0]
	if !strings.Contains(self, "/") {
		self = os.Getenv("ATOLL_RUN")
	}
	dir := parent(self)
	fd, err := syscall.Open(dir+"/"+policyName, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return fail("it works inside a sandbox only: read the policy", err)
	}
	text, err := readAll(fd, maxLaunch)
	syscall.Close(fd)
	p := new(Policy)
	if err == nil {
		err = decode(text, p)
	}
	if err != nil {
		return fail("read the policy", err)
	}
	env := p.environ(os.Environ())
	if p.Rung == 1 {
		cwd, err := os.Getwd()
		if err != nil {
			return fail("find the working folder", err)
		}
		return p.ask(dir+"/socket", &launch{Args: args[1:], Env: env, Cwd: cwd}, fail)
	}
	return p.runHere(args[1:], env, fail)
}

// environ is the candidate's environment: the command's without the result
// channel, with a scratch folder of its own.
func (p *Policy) environ(env []string) []string {
	own := map[string]string{"TMPDIR": p.Scratch + "/tmp", "HOME": p.Scratch + "/home"}
	drop := map[string]bool{}
	for _, name := range p.Drop {
		drop[name] = true
	}
	var out []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if _, ok := own[name]; !ok && !drop[name] {
			out = append(out, strings.Replace(e, "="+p.Home+"/", "="+own["HOME"]+"/", 1))
		}
	}
	return append(out, "TMPDIR="+own["TMPDIR"], "HOME="+own["HOME"])
}

// ask has PID 1 run the program in a narrower mount and process namespace. When
// this process dies, PID 1 sees the connection close and kills the program.
func (p *Policy) ask(socket string, l *launch, fail func(string, error) int) int {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fail("open a socket", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		return fail("reach the sandbox", err)
	}
	msg := encode(l)
	var head [8]byte
	*(*uint64)(unsafe.Pointer(&head)) = uint64(len(msg))
	if err := syscall.Sendmsg(fd, head[:], syscall.UnixRights(0, 1, 2), nil, 0); err != nil {
		return fail("ask the sandbox", err)
	}
	if err := writeAll(fd, msg); err != nil {
		return fail("ask the sandbox", err)
	}
	reply, err := readAll(fd, maxLaunch)
	var a answer
	if err == nil {
		err = decode(reply, &a)
	}
	if err != nil {
		return fail("hear from the sandbox", err)
	}
	if a.Err != "" {
		_ = writeAll(2, []byte(RunName+": "+a.Err+"\n"))
	}
	return int(a.Status)
}

// runHere gives up rights in a child and waits for it: where there are no
// namespaces. This process stays behind as subreaper and ends what is left.
func (p *Policy) runHere(args, env []string, fail func(string, error) int) int {
	if _, _, e := syscall.Syscall(syscall.SYS_PRCTL, prSetChildSubreap, 1, 0); e != 0 {
		return fail("become the subreaper", e)
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = p.Tree
	}
	pl, status, err := p.planHere(args, env, cwd)
	if err != nil {
		return fail("prepare the start", err)
	}
	pid, err := pl.start(status[1])
	syscall.Close(status[1])
	if pid == 0 {
		return fail("start "+args[0], err)
	}
	ws := waitAll(pid, p.Rung == 3)
	if err != nil {
		_ = writeAll(2, []byte(RunName+": "+err.Error()+"\n"))
		return startStatus(err)
	}
	if p.Rung == 2 {
		if ws, err = readStatus(status[0]); err != nil {
			return 128 + int(syscall.SIGKILL)
		}
	}
	return exitStatus(ws)
}

// planHere plans the start without namespaces. On rung 2 a small init lives in
// the same Landlock domain; where the kernel scopes signals to the domain it can
// kill everything in there, and nothing else, without a look into /proc.
func (p *Policy) planHere(args, env []string, cwd string) (*plan, [2]int, error) {
	var status [2]int
	if err := syscall.Pipe2(status[:], syscall.O_CLOEXEC); err != nil {
		return nil, status, err
	}
	pl := &plan{sweep: p.Rung == 2 && p.ABI >= 6}
	die := func() {
		pl.add(may, "die with the launcher", syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL))
	}
	die()
	pl.add(must, "set no_new_privs", syscall.SYS_PRCTL, prSetNoNewPrivs, 1)
	if p.Rung == 2 {
		// A symlink in the folder that it shares with the command could lead that one to
		// what it may not see itself.
		set, err := (&ruleset{abi: p.ABI, read: p.Read, write: p.Write, port: p.Port, noLinks: true}).create()
		if err != nil {
			return nil, status, step("prepare Landlock", err)
		}
		pl.add(must, "enter the Landlock domain", sysLandlockSelf, uintptr(set), 0)
		pl.add(may, "become the subreaper", syscall.SYS_PRCTL, prSetChildSubreap, 1)
		pl.add(split, "start a process", 0)
		die()
	}
	pl.add(must, "start a session", syscall.SYS_SETSID)
	pl.exec(lookPath(args[0], env, cwd), args, env, nil)
	return pl, status, nil
}

// readStatus reads the wait status that a small init wrote.
func readStatus(fd int) (syscall.WaitStatus, error) {
	var raw uint32
	b := (*[4]byte)(unsafe.Pointer(&raw))[:]
	n, err := retry(func() (int, error) { return syscall.Read(fd, b) })
	if err == nil && n != 4 {
		err = syscall.ECHILD
	}
	return syscall.WaitStatus(raw), err
}

// waitAll waits for the leader and, with sweep, kills and reaps what it left.
func waitAll(leader int, sweep bool) syscall.WaitStatus {
	var status syscall.WaitStatus
	var proc procfs
	for {
		var ws syscall.WaitStatus
		pid, err := retry(func() (int, error) { return syscall.Wait4(-1, &ws, wAll, nil) })
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
			for _, p := range proc.descendants() {
				_ = syscall.Kill(p, syscall.SIGKILL)
			}
		}
	}
}

// exitStatus is what a shell would say: 128 plus the signal.
func exitStatus(ws syscall.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// startStatus is what a shell would say of a program that could not be started.
func startStatus(err error) int {
	if se, ok := err.(*startError); ok && se.err == syscall.ENOENT {
		return 127
	}
	return 126
}
