package survey

import (
	"strings"

	"atoll/engine/eval/output"
)

// inItsStderr is what measure says of the process that makes the calls where that ended by itself.
const inItsStderr = "what it said is in its stderr"

// lastLines bounds what is shown of it.
const lastLines = 3

// withStderr is a reason with the last lines of stderr where it points there.
func withStderr(reason, stderr string) string {
	before, _, found := strings.Cut(reason, inItsStderr)
	if !found {
		return reason
	}
	var said []string
	for line := range strings.Lines(output.Clean(stderr)) {
		if strings.Contains(line, inItsStderr) { // measure itself, from here on
			break
		}
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, "/measure.") {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return before + "it said nothing"
	}
	said = said[max(0, len(said)-lastLines):]
	return before + "its last words: " + output.OneLine(strings.Join(said, " | "), output.MaxReason)
}
