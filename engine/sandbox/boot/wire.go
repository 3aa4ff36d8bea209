package boot

import "errors"

// ErrMessage reports a message that is cut short or was written by another
// version of the program.
var ErrMessage = errors.New("sandbox message is damaged")

// Names and places that the supervisor and the sandbox agree upon.
const (
	// InitName as the program's name makes it the first process of a sandbox.
	InitName = "atoll-sandbox-init"
	// StarterName as the program's name makes it the process that starts others.
	StarterName = "atoll-sandbox-starter"
	// RunName as the last part of the program's name makes it the launcher, inside
	// a sandbox.
	RunName = "atoll-run"

	Root       = "/atoll"
	TreeDir    = Root + "/tree"
	ScratchDir = Root + "/scratch"
	ControlDir = Root + "/control"
	BinDir     = Root + "/bin"
	dataDir    = Root + "/data"
	viewDir    = Root + "/view"
	// CandidateName is the sub-folder of the scratch folder that code run
	// through the launcher may write.
	CandidateName = "run"
)

// WireVersion is the first word of each message.
const WireVersion = 0x61746f05

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
// Device leaves device nodes usable.
type Mount struct {
	Host, At                                  string
	Write, Overlay, Private, Optional, Device bool
}

// Job is everything the first process needs to know.
type Job struct {
	Rung         int
	Stage        string // rung 1: an empty folder to mount on; else the private folder of the run
	Args, Env    []string
	Dir          string
	Base         string
	Delta        []Change
	Seals        []Pair // A in the tree, B the trusted host path ("" removes A)
	Mounts       []Mount
	Links        []Pair // A in the root, B what it points at
	Texts        []File // of the root
	Hidden       []string
	Files        []File // of the control folder
	ResultName   string
	ResultMax    int64
	Product      string // file of the tree to bring back
	ProductMax   int64
	Harvest      bool
	HarvestFile  int64 // bytes of one file
	HarvestTotal int64 // bytes of all
	HarvestSkip  []string
	Wall, Grace  int64 // nanoseconds; 0 = no limit
	CPU          int64 // nanoseconds
	Memory, Disk int64
	Procs        int64
	OwnNet       bool
	Gateway      string // unix socket on the host
	GatewayPort  int64
	Launcher     string // this program on the host; "" = no launcher
	ReadOnly     bool
	MaskProc     bool
	Filter       []byte // seccomp program, 8 bytes an instruction, of this machine's byte order
	Narrow       []byte // the one of candidate code, on rung 1
	ABI          int64  // Landlock version to use; 0 = none
	Fence        int64  // what holds the processes together below rung 1
	PidMax       int64  // of the sandbox's own process namespace; 0 = leave it
	Nice         int64  // priority of the command, 0 to 39 as the kernel counts: 20 is nice 0
	Slack        int64  // nanoseconds by which timers of the command may be late
	NoOverlay    bool   // do as on a kernel that refuses overlay mounts
	ProcLimit    bool   // RLIMIT_NPROC counts this sandbox alone
}

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

// codec writes or reads fields in one order, so that one method describes both.
type codec struct {
	buf   []byte
	pos   int
	write bool
	bad   bool
}

func (c *codec) i64(v *int64) {
	if c.write {
		n := uint64(*v)
		c.buf = append(c.buf, byte(n), byte(n>>8), byte(n>>16), byte(n>>24),
			byte(n>>32), byte(n>>40), byte(n>>48), byte(n>>56))
		return
	}
	if len(c.buf)-c.pos < 8 {
		c.bad = true
		return
	}
	var n uint64
	for i, b := range c.buf[c.pos : c.pos+8] {
		n |= uint64(b) << (8 * i)
	}
	*v = int64(n)
	c.pos += 8
}

// Values are assigned only when they are read: a job that is written may share
// its files with the jobs of other goroutines.

func (c *codec) num(v *int) {
	n := int64(*v)
	c.i64(&n)
	if !c.write {
		*v = int(n)
	}
}

func (c *codec) mode(v *uint32) {
	n := int64(*v)
	c.i64(&n)
	if !c.write {
		*v = uint32(n)
	}
}

func (c *codec) flag(v *bool) {
	var n int64
	if *v {
		n = 1
	}
	c.i64(&n)
	if !c.write {
		*v = n != 0
	}
}

func (c *codec) bytes(v *[]byte) {
	n := int64(len(*v))
	c.i64(&n)
	if c.write {
		c.buf = append(c.buf, *v...)
		return
	}
	if c.bad || n < 0 || n > int64(len(c.buf)-c.pos) {
		c.bad = true
		return
	}
	*v = c.buf[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
}

func (c *codec) str(v *string) {
	if c.write {
		n := int64(len(*v))
		c.i64(&n)
		c.buf = append(c.buf, *v...)
		return
	}
	var b []byte
	c.bytes(&b)
	*v = string(b)
}

// list codes the length of a slice and then each element by fn.
func list[T any](c *codec, v *[]T, fn func(*T)) {
	n := int64(len(*v))
	c.i64(&n)
	if c.bad || n < 0 || (!c.write && n > int64(len(c.buf)-c.pos)/8) {
		c.bad = true
		return
	}
	if !c.write {
		*v = make([]T, n)
	}
	for i := range *v {
		if c.bad {
			return
		}
		fn(&(*v)[i])
	}
}

func (c *codec) strs(v *[]string) { list(c, v, c.str) }

func (c *codec) changes(v *[]Change) {
	list(c, v, func(x *Change) { c.str(&x.Path); c.mode(&x.Mode); c.bytes(&x.Data) })
}

func (c *codec) files(v *[]File) {
	list(c, v, func(x *File) { c.str(&x.Path); c.mode(&x.Mode); c.bytes(&x.Data) })
}

func (c *codec) pairs(v *[]Pair) {
	list(c, v, func(x *Pair) { c.str(&x.A); c.str(&x.B) })
}

func (j *Job) code(c *codec) {
	c.num(&j.Rung)
	c.str(&j.Stage)
	c.strs(&j.Args)
	c.strs(&j.Env)
	c.str(&j.Dir)
	c.str(&j.Base)
	c.changes(&j.Delta)
	c.pairs(&j.Seals)
	list(c, &j.Mounts, func(m *Mount) {
		c.str(&m.Host)
		c.str(&m.At)
		for _, f := range []*bool{&m.Write, &m.Overlay, &m.Private, &m.Optional, &m.Device} {
			c.flag(f)
		}
	})
	c.pairs(&j.Links)
	c.files(&j.Texts)
	c.strs(&j.Hidden)
	c.files(&j.Files)
	c.str(&j.ResultName)
	c.str(&j.Product)
	for _, v := range []*int64{
		&j.ResultMax, &j.ProductMax, &j.HarvestFile, &j.HarvestTotal, &j.Wall, &j.Grace, &j.CPU,
		&j.Memory, &j.Disk, &j.Procs, &j.GatewayPort, &j.ABI, &j.Fence, &j.PidMax, &j.Nice, &j.Slack,
	} {
		c.i64(v)
	}
	for _, f := range []*bool{&j.Harvest, &j.OwnNet, &j.ReadOnly, &j.MaskProc, &j.ProcLimit, &j.NoOverlay} {
		c.flag(f)
	}
	c.strs(&j.HarvestSkip)
	c.str(&j.Gateway)
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

type coded interface{ code(*codec) }

// encode writes the version and then all fields of v.
func encode(v coded) []byte {
	c := &codec{write: true, buf: make([]byte, 0, 4096)}
	version := int64(WireVersion)
	c.i64(&version)
	v.code(c)
	return c.buf
}

// decode is the inverse of encode. Byte slices in v alias buf.
func decode(buf []byte, v coded) error {
	c := &codec{buf: buf}
	var version int64
	c.i64(&version)
	if version != WireVersion {
		return ErrMessage
	}
	v.code(c)
	if c.bad || c.pos != len(buf) {
		return ErrMessage
	}
	return nil
}

// Encode returns the message for descriptor 3.
func (j *Job) Encode() []byte { return encode(j) }

// Decode reads what Encode wrote; it keeps buf.
func (j *Job) Decode(buf []byte) error { return decode(buf, j) }

// Encode returns the message for descriptor 5.
func (r *Report) Encode() []byte { return encode(r) }

// Decode reads what Encode wrote; it keeps buf.
func (r *Report) Decode(buf []byte) error { return decode(buf, r) }
