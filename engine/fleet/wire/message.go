package wire

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"atoll/store/record"
)

// Protocol is the version of the messages. Programs of different ones do not
// work together.
const Protocol = 3

// Sizes of messages, in bytes.
const (
	MaxMessage = 1 << 20            // of any; what the server lets through
	MaxTask    = MaxMessage - 8<<10 // so that an answer that holds one fits
	MaxInline  = 384 << 10          // of the changes that lie in a task; larger ones are a blob
	ChunkBytes = 256 << 10          // of a blob, a request
	MaxBlob    = 8 << 30            // of a base tree
)

// ErrMessage reports a message that cannot be what it should be.
var ErrMessage = errors.New("malformed message")

// Task is one sample to take of one candidate, or, with an errand, one run of a coding
// client. Its ID is drawn at random and is
// known only to those who were given the task.
type Task struct {
	V          int    `json:"v"`
	ID         string `json:"id"`
	Experiment string `json:"experiment"`
	Seed       uint64 `json:"seed"`

	Job       record.JobID       `json:"job"`
	Attempt   int                `json:"attempt"`
	Candidate record.CandidateID `json:"candidate"`
	Commit    record.Hash        `json:"commit"`
	Tree      record.Hash        `json:"tree"`
	Goal      string             `json:"goal,omitempty"`
	Repeat    int                `json:"repeat"`
	Root      bool               `json:"root,omitempty"`

	RootCommit record.Hash `json:"root_commit"`
	Base       Base        `json:"base"`
	Evaluator  Evaluator   `json:"evaluator"`

	Changes []Change `json:"changes,omitempty"` // from the base to the candidate
	Blob    string   `json:"blob,omitempty"`    // where they are too large: a JSON list of them
	Errand  string   `json:"errand,omitempty"`  // blob of an [Errand]; Tree is what is edited
}

// Base is the tree that candidates are told as changes of, and the pack that it
// comes in.
type Base struct {
	Tree record.Hash `json:"tree"`
	Blob string      `json:"blob"`
}

// Evaluator says what measures. Blob is a [Parcel]; Objective and RootFault are
// what was learned from the root.
type Evaluator struct {
	Key       string `json:"key"` // of eval.Evaluator
	Blob      string `json:"blob"`
	Objective string `json:"objective,omitempty"`
	RootFault string `json:"root_fault,omitempty"`
}

// Change is one [record.Change]. Its path is bytes: git does not ask for UTF-8.
type Change struct {
	Path []byte      `json:"path"`
	Mode record.Mode `json:"mode"`
	Data []byte      `json:"data,omitempty"`
}

// The kinds of what a worker asks.
const (
	AskHello  = "hello"
	AskBeat   = "beat"
	AskWork   = "work"
	AskBlob   = "blob"
	AskResult = "result"
	AskLine   = "line"  // nobody answers
	AskLines  = "lines" // nobody answers
	AskPart   = "part"
	AskPipe   = "pipe"
	AskBye    = "bye" // the worker ends
)

// Ask is what a worker says; the field that its kind names is set. Session is drawn when
// a worker starts: two of one name differ in it.
type Ask struct {
	V       int     `json:"v"`
	Kind    string  `json:"kind"`
	Session string  `json:"session"`
	Hello   *Hello  `json:"hello,omitempty"`
	Beat    *Beat   `json:"beat,omitempty"`
	Work    *Work   `json:"work,omitempty"`
	Blob    *Chunk  `json:"blob,omitempty"`
	Result  *Result `json:"result,omitempty"`
	Line    *Line   `json:"line,omitempty"`
	Lines   *Lines  `json:"lines,omitempty"`
	Part    *Part   `json:"part,omitempty"`
	Pipe    *Pipe   `json:"pipe,omitempty"`
}

// Hello says who comes. Home is known to the workers of one state folder alone, of which
// one lives at a time: one that starts again is told by it from a second machine.
type Hello struct {
	Home    string            `json:"home"`
	Host    string            `json:"host,omitempty"` // its name, for people
	Version string            `json:"version"`        // of the program, with its commit
	Slots   int               `json:"slots"`
	CPUs    int               `json:"cpus"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Rung    int               `json:"rung"`            // of its sandbox; lower holds more
	Edits   bool              `json:"edits,omitempty"` // it runs coding clients, too
	Labels  map[string]string `json:"labels,omitempty"`
	Pool    string            `json:"pool,omitempty"` // of those who joined by a URL; that of others is known
}

// Beat says that a worker lives, and what it does.
type Beat struct {
	Running []string `json:"running"` // tasks
	Load    float64  `json:"load"`    // of one minute, by processor
	Done    int      `json:"done"`    // tasks since it started
	Failed  int      `json:"failed"`  // that broke off for a fault of the machine
}

// Work asks for a task for a slot that has none. One that is asked again, because no
// answer came, has the same ID, and gets the same task.
type Work struct {
	ID string `json:"id"`
}

// Chunk asks for a part of a blob by the SHA-256 of its content.
type Chunk struct {
	Hash string `json:"hash"`
	At   int64  `json:"at"`
}

// Line is a line of output of a task, for those who look on.
type Line struct {
	Task  string `json:"task"`
	Stage string `json:"stage,omitempty"`
	Text  string `json:"text"`
}

// Answer is what the coordinator says to an [Ask].
type Answer struct {
	V  int  `json:"v"`
	OK bool `json:"ok"`
	// Why says in words why it is not. Fenced: the task is nobody's, another's
	// or done, and what was measured counts no more. Leave: the worker shall go
	// and not come back by itself. Greet: the coordinator does not know the worker.
	Why    string `json:"why,omitempty"`
	Fenced bool   `json:"fenced,omitempty"`
	Leave  bool   `json:"leave,omitempty"`
	Greet  bool   `json:"greet,omitempty"`
	// Hold: the machine measures the root first, and one slot alone asks for work. Busy:
	// another worker has the name; ask for so long whether it still does.
	Hold   bool  `json:"hold,omitempty"`
	BusyMS int64 `json:"busy_ms,omitempty"`

	Welcome *Welcome `json:"welcome,omitempty"`
	Next    *Next    `json:"next,omitempty"`  // of work, and of a result that asked for more
	Wait    bool     `json:"wait,omitempty"`  // of both: there is none now; an order may bring it soon
	Stop    []string `json:"stop,omitempty"`  // of a beat: tasks that are not the worker's any more
	Drain   bool     `json:"drain,omitempty"` // of a beat: finish, then go
	Size    int64    `json:"size,omitempty"`  // of a blob
	Data    []byte   `json:"data,omitempty"`
}

// PatienceMS is how long a slot that was told to wait does so before it asks again.
const PatienceMS = 2000

// Next is a task that a machine is given. Its token goes with the result.
type Next struct {
	Task  json.RawMessage `json:"task"` // a [Task]
	Token string          `json:"token"`
}

// Welcome tells a worker what holds here.
type Welcome struct {
	LeaseMS int64 `json:"lease_ms"` // how long a silent worker keeps a task
}

// The kinds of orders.
const (
	OrderStop    = "stop"    // a task
	OrderDrain   = "drain"   // finish what runs, then go
	OrderMeasure = "measure" // what a slot waits for
	OrderPipe    = "pipe"    // bytes of the model's gateway
)

// Order is what the coordinator tells the worker of one session.
type Order struct {
	V       int    `json:"v"`
	Kind    string `json:"kind"`
	Session string `json:"session"`
	Task    string `json:"task,omitempty"` // of stop
	Next    *Next  `json:"next,omitempty"` // of measure
	Pipe    *Pipe  `json:"pipe,omitempty"`
}

// names are what may be part of a subject and of a file name.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// CheckName says what is wrong with the name of a worker or a pool.
func CheckName(name string) error {
	if !names.MatchString(name) {
		return fmt.Errorf("%q is no name for a machine: use up to 40 of a-z, 0-9 and -, such as rack1-07", name)
	}
	return nil
}

var (
	blobNames = regexp.MustCompile(`^[0-9a-f]{64}$`)
	ids       = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// IsBlob reports whether hash can name a blob.
func IsBlob(hash string) bool { return blobNames.MatchString(hash) }

// IsID reports whether id can be that of a task, a token, a session or a home.
func IsID(id string) bool { return ids.MatchString(id) }

// NewID draws what nobody can guess.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return hex.EncodeToString(b[:])
}

// Encode writes a message. One that would not pass the server is [ErrMessage].
func Encode(m any) ([]byte, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	if len(data) > MaxMessage-4096 { // headers
		return nil, fmt.Errorf("%w: it has %d bytes", ErrMessage, len(data))
	}
	return data, nil
}

// message is one that says its version.
type message interface{ version() int }

func (t Task) version() int   { return t.V }
func (a Ask) version() int    { return a.V }
func (a Answer) version() int { return a.V }
func (o Order) version() int  { return o.V }

// Decode reads a message of this version.
func Decode[M message](data []byte) (m M, err error) {
	if len(data) > MaxMessage {
		return m, fmt.Errorf("%w: it has %d bytes", ErrMessage, len(data))
	}
	bad := json.Unmarshal(data, &m)
	v := m.version()
	if bad != nil { // of another version, whose fields may be others
		var other struct {
			V int `json:"v"`
		}
		if err := json.Unmarshal(data, &other); err != nil {
			return m, fmt.Errorf("%w: %w", ErrMessage, err)
		}
		v = other.V
	}
	if v != Protocol {
		return m, fmt.Errorf("%w: it is of protocol %d, this program speaks %d; run the same version of atoll on all machines", ErrMessage, v, Protocol)
	}
	if bad != nil {
		return m, fmt.Errorf("%w: %w", ErrMessage, bad)
	}
	return m, nil
}
