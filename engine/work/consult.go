package work

import (
	"context"

	"atoll/engine/agent"
	"atoll/engine/roster"
	"atoll/store/record"
)

// consult asks a voice on behalf of a job: the prompt can be seen while it is
// under way, prompt and answer are kept as evidence, time and usage are counted.
func (r *jobRun) consult(ctx context.Context, v *roster.RoleClient, name, role string, p agent.Rendered) (string, error) {
	text := agent.Redact(p.System+"\n\n"+p.User, r.w.roster.Secrets...)
	r.w.live.prompt(r.lease.Job.ID, role, text)
	kind := func(what string) string { // the words of the coder's own evidence stay its own
		if r.lease.Job.Kind == record.Assist {
			return what
		}
		return role + " " + what
	}
	r.keep(kind("prompt"), text)
	began := r.w.now()
	answer, usage, err := v.Ask(ctx, role, r.lease, p)
	r.edit += r.w.now().Sub(began)
	r.usage = r.usage.Add(usage)
	r.keep(kind("transcript"), answer)
	return answer, err
}
