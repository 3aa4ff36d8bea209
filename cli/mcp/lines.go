package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostLine is how long a message may be, in bytes.
const mostLine = 16 << 20

// Lines returns a transport of one message a line. A line that is no message is
// answered with an error and the next one is read (https://www.jsonrpc.org/specification,
// section 5.1); a batch is taken apart, and its messages are answered one by one. The
// end of in ends the session; out stays open.
func Lines(in io.Reader, out io.Writer) mcp.Transport {
	pr, pw := io.Pipe()
	l := &lines{in: in, next: pw, PipeReader: pr, out: &oneByOne{w: out, open: &open{}}}
	return &mcp.IOTransport{Reader: l, Writer: l.out, MaxLineLength: -1}
}

// lines reads messages and hands on those that are some.
type lines struct {
	*io.PipeReader // what is handed on
	next           *io.PipeWriter
	in             io.Reader
	out            *oneByOne
	once           sync.Once
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	l.once.Do(func() { go l.follow() })
	return l.PipeReader.Read(p)
}

// Close frees whoever reads; it does not wait for somebody who still writes.
func (l *lines) Close() error {
	err := l.PipeReader.Close()
	if c, ok := l.in.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}

// follow ends when in does, or with the first message behind Close.
func (l *lines) follow() {
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, err := l.line(r)
		if err == nil || len(line) > 0 {
			if wrong := l.take(line); wrong != nil {
				_ = l.next.CloseWithError(wrong)
				return
			}
		}
		if err != nil {
			_ = l.next.CloseWithError(err) // io.EOF included
			return
		}
	}
}

// line returns the next line. Of one that is too long the id is answered and nothing
// is returned.
func (l *lines) line(r *bufio.Reader) ([]byte, error) {
	var line, last []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case long:
			last = append(last[max(0, len(last)-idWithin):], part...)
		case len(line)+len(part) > mostLine:
			long = true
			last = append(last, part...)
		default:
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message of more than %d bytes", mostLine), idOfLong(line, last))
			line = nil
		}
		return line, err
	}
}

// take hands on the messages of a line. The error says that nobody wants any.
func (l *lines) take(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var batch []json.RawMessage
	if line[0] != '[' {
		return l.message(line)
	}
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
		return l.message(line)
	}
	for _, one := range batch {
		if err := l.message(one); err != nil {
			return err
		}
	}
	return nil
}

func (l *lines) message(text []byte) error {
	if !json.Valid(text) {
		l.refuse(jsonrpc.CodeParseError, "this line is no JSON", nil)
		return nil
	}
	e, _ := enveloped(text)
	if e.answer && string(e.ID) == "null" {
		return nil // to answer an answer would have no end
	}
	if why := e.refused(); why != nil {
		l.refuse(jsonrpc.CodeInvalidRequest, why.Error(), idOf(text))
		return nil
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil {
		l.refuse(jsonrpc.CodeInvalidRequest, "this is no message of JSON-RPC 2.0", idOf(text))
		return nil
	}
	if e.Method != nil && e.ID != nil && !l.out.open.begin(e.ID) {
		l.refuse(jsonrpc.CodeInvalidRequest, "another request with this id is not answered yet", e.ID)
		return nil
	}
	_, err := l.next.Write(append(slices.Clip(text), '\n'))
	return err
}

// refuse answers what is no message.
func (l *lines) refuse(code int64, why string, id json.RawMessage) {
	_, _ = l.out.write(append(refusal(code, why, id), '\n')) // who has gone misses nothing
}

// refusal is the answer to what is no message.
func refusal(code int64, why string, id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	message, _ := json.Marshal(why) // of a string, which cannot fail
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, message)
}

// idOf returns the id of an object; nil where it has none that an answer can carry.
func idOf(text []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &m) != nil || len(m.ID) == 0 || !utf8.Valid(m.ID) || m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		return nil
	}
	return m.ID
}

// idWithin is how near to the beginning or the end of a long message its id is looked
// for: clients write it first or last.
const idWithin = 4 << 10

// idOfLong finds the id of a message that was not kept whole.
func idOfLong(first, last []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(first[:min(len(first), idWithin)]))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		key, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		if key == "id" {
			return idOf([]byte(`{"id":` + string(value) + `}`))
		}
	}
	if i := bytes.LastIndex(last, []byte(`"id"`)); i >= 0 {
		return idOf(append([]byte("{"), bytes.TrimSpace(last[i:])...))
	}
	return nil
}

// oneByOne is a writer for several; its end is not ours.
type oneByOne struct {
	mu   sync.Mutex
	w    io.Writer
	open *open
}

// Write implements io.Writer. Each call is a message: an answer ends its request.
func (o *oneByOne) Write(p []byte) (int, error) {
	if id := answered(p); id != nil {
		o.open.end(id)
	}
	return o.write(p)
}

func (o *oneByOne) write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

// Close implements io.Closer.
func (o *oneByOne) Close() error { return nil }
