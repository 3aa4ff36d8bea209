package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"atoll/store/record"
)

// outgoing is one call to a provider, as it is sent.
type outgoing struct {
	to       *upstream
	account  *Account
	method   string
	rest     string // path after the protocol's root
	query    url.Values
	header   http.Header
	model    string
	body     []byte
	bound    bound // zero for requests that cost nothing
	free     bool  // costs nothing: listing models, counting tokens
	attempts int
	sink     sink // nil: the answer is only metered
	say      func(string)
	think    func(string)
}

// bytesPerToken is how many bytes of a request are taken to be one token where
// an estimate is enough.
const bytesPerToken = 4

// sink takes an answer on while it comes. Once head was called the call is not
// tried again.
type sink interface {
	head(status int, contentType string)
	write(line []byte) error
}

// errSink wraps a failure of the reader of an answer.
var errSink = errors.New("the client is gone")

// answer is what one request brought.
type answer struct {
	status int
	kind   string // content type
	meter  *meter
	raw    []byte // kept when recorded, and for errors
	usage  record.Usage
	final  bool // the usage is that of the whole answer
	page   bool // it is a web page
}

// timeoutError is the cause with which a watchdog ends a request.
type timeoutError struct {
	what    string
	endless bool // it talked all the while
}

func (e *timeoutError) Error() string { return e.what }

// Is makes errors.Is(err, context.DeadlineExceeded) true.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// once sends one request: waits for its turn, reserves, sends, meters, settles.
func (g *Gateway) once(ctx context.Context, o *outgoing) (*answer, error) {
	leave, err := o.to.limit.enter(ctx, o.bound.input/bytesPerToken+o.bound.output)
	if err != nil {
		return nil, err
	}
	used := int64(-1)
	defer func() { leave(used) }()
	key, err := g.key(o.to)
	if err != nil {
		return nil, err
	}
	price, known := g.opt.Prices.Of(o.model)
	reserved, least := 0.0, 0.0
	if known && !o.free {
		reserved, least = price.worst(o.bound), price.worst(o.shortest())
	}
	got, err := o.account.ledger.Reserve(ctx, least, reserved)
	if err != nil {
		return nil, fmt.Errorf("request to %s for %s: %w", o.to.Name, o.model, err)
	}
	if got < reserved {
		reserved = got
		if o = o.cut(price.affords(o.bound, got)); price.worst(o.bound) > got {
			return nil, errors.Join(fmt.Errorf("request to %s for %s: %w", o.to.Name, o.model, ErrBudget), o.account.ledger.Settle(ctx, got, record.Usage{}))
		}
	}
	ans, sent, err := g.transmit(ctx, o, key)
	u := record.Usage{}
	if sent && !o.free {
		u = g.cost(o, ans, price, known, reserved)
	}
	if !sent || o.free || u.InputTokens+u.OutputTokens > 0 {
		used = u.InputTokens + u.OutputTokens
	}
	if ans == nil {
		ans = &answer{}
	}
	ans.usage = u
	if serr := o.account.settle(ctx, reserved, u); serr != nil {
		return ans, serr
	}
	return ans, err
}

// shortAnswer is the least that an answer may be cut to for want of money, in
// tokens; a quarter of what was asked for, where that is more.
const shortAnswer = 1024

// shortest is the bound of the request with the shortest answer that it may be
// cut to. One with a budget of thoughts within its answer is not cut.
func (o *outgoing) shortest() bound {
	b := o.bound
	if !bytes.Contains(o.body, []byte(`"thinking"`)) {
		b.output = min(b.output, max(shortAnswer, b.output/4))
	}
	return b
}

// cut is the request with an answer of at most so many tokens.
func (o *outgoing) cut(tokens int64) *outgoing {
	b, err := parseBody(o.to.API, o.model, o.body)
	if err != nil || tokens < 1 {
		return o // it was read before, or written here
	}
	short := *o
	short.bound.output = b.limitOutput(tokens, tokens, "")
	if short.body, err = b.bytes(); err != nil {
		return o
	}
	o.account.note(fmt.Sprintf("an answer was cut to %d tokens: the budget had no more left", tokens))
	return &short
}

// cost is what a request that left is settled at.
func (g *Gateway) cost(o *outgoing, ans *answer, price Price, known bool, reserved float64) record.Usage {
	u := record.Usage{Requests: 1}
	nothing := 0.0
	if ans != nil && ans.status != 0 && (ans.status < 200 || ans.status > 299) {
		u.CostUSD = &nothing // an error is not billed
		return u
	}
	if ans != nil && ans.page {
		u.CostUSD = &nothing // a web page is no model's work
		return u
	}
	if ans != nil && ans.meter != nil && !strings.Contains(ans.kind, "event-stream") && ans.meter.refused() {
		u.CostUSD = &nothing // nor is one in the place of an answer; one in a stream may come behind work
		return u
	}
	if ans != nil && ans.meter != nil {
		u.InputTokens, u.OutputTokens = ans.meter.tokens.In(), ans.meter.tokens.Output
		if ans.final && ans.meter.metered() {
			if known {
				c := price.Cost(ans.meter.tokens)
				u.CostUSD = &c
			}
			return u
		}
	}
	u.Unmetered = true
	switch {
	case known && price.Input == 0 && price.Cached == 0 && price.Output == 0:
		u.CostUSD = &nothing
	case o.account.strict:
		u.CostUSD = &reserved
	}
	return u
}

// transmit sends and reads. sent reports whether the request may have reached
// the provider.
func (g *Gateway) transmit(ctx context.Context, o *outgoing, key string) (ans *answer, sent bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := newWatch(cancel, g.opt.FirstByte, fmt.Sprintf("no answer within %s", g.opt.FirstByte))
	defer watch.stop()
	whole := time.AfterFunc(g.opt.Answer, func() {
		cancel(&timeoutError{what: fmt.Sprintf("the answer took longer than %s", g.opt.Answer), endless: true})
	})
	defer whole.Stop()

	var left atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }})
	req, err := g.request(traced, o, key)
	if err != nil {
		return nil, false, err
	}
	o.account.hear(g.opt.Now())
	res, err := g.http.Do(req)
	if err != nil {
		return nil, left.Load(), g.lost(ctx, o, err, left.Load())
	}
	defer func() { _ = res.Body.Close() }()
	watch.silence(g.opt.Idle)
	ans = &answer{status: res.StatusCode, kind: res.Header.Get("Content-Type")}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return ans, true, g.failure(o, ans, res)
	}
	err = g.read(ctx, o, ans, res.Body, watch)
	return ans, true, err
}

func (g *Gateway) request(ctx context.Context, o *outgoing, key string) (*http.Request, error) {
	address, err := o.to.API.target(o.to.BaseURL, o.rest, o.query)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, o.method, address, bytes.NewReader(o.body))
	if err != nil {
		return nil, err
	}
	req.Header = o.header.Clone()
	authorise(req.Header, o.to.API, key)
	return req, nil
}

// lost is the error of a request that brought no answer.
func (g *Gateway) lost(ctx context.Context, o *outgoing, err error, sent bool) error {
	reason := err.Error()
	var late *timeoutError
	if errors.As(context.Cause(ctx), &late) {
		return &ProviderError{Provider: o.to.Name, Reason: late.what, sent: sent, err: late}
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	var u *url.Error
	if errors.As(err, &u) {
		reason, err = u.Err.Error(), u.Err
	}
	return &ProviderError{Provider: o.to.Name, Reason: g.excerpt(reason), sent: sent, err: err}
}

const maxReason = 400

// excerpt makes one clean line of what a provider said.
func (g *Gateway) excerpt(s string) string {
	s = g.Redact(s)
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffd }), " ")
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "..."
	}
	return s
}

// failure reads the answer of a request that failed.
func (g *Gateway) failure(o *outgoing, ans *answer, res *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	ans.raw = g.redactor().bytes(raw)
	f := readFault(ans.raw)
	reason := f.text()
	switch {
	case res.StatusCode/100 == 3:
		reason = "it redirects " + elsewhere(res) + ", which is not followed because it would carry the key along"
	case isPage(ans.kind, ans.raw):
		reason = pageReason(ans.raw)
	}
	if f.moderated() {
		return fmt.Errorf("%w: %s: %s", ErrRefused, o.to.Name, g.excerpt(reason))
	}
	access := f.access(res.StatusCode)
	if res.StatusCode/100 == 3 || res.StatusCode == 405 { // no other request fares better
		access = AddressWrong
	}
	after := max(retryAfter(res.Header, g.opt.Now()), f.delay())
	if access == Served && after > longAfter {
		access = Later
	}
	if o.free && res.StatusCode == 404 { // not every provider lists models or counts tokens
		access = Served
	}
	return &ProviderError{
		Provider: o.to.Name, KeyEnv: o.to.KeyEnv, Model: o.model, Access: access, Status: res.StatusCode, Reason: g.excerpt(reason),
		After: after, sent: true,
	}
}

// elsewhere says where an answer redirects to, without what its query may tell.
func elsewhere(res *http.Response) string {
	to, err := res.Location()
	if err != nil {
		return "elsewhere"
	}
	return "to " + to.Scheme + "://" + to.Host + to.Path
}

// retryAfter reads how long a provider asks to wait; 0 = it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 {
			return time.Duration(min(s, 1e9) * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}

// read takes an answer in, line by line.
func (g *Gateway) read(ctx context.Context, o *outgoing, ans *answer, body io.Reader, watch *watch) error {
	ans.meter = &meter{api: o.to.API, say: o.say, think: o.think, max: int(g.opt.MaxAnswer)}
	r := &answerReader{g: g, to: o.to, account: o.account, model: o.model, ans: ans, in: bufio.NewReaderSize(body, 32<<10), sink: o.sink, secrets: g.redactor(), keep: g.tape.recording(), watch: watch}
	err := r.run()
	m := ans.meter
	ans.final = m.known && (m.ended || o.to.API == Chat || o.to.API == Responses)
	switch {
	case err == nil || o.free:
		return err
	case errors.Is(err, errSink), errors.Is(err, ErrCut), errors.Is(err, ErrProvider):
		return err
	}
	var late *timeoutError
	if errors.As(context.Cause(ctx), &late) {
		if late.endless { // the next would do the same, and be paid for, too
			return &cutError{why: late.what, err: fmt.Errorf("%w: %w", ErrEndless, late)}
		}
		return &cutError{why: late.what, again: true, err: late}
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return &cutError{why: g.excerpt(err.Error()), again: true, err: err}
}

// cutError is an [ErrCut].
type cutError struct {
	why   string
	again bool // another try may end otherwise
	err   error
}

func (e *cutError) Error() string        { return ErrCut.Error() + ": " + e.why }
func (e *cutError) Is(target error) bool { return target == ErrCut }
func (e *cutError) Unwrap() error        { return e.err }

// watch ends a request that is silent for too long.
type watch struct {
	timer  *time.Timer
	limit  time.Duration
	cancel context.CancelCauseFunc
}

func newWatch(cancel context.CancelCauseFunc, d time.Duration, what string) *watch {
	w := &watch{cancel: cancel}
	w.timer = time.AfterFunc(d, func() { cancel(&timeoutError{what: what}) })
	return w
}

// silence watches from now on for silence inside the answer.
func (w *watch) silence(d time.Duration) {
	w.timer.Stop()
	w.limit = d
	w.timer = time.AfterFunc(d, func() { w.cancel(&timeoutError{what: fmt.Sprintf("nothing came for %s", d)}) })
}

func (w *watch) alive() { w.timer.Reset(w.limit) }
func (w *watch) stop()  { w.timer.Stop() }
