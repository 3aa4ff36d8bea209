package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// answerReader reads an answer once: for the meter, for the client, for the
// recording.
type answerReader struct {
	g       *Gateway
	to      *upstream
	account *Account // is told of each word; nil in a replay
	model   string   // that was asked for
	ans     *answer
	in      *bufio.Reader
	sink    sink
	secrets redactor
	keep    bool
	watch   *watch // nil in a replay

	begin []byte // of an answer that is one document
	total int64
	data  []byte // of the event that is being read
	head  bool
}

func (r *answerReader) run() error {
	if r.streamed() {
		return r.events()
	}
	return r.whole()
}

// streamed reports whether server-sent events follow, also where the content
// type does not say so. A web page is none, whatever its type.
func (r *answerReader) streamed() bool {
	if strings.HasPrefix(r.ans.kind, "text/event-stream") {
		first, _ := r.in.Peek(1)
		return string(first) != "<"
	}
	if strings.HasPrefix(r.ans.kind, "application/json") {
		return false
	}
	peek, _ := r.in.Peek(6)
	return bytes.HasPrefix(peek, []byte("data:")) || bytes.HasPrefix(peek, []byte("event:"))
}

// listen watches for silence only while the provider is read: a client that
// takes its time is not the provider's silence.
func (r *answerReader) listen(on bool) {
	switch {
	case r.watch == nil:
	case on:
		r.watch.alive()
	default:
		r.watch.stop()
	}
}

// hear tells the account that the provider says something. Comments of a stream, which
// only keep it open, are nothing.
func (r *answerReader) hear() {
	if r.account != nil {
		r.account.hear(r.g.opt.Now())
	}
}

// put passes bytes on without the keys in them.
func (r *answerReader) put(b []byte) error {
	b = r.secrets.bytes(b)
	if r.keep {
		r.ans.raw = append(r.ans.raw, b...)
	}
	if r.sink == nil {
		return nil
	}
	if !r.head {
		r.head = true
		r.sink.head(r.ans.status, r.ans.kind)
	}
	if err := r.sink.write(b); err != nil {
		return fmt.Errorf("%w: %w", errSink, err)
	}
	return nil
}

// line reads one line with its end. A line may be as long as an answer.
func (r *answerReader) line() ([]byte, error) {
	var long []byte
	for {
		r.listen(true)
		part, err := r.in.ReadSlice('\n')
		r.listen(false)
		if r.total += int64(len(part)); r.total > r.g.opt.MaxAnswer {
			return nil, &cutError{why: fmt.Sprintf("it is larger than %d bytes", r.g.opt.MaxAnswer)}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if long == nil {
				return part, err
			}
			return append(long, part...), err
		}
		long = append(long, part...)
	}
}

// events reads server-sent events (WHATWG HTML, "Server-sent events").
func (r *answerReader) events() error {
	for {
		line, err := r.line()
		if len(line) > 0 {
			if perr := r.put(line); perr != nil {
				return perr
			}
			r.take(bytes.TrimRight(line, "\r\n"))
			r.soon()
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF):
			r.flush()
			return r.end()
		}
		r.flush()
		if r.ans.meter.ended {
			return r.end() // the answer was whole before the connection broke
		}
		return err
	}
}

// lastWords is how long the end of a stream is waited for behind an answer that is whole:
// some providers leave the connection open.
const lastWords = 5 * time.Second

// soon waits no longer than that once the answer is whole.
func (r *answerReader) soon() {
	if r.ans.meter.ended && r.watch != nil {
		r.watch.limit = min(r.watch.limit, lastWords)
	}
}

func (r *answerReader) take(line []byte) {
	if len(line) == 0 {
		r.flush()
		return
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return
	}
	r.hear()
	if len(r.data) > 0 {
		r.data = append(r.data, '\n')
	}
	r.data = append(r.data, bytes.TrimPrefix(data, []byte(" "))...)
}

func (r *answerReader) flush() {
	if len(r.data) > 0 {
		r.ans.meter.event(r.secrets.bytes(r.data))
		r.data = r.data[:0]
	}
}

// whole reads an answer that is one document.
func (r *answerReader) whole() error {
	var doc bytes.Buffer
	for {
		line, err := r.line()
		r.hear()
		doc.Write(line)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	clean := bytes.TrimPrefix(r.secrets.bytes(doc.Bytes()), []byte("\xef\xbb\xbf"))
	if isPage(r.ans.kind, clean) {
		r.ans.page = true
		return &ProviderError{
			Provider: r.to.Name, KeyEnv: r.to.KeyEnv, Model: r.model, Access: AddressWrong, Status: r.ans.status, Reason: r.g.excerpt(pageReason(clean)), sent: true,
		}
	}
	if isText(clean) {
		r.ans.page = true
		return &ProviderError{
			Provider: r.to.Name, KeyEnv: r.to.KeyEnv, Model: r.model, Access: AddressWrong, Status: r.ans.status, sent: true,
			Reason: "the answer is a text, not an API's: " + r.g.excerpt(string(clean[:min(len(clean), maxReason)])),
		}
	}
	r.ans.meter.event(clean)
	r.begin = clean[:min(len(clean), maxReason)]
	if f := foreignFault(clean); f != nil && r.ans.meter.silent() {
		r.ans.meter.fail(f)
	}
	if err := r.put(clean); err != nil {
		return err
	}
	return r.end()
}

// end judges an answer whose bytes ended in order.
func (r *answerReader) end() error {
	m := r.ans.meter
	if r.sink != nil {
		return nil
	}
	if f := m.failed; f != nil {
		return &ProviderError{
			Provider: r.to.Name, KeyEnv: r.to.KeyEnv, Model: r.model, Access: f.access(r.ans.status), Status: r.ans.status, Reason: r.g.excerpt(f.text()), After: f.delay(), sent: true,
		}
	}
	if m.ended {
		return nil
	}
	if m.events == m.bad {
		reason := "what came is not what an API of this kind answers (no JSON that could be read)"
		if text := r.g.excerpt(string(r.begin)); text != "" {
			reason += ": " + text
		}
		return &ProviderError{Provider: r.to.Name, Status: r.ans.status, Reason: reason, sent: true}
	}
	why := "it ended without its end mark"
	if m.bad > 0 {
		why = fmt.Sprintf("%d of its %d events were no JSON and its end is missing", m.bad, m.events)
	}
	return &cutError{why: why, again: true}
}
