package wire

// Orders that the supervisor writes to a first process. The end of the file means
// that the supervisor is gone.
const (
	OrderCancel = 'c'
	OrderOutput = 'o' // the output limit was reached
)

// Kinds of an Order to the starter and of an Event from it.
const (
	OrderStart = 's'
	OrderKill  = 'k'
	EventBegun = 'b' // or not: then Err says why
	EventEnded = 'e'
)

// Order is one packet to the starter. With OrderStart come six descriptors: the
// standard three and those of the first process, and that of a control group where there
// is one, or with Guest the connection to a prepared interpreter.
type Order struct {
	Kind  int64
	ID    int64 // chosen by the supervisor
	Exe   string
	Env   []string
	Flags int64 // of clone: the namespaces
	UID   int64 // inside
	Guest bool
	Like  int64 // the order that started the prepared interpreter, whose network this is
}

// Event is one packet from the starter.
type Event struct {
	Kind   int64
	ID     int64
	Err    string
	Status int64 // wait status
}

func (o *Order) code(c *codec) {
	c.i64(&o.Kind)
	c.i64(&o.ID)
	c.str(&o.Exe)
	c.strs(&o.Env)
	c.i64(&o.Flags)
	c.i64(&o.UID)
	c.flag(&o.Guest)
	c.i64(&o.Like)
}

func (e *Event) code(c *codec) {
	c.i64(&e.Kind)
	c.i64(&e.ID)
	c.str(&e.Err)
	c.i64(&e.Status)
}

// MaxPacket bounds an Order.
const MaxPacket = 32 << 10
