package agent

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
)

// ReviewAnswer tells a reviewer how to answer.
const ReviewAnswer = `Begin with one line "VERDICT: accept" or "VERDICT: reject". After it, one line for each reason.`

// ErrNoVerdict reports a review from which no verdict can be read. Test with
// errors.Is.
var ErrNoVerdict = errors.New("the review has no verdict")

// Review is what a reviewer decided about a change. Reasons are single lines
// without control characters, the weightiest first; there may be none.
type Review struct {
	Accepted bool
	Reasons  []string
}

// Why is the first reason of a review.
func (r Review) Why() string {
	if len(r.Reasons) == 0 {
		return "the reviewer gave no reason"
	}
	return r.Reasons[0]
}

// ReadReview reads the answer of a reviewer: a line "VERDICT: accept", a JSON
// object that says so, or an answer that begins with the word. An answer that
// says both has no verdict. The error is [ErrNoVerdict].
func ReadReview(answer string) (Review, error) {
	answer = edit.WithoutThoughts(answer)
	for _, read := range []func(string) []Review{reviewLines, reviewObjects, reviewCut, reviewWord} {
		found := read(answer)
		if len(found) == 0 {
			continue
		}
		for _, r := range found {
			if r.Accepted != found[0].Accepted {
				return Review{}, errors.Join(ErrNoVerdict, errors.New("it says accept and reject"))
			}
		}
		return found[0], nil
	}
	return Review{}, ErrNoVerdict
}

// judgement tells words for accept from words for reject. What is not accepted is
// rejected; what is not rejected says nothing.
func judgement(words string) (accept, known bool) {
	word := strings.ToLower(strings.TrimSpace(words))
	if plain := negation.ReplaceAllString(word, ""); plain != word {
		accept, known = judgement(plain)
		return false, known && accept
	}
	switch word {
	case "accept", "accepts", "accepted", "approve", "approves", "approved", "pass", "passed", "ok", "lgtm", "yes", "true":
		return true, true
	case "reject", "rejects", "rejected", "refuse", "refused", "deny", "denied", "decline", "declined", "fail", "failed", "no", "false":
		return false, true
	}
	return false, false
}

var (
	negation    = regexp.MustCompile(`(?i)^(?:(?:do(?:es)?|can|should)\s+not|don't|cannot|can't|not|never)(?:\s+be)?\s+`)
	verdictLine = regexp.MustCompile(`(?im)^[\s*#<>"` + "`" + `-]*(?:(?:my|our|the|final|overall)\s+){0,2}verdict(?:\s+is)?[\s*:：=<>"` + "`" + `-]+((?:(?:do(?:es)?|can|should)\s+not\s+(?:be\s+)?|don't\s+|cannot\s+(?:be\s+)?|can't\s+(?:be\s+)?|not\s+|never\s+)?[a-z]+)(.*)$`)
	cutObject   = regexp.MustCompile(`(?i)"(?:verdict|decision)"\s*:\s*"([^"\n]*)"`)
	firstWord   = regexp.MustCompile(`(?i)^[\s*#>` + "`" + `]*([a-z]+)[\s*` + "`" + `]*([:.,!-].*)?(?:\n|$)`)
	otherWord   = regexp.MustCompile(`(?i)^[\s*"` + "`" + `]*(?:or|/|\|)[\s*"` + "`" + `]*([a-z]+)`)
)

// reviewLines reads the lines "VERDICT: ...". The text behind each, up to the
// next one, are its reasons.
func reviewLines(answer string) []Review {
	var out []Review
	at := verdictLine.FindAllStringSubmatchIndex(answer, -1)
	for i, m := range at {
		rest := strings.ReplaceAll(answer[m[4]:m[5]], "</verdict>", "")
		accept, known := judgement(answer[m[2]:m[3]])
		if o := otherWord.FindStringSubmatch(rest); !known || o != nil {
			continue // the question, said again
		}
		end := len(answer)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		out = append(out, Review{accept, reasonLines(rest + "\n" + answer[m[1]:end])})
	}
	return out
}

// reviewCut reads the verdicts of JSON that does not end.
func reviewCut(answer string) []Review {
	var out []Review
	for _, m := range cutObject.FindAllStringSubmatch(answer, -1) {
		if accept, known := judgement(m[1]); known {
			out = append(out, Review{Accepted: accept})
		}
	}
	return out
}

// reviewWord reads an answer that begins with the verdict alone.
func reviewWord(answer string) []Review {
	answer = strings.TrimSpace(answer)
	m := firstWord.FindStringSubmatchIndex(answer)
	if m == nil {
		return nil
	}
	accept, known := judgement(answer[m[2]:m[3]])
	if !known {
		return nil
	}
	return []Review{{accept, reasonLines(answer[m[3]:])}}
}

// reasonLines are the lines of a text that say something.
func reasonLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if t := strings.Trim(clean.Line(line), " *#>`:.,!-"); t != "" {
			out = append(out, clean.Clip(t, 400))
		}
	}
	return out
}

// reviewObjects reads the JSON objects in which a verdict is.
func reviewObjects(answer string) []Review {
	var out []Review
	for _, object := range edit.JSONObjects(answer) {
		if r, ok := reviewObject(object); ok {
			out = append(out, r)
		}
	}
	return out
}

func reviewObject(object json.RawMessage) (Review, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return Review{}, false
	}
	own := map[string]json.RawMessage{}
	for name, value := range fields {
		own[strings.ToLower(name)] = value
	}
	for _, name := range []string{"verdict", "decision", "accept", "accepted", "approve", "approved", "reject", "rejected"} {
		raw, there := own[name]
		if !there {
			continue
		}
		accept, known := judgement(strings.Trim(string(raw), "\" \t"))
		if !known {
			if r, ok := verdictInside(raw); ok {
				return r, true
			}
			continue
		}
		if strings.HasPrefix(name, "reject") { // "rejected": true
			accept = !accept
		}
		return Review{accept, reasonsOf(own)}, true
	}
	for _, name := range []string{"review", "result", "answer"} { // one inside another
		if r, ok := reviewObject(own[name]); ok {
			return r, true
		}
	}
	return Review{}, false
}

// verdictInside reads a verdict that is an object itself.
func verdictInside(raw json.RawMessage) (Review, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Review{}, false
	}
	for _, name := range []string{"result", "value", "outcome"} {
		if accept, known := judgement(strings.Trim(string(fields[name]), "\" \t")); known {
			return Review{accept, reasonsOf(fields)}, true
		}
	}
	return reviewObject(raw)
}

// reasonsOf reads a text, a list of texts, or a list of objects with a text.
func reasonsOf(fields map[string]json.RawMessage) []string {
	var out []string
	var add func(raw json.RawMessage)
	add = func(raw json.RawMessage) {
		var text string
		var list []json.RawMessage
		var object map[string]json.RawMessage
		switch {
		case json.Unmarshal(raw, &text) == nil:
			out = append(out, reasonLines(text)...)
		case json.Unmarshal(raw, &list) == nil:
			for _, e := range list {
				add(e)
			}
		case json.Unmarshal(raw, &object) == nil:
			for _, name := range []string{"reason", "text", "message", "objection", "issue", "description"} {
				if object[name] != nil {
					add(object[name])
					return
				}
			}
		}
	}
	for _, name := range []string{"reasons", "reason", "objections", "issues", "explanation", "comments"} {
		if fields[name] != nil {
			add(fields[name])
		}
	}
	return slices.Clip(out)
}
