package agent

import (
	"context"
	"errors"
)

// The roles that have a prompt. Chunk is the summary of a stretch of a
// trajectory; it is the summariser's.
const (
	RolePlanner    = "planner"
	RoleCoder      = "coder"
	RoleReviewer   = "reviewer"
	RoleReflector  = "reflector"
	RoleMapper     = "mapper"
	RoleSummariser = "summariser"
	RoleChunk      = "chunk"
)

// ErrNoPrompt reports a role or an agent without a prompt. Test with errors.Is.
var ErrNoPrompt = errors.New("no such prompt")

// Rendered is a prompt as it is sent: System and User are made of the
// sections in order, each within its budget and with secrets taken out.
type Rendered struct {
	System   string
	User     string
	Sections []Section
	Partial  []string // files of the view that are not shown whole and untouched: never to be replaced as a whole
}

// Tokens returns the estimated size of the whole prompt.
func (r Rendered) Tokens() int {
	n := 0
	for _, s := range r.Sections {
		n += s.Tokens
	}
	return n
}

// Section is one named part of a prompt. Tokens is an estimate for Text; Cut is the number of lines left out to stay within the budget, and
// the text says so where they are missing.
type Section struct {
	Name   string
	Text   string
	Tokens int
	Cut    int
}

// Previewer is an agent that can show the prompt that Edit would send first,
// without sending it or starting anything.
type Previewer interface {
	Preview(ctx context.Context, j Job, t Tree) (Rendered, error)
}
