package serve

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"atoll/cli/door"
	"atoll/engine/view"
	"atoll/store/record"
)

// WebhookOptions say where news are posted, and how hard it is tried.
type WebhookOptions struct {
	Door   *door.Door
	URL    string // http or https
	Secret string // signs the body; "" = no signature
	Now    func() time.Time
	Logger *slog.Logger
	Wait   time.Duration // before the second try, twice that before the third and so on; 0 = one second
}

// Limits of a webhook.
const (
	hookTries = 6
	hookTime  = 10 * time.Second // for one try
	hookQueue = 64               // news that wait; behind that the oldest are dropped and counted
	mostWait  = time.Minute
)

// Hook is the body of a webhook.
type Hook struct {
	ID         string                 `json:"id"` // the same in every try: who got it already may drop it
	Experiment string                 `json:"experiment"`
	What       string                 `json:"what"` // best, review, pause or end
	Text       string                 `json:"text"`
	At         record.Millis          `json:"at"`
	Fold       record.Seq             `json:"fold"` // how far the log was folded
	State      record.ExperimentState `json:"state"`
	Best       *door.Standing         `json:"best"`
	Dropped    int                    `json:"dropped,omitempty"` // news before this one that could not be delivered
}

// Webhook posts news of an experiment. Make one with [NewWebhook].
type Webhook struct {
	opt    WebhookOptions
	client *http.Client

	mu      sync.Mutex
	queue   []Hook
	dropped int
	changed chan struct{} // one place: there is something new
}

// NewWebhook checks the address.
func NewWebhook(o WebhookOptions) (*Webhook, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the webhook %q: write an address such as https://host/path", o.URL)
	}
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	return &Webhook{opt: o, changed: make(chan struct{}, 1), client: &http.Client{
		Timeout: hookTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Run posts what is new from now on, until ctx ends; what waits then gets one more
// try.
func (h *Webhook) Run(ctx context.Context) error {
	var posts sync.WaitGroup
	done := make(chan struct{})
	posts.Go(func() { h.post(ctx, done) })
	var last *view.Snapshot
	for version := uint64(0); ; {
		s, err := h.opt.Door.Feed().Wait(ctx, version)
		if err != nil {
			break
		}
		version = s.Version
		s = door.AtRest(s)
		for _, n := range view.NewsOf(last, s, view.FormatValue) {
			h.put(s, n)
		}
		if !s.Loading {
			last = s
		}
	}
	close(done)
	posts.Wait()
	return nil
}

func (h *Webhook) put(s *view.Snapshot, n view.News) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == hookQueue {
		h.queue = h.queue[1:]
		h.dropped++
	}
	h.queue = append(h.queue, Hook{
		ID: fmt.Sprintf("%d-%d-%s", s.Experiment.ID, s.Fold, n.What), Experiment: s.Experiment.Name, What: n.What, Text: view.CleanLine(n.Text),
		At: record.Millis(h.opt.Now().UnixMilli()), Fold: s.Fold, State: s.State, Best: door.StandingOf(s.Best, false),
	})
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// next takes the oldest one; false when there is none.
func (h *Webhook) next() (Hook, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return Hook{}, false
	}
	one := h.queue[0]
	one.Dropped, h.dropped, h.queue = h.dropped, 0, h.queue[1:]
	return one, true
}

// post delivers in order. After done it tries once what is left.
func (h *Webhook) post(ctx context.Context, done <-chan struct{}) {
	for {
		for one, ok := h.next(); ok; one, ok = h.next() {
			h.deliver(ctx, one)
		}
		select {
		case <-h.changed:
		case <-done:
			for one, ok := h.next(); ok; one, ok = h.next() {
				h.deliver(ctx, one)
			}
			return
		}
	}
}

// deliver tries until it was taken, refused for good, or tried often enough.
func (h *Webhook) deliver(ctx context.Context, one Hook) {
	body, err := json.Marshal(one)
	if err != nil {
		h.opt.Logger.Error("webhook: " + err.Error())
		return
	}
	wait := h.opt.Wait
	for try := 1; ; try++ {
		after, err := h.try(context.WithoutCancel(ctx), body)
		if err == nil {
			return
		}
		if after < 0 || try == hookTries || ctx.Err() != nil {
			h.opt.Logger.Warn(fmt.Sprintf("webhook: %q was not delivered in %s: %v", one.Text, view.Plural(try, "try"), err))
			h.mu.Lock()
			h.dropped += 1 + one.Dropped
			h.mu.Unlock()
			return
		}
		select {
		case <-time.After(min(mostWait, max(wait, after))):
		case <-ctx.Done(): // one last try
		}
		wait *= 2
	}
}

// try posts once. after is how long the server wants to be left alone, below 0 when
// it will never take this.
func (h *Webhook) try(ctx context.Context, body []byte) (after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.opt.URL, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "atoll")
	if h.opt.Secret != "" {
		mac := hmac.New(sha256.New, []byte(h.opt.Secret))
		mac.Write(body)
		r.Header.Set("Atoll-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	res, err := h.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
	switch code := res.StatusCode; {
	case code < 300:
		return 0, nil
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(min(seconds, int(mostWait.Seconds()))) * time.Second, fmt.Errorf("the answer is %s", res.Status)
	default:
		return -1, fmt.Errorf("the answer is %s", res.Status)
	}
}
