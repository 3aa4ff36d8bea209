package language

import (
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
