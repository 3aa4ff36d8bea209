package boot

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Descriptors that the supervisor gives to the first process.
const (
	fdJob    = 3
	fdOrders = 4
	fdReport = 5
)

// Orders that the supervisor writes to descriptor 4. Its end of file means that
// the supervisor is gone.
const (
	OrderCancel = 'c'
	OrderOutput = 'o' // the output limit was reached
)

// maxJob bounds the message of descriptor 3.
const maxJob = 1 << 31

// init takes over when this process is a sandbox's first process or a launcher.
// It is the one piece of work that the program does while packages initialise. It
// leaves by the plain system call: nothing that a build adds to the program's end
// (the race detector waits a second there) belongs to this process.
func init() {
	if len(os.Args) == 0 {
		return
	}
	switch name := os.Args[0]; {
	case name == InitName:
		runtime.LockOSThread()
		syscall.Exit(initMain())
	case name == StarterName:
		runtime.LockOSThread()
		syscall.Exit(starterMain())
	case isLauncher(name):
		runtime.LockOSThread()
		syscall.Exit(launchMain(os.Args))
	}
}

// isLauncher reports whether a program of this name is the launcher of a sandbox.
// The name alone does not make it one: a person may call the program so. A sandbox
// sets ATOLL_RUN or puts the launcher's policy beside it.
func isLauncher(name string) bool {
	if name != RunName && !strings.HasSuffix(name, "/"+RunName) {
		return false
	}
	if _, within := syscall.Getenv("ATOLL_RUN"); within {
		return true
	}
	var st syscall.Stat_t
	return strings.Contains(name, "/") && syscall.Stat(parent(name)+"/"+policyName, &st) == nil
}

// initMain is the life of a sandbox's first process. Its exit status is 0
// whenever a report was written.
func initMain() int {
	syscall.Umask(0)
	for fd := fdJob; fd <= fdReport; fd++ {
		syscall.CloseOnExec(fd)
	}
	buf, err := readAll(fdJob, maxJob)
	syscall.Close(fdJob)
	w := &world{job: new(Job), report: new(Report), base: -1, upper: -1, data: -1, gateway: -1, broker: -1}
	if err == nil {
		err = w.job.Decode(buf)
	}
	if err == nil {
		err = w.run()
	}
	if err != nil {
		w.report.Err = err.Error()
	}
	if err := writeAll(fdReport, w.report.Encode()); err != nil {
		return 1
	}
	return 0
}

// run prepares the world, runs the command to its end, and collects.
func (w *world) run() error {
	k, err := newKeeper(w)
	if err != nil {
		return err
	}
	if w.job.Rung != 1 { // there the starter is, whose session this is
		preferred()
	}
	if w.apart() {
		w.limitPids()
	}
	if w.job.Rung == 1 {
		w.tree, w.scratch, w.control = TreeDir, ScratchDir, ControlDir
		_ = syscall.Sethostname([]byte("atoll"))
		if w.job.OwnNet {
			if err := loopback(); err != nil {
				return step("bring up the loopback interface", err)
			}
		}
		err = w.enter()
	} else {
		err = w.prepareFolder()
	}
	if err != nil {
		return err
	}
	if w.job.GatewayPort > 0 && w.gateway >= 0 {
		if err := w.forward(); err != nil {
			return step("open the gateway port", err)
		}
	}
	if err := w.live(k); err != nil {
		return err
	}
	w.takeResult()
	w.takeProduct()
	if w.job.Harvest {
		if err := w.harvest(); err != nil {
			return step("collect the changes", err)
		}
	}
	return nil
}

// live starts the command and sees it and everything it started to the end.
func (w *world) live(k *keeper) error {
	k.broker = w.broker
	k.openIPC()
	p, err := w.leader()
	if err != nil {
		return err
	}
	if w.job.Fence == FenceTrace {
		if p, err = k.trace(p); err != nil {
			return err
		}
	}
	if w.gateway >= 0 {
		warm(spareThreads)
	}
	began := time.Now()
	pid, err := p.start(-1)
	if pid == 0 {
		return err
	}
	ws := k.see(pid, began)
	if err != nil {
		se, ok := err.(*startError)
		if !ok || !strings.HasPrefix(se.step, "run ") {
			return err
		}
		return w.notRun(se)
	}
	w.report.Exit = int64(ws.ExitStatus())
	if ws.Signaled() {
		w.report.Exit = 128 + int64(ws.Signal())
		w.report.Signal = int64(ws.Signal())
		k.judgeSignal(ws.Signal())
	}
	return nil
}

// notRun reports a command that could not be started as a shell would.
func (w *world) notRun(se *startError) error {
	w.report.Exit = 126
	if se.err == syscall.ENOENT {
		w.report.Exit = 127
	}
	_ = writeAll(2, []byte("atoll: "+se.Error()+"\n"))
	return nil
}

// leader plans the start of the command itself.
func (w *world) leader() (*plan, error) {
	j := w.job
	if len(j.Args) == 0 {
		return nil, step("run the command", syscall.EINVAL)
	}
	cwd, err := w.workFolder()
	if err != nil {
		return nil, err
	}
	p := &plan{}
	if j.Rung == 1 {
		p.flags = syscall.CLONE_NEWNS
		p.add(must, "hide the scratch file system", syscall.SYS_UMOUNT2, p.str(dataDir), syscall.MNT_DETACH)
	}
	p.add(may, "die with the sandbox", syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL))
	p.usual(j)
	p.add(must, "start a session", syscall.SYS_SETSID)
	p.add(may, "set the file mode mask", syscall.SYS_UMASK, 0o022)
	p.add(must, "enter "+cwd, syscall.SYS_CHDIR, p.str(cwd))
	p.limits(w.rlimits())
	if j.Rung < 3 {
		p.dropRights()
	}
	if j.Rung == 2 {
		set, err := w.leaderRules().create()
		if err != nil {
			return nil, step("prepare Landlock", err)
		}
		p.add(must, "enter the Landlock domain", sysLandlockSelf, uintptr(set), 0)
	}
	p.exec(lookPath(j.Args[0], j.Env, cwd), j.Args, j.Env, j.Filter)
	return p, nil
}

// workFolder returns the folder to start in; it is a real folder of the tree.
func (w *world) workFolder() (string, error) {
	dir := strings.Trim(w.job.Dir, "/")
	if dir == "" || dir == "." {
		return w.tree, nil
	}
	root, err := openDir(atFdCwd, w.tree)
	if err != nil {
		return "", step("open the tree", err)
	}
	defer syscall.Close(root)
	fd, _, err := descend(root, dir+"/.", false)
	if err != nil {
		return "", step("enter the folder "+dir+" of the tree", err)
	}
	syscall.Close(fd)
	return w.tree + "/" + dir, nil
}

// rlimits are the limits that the kernel holds for each process. The totals of
// the sandbox are the watchdog's.
func (w *world) rlimits() []limit {
	j := w.job
	list := []limit{{rlimitCore, 0, 0}}
	if j.CPU > 0 {
		s := uint64(j.CPU/1e9) + 2
		list = append(list, limit{rlimitCPU, s, s + 1})
	}
	if j.Disk > 0 {
		list = append(list, limit{rlimitFsize, uint64(j.Disk), uint64(j.Disk)})
	}
	if j.Memory > 0 {
		d := uint64(j.Memory)*4 + 1<<30
		list = append(list, limit{rlimitData, d, d})
	}
	if j.Procs > 0 && j.ProcLimit {
		list = append(list, limit{rlimitNproc, uint64(j.Procs) + 64, uint64(j.Procs) + 64})
	}
	return list
}

// lookPath finds a program as a shell would: with the command's PATH, not ours.
// It returns the name itself when nothing is found, for the kernel to refuse.
func lookPath(name string, env []string, cwd string) string {
	if strings.Contains(name, "/") {
		return name
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range strings.Split(path, ":") {
		if dir == "" || dir[0] != '/' {
			dir = cwd + "/" + dir
		}
		full := dir + "/" + name
		var st syscall.Stat_t
		if syscall.Stat(full, &st) == nil && uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFREG && uint32(st.Mode)&0o111 != 0 {
			return full
		}
	}
	return name
}

// takeResult reads the result file: a regular file, never through a symlink.
func (w *world) takeResult() {
	if w.job.ResultName == "" {
		return
	}
	dir, err := openDir(atFdCwd, w.control)
	if err != nil {
		return
	}
	defer syscall.Close(dir)
	fd, err := syscall.Openat(dir, w.job.ResultName,
		syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT {
		return
	}
	if err != nil {
		w.report.Violations = append(w.report.Violations, "the result is not a readable file: "+err.Error())
		return
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || uint32(st.Mode)&syscall.S_IFMT != syscall.S_IFREG {
		w.report.Violations = append(w.report.Violations, "the result is not a regular file")
		return
	}
	data, err := readAll(fd, w.job.ResultMax)
	if err != nil {
		w.report.Violations = append(w.report.Violations, "the result is too large")
		return
	}
	w.report.Result, w.report.HasResult = data, true
}

// takeProduct reads one file of the tree. Neither it nor a folder on its way may
// be a symlink; what is no plain file, or too large, is no product.
func (w *world) takeProduct() {
	if w.job.Product == "" {
		return
	}
	dir, err := openDir(atFdCwd, w.tree)
	if err != nil {
		return
	}
	defer func() { syscall.Close(dir) }()
	names := strings.Split(w.job.Product, "/")
	for _, name := range names[:len(names)-1] {
		next, err := openDir(dir, name)
		if err != nil {
			return
		}
		syscall.Close(dir)
		dir = next
	}
	fd, err := syscall.Openat(dir, names[len(names)-1], syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || uint32(st.Mode)&syscall.S_IFMT != syscall.S_IFREG {
		return
	}
	if data, err := readAll(fd, w.job.ProductMax); err == nil {
		w.report.Product, w.report.HasProduct = data, true
	}
}
