package view

import (
	"fmt"
)

// ShadowChoice is what a bandit over the agents would do. It looks on and
// decides nothing. Like all of a snapshot it follows from the log alone.
type ShadowChoice struct {
	Agent    string // whom it would ask next, "" where there is no choice
	Why      string
	Agreed   int // results of agents that it would have asked as well
	Compared int // results it looked at, where there was a choice
}

// Text says it in one line.
func (c ShadowChoice) Text() string {
	return fmt.Sprintf("the bandit, which decides nothing, would ask %s next (%s); it agreed with %d of %s", c.Agent, c.Why, c.Agreed, Plural(c.Compared, "draw"))
}
