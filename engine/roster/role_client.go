package roster

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

// RoleClient answers prompts of the roles beside the coder's.
type RoleClient struct {
	ask     gateway.Request // how the model is asked, but for the prompt and who pays
	account func(agent.Job) *gateway.Account
	client  agent.Completer
	record  string // folder in which answers are kept; "" = none
	replay  string // folder from which answers are taken; "" = the model is asked
}

// Model is the name of the model that answers.
func (v *RoleClient) Model() string { return v.ask.Model }

// Ask has the model of a role answer within a job. What a ledger settles is not
// in the usage.
func (v *RoleClient) Ask(ctx context.Context, role string, lease record.Lease, p agent.Rendered) (string, record.Usage, error) {
	if v.replay != "" {
		text, err := readAnswer(v.replay, role, lease.Job.ID)
		return text, record.Usage{}, err
	}
	acc := v.account(agent.Job{Number: lease.Job.ID, Attempt: lease.Attempt})
	q := v.ask
	q.System, q.Messages, q.Account = v.client.Redact(p.System), []gateway.Message{{Role: "user", Content: v.client.Redact(p.User)}}, acc
	res, err := v.client.Complete(ctx, q)
	usage := res.Usage
	if acc.Settles() {
		usage = record.Usage{}
	}
	if err == nil && v.record != "" {
		err = writeAnswer(v.record, lease.Job.ID, spoken{role, v.client.Redact(res.Text), res.Usage})
	}
	return res.Text, usage, err
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
