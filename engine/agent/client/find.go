package client

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atoll/engine/sandbox"
)

// program is where a client really is and what must be mounted for it.
type program struct {
	path   string // as it is started inside
	mounts []sandbox.Mount
	dirs   []string // for PATH
}

// find looks the client up once, and again when it is there no more. A client from npm needs the whole node_modules
// it lies in, since its native part is a package beside it, and the node that
// runs it; any other one what the sandbox finds of it.
func (c *Command) find(ctx context.Context) (*program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found != nil {
		if _, err := os.Stat(c.found.path); err == nil {
			return c.found, nil
		}
	}
	name := c.preset.Program
	if len(c.o.Command) > 0 {
		name = c.o.Command[0]
	}
	path, err := c.o.Look(name)
	if err != nil {
		return nil, &Error{Client: c.preset.Name, Fault: FaultMissing, Message: fmt.Sprintf("there is no program %s (%v)", name, err), Err: err}
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, &Error{Client: c.preset.Name, Fault: FaultMissing, Message: fmt.Sprintf("there is no program %s (%v)", name, err), Err: err}
	}
	tools := c.o.Tools
	p := &program{path: path}
	if i := strings.Index(real, "/node_modules/"); i > 0 {
		dir := real[:i] + "/node_modules"
		p.path = real
		p.mounts = append(p.mounts, sandbox.Mount{Host: dir, At: dir})
		if runsOnNode(real) {
			tools = append([]string{"node"}, tools...)
		}
	} else {
		tools = append([]string{path}, tools...)
	}
	mounts, dirs := c.o.Box.Interpreters(ctx, tools...)
	p.mounts, p.dirs = append(p.mounts, mounts...), dirs
	if behind := filepath.Join(dirs[0], filepath.Base(p.path)); p.path == path && behind != path { // a version manager's shim stands for it
		if _, err := os.Stat(behind); err == nil {
			p.path = behind
		}
	}
	if ctx.Err() == nil {
		c.found = p
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
