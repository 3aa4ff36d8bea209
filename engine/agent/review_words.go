package agent

import (
	"regexp"
	"slices"
	"strings"

	"atoll/engine/agent/edit"
)

// What a verdict that accepts must not stand in or beside: quotes, conditions, words that
// reject. The words are English and German; of another language the form alone decides.

var (
	fence     = regexp.MustCompile("(?m)^[ \\t>]*(?:```|~~~)[^\\n]*$")
	intro     = regexp.MustCompile(`(?i)^(?:here(?:['’]s| is)?|this is|below is|hier(?: ist)?)?\s*(?:it is|my|the|mein\w*|das|die)?\s*(?:review|verdict|answer|decision|assessment|json|urteil|bewertung|antwort|ergebnis)?\s*:$`)
	condition = regexp.MustCompile(`(?i)^[\s,]*(?:if|unless|had|were|wenn|falls|sofern)\b`)
	hedged    = regexp.MustCompile(`(?i)[?|]|\b(?:or|if|unless|once|after|provided|assuming|except|only|when|but|until|with|pending|oder|wenn|falls|sofern|aber|nur|nachdem|sobald|vorbehaltlich|außer|unter|mit)\b`)
	bothWords = regexp.MustCompile(`(?i)\b(?:accept|approve|reject)[a-z]*["'*\s` + "`" + `]*(?:\bor\b|/|\|)`)
	sentence  = regexp.MustCompile(`[.!?;]+(?:\s+|$)`)
)

// unfenced takes the fence from around an answer.
func unfenced(answer string) string {
	at := fence.FindAllStringIndex(answer, -1)
	if len(at) == 2 && at[0][0] == 0 && at[1][1] == len(answer) {
		return strings.TrimSpace(answer[at[0][1]:at[1][0]])
	}
	return answer
}

// withoutFences leaves out what stands in fences, also in one that is not closed, and
// lines that are quoted.
func withoutFences(answer string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(answer) {
		switch {
		case fence.MatchString(strings.TrimRight(line, "\r\n")):
			inside = !inside
		case !inside && !strings.HasPrefix(strings.TrimSpace(line), ">"):
			out.WriteString(line)
		}
	}
	return out.String()
}

// acceptsInForm reports whether what accepts stands where it can only be the reviewer's
// own verdict, without a condition. own is the answer without what it quotes.
func acceptsInForm(answer, own string) bool {
	if acceptsInJSON(answer) {
		return true
	}
	lines := slices.DeleteFunc(strings.Split(own, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) == 0 {
		return false
	}
	if acceptsInLine(lines[0]) {
		return true
	}
	if m := firstWord.FindStringSubmatch(strings.TrimSpace(lines[0])); m != nil && plainWord(m[1]) {
		accept, known := judgement(m[1])
		return known && accept && !hedged.MatchString(m[2])
	}
	last := len(lines) - 1
	return acceptsInLine(lines[last]) && !strings.HasSuffix(strings.TrimSpace(lines[last-1]), ":") // which would introduce a quote
}

// acceptsInLine reports a line "VERDICT: accept" without a condition.
func acceptsInLine(line string) bool {
	m := verdictLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	accept, known := judgement(m[1])
	rest := strings.Trim(strings.ReplaceAll(m[2], "</verdict>", ""), " \t\r*_`#")
	return known && accept && (rest == "" || strings.ContainsAny(rest[:1], ".!,:;(-") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—")) && !hedged.MatchString(rest)
}

// acceptsInJSON reports an answer that is one object, behind a line that announces it or
// before lines of words.
func acceptsInJSON(answer string) bool {
	if first, rest, ok := strings.Cut(answer, "\n"); ok && intro.MatchString(strings.TrimSpace(first)) {
		answer = unfenced(strings.TrimSpace(rest))
	}
	objects := edit.JSONObjects(answer)
	if !strings.HasPrefix(answer, "{") || len(objects) != 1 || len(reviewObject(objects[0])) == 0 {
		return false
	}
	// A comma that was too many is gone from the object: what follows is looked for behind its end.
	end := strings.LastIndexByte(answer, '}') + 1
	rest := answer[end:]
	return strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, "\n")
}

// judged is what a reviewer speaks of.
const judged = `(?:this|it|that|(?:this|the)\s+(?:change|candidate|diff|patch|commit|edit|proposal|submission)|diese[nrsm]?\s+\pL+|d(?:as|ie|en|er)(?:\s+(?:Änderung|Kandidat\w*|Patch|Vorschlag|Commit))?)`

// besides are the forms of a verdict in words beside the one that was asked for: the
// verdict and what follows it in the line.
var besides = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:verdict|decision|recommendation|conclusion|judge?ment|urteil|entscheidung|empfehlung)(?:\s+is|\s+lautet)?(?:\s+to)?[\s*:：=<>"` + "`" + `-]+(` + negated + `\pL+)(.*)$`),
	regexp.MustCompile(`(?i)\b(?:I|we)\s+(?:(?:must|have to|will|therefore|thus|hereby|now)\s+)*(` + negated + `[a-z]+)\s+(?:this|it|the\s+(?:change|candidate|diff|patch|commit|edit))\b(.*)$`),
	regexp.MustCompile(`(?i)^[\s*#>\d?,;.)-]*(?:(?:so|thus|therefore|hence|overall|finally|actually|no|wait|but|rather|on reflection|on second thoughts?|in conclusion|daher|also|doch)[\s,:]+)*(` + negated + `\pL+)([\s*.!"` + "`" + `]*)$`),
}

// against are sentences that reject whatever the form of the answer says.
var against = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:I|we)\b[^,:]{0,40}?(?:\bnot\b|n['’]t\b|\bcannot\b|\bnever\b|\bunable\b|\brefuse\b|\bdecline\b|\bhesitate\b)[^,:]{0,40}?\b(?:accept|approve|merge|endorse|recommend)\w*\b(?:\s+` + judged + `\b|\s*$|\s+(?:as|because|since|yet)\b)`),
	regexp.MustCompile(`(?i)\b(?:I|we)\b[^,:]{0,40}?\b(?:reject|refuse|decline|oppose|veto|object to)\s+` + judged + `\b`),
	regexp.MustCompile(`(?i)\b(?:I|we)\s+(?:\w+\s+){0,2}(?:recommend|suggest|advise|vote)\s+(?:for\s+|to\s+|against\b|a\s+)?(?:reject|refus|declin|deny|revert|accepting|merging)\w*`),
	regexp.MustCompile(`(?i)(?:^|\b(?:so|thus|but|and|therefore)\s+)` + judged + `\s+(?:\w+\s+){0,2}?(?:should|must|can|may|ought to|has to|needs to|is to)(?:\s+(?:not|never)|n['’]t|not)\s+(?:\w+\s+)?(?:be\s+)?(?:accepted|approved|merged|land|pass|go in|taken)\b`),
	regexp.MustCompile(`(?i)(?:^|\b(?:so|thus|but|and|therefore)\s+)` + judged + `\s+(?:\w+\s+){0,2}?(?:should|must|has to|needs to|ought to|is to|deserves to)\s+(?:\w+\s+)?be\s+(?:rejected|refused|declined|denied|reverted|turned down)\b`),
	regexp.MustCompile(`(?i)^\W*(?:but\s+|so\s+|please\s+)*(?:do not|don['’]t|must not|never)\s+(?:accept|approve|merge|land)\b(?:\s+` + judged + `\b|\s*$)`),
	regexp.MustCompile(`(?i)\b(?:this|it|change|candidate|diff|patch|commit)\s+is(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:acceptable|mergeable|ready)\b|\b(?:this|it|change|candidate|diff|patch|commit)\s+is\s+(?:\w+\s+)?unacceptable\b`),
	regexp.MustCompile(`(?i)\brequest(?:ing|ed)?\s+changes\b|\bchanges\s+requested\b|^\W*(?:NACK|NAK|veto)\b|^\s*-1\s*$`),
	regexp.MustCompile(`(?i)\blehne\b.*\bab\b|\b(?:ich|wir)\b.*\bablehnen\b|(?:änderung|kandidat|patch|vorschlag|commit|\bdas|\bdies)\b.*\b(?:muss|müssen|sollte|ist|wird)\b.*(?:abgelehnt|abzulehnen|zurückgewiesen|zurückzuweisen|verworfen|inakzeptabel|unannehmbar)`),
	regexp.MustCompile(`(?i)(?:\bich|\bwir|änderung|kandidat|patch|vorschlag|commit|\bdas|\bdies|\bso)\b.*\b(?:nicht|nie|niemals|keinesfalls)\b.*(?:annehm|angenommen|akzeptier|akzeptabel|genehmig|zustimm|zu$|übernehm|übernommen|freigeb|freigegeben|mergen)`),
	regexp.MustCompile(`(?i)\bstimme\b.*\bnicht\b.*\bzu\b`),
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
	return slices.ContainsFunc(sentence.Split(line, -1), rejectsInWords)
}

// conditional are sentences about another change than the one that is judged.
var conditional = regexp.MustCompile(`(?i)\b(?:if|unless|had|were|wenn|falls|sofern)\b`)

// rejectsInWords reports a sentence against the change.
func rejectsInWords(words string) bool {
	return !conditional.MatchString(words) && slices.ContainsFunc(against, func(form *regexp.Regexp) bool { return form.MatchString(strings.TrimSpace(words)) })
}
