package serve

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
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
	if one, _, ok := h.next(); !ok || len(h.queue) != hookQueue-1 || one.Dropped != 9*hookQueue {
		t.Errorf("%d wait, %d were dropped", len(h.queue), one.Dropped)
	}
	for _, bad := range []string{"", "example.com", "file:///etc/passwd", "ftp://x/"} {
		if _, err := NewWebhook(WebhookOptions{URL: bad}); err == nil {
			t.Errorf("%q is taken as an address", bad)
		}
	}
}

func TestTheEndIsToldPastOneThatNobodyAnswersAndTheRestIsSaid(t *testing.T) {
	for _, c := range []struct {
		name  string
		hangs string // text of the news that is never answered; "" = all
		taken string
		said  []string
	}{
		{"the first one hangs", "1", "the end", []string{"2 messages", `"1"`, `"2"`}},
		{"all hang", "", "", []string{"3 messages", `"1"`, `"2"`, `"the end"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			taken, free := make(chan string, 8), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				var h Hook
				if json.NewDecoder(r.Body).Decode(&h) != nil {
					return
				}
				if c.hangs == "" || h.Text == c.hangs {
					<-free
					return
				}
				taken <- h.Text
			}))
			defer server.Close()
			defer close(free)
			said := ""
			h, err := NewWebhook(WebhookOptions{
				URL: server.URL + "/secret", Now: time.Now, Logger: slog.New(slog.DiscardHandler), Wait: time.Millisecond, End: 6 * time.Second, Say: func(text string) { said = text },
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"1", "2", "the end"} {
				h.put(&view.Snapshot{Best: view.Standing{ID: record.NoCandidate}}, view.News{What: view.NewsBest, Text: text})
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			done := make(chan struct{})
			close(done)
			began := time.Now()
			h.post(ctx, done)
			h.sayLost()
			t.Logf("it took %v", time.Since(began).Round(time.Millisecond))
			got := ""
			select {
			case got = <-taken:
			default:
			}
			if got != c.taken {
				t.Errorf("taken: %q, want %q", got, c.taken)
			}
			for _, word := range append(c.said, server.URL) {
				if !strings.Contains(said, word) {
					t.Errorf("no %s in: %s", word, said)
				}
			}
			if strings.Contains(said, "secret") {
				t.Errorf("it tells the whole address: %s", said)
			}
		})
	}
}
