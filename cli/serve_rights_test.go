package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// signIn gives a token as a browser does, and returns its cookie.
func (s served) signIn(token string) *http.Cookie {
	s.t.Helper()
	r := s.request("POST", "signin", "", url.Values{"token": {token}}.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	for _, c := range res.Cookies() {
		return c
	}
	s.t.Fatalf("no cookie: %s", res.Status)
	return nil
}

// watching opens a stream of events and returns what is closed when it ends.
func (s served) watching(sign func(*http.Request)) <-chan struct{} {
	s.t.Helper()
	r := s.request("GET", "api/v1/events", "", "")
	sign(r)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("no events: %s", res.Status)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}()
	return ended
}

func endsWithItsToken(t *testing.T, dir string) {
	s := serving(t, dir, "--private")
	by := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	with := func(c *http.Cookie) func(*http.Request) { return func(r *http.Request) { r.AddCookie(c) } }
	ada, lou, bob := s.signIn(decider), s.signIn(looker), s.signIn(ruler)
	ask := func(c *http.Cookie, body string) (int, string) {
		r := s.request("POST", "api/v1/commands", "", body)
		r.AddCookie(c)
		return s.do(r)
	}
	whoami := func(c *http.Cookie) int {
		r := s.request("GET", "api/v1/whoami", "", "")
		r.AddCookie(c)
		code, _ := s.do(r)
		return code
	}
	if code, body := ask(ada, `{"verb":"pin","of":["c4"]}`); code != 200 {
		t.Fatalf("before: %d %s", code, body)
	}
	streams := map[string]<-chan struct{}{
		"the token that went":    s.watching(by(looker)),
		"the cookie that went":   s.watching(with(lou)),
		"the token that is less": s.watching(by(decider)),
		"the cookie of the less": s.watching(with(ada)),
	}
	kept := s.watching(with(bob))
	// lou is gone, ada may only look, bob is as before
	if err := os.WriteFile(s.tokens, []byte("ada look "+decider+"\nbob admin "+ruler+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for name, ended := range streams {
		select {
		case <-ended:
			t.Logf("the stream of %s ended after %v", name, time.Since(began).Round(time.Millisecond))
		case <-time.After(patience):
			t.Errorf("the stream of %s goes on", name)
		}
	}
	if code := whoami(lou); code != 401 {
		t.Errorf("the cookie of a token that went is answered with %d", code)
	}
	if code, body := ask(ada, `{"verb":"unpin","of":["c4"]}`); code != 403 || !strings.Contains(body, "role look") {
		t.Errorf("the cookie of one who may only look decides: %d %s", code, body)
	}
	if code := whoami(ada); code != 200 {
		t.Errorf("the cookie of one who may look is answered with %d", code)
	}
	if code := whoami(bob); code != 200 {
		t.Errorf("the cookie of an unchanged token is answered with %d", code)
	}
	select {
	case <-kept:
		t.Error("the stream of an unchanged token ended")
	default:
	}
}

func countsRefusals(t *testing.T, dir string) {
	s := serving(t, dir)
	if code, _ := s.get("api/v1/status", "wrong-wrong-wrong-wrong"); code != 401 {
		t.Fatalf("a wrong token: %d", code)
	}
	r := s.request("GET", "api/v1/status", "", "")
	r.Host = "evil.example"
	if code, _ := s.do(r); code != 421 {
		t.Fatalf("another name: %d", code)
	}
	until(t, "too many wrong tokens are slowed down", func() bool { code, _ := s.get("api/v1/status", "wrong-wrong-wrong-wrong"); return code == 429 })
	_, text := s.get("metrics", "")
	for _, code := range []int{401, 421, 429} {
		if want := fmt.Sprintf("atoll_http_requests_total{code=%q} ", fmt.Sprint(code)); !strings.Contains(text, want) {
			t.Errorf("the figures have no %s", want)
		}
	}
}
