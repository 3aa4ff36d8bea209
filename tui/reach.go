package tui

import (
	"fmt"
	"strings"
)

// reach is how much of a long history a list asks its reader for: more when the
// cursor comes to the end of what is there.
type reach struct {
	limit int
	asked int  // rows of the question under way
	full  bool // the answer was as long as it may be: there is more
	drawn bool // the list has the rows of the answer
	leap  leap
}

// leap is a wish to go to the end of a list that is not there yet.
type leap int

const (
	noLeap leap = iota
	leapAsked
	leapDue // the rows are there
)

const (
	firstRows = 500
	mostRows  = 16_000
)

// rows is how many to ask for when the cursor of the list is near its end, or
// not. What the reader cannot search has to be looked through here.
func (r *reach) rows(nearEnd, search bool) int {
	r.limit = max(r.limit, firstRows)
	if nearEnd && !search && r.drawn && r.full && r.limit < mostRows {
		r.limit *= 2
		r.drawn = false
	}
	r.asked = min(r.limit, mostRows)
	if search {
		r.asked = mostRows
	}
	return r.asked
}

// moved takes a motion of the cursor: one to the end asks for as much as there
// may be.
func (r *reach) moved(m motion) {
	r.leap = noLeap
	if m == bottom && r.full && r.limit < mostRows {
		r.leap, r.limit = leapAsked, mostRows
	}
}

// note takes how many rows came.
func (r *reach) note(n int) {
	r.full, r.drawn = n >= r.asked, false
	if r.leap == leapAsked && r.asked == mostRows {
		r.leap = leapDue
	}
}

// laid notes that the list has the rows of the answer, and reports whether its
// cursor is to go to the end now.
func (r *reach) laid() (end bool) {
	r.drawn = true
	end = r.leap == leapDue
	if end {
		r.leap = noLeap
	}
	return end
}

// shown says how many rows a list shows, and whether that is all.
func (r *reach) shown(n int) string {
	if r.full {
		return fmt.Sprintf("%d shown, there are more", n)
	}
	return fmt.Sprintf("%d shown", n)
}

// storeWord returns the longest word of a filter that a reader can search for;
// the rest is left to [fits]. search reports that the filter has words, and none
// that it could: such as are in the names given, which a reader does not search,
// or exclude.
func storeWord(filter string, names []string) (word string, search bool) {
	filter = strings.ToLower(strings.TrimSpace(filter))
	if strings.HasPrefix(filter, "!") {
		return "", len(filter) > 1
	}
	all := strings.Join(names, " ")
	for _, w := range strings.Fields(filter) {
		if len(w) > len(word) && ascii(w) && !strings.Contains(all, w) {
			word = w
		}
	}
	return word, word == "" && filter != ""
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
