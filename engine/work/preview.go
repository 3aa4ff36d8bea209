package work

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/agent"
	"atoll/store/record"
)

// ErrNoPreview reports a job for which no prompt can be shown before it is
// sent. Test with errors.Is.
var ErrNoPreview = errors.New("there is no prompt to show")

// previewKind is how the prompt of a job that waits is called among its
// evidence.
const previewKind = "prompt, not sent yet"

// Preview renders the prompt of a make job that no agent was asked about yet,
// as it would be sent now: what others do until then still counts. Nothing is
// sent, and nothing is paid for. The error is [ErrNoPreview] where an agent reads
// no prompt.
func (w *Runner) Preview(ctx context.Context, job record.Job) (record.Evidence, error) {
	if job.Kind != record.Make || job.Candidate != record.NoCandidate || job.State != record.Queued {
		return record.Evidence{}, fmt.Errorf("%w: %s is %s", ErrNoPreview, job.ID, job.State)
	}
	p := w.roster.Previewer(job.Agent)
	if p == nil {
		return record.Evidence{}, fmt.Errorf("%w: agent %q reads none", ErrNoPreview, job.Agent)
	}
	r := &attempt{run: w.run, lease: record.Lease{Job: job, Attempt: job.Attempt + 1}, preview: true}
	aj, err := w.maker.editor.job(ctx, r)
	if err != nil {
		return record.Evidence{}, err
	}
	aj.Live, aj.Progress, aj.Sending = nil, nil, nil
	text, err := p.Preview(ctx, aj, aj.Parent.Files)
	if err != nil {
		return record.Evidence{}, err
	}
	whole := text.User
	if text.System != "" {
		whole = text.System + "\n\n" + text.User
	}
	return record.Evidence{Job: job.ID, Attempt: job.Attempt + 1, Kind: previewKind, Text: []byte(agent.Redact(whole, w.roster.Secrets...))}, nil
}
