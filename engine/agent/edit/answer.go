package edit

import (
	"bytes"
	"encoding/json"
	"strings"
)

// WithoutThoughts takes out the reasoning that some models write into their
// text, also where its beginning was lost.
func WithoutThoughts(s string) string {
	for _, tag := range []string{"think", "thinking"} {
		opening, closing := "<"+tag+">", "</"+tag+">"
		for {
			i := strings.Index(s, opening)
			if i < 0 || strings.TrimSpace(s[:i]) != "" {
				break // inside the text it may be code
			}
			j := strings.Index(s[i:], closing)
			if j < 0 {
				return s
			}
			s = s[i+j+len(closing):]
		}
		if i := strings.Index(s, closing); i >= 0 && !strings.Contains(s[:i], opening) && !strings.Contains(s[:i], "```") && !strings.Contains(s[:i], "<<<<<") {
			s = s[i+len(closing):]
		}
	}
	return s
}

// maxObjects bounds the objects that are looked at in one answer, maxTries the
// places where one could begin, maxScan the bytes that are scanned for them.
const (
	maxObjects = 20
	maxTries   = 100
	maxScan    = 1 << 20
)

// JSONObjects finds the JSON objects in a text, outermost first: inside
// fences, or among words. Of one with a comma before a closing bracket, the
// comma is dropped.
func JSONObjects(text string) [][]byte {
	var out [][]byte
	if len(text) > maxScan {
		text = text[:maxScan]
	}
	for at, tries := 0, 0; at < len(text) && len(out) < maxObjects && tries < maxTries; tries++ {
		i := strings.IndexByte(text[at:], '{')
		if i < 0 {
			break
		}
		at += i
		end := objectEnd(text[at:])
		if end < 0 {
			at++ // not closed: an object may still begin inside
			continue
		}
		object := []byte(text[at : at+end])
		if !json.Valid(object) {
			object = dropCommas(object)
		}
		if json.Valid(object) {
			out = append(out, object)
			at += end
			continue
		}
		at++
	}
	return out
}

// objectEnd returns the length of the object at the beginning of s; -1: it is
// not closed.
func objectEnd(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// dropCommas removes commas that stand before a closing bracket.
func dropCommas(object []byte) []byte {
	out := make([]byte, 0, len(object))
	quoted := false
	for i := 0; i < len(object); i++ {
		c := object[i]
		switch {
		case quoted && c == '\\' && i+1 < len(object):
			out = append(out, c)
			i++
			c = object[i]
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '}' || c == ']'):
			out = bytes.TrimRight(out, " \t\r\n")
			out = bytes.TrimSuffix(out, []byte(","))
		}
		out = append(out, c)
	}
	return out
}
