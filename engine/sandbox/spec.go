package sandbox

import (
	"time"

	"atoll/engine/sandbox/boot/wire"
	"atoll/store/record"
)

// Paths inside the sandbox. On rungs 2 and 3 they stand for the real paths.
const (
	TreeDir    = wire.TreeDir              // the candidate's tree, the working directory
	ScratchDir = wire.ScratchDir           // private, writable, thrown away
	TmpDir     = wire.ScratchDir + "/tmp"  // TMPDIR
	HomeDir    = wire.ScratchDir + "/home" // HOME
	ControlDir = wire.ControlDir           // Spec.Files and the result; closed to candidate code
	// CandidateDir is the one folder that code run through ATOLL_RUN writes. The
	// command sees it too: programs and data pass both ways through it.
	CandidateDir = wire.ScratchDir + "/" + wire.CandidateName
	// EvaluatorDir is where an evaluator directory outside the tree is mounted by
	// convention. Mount it Private.
	EvaluatorDir = wire.Root + "/evaluator"
	// PluginDir is where the folder of a plug-in is mounted by convention.
	PluginDir = wire.Root + "/plugin"
	CacheDir  = wire.Root + "/cache" // parent of the caches of [Caches]

	ResultName  = "result.json"
	ResultPath  = ControlDir + "/" + ResultName // ATOLL_RESULT
	ContextName = "context.json"
	ContextPath = ControlDir + "/" + ContextName // ATOLL_CONTEXT
	// RunPath is the launcher, ATOLL_RUN.
	RunPath = wire.BinDir + "/" + wire.RunName
	// GatewayAddr is where NetGateway answers inside the sandbox.
	GatewayAddr = "127.0.0.1:18311"

	gatewayPort = 18311
)

// NetMode says what the command may connect to.
type NetMode string

// The network modes. None and gateway have no way out: on rung 1 the command has
// a loopback interface of its own, on rung 2 no sockets but the gateway's, and
// on rung 3 nothing stops it.
const (
	NetNone    NetMode = "none"
	NetGateway NetMode = "gateway"
	NetHost    NetMode = "host"
)

// Mount lays a host file or folder into the sandbox.
type Mount struct {
	Host string // absolute
	At   string // absolute, inside; not in the tree, the control folder or bin
	// Write lets the command change the host's files. As a cache it means that
	// the command sees a writable layer that is thrown away.
	Write bool
	// Private hides it from code run through ATOLL_RUN.
	Private bool
	// Optional: when Host does not exist, it is left out.
	Optional bool
	// Partial: as a cache, any of its files are of use without the others. Of one that
	// is too large to copy the newest are.
	Partial bool
}

// Seal lays a trusted file or folder read-only over a path of the tree, whatever
// the candidate made of that path. Host "" removes the path.
type Seal struct {
	Path string // in the tree
	Host string // absolute; a symlink is laid as a symlink
}

// Limits bound one run: all of its processes together. Zero is no limit, but for
// Output, which then is 64 MiB.
type Limits struct {
	Wall   time.Duration // then SIGTERM, and SIGKILL a moment later
	CPU    time.Duration
	Memory int64 // resident bytes; looked at 50 times a second
	Procs  int   // processes and threads
	Output int64 // bytes of stdout and stderr
	Disk   int64 // bytes written
}

// Spec is one command and everything it may see.
type Spec struct {
	Args []string
	// Env is the whole environment. PATH, HOME, TMPDIR and, where they apply,
	// ATOLL_RESULT, ATOLL_CONTEXT and ATOLL_RUN are added when they are missing.
	Env  []string
	Dir  string // to start in, relative in the tree
	Base string // read-only base checkout, absolute; "" = an empty tree
	// Delta is applied to the base without following symlinks. Changes of this
	// type come from any source: bad paths are an error.
	Delta  []record.Change
	Seal   []Seal
	Mounts []Mount
	// Caches are warm caches: with Write as the lower layer of an overlay that is
	// thrown away (a copy on rung 2, while it is small), else read-only.
	Caches []Mount
	// Hidden are closed to code run through ATOLL_RUN: relative paths are in the
	// tree, absolute ones inside paths.
	Hidden  []string
	Limits  Limits
	Net     NetMode // "" = none
	Gateway string  // unix socket on the host, for NetGateway
	// Files are placed in the control folder; names without a slash.
	Files map[string][]byte
	// ResultName is the file of the control folder to bring back; "" = none.
	ResultName string
	// Product is a file of the tree to bring back as it is after the command, a
	// relative path without dots; "" = none. One above 64 MiB is left.
	Product string
	// Harvest brings back what the command changed in its tree. Names in
	// HarvestSkip (of files and folders, at any depth) are left out.
	Harvest     bool
	HarvestSkip []string
	Stdin       []byte // nil: /dev/null
	// OnLine sees each line of output, without its end, cut at 4 KiB. It is called
	// from two goroutines of Run, one a stream (1 stdout, 2 stderr), and must not
	// block.
	OnLine       func(stream int, line string)
	RunHelper    bool // provide ATOLL_RUN
	TreeReadOnly bool
	// Prepared asks for a copy of an interpreter that has loaded its modules before, where
	// this machine and the command allow it; nil: the command is started.
	Prepared *Prepared
	// Watching lets the command watch folders (inotify) on rung 2 too, for a person's
	// own commit only: it tells of what others open. Code run through ATOLL_RUN never may.
	Watching bool
}

// Prepared says what an interpreter loads before the runs that are copies of it. All runs
// whose Spec has the same command, mounts and environment (but for [Varying]) share such
// interpreters, one for each that runs at a time.
type Prepared struct {
	// All loads every module that the files import at their top level, but for those that
	// lie beside them. Without it only modules are loaded of which it is known that a copy
	// is as good as one that was loaded in the run.
	All bool
	// Files are further files, as the command sees them, whose imports are loaded beside
	// those of the command's script. What does not exist is left out.
	Files []string
	// Beside loads the modules that lie beside the script, too: for scripts that keep
	// nothing of a run when they are imported.
	Beside bool
}

// Varying is the one variable that may differ between runs of one prepared interpreter.
const Varying = "ATOLL_LAYOUT"

// Result is what came of a run.
type Result struct {
	Exit     int    // as a shell says it: 127 not found, 128+n signal n
	Signal   string // "killed", "segmentation fault"; "" = ended by itself
	TimedOut bool
	// Limits that were hit: wall, cpu, memory, procs, output, disk.
	Limits     []string
	Violations []string // one sentence each: what the command should not have done
	Wall, CPU  time.Duration
	MaxRSS     int64 // bytes; includes about 10 MiB of the start itself
	// Stdout and Stderr are the head and the tail within the output limit, with
	// a line in between that says how much was left out.
	Stdout, Stderr       []byte
	StdoutCut, StderrCut int64
	Result               []byte
	HasResult            bool
	Product              []byte
	HasProduct           bool
	Changes              []record.Change // base to tree, sorted by path
	Refused              []string        // paths that were not brought back, and why
	Copied               bool            // the base was copied, not overlaid
	Prepared             bool            // the command was a copy of a prepared interpreter
}
