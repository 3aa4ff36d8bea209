package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
)

// maxKept is how much of one stream is kept at most: a quarter from its head,
// the rest from its tail.
const maxKept = 1 << 20

// maxLine is where a line for OnLine is cut.
const maxLine = 4 << 10

// How much is read at a time.
const (
	minRead = 1 << 10
	maxRead = 32 << 10
)

// quota counts the bytes of both streams and calls over once, when they pass max.
type quota struct {
	max  int64
	used atomic.Int64
	hit  atomic.Bool
	over func()
}

// take counts n bytes and returns how many of them are within the quota.
func (q *quota) take(n int) int {
	used := q.used.Add(int64(n))
	if used <= q.max {
		return n
	}
	if q.hit.CompareAndSwap(false, true) {
		q.over()
	}
	return int(max(0, int64(n)-(used-q.max)))
}

// stream collects one output stream.
type stream struct {
	head  []byte
	tail  []byte // ring once it is full
	at    int    // where the ring continues
	total int64  // bytes within the quota
	lost  int64  // bytes beyond it
	line  []byte
	skip  bool // the rest of a line that was cut
	each  func(string)
}

// read copies r until its end. Reading goes on when the quota is used up, so that
// the writers do not block before they are killed.
func (s *stream) read(r io.Reader, q *quota) {
	buf := make([]byte, minRead)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			within := q.take(n)
			s.lost += int64(n - within)
			s.keep(buf[:within])
			s.lines(buf[:within])
		}
		if err != nil {
			s.flush()
			return
		}
		if n == len(buf) && n < maxRead { // most commands print little
			buf = make([]byte, maxRead)
		}
	}
}

// keep appends to the head, and then to the ring of the tail.
func (s *stream) keep(b []byte) {
	s.total += int64(len(b))
	if room := maxKept/4 - len(s.head); room > 0 {
		n := min(room, len(b))
		s.head = append(s.head, b[:n]...)
		b = b[n:]
	}
	const size = maxKept - maxKept/4
	if room := size - len(s.tail); room > 0 {
		n := min(room, len(b))
		s.tail = append(s.tail, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(s.tail[s.at:], b)
		s.at = (s.at + n) % len(s.tail)
		b = b[n:]
	}
}

// bytes returns head and tail, a line about the gap between them, and how many
// bytes are missing altogether.
func (s *stream) bytes() ([]byte, int64) {
	gap := s.total - int64(len(s.head)) - int64(len(s.tail))
	out := append([]byte(nil), s.head...)
	if gap > 0 {
		out = append(out, fmt.Sprintf("\n[%d bytes left out]\n", gap)...)
	}
	out = append(append(out, s.tail[s.at:]...), s.tail[:s.at]...)
	return out, gap + s.lost
}

// lines passes on whole lines.
func (s *stream) lines(b []byte) {
	if s.each == nil {
		return
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i]
		}
		if !s.skip {
			s.line = append(s.line, part[:min(len(part), maxLine-len(s.line))]...)
			s.skip = len(s.line) == maxLine
		}
		if i < 0 {
			return
		}
		s.each(string(s.line))
		s.line, s.skip = s.line[:0], false
		b = b[i+1:]
	}
}

// flush passes on a last line without an end.
func (s *stream) flush() {
	if s.each != nil && len(s.line) > 0 {
		s.each(string(s.line))
		s.line = nil
	}
}
