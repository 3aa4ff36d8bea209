package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atoll/engine/sandbox"
)

// Located is where a client really is on a machine and what must be mounted for it.
type Located struct {
	Path   string // as it is started inside
	Mounts []sandbox.Mount
	Dirs   []string // for PATH
}

// find looks the client up once, and again when it is there no more.
func (c *Command) find(ctx context.Context) (*Located, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found != nil {
		if _, err := os.Stat(c.found.Path); err == nil {
			return c.found, nil
		}
	}
	p, err := Locate(ctx, c.o.Box, c.o.Look, c.program(), c.o.Tools)
	if errors.Is(err, ErrNoProgram) {
		err = &Error{Client: c.preset.Name, Fault: FaultMissing, Message: err.Error(), Err: err}
	}
	if err == nil && ctx.Err() == nil {
		c.found = p
	}
	return p, err
}

// program is the client's name, or its path.
func (c *Command) program() string {
	if len(c.o.Command) > 0 {
		return c.o.Command[0]
	}
	return c.preset.Program
}

// ErrNoProgram reports a program that is not here.
var ErrNoProgram = errors.New("there is no program")

// Locate finds a client by its name or path and what must be mounted for it and for the
// tools that it may use. A client from npm needs the whole node_modules it lies in, since
// its native part is a package beside it, and the node that runs it; any other one what
// the sandbox finds of it. look is exec.LookPath, or like it.
func Locate(ctx context.Context, box Box, look func(string) (string, error), name string, tools []string) (*Located, error) {
	path, err := look(name)
	if err != nil {
		return nil, fmt.Errorf("%w %s (%w)", ErrNoProgram, name, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("%w %s (%w)", ErrNoProgram, name, err)
	}
	p := &Located{Path: path}
	if i := strings.Index(real, "/node_modules/"); i > 0 {
		dir := real[:i] + "/node_modules"
		p.Path = real
		p.Mounts = append(p.Mounts, sandbox.Mount{Host: dir, At: dir})
		if runsOnNode(real) {
			tools = append([]string{"node"}, tools...)
		}
	} else {
		tools = append([]string{path}, tools...)
	}
	mounts, dirs := box.Interpreters(ctx, tools...)
	p.Mounts, p.Dirs = append(p.Mounts, mounts...), dirs
	if behind := filepath.Join(dirs[0], filepath.Base(p.Path)); p.Path == path && behind != path { // a version manager's shim stands for it
		if _, err := os.Stat(behind); err == nil {
			p.Path = behind
		}
	}
	return p, nil
}

// forget has the client looked up again before its next run.
func (c *Command) forget() {
	c.mu.Lock()
	c.found = nil
	c.mu.Unlock()
}

// runsOnNode reports a script whose first line names node.
func runsOnNode(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 128)
	n, _ := f.Read(head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return strings.HasPrefix(line, "#!") && strings.Contains(line, "node")
}
