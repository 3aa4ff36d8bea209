package bench

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

//go:embed circles.py
var circlesServer string

// circles measures packings in one process of Python, which forks a child for
// each candidate and checks what that answers with the evaluator of the example.
type circles struct {
	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader

	// short measures programs that need no process; false: it cannot tell.
	short func(program string) (map[string]float64, bool)
}

// startCircles starts the process on a copy of the example.
func startCircles(dir string) (*circles, error) {
	cmd := exec.Command("python3", "-I", "-S", "-B", "-c", circlesServer, filepath.Join(dir, "evaluator"))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "solution.py"))
	if err != nil {
		return nil, err
	}
	short, ok := shortcut(string(text))
	if !ok {
		return nil, errors.New("solution.py of the example has another form")
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start python3: %w", err)
	}
	return &circles{cmd: cmd, in: in, out: bufio.NewReader(out), short: short}, nil
}

// shortcut measures programs of the form of an example without a process.
func shortcut(program string) (func(string) (map[string]float64, bool), bool) {
	if p, ok := packingOf(program); ok {
		return p.measure, true
	}
	r, ok := relaxingOf(program)
	return r.measure, ok
}

func (c *circles) close() {
	_ = c.in.Close()
	_ = c.cmd.Wait() // it ends where there is no more to read
}

func (c *circles) measure(_ context.Context, files map[string]string) (map[string]float64, error) {
	if metrics, ok := c.short(files["solution.py"]); ok {
		return metrics, nil
	}
	return c.ask(files["solution.py"])
}

// ask has the process measure a program.
func (c *circles) ask(program string) (map[string]float64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := json.Marshal(program)
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return nil, fmt.Errorf("the process of python3 ended: %w", err)
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the process of python3 ended: %w", err)
	}
	var answer struct {
		Error   string
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	out := map[string]float64{}
	for _, m := range answer.Metrics {
		out[m.Name] = m.Value
	}
	return out, nil
}
