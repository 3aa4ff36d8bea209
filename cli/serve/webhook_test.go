package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
)

// receiver answers with one code after the other, the last one for ever.
type receiver struct {
	mu    sync.Mutex
	codes []int
	got   []Hook // what was taken
	tries int
	bad   error
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries++
	code := r.codes[0]
	if len(r.codes) > 1 {
		r.codes = r.codes[1:]
	}
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write(body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); err != nil || req.Header.Get("Atoll-Signature") != want {
		r.bad = fmt.Errorf("signed %q, want %q (%v)", req.Header.Get("Atoll-Signature"), want, err)
	}
	var h Hook
	if err := json.Unmarshal(body, &h); err != nil {
		r.bad = err
	}
	if code == http.StatusOK {
		r.got = append(r.got, h)
	}
	w.WriteHeader(code)
}

func TestNewsAreDeliveredInOrderAndTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		codes []int
		taken []string // texts
		tries int
	}{
		{"at once", []int{200}, []string{"1", "2"}, 2},
		{"behind two failures", []int{503, 429, 200}, []string{"1", "2"}, 4},
		{"not where it is refused for good", []int{410, 200}, []string{"2"}, 2},
		{"not followed elsewhere", []int{302, 200}, []string{"2"}, 2},
		{"given up in the end", []int{500, 500, 500, 500, 500, 500, 200}, []string{"2"}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &receiver{codes: c.codes}
			server := httptest.NewServer(r)
			defer server.Close()
			h, err := NewWebhook(WebhookOptions{URL: server.URL, Secret: "secret", Now: time.Now, Logger: slog.New(slog.DiscardHandler), Wait: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"1", "2"} {
				h.put(&view.Snapshot{Experiment: record.Experiment{ID: 1, Name: "x"}, Best: view.Standing{ID: record.NoCandidate}}, view.News{What: view.NewsBest, Text: text})
			}
			done := make(chan struct{})
			close(done)
			h.post(t.Context(), done)
			var texts []string
			for _, g := range r.got {
				texts = append(texts, g.Text)
			}
			if fmt.Sprint(texts) != fmt.Sprint(c.taken) || r.tries != c.tries || r.bad != nil {
				t.Errorf("taken %v in %d tries (%v), want %v in %d", texts, r.tries, r.bad, c.taken, c.tries)
			}
			if len(c.taken) == 1 && r.got[0].Dropped != 1 {
				t.Errorf("it says that %d were dropped before it, want 1", r.got[0].Dropped)
			}
		})
	}
}

func TestNewsThatNobodyTakesDoNotPileUp(t *testing.T) {
	h, err := NewWebhook(WebhookOptions{URL: "http://127.0.0.1:1/", Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 * hookQueue {
		h.put(&view.Snapshot{Best: view.Standing{ID: record.NoCandidate}}, view.News{What: view.NewsBest, Text: "x"})
	}
	if one, ok := h.next(); !ok || len(h.queue) != hookQueue-1 || one.Dropped != 9*hookQueue {
		t.Errorf("%d wait, %d were dropped", len(h.queue), one.Dropped)
	}
	for _, bad := range []string{"", "example.com", "file:///etc/passwd", "ftp://x/"} {
		if _, err := NewWebhook(WebhookOptions{URL: bad}); err == nil {
			t.Errorf("%q is taken as an address", bad)
		}
	}
}
