package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/store/record"
)

// replayed answers from the recording. Tokens are those of the recording,
// nothing is billed.
func (g *Gateway) replayed(ctx context.Context, o *outgoing) (*answer, record.Usage, error) {
	if ctx.Err() != nil {
		return nil, record.Usage{}, ended(ctx)
	}
	hash := o.hash()
	data, err := os.ReadFile(filepath.Join(g.tape.replay, exchangeName(hash, g.tape.index(hash))))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, record.Usage{}, fmt.Errorf("%w: %s of %s for %s (%s): the prompt or the settings differ from what was recorded", ErrNoRecording, o.rest, o.account.name, o.model, hash)
	}
	if err != nil {
		return nil, record.Usage{}, fmt.Errorf("read the recording: %w", err)
	}
	var x Exchange
	if err := json.Unmarshal(data, &x); err != nil || x.Version != 1 {
		return nil, record.Usage{}, fmt.Errorf("%w: %s-* is damaged or from another version", ErrNoRecording, hash)
	}
	ans, err := g.play(o, x)
	u := record.Usage{Requests: 1, CostUSD: new(float64)}
	if ans.meter != nil {
		u.InputTokens, u.OutputTokens = ans.meter.tokens.In(), ans.meter.tokens.Output
	}
	if serr := o.account.settle(ctx, 0, u); serr != nil {
		err = serr
	}
	return ans, u, err
}

func (g *Gateway) play(o *outgoing, x Exchange) (*answer, error) {
	raw := x.BodyB64
	if raw == nil {
		raw = []byte(x.Body)
	}
	ans := &answer{status: x.Status, kind: x.Kind}
	fault := func() error {
		if x.Fault == "cut" {
			return &cutError{why: x.Reason}
		}
		return &ProviderError{Provider: o.to.Name, KeyEnv: o.to.KeyEnv, Model: o.model, Access: x.Access, Status: x.Status, Reason: x.Reason, Attempts: x.Attempts}
	}
	if x.Fault == "provider" && (x.Status < 200 || x.Status > 299) {
		ans.raw = raw
		return ans, fault()
	}
	ans.meter = &meter{api: o.to.API, say: o.say, think: o.think, max: int(g.opt.MaxAnswer)}
	r := &answerReader{g: g, to: o.to, model: o.model, ans: ans, in: bufio.NewReader(bytes.NewReader(raw)), sink: o.sink, secrets: newRedactor(nil)}
	err := r.run()
	if x.Fault != "" && !errors.Is(err, errSink) {
		err = fault()
	}
	return ans, err
}
