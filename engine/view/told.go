package view

import (
	"fmt"
	"unicode/utf8"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// Told is the value of a candidate as it may be told. Where values vary it is the
// held-out one with its interval and n, or it has the word that says how little is known.
type Told struct {
	ID    record.CandidateID
	Value *float64        // of the samples that decided; nil = not measured
	Claim *evidence.Claim // of samples that decided nothing; nil where there are none
	Noisy bool            // values vary
}

// Told is how a snapshot tells a value.
func (s *Snapshot) Told(id record.CandidateID, value *float64, claim *evidence.Claim) Told {
	return Told{ID: id, Value: value, Claim: claim, Noisy: s.Noisy}
}

// Plain reports whether the number alone may be told: nothing varies, it is the root's,
// which nothing chose, or there is none.
func (t Told) Plain() bool {
	return !t.Noisy || t.Value == nil || t.ID == record.Root && !t.held()
}

func (t Told) held() bool { return t.Claim != nil && t.Claim.N > 0 }

// Number is the value to draw: the held-out one where there is one.
func (t Told) Number() *float64 {
	if t.Noisy && t.held() {
		return &t.Claim.Value
	}
	return t.Value
}

// Word is what may be said where values vary: "confirmed", "within noise", "unconfirmed".
func (t Told) Word() string {
	switch {
	case t.Plain():
		return ""
	case t.held():
		return string(t.Claim.Word)
	}
	return string(evidence.Unconfirmed)
}

// String is the value with all of its evidence.
func (t Told) String() string { return t.forms()[0] }

// In is the value with as much of its evidence as w cells have room for: the interval, its
// half width, or the word, in the end as one character: "?" for a value that shows no gain. The
// number is never left out.
func (t Told) In(w int) string {
	forms := t.forms()
	for _, text := range forms {
		if utf8.RuneCountInString(text) <= w {
			return text
		}
	}
	return forms[len(forms)-1]
}

// forms are the ways to tell the value, the longest first.
func (t Told) forms() []string {
	switch {
	case t.Value == nil:
		return []string{"-"}
	case t.Plain():
		return []string{FormatValue(*t.Value)}
	case !t.held():
		word := string(evidence.Unconfirmed)
		return append([]string{FormatValue(*t.Value) + " " + word}, narrowForms(*t.Value, evidence.Unconfirmed)...)
	}
	return t.heldForms(*t.Claim)
}

// heldForms are the ways to tell a value by what was held out. Where it shows no gain the word for
// that is in each.
func (t Told) heldForms(c evidence.Claim) []string {
	out := []string{ToldValue(t.ID, c), ClaimValue(c)}
	word := ""
	if t.ID != record.Root && (c.Word == evidence.Unconfirmed || c.Word == evidence.WithinNoise) {
		word = " " + string(c.Word)
		out[1] += word
	}
	if !c.Interval.Bounded() { // one sample says nothing of its own spread
		out = out[:1]
	} else {
		half := fmt.Sprintf(" ±%.2g n %d", c.Interval.Half(), c.N) + word
		out = append(out, FormatValue(c.Value)+half, shortValue(c.Value)+half)
	}
	if t.ID == record.Root { // it gains nothing on itself
		return out
	}
	if word != "" {
		out = append(out, FormatValue(c.Value)+word)
	}
	return append(out, narrowForms(c.Value, c.Word)...)
}

// shortWords are the words for what is known of a value, where room is short.
var shortWords = map[evidence.Word]string{evidence.Unconfirmed: "unconf.", evidence.WithinNoise: "noise", evidence.Confirmed: "conf."}

// narrowForms are a value and its word in ever fewer cells: the word is shortened before the
// number, and the last form has a "?" for one that shows no gain.
func narrowForms(v float64, word evidence.Word) []string {
	brief := fmt.Sprintf("%.3g", v)
	out := []string{shortValue(v) + " " + string(word), brief + " " + string(word)}
	if short := shortWords[word]; short != "" {
		out = append(out, shortValue(v)+" "+short, brief+" "+short)
	}
	if word == evidence.Unconfirmed || word == evidence.WithinNoise {
		return append(out, shortValue(v)+" ?", brief+" ?")
	}
	return append(out, shortValue(v), brief)
}
