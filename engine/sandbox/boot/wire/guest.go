package wire

// Guest is what a first process asks of a prepared interpreter. The namespaces come with
// it as descriptors, in the order user, process, IPC, host name, control group and mount,
// and then the standard three. The other end is a script in Python, which reads this
// coding, too.
type Guest struct {
	Args, Env []string
	Cwd       string
	Filter    []byte
}

func (g *Guest) code(c *codec) {
	c.strs(&g.Args)
	c.strs(&g.Env)
	c.str(&g.Cwd)
	c.bytes(&g.Filter)
}

// GuestFiles is how many descriptors come with a Guest.
const GuestFiles = 9

// What a prepared interpreter answers begins with one of these, and a first process lets
// the guest go on with the last.
const (
	GuestHere  = 'h' // says the guest, from where it is to be
	GuestEnded = 'e' // and four numbers: wait status, user and system time (us), most resident memory (KiB)
	GuestNot   = 'x' // and why it could not be sent
	GuestGo    = 'g'
)

// MaxGuest bounds a Guest, and is more than any answer.
const MaxGuest = 128 << 10
