package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atoll/store/record"
)

// The errors of a reflection. Test with errors.Is.
var (
	// ErrAnswer: the agent answered, but with no note in it.
	ErrAnswer = errors.New("the reflector wrote no notes")
)

// Completer asks an agent about the facts of an epoch; notes are those that
// are live now. The usage counts also where there is an error.
type Completer interface {
	Complete(ctx context.Context, facts string, notes []record.Note) (answer string, usage record.Usage, err error)
}

// reflectNotes bounds the notes of one reflection.
const reflectNotes = 12

// Reflect has an agent write the notes of an epoch. Their ID is 0, their
// author AuthorReflector. On an error the caller goes on with [Digest]; usage
// counts in any case.
func Reflect(ctx context.Context, c Completer, f EpochFacts, notes []record.Note) ([]record.Note, record.Usage, error) {
	var live []record.Note
	for _, n := range notes {
		if !n.Gone {
			live = append(live, n)
		}
	}
	answer, usage, err := c.Complete(ctx, Text(f), live)
	if err != nil {
		return nil, usage, fmt.Errorf("ask the reflector about jobs %d to %d: %w", f.From, f.To, err)
	}
	out := Parse(answer, f.targets())
	if len(out) == 0 {
		return nil, usage, fmt.Errorf("%w about jobs %d to %d; it said: %q", ErrAnswer, f.From, f.To, clip(answer, 160))
	}
	return out, usage, nil
}

func (f *EpochFacts) targets() map[string]bool {
	out := map[string]bool{}
	for _, t := range f.Targets {
		out[t.Name] = true
	}
	return out
}

// Parse reads the lines of a reflection: "LONG: text", also in lower case,
// as list items, in bold or within a code fence. Lines without a kind go on
// with the note before them until an empty line. A target in parentheses counts
// when it is one of the given. At most 12 notes are kept, each within 400
// characters, none twice.
func Parse(answer string, targets map[string]bool) []record.Note {
	var out []record.Note
	open := false
	for _, line := range strings.Split(answer, "\n") {
		line = plainLine(line)
		kind, text, ok := kindOf(line)
		switch {
		case ok && len(out) == reflectNotes:
			return dedupe(out)
		case ok:
			target, rest := targetOf(text, targets)
			out = append(out, record.Note{Kind: kind, Target: target, Text: rest, Author: AuthorReflector})
			open = true
		case line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "#"):
			open = false
		case open:
			out[len(out)-1].Text += " " + line
		}
	}
	return dedupe(out)
}

// kindOf splits "- **LONG**: text".
func kindOf(line string) (kind, text string, ok bool) {
	line = strings.TrimLeft(line, "-*•> 0123456789.)")
	head, text, found := strings.Cut(line, ":")
	if !found {
		return "", "", false
	}
	switch strings.ToLower(strings.Trim(head, "*_` ")) {
	case "short", "short-term":
		kind = Short
	case "long", "long-term":
		kind = Long
	case "failure", "failures":
		kind = FailureOf
	case "direction", "directions":
		kind = Direction
	default:
		return "", "", false
	}
	return kind, strings.TrimSpace(strings.TrimLeft(text, "*_` ")), true
}

// targetOf splits "(parser) text"; an unknown target stays in the text.
func targetOf(text string, targets map[string]bool) (target, rest string) {
	if !strings.HasPrefix(text, "(") {
		return "", text
	}
	name, rest, found := strings.Cut(text[1:], ")")
	if !found || !targets[strings.TrimSpace(name)] {
		return "", text
	}
	return strings.TrimSpace(name), strings.TrimSpace(rest)
}

func dedupe(notes []record.Note) []record.Note {
	var out []record.Note
next:
	for _, n := range notes {
		n.Text = clip(n.Text, noteRunes)
		if n.Text == "" {
			continue
		}
		for _, o := range out {
			if same(o, n) {
				continue next
			}
		}
		out = append(out, n)
	}
	return out
}
