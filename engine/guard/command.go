package guard

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// commandWork is the processor time of a command in the root. The candidate, which may be slow,
// gets ten times as much, and no longer by the clock.
const commandWork = time.Minute

// commands runs the configured command lines in both trees. What they print and
// the code they end with are the behaviour.
func (c *check) commands(ctx context.Context) error {
	if len(c.g.o.Commands) == 0 {
		return nil
	}
	env := c.g.surround(ctx, "python3", "node", "go", "gcc", "cargo", "ruby", "perl", "java")
	for _, inv := range c.g.o.Commands {
		c.doing("running %s in both", strings.Join(inv.Args, " "))
		var said [3]string
		var ended [3]bool
		for i, v := range []*view{c.root, c.candidate, c.root} {
			spec := c.spec(v, env, inv.Args, "", nil, "", false)
			within(&spec, commandWork)
			if v == c.candidate {
				spec.Limits.CPU, spec.Limits.Wall = 10*commandWork, 10*commandWork
			}
			spec.Stdin = []byte(inv.Stdin)
			res, err := c.budget.Run(ctx, spec)
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			said[i], ended[i] = fmt.Sprintf("exit %d, prints %q", res.Exit, res.Stdout), !res.TimedOut
		}
		line := strings.Join(inv.Args, " ")
		c.report.Functions++
		if said[0] != said[2] || !ended[0] {
			c.report.Unsteady++
			continue
		}
		c.report.Cases++
		if said[0] == said[1] {
			continue
		}
		input := line
		if inv.Stdin != "" {
			input += fmt.Sprintf(" < %q", inv.Stdin)
		}
		kind := Output
		if !ended[1] {
			kind, said[1] = Ends, "does not come back"
		}
		c.report.Differences = append(c.report.Differences, Difference{Where: line, Kind: kind, Input: input, Root: said[0], Candidate: said[1], Cases: 1, Of: 1})
	}
	return nil
}
