package agent

import (
	"strings"

	"atoll/engine/agent/clean"
)

// liveLines hands on whole clean lines of an answer while it comes.
type liveLines struct {
	out    func(string)
	redact func(string) string
	part   []byte
	lines  int
}

// maxLive bounds the lines that one answer shows, maxChatLine their length.
const (
	maxLive     = 2000
	maxChatLine = 500
)

func (l *liveLines) add(text string) {
	if l.out == nil {
		return
	}
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		if room := 4*maxChatLine - len(l.part); room > 0 {
			l.part = append(l.part, line[:min(len(line), room)]...)
		}
		if !whole {
			return
		}
		l.flush()
		text = rest
	}
}

func (l *liveLines) flush() {
	if l.out == nil || len(l.part) == 0 || l.lines >= maxLive {
		l.part = l.part[:0]
		return
	}
	l.lines++
	l.out(clean.Clip(clean.Line(l.redact(string(l.part))), maxChatLine))
	l.part = l.part[:0]
}
