package work

import (
	"errors"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/engine/view"
)

// putBack reports whether an agent's error says nothing about the job: the
// provider does not serve the key or the model, or the agent's program is not
// installed, which pauses the run, or the run ends while a provider that fails is
// waited for.
func (w *run) putBack(err error) bool {
	if errors.Is(err, gateway.ErrAccess) || errors.Is(err, agent.ErrMissing) {
		why := err.Error()
		if p := (*gateway.ProviderError)(nil); errors.As(err, &p) {
			why = p.Error()
		}
		w.host.Pause(view.CleanLine(why + "; then resume. No job was charged"))
		return true
	}
	return errors.Is(err, ErrDrained) || w.draining() && (errors.Is(err, gateway.ErrProvider) || errors.Is(err, gateway.ErrCircuit))
}
