package wire

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
	Filter      []byte // that candidate code has beside its command's, on rung 2; none: no other
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
	c.bytes(&p.Filter)
}

// Launch is a request to PID 1: run args with the three descriptors sent along.
type Launch struct {
	Args, Env []string
	Cwd       string
}

func (l *Launch) code(c *codec) {
	c.strs(&l.Args)
	c.strs(&l.Env)
	c.str(&l.Cwd)
}

// Answer is what came of a launch: the exit status as a shell gives it, or why
// it could not be started.
type Answer struct {
	Status int64
	Err    string
}

func (a *Answer) code(c *codec) {
	c.i64(&a.Status)
	c.str(&a.Err)
}

// PolicyName is the file beside the launcher that says what candidate code may do.
const PolicyName = "policy"

// MaxLaunch bounds one message between launcher and PID 1.
const MaxLaunch = 8 << 20
