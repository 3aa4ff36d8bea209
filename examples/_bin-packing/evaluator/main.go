// Command evaluator measures online bin packing. It builds the candidate's
// program, lets it place one item after the other in a process of its own
// (through $ATOLL_RUN), and counts the bins itself: an item is only sent once
// the one before has its place, and every place is checked.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "refused:", err)
		os.Exit(1)
	}
}

func run() error {
	program, err := build()
	if err != nil {
		return err
	}
	defer os.Remove(program)
	p, err := start(program)
	if err != nil {
		return err
	}
	defer p.stop()
	var counts [2]count // scored, held out
	for i, seed := range seeds {
		sizes := instance(seed)
		bins, err := p.pack(sizes)
		if err != nil {
			return fmt.Errorf("instance %d, %w", i, err)
		}
		c := &counts[0]
		if i >= scored {
			c = &counts[1]
		}
		c.bins += bins
		c.bound += bound(sizes)
	}
	return write(counts[0], counts[1])
}

// count sums bins and bounds over instances.
type count struct{ bins, bound int }

// excess is how many bins more than the bound were used, in percent.
func (c count) excess() float64 { return 100 * (float64(c.bins)/float64(c.bound) - 1) }

// build compiles the candidate's program into its tree. Nothing of it runs:
// cgo, which could, is off.
func build() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, ".play")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./play")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build of ./play: %w", err)
	}
	return program, nil
}

// player is the running program of the candidate.
type player struct {
	cmd    *exec.Cmd
	to, of *os.File
	answer [4]byte
}

func start(program string) (*player, error) {
	args := append(strings.Fields(os.Getenv("ATOLL_RUN")), program)
	childIn, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	of, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, os.Stderr
	if len(args) == 1 {
		cmd.Env = []string{} // without the launcher, at least no way to the result
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start of the candidate's program: %w", err)
	}
	childIn.Close()
	childOut.Close()
	to.Fd() // plain blocking calls: an answer takes microseconds
	of.Fd()
	return &player{cmd: cmd, to: to, of: of}, nil
}

// stop ends the program: it ends by itself when there is no more to read, and
// is killed when it does not.
func (p *player) stop() {
	p.to.Close()
	p.of.Close()
	late := time.AfterFunc(time.Second, func() { p.cmd.Process.Kill() })
	p.cmd.Wait() // all is measured by now, so how it ended is no matter
	late.Stop()
}

// pack plays one instance and returns the number of bins.
func (p *player) pack(sizes []byte) (int, error) {
	if _, err := p.to.Write([]byte{0}); err != nil {
		return 0, fmt.Errorf("the candidate's program ended: %w", err)
	}
	var free []int
	for i, size := range sizes {
		if _, err := p.to.Write(sizes[i : i+1]); err != nil {
			return 0, fmt.Errorf("item %d: the candidate's program ended: %w", i, err)
		}
		if _, err := io.ReadFull(p.of, p.answer[:]); err != nil {
			return 0, fmt.Errorf("item %d: no answer: %w", i, err)
		}
		bin := int(binary.LittleEndian.Uint32(p.answer[:]))
		switch {
		case bin > len(free):
			return 0, fmt.Errorf("item %d went to bin %d, but only %d are open", i, bin, len(free))
		case bin == len(free):
			free = append(free, capacity)
		}
		if free[bin] < int(size) {
			return 0, fmt.Errorf("item %d of size %d went to bin %d, which has %d left", i, size, bin, free[bin])
		}
		free[bin] -= int(size)
	}
	return len(free), nil
}

type metric struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit,omitempty"`
	Higher bool    `json:"higher_is_better"`
}

func write(score, held count) error {
	result := map[string]any{
		"summary": fmt.Sprintf("%d bins, %.3f %% over the bound of %d", score.bins, score.excess(), score.bound),
		"metrics": []metric{
			{Name: "excess_pct", Value: score.excess(), Unit: "%"},
			{Name: "bins", Value: float64(score.bins), Unit: "bins"},
			{Name: "bound", Value: float64(score.bound), Unit: "bins"},
			{Name: "holdout_pct", Value: held.excess(), Unit: "%"},
		},
	}
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv("ATOLL_RESULT"), data, 0o644)
}
