package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// voice answers prompts of the roles beside the coder's.
type voice struct {
	provider, model string
	maxTokens       int64
	limit           float64 // US dollars of one job
	client          agent.Completer
	record          string // folder in which answers are kept; "" = none
	replay          string // folder from which answers are taken; "" = the model is asked
}

// answer asks the voice of a role within a job. What a ledger settles is not in
// the usage.
func (v *voice) answer(ctx context.Context, e *Engine, name, role string, lease record.Lease, p agent.Rendered) (string, record.Usage, error) {
	if v.replay != "" {
		text, err := readAnswer(v.replay, role, lease.Job.ID)
		return text, record.Usage{}, err
	}
	acc := e.purse.account(name, v.limit)(agent.Job{Number: lease.Job.ID, Attempt: lease.Attempt})
	res, err := v.client.Complete(ctx, gateway.Request{
		Provider: v.provider, Model: v.model, System: v.client.Redact(p.System), MaxTokens: v.maxTokens, Account: acc,
		Messages: []gateway.Message{{Role: "user", Content: v.client.Redact(p.User)}},
	})
	usage := res.Usage
	if acc.Settles() {
		usage = record.Usage{}
	}
	if err == nil && v.record != "" {
		err = writeAnswer(v.record, lease.Job.ID, spoken{role, v.client.Redact(res.Text), res.Usage})
	}
	return res.Text, usage, err
}

// consult asks a voice on behalf of a job: the prompt can be seen while it is
// under way, prompt and answer are kept as evidence, time and usage are counted.
func (r *jobRun) consult(ctx context.Context, v *voice, name, role string, p agent.Rendered) (string, error) {
	text := agent.Redact(p.System+"\n\n"+p.User, r.e.crew.secrets...)
	r.e.live.prompt(r.lease.Job.ID, role, text)
	kind := func(what string) string { // the words of the coder's own evidence stay its own
		if r.lease.Job.Kind == record.Assist {
			return what
		}
		return role + " " + what
	}
	r.keep(kind("prompt"), text)
	began := r.e.opt.Now()
	answer, usage, err := v.answer(ctx, r.e, name, role, r.lease, p)
	r.edit += r.e.opt.Now().Sub(began)
	r.usage = r.usage.Add(usage)
	r.keep(kind("transcript"), answer)
	return answer, err
}

// spoken is a recorded answer of a role.
type spoken struct {
	Role   string       `json:"role"`
	Answer string       `json:"answer"`
	Usage  record.Usage `json:"usage"` // what it cost once
}

func spokenPath(dir, role string, job record.JobID) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%06d.json", role, job))
}

func writeAnswer(dir string, job record.JobID, s spoken) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(spokenPath(dir, s.Role, job), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("record the answer of the %s in %s: %w", s.Role, job, err)
	}
	return nil
}

func readAnswer(dir, role string, job record.JobID) (string, error) {
	data, err := os.ReadFile(spokenPath(dir, role, job))
	var s spoken
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return "", fmt.Errorf("replay the answer of the %s in %s: %w", role, job, err)
	}
	return s.Answer, nil
}
