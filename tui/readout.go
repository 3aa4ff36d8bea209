package tui

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
)

// readOut is a program that gets the terminal until the person has read what it
// wrote. Enter is taken as a terminal sends it in either mode: one that is pressed
// while the terminal changes hands comes as a carriage return.
type readOut struct {
	*exec.Cmd
	in io.Reader
}

func (r *readOut) SetStdin(in io.Reader) {
	r.in = in
	if r.Stdin == nil {
		r.Stdin = in
	}
}

func (r *readOut) SetStdout(out io.Writer) {
	if r.Stdout == nil {
		r.Stdout = out
	}
}

func (r *readOut) SetStderr(out io.Writer) {
	if r.Stderr == nil {
		r.Stderr = out
	}
}

const (
	readPrompt = "enter goes back to the console "
	// unprompt takes the prompt away again, from the line below it: the next program
	// that is read out shows on the same screen, and has not ended yet.
	unprompt = "\x1b[1A\x1b[2K"
)

// Run ends as the program ended, when the person has read it.
func (r *readOut) Run() error {
	ended := r.Cmd.Run()
	if ended != nil && r.Cmd.ProcessState == nil { // it did not begin
		return ended
	}
	fmt.Fprint(r.Stdout, "\n"+readPrompt)
	untilEnter(r.in)
	fmt.Fprint(r.Stdout, unprompt)
	return ended
}

// untilEnter reads until enter was pressed or nothing more comes.
func untilEnter(in io.Reader) {
	for key := make([]byte, 64); ; {
		n, err := in.Read(key)
		if bytes.ContainsAny(key[:n], "\r\n") || err != nil {
			return
		}
	}
}
