package widget

// List is a cursor over rows that are known by an id. When rows are inserted
// above, the cursor stays on its row; on the first row it stays first, so that
// the newest is shown until the person moves.
type List[K comparable] struct {
	IDs    []K
	Cur    int
	Off    int
	Height int // rows of the last view
}

func (l *List[K]) Set(ids []K) {
	var old K
	had := l.Cur < len(l.IDs)
	if had {
		old = l.IDs[l.Cur]
	}
	prev := l.Cur
	l.IDs = ids
	if had && prev > 0 {
		for i, id := range ids {
			if id == old {
				l.Off += i - prev
				l.Cur = i
				l.Clamp()
				return
			}
		}
	}
	l.Clamp()
}

func (l *List[K]) Clamp() {
	l.Cur = max(0, min(l.Cur, len(l.IDs)-1))
	l.Off = max(0, min(l.Off, len(l.IDs)-1))
}

// At returns the id under the cursor.
func (l *List[K]) At() (id K, ok bool) {
	if l.Cur < len(l.IDs) {
		return l.IDs[l.Cur], true
	}
	return id, false
}

// NearEnd reports whether the last row is less than a view away.
func (l *List[K]) NearEnd() bool { return l.Cur+max(1, l.Height) >= len(l.IDs) }

// Seek puts the cursor on an id.
func (l *List[K]) Seek(id K) bool {
	for i, v := range l.IDs {
		if v == id {
			l.Cur = i
			return true
		}
	}
	return false
}

func (l *List[K]) Move(m Motion) {
	page := max(1, l.Height-1)
	switch m {
	case Up:
		l.Cur--
	case Down:
		l.Cur++
	case PageUp:
		l.Cur -= page
	case PageDown:
		l.Cur += page
	case Top:
		l.Cur = 0
	case Bottom:
		l.Cur = len(l.IDs) - 1
	case WheelUp:
		l.Cur -= 3
	case WheelDown:
		l.Cur += 3
	}
	l.Clamp()
}

// Window returns the rows to show in h lines; the cursor is among them.
func (l *List[K]) Window(h int) (from, to int) {
	l.Height = h
	if h <= 0 {
		return 0, 0
	}
	l.Clamp()
	if l.Cur < l.Off {
		l.Off = l.Cur
	}
	if l.Cur >= l.Off+h {
		l.Off = l.Cur - h + 1
	}
	l.Off = max(0, min(l.Off, len(l.IDs)-h))
	return l.Off, min(len(l.IDs), l.Off+h)
}

// Click moves the cursor to the row shown at line y; what stands below the rows,
// such as the note of a table, is none.
func (l *List[K]) Click(y int) bool {
	if i := l.Off + y; y >= 0 && y < l.Height && i < len(l.IDs) {
		l.Cur = i
		return true
	}
	return false
}

// Scroll is a view over text: an offset that does not leave the text.
type Scroll struct {
	Off, Col int
	N, H     int // lines of text, lines of view
	Follow   bool
}

func (s *Scroll) Set(n, h int) {
	s.N, s.H = n, h
	if s.Follow {
		s.Off = n
	}
	s.Off = max(0, min(s.Off, n-h))
}

func (s *Scroll) Move(m Motion) {
	page := max(1, s.H-1)
	switch m {
	case Up:
		s.Off--
	case Down:
		s.Off++
	case PageUp:
		s.Off -= page
	case PageDown:
		s.Off += page
	case Top:
		s.Off = 0
	case Bottom:
		s.Off = s.N
	case WheelUp:
		s.Off -= 3
	case WheelDown:
		s.Off += 3
	case Left:
		s.Col = max(0, s.Col-8)
	case Right:
		s.Col += 8
	case RowStart:
		s.Col = 0
	}
	s.Off = max(0, min(s.Off, s.N-s.H))
}

// AtEnd reports whether the last line is in view.
func (s *Scroll) AtEnd() bool { return s.Off >= s.N-s.H }

// Motion is a move of the cursor or of the view.
type Motion int

const (
	Up Motion = iota
	Down
	Left
	Right
	PageUp
	PageDown
	Top
	Bottom
	RowStart
	RowEnd
	WheelUp
	WheelDown
)
