package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"atoll/engine/agent/client"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// Errand is one run of a coding client, but for what only its machine knows: where the
// program lies, what is mounted for it, and the folder with the tree.
type Errand struct {
	Agent   string            `json:"agent"`
	Args    [][]byte          `json:"args"` // bytes: a prompt may be one of them
	Env     [][]byte          `json:"env"`
	Files   map[string][]byte `json:"files"`
	Stdin   []byte            `json:"stdin,omitempty"`
	HasIn   bool              `json:"has_stdin,omitempty"`
	Limits  sandbox.Limits    `json:"limits"`
	Skip    []string          `json:"skip,omitempty"`
	Program string            `json:"program"`
	Tools   []string          `json:"tools,omitempty"`
	Caches  []string          `json:"caches,omitempty"`
	Gateway bool              `json:"gateway,omitempty"` // requests to a model go through the coordinator
}

// FromErrand is an errand as it travels. One that wants the host's network, which no
// machine gives, is [ErrMessage].
func FromErrand(e *client.Errand) ([]byte, error) {
	s := &e.Spec
	if s.Net == sandbox.NetHost || len(s.Mounts)+len(s.Caches)+len(s.Seal)+len(s.Delta) > 0 || s.Base != "" {
		return nil, fmt.Errorf("%w: the run of %s names things of this machine", ErrMessage, e.Agent)
	}
	return json.Marshal(Errand{
		Agent: e.Agent, Args: raw(s.Args), Env: raw(s.Env), Files: s.Files, Stdin: s.Stdin, HasIn: s.Stdin != nil, Limits: s.Limits, Skip: s.HarvestSkip,
		Program: e.Program, Tools: e.Tools, Caches: e.Lays, Gateway: e.Gateway != "",
	})
}

func raw(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func texts(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

// ToErrand reads an errand that came.
func ToErrand(data []byte) (e client.Errand, err error) {
	var w Errand
	if err := json.Unmarshal(data, &w); err != nil {
		return e, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	e = client.Errand{Agent: w.Agent, Program: w.Program, Tools: w.Tools, Lays: w.Caches}
	e.Spec = sandbox.Spec{
		Args: texts(w.Args), Env: texts(w.Env), Files: w.Files, Limits: w.Limits, Harvest: true, HarvestSkip: w.Skip, Net: sandbox.NetNone,
	}
	if w.HasIn {
		e.Spec.Stdin = append([]byte{}, w.Stdin...)
	}
	if w.Gateway {
		e.Spec.Net = sandbox.NetGateway
	}
	return e, nil
}

// Edited is what came of an errand.
type Edited struct {
	Exit       int      `json:"exit"`
	Signal     string   `json:"signal,omitempty"`
	TimedOut   bool     `json:"timed_out,omitempty"`
	Limits     []string `json:"limits,omitempty"`
	Violations []string `json:"violations,omitempty"`
	WallMS     int64    `json:"wall_ms"`
	Stdout     []byte   `json:"stdout,omitempty"`
	Stderr     []byte   `json:"stderr,omitempty"`
	StdoutCut  int64    `json:"stdout_cut,omitempty"`
	StderrCut  int64    `json:"stderr_cut,omitempty"`
	Changes    []Change `json:"changes,omitempty"`
	Refused    []string `json:"refused,omitempty"`
}

// MaxEdited bounds what an errand may bring back, in bytes as it travels.
const MaxEdited = 128 << 20

// FromEdited is what came of an errand as it travels, and its name.
func FromEdited(r *sandbox.Result) (data []byte, sum string, err error) {
	data, err = json.Marshal(Edited{
		Exit: r.Exit, Signal: r.Signal, TimedOut: r.TimedOut, Limits: r.Limits, Violations: r.Violations, WallMS: r.Wall.Milliseconds(), Stdout: r.Stdout,
		Stderr: r.Stderr, StdoutCut: r.StdoutCut, StderrCut: r.StderrCut, Changes: FromChanges(r.Changes), Refused: r.Refused,
	})
	if err == nil && len(data) > MaxEdited {
		err = fmt.Errorf("%w: what the client did and said has %d bytes", ErrMessage, len(data))
	}
	return data, sumOf(data), err
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ToEdited reads what came of an errand. What no honest worker sends is [ErrMessage];
// whether the paths may be changed is for those to say who make a tree of them.
func ToEdited(data []byte, sum string) (r sandbox.Result, err error) {
	var e Edited
	if sumOf(data) != sum {
		return r, fmt.Errorf("%w: the parts of an edit are not what its name says", ErrMessage)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return r, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	if e.WallMS < 0 || e.StdoutCut < 0 || e.StderrCut < 0 {
		return r, fmt.Errorf("%w: an edit that took or left out less than nothing", ErrMessage)
	}
	for _, c := range e.Changes {
		switch c.Mode {
		case record.Regular, record.Executable, record.Symlink, record.Deleted:
		default:
			return r, fmt.Errorf("%w: an edit with a file of the kind %v", ErrMessage, c.Mode)
		}
	}
	if !slices.IsSortedFunc(e.Changes, func(a, b Change) int { return slices.Compare(a.Path, b.Path) }) {
		return r, fmt.Errorf("%w: the files of an edit are in no order", ErrMessage)
	}
	return sandbox.Result{
		Exit: e.Exit, Signal: e.Signal, TimedOut: e.TimedOut, Limits: e.Limits, Violations: e.Violations, Wall: time.Duration(e.WallMS) * time.Millisecond,
		Stdout: e.Stdout, Stderr: e.Stderr, StdoutCut: e.StdoutCut, StderrCut: e.StderrCut, Changes: ToChanges(e.Changes), Refused: e.Refused,
	}, nil
}

// Lines are lines of output of an errand, in order, each as [sandbox.Spec.OnLine] has it.
type Lines struct {
	Task  string `json:"task"`
	Token string `json:"token"`
	Lines []Said `json:"lines"`
}

// Said is one line of a stream.
type Said struct {
	Stream int    `json:"n"`
	Text   []byte `json:"text"`
}

// Part is a piece of an [Edited], at a place. One that came before changes nothing.
type Part struct {
	Task  string `json:"task"`
	Token string `json:"token"`
	At    int    `json:"at"`
	Data  []byte `json:"data"`
}

// Pipe is bytes of one connection between a client and the model's gateway, either way.
// Seq counts the messages of a connection in its direction from 0. End: there are no more.
type Pipe struct {
	Task  string `json:"task"`
	Token string `json:"token,omitempty"` // of the worker
	Conn  uint64 `json:"conn"`
	Seq   uint64 `json:"seq"`
	Data  []byte `json:"data,omitempty"`
	End   bool   `json:"end,omitempty"`
}

// PipeBytes is how much of a connection one message holds.
const PipeBytes = 128 << 10
