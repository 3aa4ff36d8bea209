package gateway_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/engine/gateway"
)

func TestRefusalsThatLast(t *testing.T) {
	for _, tc := range []struct {
		name   string
		code   int
		body   string
		access gateway.Access
	}{
		{"OpenAI: a wrong key", 401, `{"error":{"message":"Incorrect API key provided: sk-x.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, gateway.KeyRefused},
		{"OpenAI: a country that is not served", 403, `{"error":{"message":"Country, region, or territory not supported","type":"request_forbidden","code":"unsupported_country_region_territory"}}`, gateway.KeyRefused},
		{"OpenAI: the quota is gone", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, gateway.AccountEmpty},
		{"OpenAI: the account is not active", 429, `{"error":{"message":"Your account is not active, please check your billing details on our website.","type":"billing_not_active","code":"billing_not_active"}}`, gateway.AccountEmpty},
		{"OpenAI: the hard limit", 400, `{"error":{"message":"Billing hard limit has been reached","type":"invalid_request_error","code":"billing_hard_limit_reached"}}`, gateway.AccountEmpty},
		{"OpenAI: too many requests", 429, `{"error":{"message":"Rate limit reached for gpt-x in organization org-1 on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.","type":"requests","code":"rate_limit_exceeded"}}`, gateway.Served},
		{"OpenAI: a bad request", 400, `{"error":{"message":"Unknown parameter: 'x'.","type":"invalid_request_error","code":"unknown_parameter"}}`, gateway.Served},
		{"OpenAI: no such model", 404, `{"error":{"message":"The model does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`, gateway.ModelUnknown},
		{"OpenAI: a model that the project may not use", 403, `{"error":{"message":"Project ` + "`p`" + ` does not have access to model ` + "`m`" + `","type":"invalid_request_error","code":"model_not_found"}}`, gateway.ModelUnknown},
		{"OpenAI: something else that is not there", 404, `{"error":{"message":"Item with id 'rs_1' not found.","type":"invalid_request_error","code":null}}`, gateway.Served},
		{"Anthropic: no such model", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, gateway.ModelUnknown},
		{"Gemini: no such model", 404, `{"error":{"code":404,"message":"models/gemini-x is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}`, gateway.ModelUnknown},
		{"OpenRouter: no such model", 400, `{"error":{"message":"x/y is not a valid model ID","code":400}}`, gateway.ModelUnknown},
		{"Ollama: no such model", 404, `{"error":"model 'x' not found"}`, gateway.ModelUnknown},
		{"vLLM: no such model", 404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, gateway.ModelUnknown},
		{"nothing at the address", 404, `{"detail":"Not Found"}`, gateway.AddressWrong},
		{"a web page at the address", 404, "<html><title>404 model train shop</title></html>", gateway.AddressWrong},
		{"Anthropic: a wrong key", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, gateway.KeyRefused},
		{"Anthropic: no permission", 403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`, gateway.KeyRefused},
		{"Anthropic: no credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`, gateway.AccountEmpty},
		{"Anthropic: the limit that was set", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2027-01-01."}}`, gateway.AccountEmpty},
		{"Anthropic: too many requests", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 50 requests per minute."}}`, gateway.Served},
		{"Anthropic: overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, gateway.Served},
		{"Gemini: a wrong key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]`, gateway.KeyRefused},
		{"Gemini: no permission", 403, `{"error":{"code":403,"message":"Permission denied: Consumer has been suspended.","status":"PERMISSION_DENIED"}}`, gateway.KeyRefused},
		{"Gemini: the quota of the day", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"41s"}]}}`, gateway.AccountEmpty},
		{"Gemini: the quota of the minute", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"retryDelay":"7s"}]}}`, gateway.Served},
		{"Gemini: busy", 429, `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}`, gateway.Served},
		{"OpenRouter: a wrong key", 401, `{"error":{"message":"No auth credentials found","code":401}}`, gateway.KeyRefused},
		{"OpenRouter: no credits", 402, `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}`, gateway.AccountEmpty},
		{"OpenRouter: the limit of the key", 403, `{"error":{"message":"Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys","code":403}}`, gateway.AccountEmpty},
		{"OpenRouter: the free requests of the day", 429, `{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429}}`, gateway.AccountEmpty},
		{"OpenRouter: the free requests of the minute", 429, `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429}}`, gateway.Served},
		{"OpenRouter: no credits, told inside an answer", 200, `{"error":{"message":"Insufficient credits","code":402}}`, gateway.AccountEmpty},
		{"a web page of a proxy", 403, "<html><body>Forbidden</body></html>", gateway.KeyRefused},
		{"a text", 401, "nope", gateway.KeyRefused},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, status(tc.code, tc.body, "Content-Type", "application/json"))
			o, _ := options(gateway.Chat, f.URL)
			_, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil)))
			var p *gateway.ProviderError
			if !errors.As(err, &p) || p.Access != tc.access {
				t.Fatalf("got %v (%+v), want access %q", err, p, tc.access)
			}
			if !errors.Is(err, gateway.ErrProvider) || errors.Is(err, gateway.ErrAccess) != (tc.access != gateway.Served) {
				t.Errorf("got %v, want a failure of the provider that lasts only with a reason", err)
			}
			if tc.access == gateway.Served {
				return
			}
			if len(f.requests()) != 1 {
				t.Errorf("it was asked %d times, want once", len(f.requests()))
			}
			name := map[gateway.Access]string{gateway.ModelUnknown: strconv.Quote(p.Model), gateway.AddressWrong: "base_url"}[tc.access]
			if name == "" {
				name = "TEST_KEY"
			}
			if p.KeyEnv != "TEST_KEY" || p.Model == "" || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want %s in it", err, name)
			}
			noKey(t, "the error", err.Error())
		})
	}
}

func TestWhatIsNoRefusalOfTheKey(t *testing.T) {
	t.Run("an input that was moderated", func(t *testing.T) {
		f := newFake(t, status(403, `{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"..."}}}`))
		o, _ := options(gateway.Chat, f.URL)
		if _, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil))); !errors.Is(err, gateway.ErrRefused) || errors.Is(err, gateway.ErrAccess) {
			t.Errorf("got %v, want a refusal to answer", err)
		}
	})
	t.Run("Gemini's delay is waited for", func(t *testing.T) {
		f := newFake(t, status(429, `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"7s"}]}}`), says("hi", 1, 1))
		o, c := options(gateway.Chat, f.URL)
		if _, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil))); err != nil {
			t.Fatal(err)
		}
		if got := c.sleeps(); len(got) != 1 || got[0] < 7*time.Second {
			t.Errorf("it slept %v, want seven seconds and some", got)
		}
	})
}

func TestAProviderThatAsksToWaitForLongIsToldToAPersonAtOnce(t *testing.T) {
	for _, tc := range []struct {
		name, after, says string
		asked             int
		lasts             bool
	}{
		{"a day", "86400", "wait 24h0m0s", 1, true},
		{"a month", "2592000", "wait 720h0m0s", 1, true},
		{"minutes", "30", "", 2, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, status(429, `{"error":{"message":"Rate limit reached"}}`, "Retry-After", tc.after), says("hi", 1, 1))
			o, _ := options(gateway.Chat, f.URL)
			_, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil)))
			if errors.Is(err, gateway.ErrAccess) != tc.lasts || len(f.requests()) != tc.asked || (err != nil) != tc.lasts {
				t.Fatalf("got %v after %d requests", err, len(f.requests()))
			}
			if tc.lasts && (!strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "TEST_KEY")) {
				t.Errorf("got %v, want %q in it", err, tc.says)
			}
		})
	}
}

func TestAnErrorInThePlaceOfAnAnswerCostsNothing(t *testing.T) {
	for _, tc := range []struct {
		name, kind, body string
		free             bool
	}{
		{"a document", "application/json", `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, true},
		{"an event", "text/event-stream", "data: {\"error\":{\"message\":\"busy\",\"code\":402}}\n\n", false},
		{"an event behind words", "text/event-stream", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"error\":{\"message\":\"no credit\",\"code\":402}}\n\n", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, status(200, tc.body, "Content-Type", tc.kind))
			o, _ := options(gateway.Chat, f.URL)
			o.Attempts = 1
			res, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(10, nil)))
			u := res.Usage
			if err == nil || u.Requests != 1 || u.CostUSD == nil || (*u.CostUSD == 0) != tc.free || u.Unmetered == tc.free {
				t.Errorf("got %+v and %v, want it free %t", u, err, tc.free)
			}
		})
	}
}

func TestAMissingKeyNamesItsVariable(t *testing.T) {
	f := newFake(t, says("hi", 1, 1))
	o, _ := options(gateway.Chat, f.URL)
	o.Getenv = func(string) string { return "" }
	_, err := mustNew(t, o).Client().Complete(t.Context(), ask(account(0, nil)))
	var p *gateway.ProviderError
	if !errors.As(err, &p) || !errors.Is(err, gateway.ErrAccess) || !errors.Is(err, gateway.ErrNoKey) || errors.Is(err, gateway.ErrProvider) {
		t.Fatalf("got %v, want a missing key", err)
	}
	if !strings.Contains(err.Error(), "set TEST_KEY") || len(f.requests()) != 0 {
		t.Errorf("got %v after %d requests, want the variable's name and none", err, len(f.requests()))
	}
}

func TestAnEndpointStopsAtARefusalThatLasts(t *testing.T) {
	f := newFake(t, status(401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, "Content-Type", "application/json"))
	o, _ := options(gateway.Chat, f.URL)
	acc := account(0, nil)
	e := serve(t, mustNew(t, o), gateway.Job{Account: acc, Providers: []string{"p"}})
	for try := range 3 {
		code, text := post(t, http.DefaultClient, e.BaseURL(gateway.Chat)+"/chat/completions", e.Token, `{"model":"m","messages":[]}`)
		if code != 401 {
			t.Fatalf("request %d: got %d %s, want 401", try, code, text)
		}
	}
	if got := len(f.requests()); got != 1 {
		t.Errorf("the provider was asked %d times, want once", got)
	}
	total := acc.Totals()
	if !errors.Is(total.Denied, gateway.ErrAccess) || total.Refused != 0 {
		t.Errorf("got %+v, want the provider's refusal and none of a budget", total)
	}
}
