package language

import (
	"bytes"

	"atoll/store/record"
)

// Source is a file that may be edited.
type Source struct {
	File   record.File
	Data   []byte
	Lang   *Language
	Toks   []Token
	Lo, Hi int // the bytes that may change; the whole file without a symbol
}

func (s *Source) Path() string { return s.File.Path }

// Within reports whether a range lies in the part that may change.
func (s *Source) Within(start, end int) bool { return start >= s.Lo && end <= s.Hi }

// LineAt is where the line of a place begins, and where the next one does.
func LineAt(src []byte, at int) [2]int {
	from, to := bytes.LastIndexByte(src[:at], '\n')+1, len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		to = at + i + 1
	}
	return [2]int{from, to}
}
