package agent

import (
	"fmt"
	"path"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
	"atoll/store/record"
)

// subjectRunes is the longest subject of a commit, in characters.
const subjectRunes = 72

// Subject makes the subject of a commit of what a summariser wrote: one line
// without quotes, a fence or a list mark. "" when it holds none.
func Subject(answer string) string {
	for _, line := range strings.Split(edit.WithoutThoughts(answer), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		line = strings.TrimLeft(line, "#-*> ")
		if rest, ok := strings.CutPrefix(line, "Subject:"); ok {
			line = rest
		}
		line = strings.TrimSuffix(strings.Trim(clean.Line(line), "\"'`*"), ".")
		if line == "" || strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[") {
			return ""
		}
		return clean.Clip(line, subjectRunes)
	}
	return ""
}

// PlainSubject makes the subject of a commit of which nobody said a word: the
// operator and what it changed.
func PlainSubject(op record.Operator, diffs []record.FileDiff) string {
	word := string(op)
	if word == "" {
		word = "change"
	}
	if len(diffs) == 0 {
		return word
	}
	added, removed := 0, 0
	for _, d := range diffs {
		added += max(0, d.Added)
		removed += max(0, d.Removed)
	}
	what := path.Base(diffs[0].Path)
	if len(diffs) > 1 {
		what = fmt.Sprintf("%s and %d more", what, len(diffs)-1)
	}
	return clean.Clip(clean.Line(fmt.Sprintf("%s %s (+%d -%d)", word, what, added, removed)), subjectRunes)
}
