// Package wire is what the supervisor and the processes of a sandbox say to each
// other. Its nouns are [Job], what the supervisor asks for, [Report], what came of it,
// and [Policy], what the launcher may give away; it also has the names and places that
// both sides agree upon. A message carries its version: both ends are the same program.
package wire

import "errors"

// ErrMessage reports a message that is cut short or was written by another
// version of the program.
var ErrMessage = errors.New("sandbox message is damaged")

// Names and places that the supervisor and the sandbox agree upon.
const (
	// RunName as the last part of the program's name makes it the launcher, inside a
	// sandbox.
	RunName = "atoll-run"

	Root       = "/atoll"
	TreeDir    = Root + "/tree"
	ScratchDir = Root + "/scratch"
	ControlDir = Root + "/control"
	BinDir     = Root + "/bin"
	DataDir    = Root + "/data"
	ViewDir    = Root + "/view"
	// CandidateName is the sub-folder of the scratch folder that code run
	// through the launcher may write.
	CandidateName = "run"
)

// WireVersion is the first word of each message.
const WireVersion = 0x61746f06

// What holds the processes of a run together. Rung 1 always has a namespace.
const (
	// FenceNone: a supervising process is the parent of every orphan, and looks.
	FenceNone = iota
	// FenceNamespace: a process namespace of their own, by the superuser's right.
	FenceNamespace
	// FenceTrace: each is traced, and waits to be counted before its first step.
	FenceTrace
)

// Change is one path that differs from the base tree. Mode 0 removes it.
type Change struct {
	Path string
	Mode uint32
	Data []byte
}

// Pair is two strings: a link and its target, or a place and its source.
type Pair struct{ A, B string }

// File is a small file to be written.
type File struct {
	Path string
	Mode uint32
	Data []byte
}

// Mount lays a host path into the sandbox. Overlay makes it writable with
// writes kept inside; Private hides it from code run through the launcher;
// Device leaves device nodes usable. Of a Partial one any files serve without the others.
type Mount struct {
	Host, At                                           string
	Write, Overlay, Private, Optional, Device, Partial bool
}

// Job is everything the first process needs to know.
type Job struct {
	Rung    int
	Stage   string // rung 1: an empty folder to mount on; else the private folder of the run
	Command Command
	Limits  Limits
	Net     Net
	Take    Take

	// The tree.
	Base      string
	Delta     []Change
	Seals     []Pair   // A in the tree, B the trusted host path ("" removes A)
	Hidden    []string // from code run through the launcher
	ReadOnly  bool
	NoOverlay bool // do as on a kernel that refuses overlay mounts

	// What else there is to see.
	Mounts   []Mount
	Links    []Pair // A in the root, B what it points at
	Texts    []File // of the root
	Files    []File // of the control folder
	Launcher string // this program on the host; "" = no launcher
	MaskProc bool

	// What is refused.
	Filter []byte // seccomp program, 8 bytes an instruction, of this machine's byte order
	Narrow []byte // the one of candidate code; on rung 2 beside its command's, where they differ
	ABI    int64  // Landlock version to use; 0 = none
	Fence  int64  // what holds the processes together below rung 1

	// How the command comes to be.
	Resident bool // it is a prepared interpreter, which takes the first process's place
	Guest    bool // a prepared interpreter sends it in
}

// Command is what is run.
type Command struct {
	Args, Env []string
	Dir       string // in the tree
	Nice      int64  // 0 to 39 as the kernel counts: 20 is nice 0
	Slack     int64  // nanoseconds by which its timers may be late
}

// Limits bound a run; 0 is no limit.
type Limits struct {
	Wall, Grace  int64 // nanoseconds
	CPU          int64 // nanoseconds
	Memory, Disk int64 // bytes
	Procs        int64
	PidMax       int64 // of the sandbox's own process namespace
	ProcLimit    bool  // RLIMIT_NPROC counts this sandbox alone
}

// Net is what can be connected to.
type Net struct {
	Own     bool   // no network but its own
	Gateway string // unix socket on the host
	Port    int64  // of the gateway; 0 = none
}

// Take says what to bring back.
type Take struct {
	Result     string // name in the control folder
	ResultMax  int64
	Product    string // file of the tree
	ProductMax int64
	Changes    bool  // of the tree, but for the names in Skip
	FileMax    int64 // bytes of one changed file
	TotalMax   int64 // bytes of all
	Skip       []string
}

// Apart reports that the run's processes have a namespace of their own, in which
// the first process is number 1: when it ends, the kernel ends the others.
func (j *Job) Apart() bool { return j.Rung == 1 || j.Fence == FenceNamespace }

// Report is what came of a Job. Err is a failure of the sandbox itself.
type Report struct {
	Err        string
	Exit       int64
	Signal     int64
	TimedOut   bool
	Limits     []string
	Violations []string
	Wall, CPU  int64 // nanoseconds
	MaxRSS     int64
	Result     []byte
	HasResult  bool
	Product    []byte
	HasProduct bool
	Changes    []Change
	Refused    []string
	Copied     bool // the tree was copied because overlay was refused
}

func (j *Job) code(c *codec) {
	c.num(&j.Rung)
	c.str(&j.Stage)
	c.strs(&j.Command.Args)
	c.strs(&j.Command.Env)
	c.str(&j.Command.Dir)
	c.str(&j.Base)
	c.changes(&j.Delta)
	c.pairs(&j.Seals)
	list(c, &j.Mounts, func(m *Mount) {
		c.str(&m.Host)
		c.str(&m.At)
		for _, f := range []*bool{&m.Write, &m.Overlay, &m.Private, &m.Optional, &m.Device, &m.Partial} {
			c.flag(f)
		}
	})
	c.pairs(&j.Links)
	c.files(&j.Texts)
	c.strs(&j.Hidden)
	c.files(&j.Files)
	c.str(&j.Take.Result)
	c.str(&j.Take.Product)
	for _, v := range []*int64{
		&j.Take.ResultMax, &j.Take.ProductMax, &j.Take.FileMax, &j.Take.TotalMax, &j.Limits.Wall, &j.Limits.Grace, &j.Limits.CPU,
		&j.Limits.Memory, &j.Limits.Disk, &j.Limits.Procs, &j.Net.Port, &j.ABI, &j.Fence, &j.Limits.PidMax, &j.Command.Nice, &j.Command.Slack,
	} {
		c.i64(v)
	}
	for _, f := range []*bool{&j.Take.Changes, &j.Net.Own, &j.ReadOnly, &j.MaskProc, &j.Limits.ProcLimit, &j.NoOverlay, &j.Resident, &j.Guest} {
		c.flag(f)
	}
	c.strs(&j.Take.Skip)
	c.str(&j.Net.Gateway)
	c.str(&j.Launcher)
	c.bytes(&j.Filter)
	c.bytes(&j.Narrow)
}

func (r *Report) code(c *codec) {
	c.str(&r.Err)
	for _, v := range []*int64{&r.Exit, &r.Signal, &r.Wall, &r.CPU, &r.MaxRSS} {
		c.i64(v)
	}
	for _, f := range []*bool{&r.TimedOut, &r.HasResult, &r.HasProduct, &r.Copied} {
		c.flag(f)
	}
	c.strs(&r.Limits)
	c.strs(&r.Violations)
	c.strs(&r.Refused)
	c.bytes(&r.Result)
	c.bytes(&r.Product)
	c.changes(&r.Changes)
}
