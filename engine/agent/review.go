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

// ReadReview reads the answer of a reviewer: a line "VERDICT: accept", a JSON
// object that says so, or an answer that begins with the word. All that is there
// has to agree, and an accept is none where words beside it reject ("Revised verdict:
// reject", "I must reject this change"). Errors: [ErrNoVerdict], [ErrContradiction].
func ReadReview(answer string) (Review, error) {
	answer = edit.WithoutThoughts(answer)
	said := slices.Concat(reviewLines(answer), reviewObjects(answer), reviewCut(answer))
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
	lines := append(strings.Split(answer, "\n"), said[0].Reasons...) // the first of them stands behind the verdict
	if said[0].Accepted && slices.ContainsFunc(lines, rejectsBeside) {
		return Review{}, ErrContradiction
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
	case "accept", "accepts", "accepted", "approve", "approves", "approved", "pass", "passed", "ok", "lgtm", "yes", "true":
		return true, true
	case "reject", "rejects", "rejected", "refuse", "refused", "deny", "denied", "decline", "declined", "fail", "failed", "no", "false":
		return false, true
	}
	return false, false
}

// negated are words in front of a verdict that turn it around.
const negated = `(?:(?:do(?:es)?|can|should)\s+not\s+(?:be\s+)?|don't\s+|cannot\s+(?:be\s+)?|can't\s+(?:be\s+)?|not\s+|never\s+)?`

var (
	negation    = regexp.MustCompile(`(?i)^(?:(?:do(?:es)?|can|should)\s+not|don't|cannot|can't|not|never)(?:\s+be)?\s+`)
	verdictLine = regexp.MustCompile(`(?im)^[\s*#<>"` + "`" + `-]*(?:(?:my|our|the|final|overall)\s+){0,2}verdict(?:\s+is)?[\s*:：=<>"` + "`" + `-]+(` + negated + `[a-z]+)(.*)$`)
	cutObject   = regexp.MustCompile(`(?i)"(?:verdict|decision)"\s*:\s*"([^"\n]*)"`)
	firstWord   = regexp.MustCompile(`(?i)^[\s*#>` + "`" + `]*([a-z]+)[\s*` + "`" + `]*([:.,!-].*)?(?:\n|$)`)
	bothWords   = regexp.MustCompile(`(?i)\b(?:accept|approve|reject)[a-z]*["'*\s` + "`" + `]*(?:\bor\b|/|\|)`)
	condition   = regexp.MustCompile(`(?i)^[\s,]*(?:if|unless|had|were)\b`)
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
	for _, stem := range []string{"accept", "approv", "reject", "refus", "den", "declin", "lgtm"} {
		if strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}

// besides are the forms of a verdict in words beside the one that was asked for: the
// verdict and what follows it in the line.
var besides = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:verdict|decision|recommendation|conclusion|judge?ment)(?:\s+is)?(?:\s+to)?[\s*:：=<>"` + "`" + `-]+(` + negated + `[a-z]+)(.*)$`),
	regexp.MustCompile(`(?i)\b(?:I|we)\s+(?:(?:must|have to|will|therefore|thus|hereby|now)\s+)*(` + negated + `[a-z]+)\s+(?:this|it|the\s+(?:change|candidate|diff|patch|commit|edit))\b(.*)$`),
	regexp.MustCompile(`(?i)^[\s*#>\d?,;.)-]*(?:(?:so|thus|therefore|hence|overall|finally|actually|no|wait|but|rather|on reflection|on second thoughts?|in conclusion)[\s,:]+)*(` + negated + `[a-z]+)([\s*.!"` + "`" + `]*)$`),
}

// rejectsBeside reports a line that rejects beside what the form of an answer says.
func rejectsBeside(line string) bool {
	if bothWords.MatchString(line) {
		return false // the question, said again
	}
	for _, form := range besides {
		m := form.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || !plainWord(m[1]) || condition.MatchString(m[2]) {
			continue
		}
		if accept, known := judgement(m[1]); known && !accept {
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
