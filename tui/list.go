package tui

// list is a cursor over rows that are known by an id. When rows are inserted
// above, the cursor stays on its row; on the first row it stays first, so that
// the newest is shown until the person moves.
type list[K comparable] struct {
	ids    []K
	cur    int
	off    int
	height int // rows of the last view
}

func (l *list[K]) set(ids []K) {
	var old K
	had := l.cur < len(l.ids)
	if had {
		old = l.ids[l.cur]
	}
	prev := l.cur
	l.ids = ids
	if had && prev > 0 {
		for i, id := range ids {
			if id == old {
				l.off += i - prev
				l.cur = i
				l.clamp()
				return
			}
		}
	}
	l.clamp()
}

func (l *list[K]) clamp() {
	l.cur = max(0, min(l.cur, len(l.ids)-1))
	l.off = max(0, min(l.off, len(l.ids)-1))
}

// at returns the id under the cursor.
func (l *list[K]) at() (id K, ok bool) {
	if l.cur < len(l.ids) {
		return l.ids[l.cur], true
	}
	return id, false
}

// nearEnd reports whether the last row is less than a view away.
func (l *list[K]) nearEnd() bool { return l.cur+max(1, l.height) >= len(l.ids) }

// seek puts the cursor on an id.
func (l *list[K]) seek(id K) bool {
	for i, v := range l.ids {
		if v == id {
			l.cur = i
			return true
		}
	}
	return false
}

func (l *list[K]) move(m motion) {
	page := max(1, l.height-1)
	switch m {
	case up:
		l.cur--
	case down:
		l.cur++
	case pageUp:
		l.cur -= page
	case pageDown:
		l.cur += page
	case top:
		l.cur = 0
	case bottom:
		l.cur = len(l.ids) - 1
	case wheelUp:
		l.cur -= 3
	case wheelDown:
		l.cur += 3
	}
	l.clamp()
}

// window returns the rows to show in h lines; the cursor is among them.
func (l *list[K]) window(h int) (from, to int) {
	l.height = h
	if h <= 0 {
		return 0, 0
	}
	l.clamp()
	if l.cur < l.off {
		l.off = l.cur
	}
	if l.cur >= l.off+h {
		l.off = l.cur - h + 1
	}
	l.off = max(0, min(l.off, len(l.ids)-h))
	return l.off, min(len(l.ids), l.off+h)
}

// click moves the cursor to the row shown at line y.
func (l *list[K]) click(y int) bool {
	if i := l.off + y; y >= 0 && i < len(l.ids) {
		l.cur = i
		return true
	}
	return false
}

// scroll is a view over text: an offset that does not leave the text.
type scroll struct {
	off, col int
	n, h     int // lines of text, lines of view
	follow   bool
}

func (s *scroll) set(n, h int) {
	s.n, s.h = n, h
	if s.follow {
		s.off = n
	}
	s.off = max(0, min(s.off, n-h))
}

func (s *scroll) move(m motion) {
	page := max(1, s.h-1)
	switch m {
	case up:
		s.off--
	case down:
		s.off++
	case pageUp:
		s.off -= page
	case pageDown:
		s.off += page
	case top:
		s.off = 0
	case bottom:
		s.off = s.n
	case wheelUp:
		s.off -= 3
	case wheelDown:
		s.off += 3
	case left:
		s.col = max(0, s.col-8)
	case right:
		s.col += 8
	case rowStart:
		s.col = 0
	}
	s.off = max(0, min(s.off, s.n-s.h))
}

// atEnd reports whether the last line is in view.
func (s *scroll) atEnd() bool { return s.off >= s.n-s.h }
