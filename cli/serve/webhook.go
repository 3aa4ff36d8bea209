package serve

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	End    time.Duration // for all that waits when the run ends; 0 = five seconds
	// Say is told at the end of Run what was not delivered; nil = nobody.
	Say func(text string)
}

// Limits of a webhook.
const (
	hookTries = 6
	hookTime  = 10 * time.Second // for one try
	hookQueue = 64               // news that wait; behind that the oldest are dropped and counted
	mostWait  = time.Minute
	hookEnd   = 5 * time.Second
	tellLost  = 5 // news that were not delivered are told by their text
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
	lost    []string      // texts of news that were not delivered, the newest tellLost
	lostAll int           // how many there were
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
	if o.End == 0 {
		o.End = hookEnd
	}
	return &Webhook{opt: o, changed: make(chan struct{}, 1), client: &http.Client{
		Timeout: hookTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Run posts what is new from now on, until ctx ends; what waits then gets one more
// try, all together Options.End, and Say is told what was not delivered.
func (h *Webhook) Run(ctx context.Context) error {
	var posts sync.WaitGroup
	done := make(chan struct{})
	posts.Go(func() { h.post(ctx, done) })
	var last *view.Snapshot
	version := uint64(0)
	tell := func(s *view.Snapshot) {
		version = s.Version
		s = door.AtRest(s)
		for _, n := range view.NewsOf(last, s, view.FormatValue) {
			h.put(s, n)
		}
		if !s.Loading {
			last = s
		}
	}
	for {
		s, err := h.opt.Door.Feed().Wait(ctx, version)
		if err != nil {
			break
		}
		tell(s)
	}
	if s := h.opt.Door.Feed().Latest(); s.Version > version { // that it ended, and how
		tell(s)
	}
	close(done)
	posts.Wait()
	h.sayLost()
	return nil
}

// sayLost tells what was not delivered, and to whom.
func (h *Webhook) sayLost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lostAll == 0 || h.opt.Say == nil {
		return
	}
	text := fmt.Sprintf("the webhook at %s did not take %s: %s", h.host(), view.Plural(h.lostAll, "message"), strings.Join(h.lost, "; "))
	if more := h.lostAll - len(h.lost); more > 0 {
		text += fmt.Sprintf("; and %d before", more)
	}
	h.opt.Say(text)
}

// host is the address without what may be a secret of it.
func (h *Webhook) host() string {
	u, err := url.Parse(h.opt.URL)
	if err != nil {
		return "an address that nobody can read"
	}
	return u.Scheme + "://" + u.Host
}

func (h *Webhook) put(s *view.Snapshot, n view.News) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == hookQueue {
		h.lose(h.queue[0])
		h.queue = h.queue[1:]
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

// lose counts one that was not delivered, with those that it would have told of.
func (h *Webhook) lose(one Hook) {
	h.dropped += 1 + one.Dropped
	h.lostAll++
	if h.lost = append(h.lost, fmt.Sprintf("%q", one.Text)); len(h.lost) > tellLost {
		h.lost = h.lost[1:]
	}
}

// next takes the oldest one; ok is false when there is none, and last true where none
// is behind it.
func (h *Webhook) next() (one Hook, last, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return Hook{}, false, false
	}
	one = h.queue[0]
	one.Dropped, h.dropped, h.queue = h.dropped, 0, h.queue[1:]
	return one, len(h.queue) == 0, true
}

// later returns a context that ends so long after another one.
func later(ctx context.Context, d time.Duration) (context.Context, func()) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, func() { cancel(errEnded) }) })
	return out, func() { stop(); cancel(nil) }
}

// errEnded ends tries for which the run does not wait any longer.
var errEnded = errors.New("there was no answer when the run had ended")

// post delivers in order. After done it tries once what is left. Once ctx ended, half
// of the time is for the very last news: that the run ended is not lost behind others.
func (h *Webhook) post(ctx context.Context, done <-chan struct{}) {
	soon, stopSoon := later(ctx, h.opt.End/2)
	defer stopSoon()
	end, stopEnd := later(ctx, h.opt.End)
	defer stopEnd()
	over := func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	for {
		ended := over() // before the queue is emptied: nothing comes behind that
		for one, last, ok := h.next(); ok; one, last, ok = h.next() {
			if last && over() {
				h.deliver(ctx, end, one)
			} else {
				h.deliver(ctx, soon, one)
			}
		}
		if ended {
			return
		}
		select {
		case <-h.changed:
		case <-done:
		}
	}
}

// deliver tries until it was taken, refused for good, or tried often enough; once ctx
// ended one more time, and until life ends.
func (h *Webhook) deliver(ctx, life context.Context, one Hook) {
	body, err := json.Marshal(one)
	if err != nil {
		h.opt.Logger.Error("webhook: " + err.Error())
		return
	}
	wait := h.opt.Wait
	for try := 1; ; try++ {
		after, err := h.try(life, body)
		if err == nil {
			return
		}
		if after < 0 || try == hookTries || ctx.Err() != nil {
			h.opt.Logger.Warn(fmt.Sprintf("webhook: %q was not delivered to %s in %s: %v", one.Text, h.host(), view.Plural(try, "try"), err))
			h.mu.Lock()
			h.lose(one)
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
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if wrong := (*url.Error)(nil); errors.As(err, &wrong) {
		err = wrong.Err // its text would tell the whole address
	}
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
