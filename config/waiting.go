package config

// Waiting is how many jobs of an agent may wait for somebody at a time, beside the
// workers and without holding one; 0: nothing bounds them, and each that waits holds a
// worker. It is one for a person, unless parallel says more, and what parallel says for
// workers that come for tasks, and for the replay of a recording of either.
func (a Agent) Waiting() int {
	switch a.Kind {
	case "human":
		return max(1, a.Parallel)
	case "broker", "replay":
		return a.Parallel
	}
	return 0
}
