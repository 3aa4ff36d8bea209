package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/edit"
)

// ReviewAnswer tells a reviewer how to answer.
const ReviewAnswer = `Begin with one line "VERDICT: accept" or "VERDICT: reject". After it, one line for each reason.`

// Test with errors.Is.
var (
	// ErrNoVerdict reports a review from which no verdict can be read.
	ErrNoVerdict = errors.New("the review has no verdict")
	// ErrContradiction reports a review that says accept and reject. It is an
	// ErrNoVerdict, too.
	ErrContradiction = fmt.Errorf("%w: it says accept and reject", ErrNoVerdict)
)

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

// ReadReview reads the answer of a reviewer. What accepts must have the form that was
// asked for: a line "VERDICT: accept" that begins or ends the answer, a JSON object that is
// all of it, or the word that begins it. A verdict that stands elsewhere, in a quote or in a
// fence may be the candidate's own text, and accepts nothing. All that is there has to agree,
// and an accept is none where words beside it reject ("Revised verdict: reject", "I would
// not accept this"). A reject needs less: the words of a candidate can only harm itself.
// Errors: [ErrNoVerdict], [ErrContradiction].
func ReadReview(answer string) (Review, error) {
	answer = unfenced(strings.TrimSpace(edit.WithoutThoughts(answer)))
	own := withoutFences(answer)
	said := slices.Concat(reviewLines(own), reviewObjects(answer), reviewCut(answer))
	if first, plain := reviewWord(answer); first != nil && (plain || len(said) == 0) {
		said = append(said, *first)
	}
	if len(said) == 0 {
		return Review{}, ErrNoVerdict
	}
	for _, r := range said[1:] {
		if r.Accepted != said[0].Accepted {
			return Review{}, ErrContradiction
		}
	}
	if !said[0].Accepted {
		return said[0], nil
	}
	lines := append(strings.Split(own, "\n"), said[0].Reasons...) // the first of them stands behind the verdict
	if slices.ContainsFunc(lines, rejectsBeside) {
		return Review{}, ErrContradiction
	}
	if !acceptsInForm(answer, own) {
		return Review{}, fmt.Errorf("%w: words that accept stand where they may be a quote, or under a condition", ErrNoVerdict)
	}
	return said[0], nil
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
	case "accept", "accepts", "accepted", "approve", "approves", "approved", "pass", "passed", "ok", "lgtm", "yes", "true",
		"annehmen", "angenommen", "akzeptieren", "akzeptiert", "akzeptiere", "genehmigt", "zustimmung":
		return true, true
	case "reject", "rejects", "rejected", "refuse", "refused", "deny", "denied", "decline", "declined", "fail", "failed", "no", "false",
		"ablehnen", "abgelehnt", "ablehnung", "verwerfen", "verworfen", "zurückweisen", "zurückgewiesen", "nein":
		return false, true
	}
	return false, false
}

// negated are words in front of a verdict that turn it around.
const negated = `(?:(?:do(?:es)?|can|should|must|may|would|will)\s+not\s+(?:be\s+)?|(?:don|won|wouldn|shouldn)['’]t\s+(?:be\s+)?|cannot\s+(?:be\s+)?|can['’]t\s+(?:be\s+)?|not\s+(?:to\s+)?(?:be\s+)?|never\s+|nicht\s+)?`

var (
	negation    = regexp.MustCompile(`(?i)^(?:(?:do(?:es)?|can|should|must|may|would|will)\s+not|(?:don|won|wouldn|shouldn)['’]t|cannot|can['’]t|not(?:\s+to)?|never|nicht)(?:\s+be)?\s+`)
	verdictLine = regexp.MustCompile(`(?im)^[\s*#<` + "`" + `_-]*(?:(?:my|our|the|final|overall|revised|mein|endgültiges)\s+){0,2}(?:verdict|urteil)(?:\s+is|\s+lautet)?[\s*:：=<>"` + "`" + `_-]+(` + negated + `\pL+)(.*)$`)
	cutObject   = regexp.MustCompile(`(?i)"(?:verdict|decision)"\s*:\s*"([^"\n]*)"`)
	firstWord   = regexp.MustCompile(`(?i)^[\s*#` + "`" + `]*(\pL+)[\s*` + "`" + `]*([:.,!-].*)?(?:\n|$)`)
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

// reviewWord reads an answer that begins with the verdict alone; plain tells that the
// word is no mere yes or no, which answers anything.
func reviewWord(answer string) (r *Review, plain bool) {
	answer = strings.TrimSpace(answer)
	m := firstWord.FindStringSubmatchIndex(answer)
	if m == nil {
		return nil, false
	}
	word := answer[m[2]:m[3]]
	accept, known := judgement(word)
	if !known {
		return nil, false
	}
	return &Review{accept, reasonLines(answer[m[3]:])}, plainWord(word)
}

// plainWord reports a word that can only be a verdict on a change.
func plainWord(word string) bool {
	word = negation.ReplaceAllString(strings.ToLower(strings.TrimSpace(word)), "")
	for _, stem := range []string{"accept", "approv", "reject", "refus", "den", "declin", "lgtm", "annehm", "angenomm", "akzeptier", "genehmig", "ablehn", "abgelehn", "verw", "zurück"} {
		if strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
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
		out = append(out, reviewObject(object)...)
	}
	return out
}

// reviewObject reads what each field of an object that holds a verdict says.
func reviewObject(object json.RawMessage) []Review {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	own := map[string]json.RawMessage{}
	for name, value := range fields {
		own[strings.ToLower(name)] = value
	}
	var out []Review
	for _, name := range []string{"verdict", "decision", "accept", "accepted", "approve", "approved", "reject", "rejected"} {
		raw, there := own[name]
		if !there {
			continue
		}
		accept, known := judgement(strings.Trim(string(raw), "\" \t"))
		if !known {
			out = append(out, verdictInside(raw)...)
			continue
		}
		if strings.HasPrefix(name, "reject") { // "rejected": true
			accept = !accept
		}
		out = append(out, Review{accept, reasonsOf(own)})
	}
	for _, name := range []string{"review", "result", "answer"} { // one inside another
		out = append(out, reviewObject(own[name])...)
	}
	return out
}

// verdictInside reads a verdict that is an object itself.
func verdictInside(raw json.RawMessage) []Review {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	for _, name := range []string{"result", "value", "outcome"} {
		if accept, known := judgement(strings.Trim(string(fields[name]), "\" \t")); known {
			return []Review{{accept, reasonsOf(fields)}}
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
