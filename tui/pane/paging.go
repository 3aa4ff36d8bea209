package pane

import (
	"fmt"
	"strings"

	"atoll/tui/widget"
)

// paging is how much of a long history a list asks its reader for: more when the
// cursor comes to the end of what is there.
type paging struct {
	limit int
	asked int  // rows of the question under way
	full  bool // the answer was as long as it may be: there is more
	drawn bool // the list has the rows of the answer
	end   end
}

// end is a wish to go to the end of a list that is not there yet.
type end int

const (
	endNotAsked end = iota
	endAsked
	endReady // the rows are there
)

const (
	firstRows = 500
	mostRows  = 16_000
)

// rows is how many to ask for when the cursor of the list is near its end, or
// not. What the reader cannot search has to be looked through here.
func (r *paging) rows(nearEnd, search bool) int {
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
func (r *paging) moved(m widget.Motion) {
	r.end = endNotAsked
	if m == widget.Bottom && r.full && r.limit < mostRows {
		r.end, r.limit = endAsked, mostRows
	}
}

// note takes how many rows came.
func (r *paging) note(n int) {
	r.full, r.drawn = n >= r.asked, false
	if r.end == endAsked && r.asked == mostRows {
		r.end = endReady
	}
}

// laid notes that the list has the rows of the answer, and reports whether its
// cursor is to go to the end now.
func (r *paging) laid() (end bool) {
	r.drawn = true
	end = r.end == endReady
	if end {
		r.end = endNotAsked
	}
	return end
}

// shown says how many rows a list shows, and whether that is all.
func (r *paging) shown(n int) string {
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
