package view

import (
	"fmt"
	"strings"
)

// ShadowChoice is what a bandit over the agents would do, and what its evidence did to their
// weights. Like all of a snapshot it follows from the log alone.
type ShadowChoice struct {
	Agent    string // whom it would ask next, "" where there is no choice
	Why      string
	Agreed   int    // results of agents that it would have asked as well
	Compared int    // results it looked at, where there was a choice
	Behind   string // which agents are shown to bring less than another, and how much; "" for none
	// Decides: such agents keep a fifth of their weights (search.draw_agents: yield).
	Decides bool
}

// Text says it in one line.
func (c ShadowChoice) Text() string {
	out := fmt.Sprintf("the bandit would ask %s next (%s); it agreed with %d of %s", c.Agent, c.Why, c.Agreed, Plural(c.Compared, "draw"))
	switch {
	case c.Decides && c.Behind == "":
		return "no agent is shown to bring less than another, so all have their weights; " + out
	case c.Decides:
		return "by what they bring some keep a fifth of their weight: " + c.Behind + "; " + out
	case c.Behind == "":
		return strings.Replace(out, "the bandit", "the bandit, which decides nothing,", 1)
	}
	return "shown, and without effect unless search.draw_agents is yield: " + c.Behind + "; " + out
}
