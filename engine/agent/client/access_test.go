package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/store/record"
)

// refusing is a client whose provider has refused its key.
func refusing(s *script, text string, why gateway.Access) Options {
	o := s.options("codex", text)
	open := o.Gateway
	o.Gateway = func(ctx context.Context, j agent.Job) (Endpoint, func() Metered, error) {
		ep, end, err := open(ctx, j)
		ep.Denied = func() bool { return true }
		return ep, func() Metered {
			m := end()
			m.Denied = &gateway.ProviderError{Provider: "p", KeyEnv: "CODER_KEY", Access: why, Status: 401, Reason: "Incorrect API key provided"}
			return m
		}, err
	}
	return o
}

func TestARefusedKeyIsToldWithItsVariable(t *testing.T) {
	for _, tc := range []struct {
		name  string
		why   gateway.Access
		text  string
		fault Fault
		words string
	}{
		{"in words of the client's own", gateway.KeyRefused, `echo '{"type":"turn.failed","error":{"message":"We are currently experiencing high demand"}}'; exit 1`, FaultAuth, "check the key in CODER_KEY"},
		{"by a client that ends as if all were well", gateway.ModelUnknown, codexDone, FaultModel, "check the model's name"},
		{"by a client that changed a file and ends well", gateway.KeyRefused, `echo new >> a.txt; ` + codexDone, FaultAuth, "check the key in CODER_KEY"},
		{"of an account with nothing left", gateway.AccountEmpty, `echo '{"type":"turn.failed","error":{"message":"stream disconnected"}}'; exit 1`, FaultQuota, "the account behind CODER_KEY has nothing left"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t)
			o := refusing(s, codexBegin+tc.text, tc.why)
			o.Attempts = 3
			_, err := s.edit(t.Context(), o)
			var ce *Error
			if !errors.As(err, &ce) || ce.Fault != tc.fault || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("got %v, want fault %s and %q", err, tc.fault, tc.words)
			}
			var p *gateway.ProviderError
			if !errors.Is(err, gateway.ErrAccess) || !errors.As(err, &p) || p.KeyEnv != "CODER_KEY" {
				t.Errorf("got %v, want the provider's refusal behind it", err)
			}
			if len(s.waits) != 0 {
				t.Errorf("it was tried again %d times", len(s.waits))
			}
		})
	}
}

func TestAClientThatGoesOnAskingWithARefusedKeyIsEnded(t *testing.T) {
	s := newScript(t)
	o := refusing(s, codexBegin+"while :; do sleep 1; done", gateway.KeyRefused)
	o.Timeout = time.Hour
	_, err := s.edit(t.Context(), o)
	if !errors.Is(err, gateway.ErrAccess) || failureOf(t, err).Class != record.ClassAgent {
		t.Errorf("got %v, want the provider's refusal", err)
	}
}

func TestAnOwnLoginThatIsRefusedIsARefusalThatLasts(t *testing.T) {
	s := newScript(t)
	_, err := s.edit(t.Context(), s.options("codex", codexBegin+`echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}'; exit 1`))
	if !errors.Is(err, gateway.ErrAccess) {
		t.Errorf("got %v, want a refusal that lasts", err)
	}
}
