package eval

import (
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// Guarantees returns the guarantees that are missing with this evaluator on
// this machine, one plain sentence each; none is good. Every screen and report
// shows them.
func (e *Evaluator) Guarantees() []string {
	var missing []string
	add := func(s string) {
		for _, m := range missing {
			if m == s {
				return
			}
		}
		missing = append(missing, s)
	}
	last := e.stages[len(e.stages)-1]
	for _, st := range e.stages {
		switch {
		case st.adapter != nil && st.adapter.shared:
			add("Shared process: " + st.adapter.why + ".")
		case st.adapter != nil && st.adapter.stdout:
			add("Score on stdout: " + st.adapter.why + ".")
		case st.adapter == nil && st.Output != output.OutputFile && st.Output != output.OutputNone:
			add("Score on stdout: candidate code that the evaluator starts with the same stdout can print a score of its own; result-file cannot be forged that way.")
		}
	}
	switch {
	case e.o.Dir != "":
	case len(e.o.Protected) > 0:
		add("Evaluator in the tree: its protected files stay as they are, but new files beside them can shadow modules that they import; evaluator.dir keeps it outside.")
	case last.adapter == nil:
		add("Evaluator in the tree: neither evaluator.dir nor evaluator.protected is set, so a candidate can change the files that measure it.")
	}
	switch e.box.Rung() {
	case sandbox.Landlock:
		add("Rung 2 (Landlock): candidate code can see sizes and times of files that it cannot read, change times of this user's files, and ask whether a process is there; what it leaves running after a killed ATOLL_RUN ends with the measurement.")
	case sandbox.Plain:
		add("Rung 3 (no isolation): candidate code runs with your rights: it can read your files, use the network and write the result itself.")
	}
	if box, ok := e.box.(interface{ Fenced() bool }); ok && !box.Fenced() {
		add("Processes: code that forks without end can outrun the clean-up here and fill the process table; atoll doctor says what would hold it.")
	}
	return missing
}
