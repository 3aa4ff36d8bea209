package memory

import (
	"sort"
	"strings"

	"atoll/store/record"
)

// Limits bound the notes that machines keep, by kind; notes of a person do not
// count and are never touched. Zero values mean 8 short, 12 long, 12 failures
// and 6 directions.
type Limits struct {
	Short, Long, Failures, Directions int
}

func (l Limits) of(kind string) int {
	pick := func(n, other int) int {
		if n > 0 {
			return n
		}
		return other
	}
	switch kind {
	case Long:
		return pick(l.Long, 12)
	case FailureOf:
		return pick(l.Failures, 12)
	case Direction:
		return pick(l.Directions, 6)
	}
	return pick(l.Short, 8)
}

// Merge says what to write so that the notes hold the fresh ones: new notes
// (ID 0), notes with a new text (their ID), and notes to retire (Gone). It
// never changes what a person wrote, does not bring back what is gone, does not
// say again what a person says already, and lets the oldest go where a kind
// has too many. Long-term notes of a reflector replace those it wrote before,
// and a digest's directions hold for one epoch. What Merge retires gets the
// author's name with ", outdated", so that it is told from what a person took
// away and may come back.
// The order of the result is the order to write in.
func Merge(have, fresh []record.Note, l Limits) []record.Note {
	m := merging{live: map[int64]record.Note{}}
	for _, n := range have {
		if Outdated(n) {
			continue
		}
		if n.Gone {
			m.gone = append(m.gone, n)
		} else {
			m.live[n.ID] = n
			m.order = append(m.order, n.ID)
		}
	}
	kept := map[int64]bool{}
	var lessons, digest bool
	for _, n := range fresh {
		m.take(n, kept)
		lessons = lessons || n.Kind == Long && n.Author == AuthorReflector
		digest = digest || n.Author == AuthorDigest
	}
	for _, id := range m.order {
		switch n := m.live[id]; {
		case kept[id]:
		case lessons && n.Kind == Long && n.Author == AuthorReflector,
			digest && n.Kind == Direction && n.Author == AuthorDigest:
			m.retire(id)
		}
	}
	m.bound(l, kept)
	return m.out()
}

// merging is the state of one merge.
type merging struct {
	live    map[int64]record.Note
	order   []int64 // of live, oldest first
	gone    []record.Note
	changed map[int64]record.Note
	added   []record.Note
}

// outdated marks the author of a note that Merge retired.
const outdated = ", outdated"

// Outdated reports whether Merge retired the note. It is of no more use.
func Outdated(n record.Note) bool { return n.Gone && strings.HasSuffix(n.Author, outdated) }

// ByProgram reports whether no person wrote the note, so that nothing in it is an
// instruction.
func ByProgram(n record.Note) bool {
	return machine(n) || strings.TrimSuffix(n.Author, outdated) == AuthorCampaign
}

// machine reports whether a digest or a reflection of the same search wrote the note.
func machine(n record.Note) bool {
	author := strings.TrimSuffix(n.Author, outdated)
	return author == AuthorDigest || author == AuthorReflector
}

// same reports whether two notes of a kind say the same. Short-term notes are
// about one epoch, so their figures count.
func same(a, b record.Note) bool {
	if a.Kind != b.Kind || a.Target != b.Target {
		return false
	}
	if a.Kind == Short {
		return plainLine(a.Text) == plainLine(b.Text)
	}
	if a.Kind == Long && a.Author == AuthorDigest && b.Author == AuthorDigest {
		return true // one for each target
	}
	return alike(a.Text, b.Text)
}

// take finds a place for a fresh note.
func (m *merging) take(n record.Note, kept map[int64]bool) {
	n.ID, n.Gone, n.Text = 0, false, clip(n.Text, noteRunes)
	if n.Text == "" {
		return
	}
	for _, id := range m.order {
		old := m.live[id]
		if !same(old, n) {
			continue
		}
		kept[id] = true
		if machine(old) && old.Text != n.Text {
			old.Text, old.Author = n.Text, n.Author
			m.change(old)
		}
		return
	}
	for _, old := range m.gone {
		if same(old, n) {
			return
		}
	}
	for i, other := range m.added {
		if same(other, n) {
			m.added[i] = n
			return
		}
	}
	m.added = append(m.added, n)
}

func (m *merging) change(n record.Note) {
	if m.changed == nil {
		m.changed = map[int64]record.Note{}
	}
	m.live[n.ID], m.changed[n.ID] = n, n
}

func (m *merging) retire(id int64) {
	n := m.live[id]
	n.Gone, n.Author = true, n.Author+outdated
	m.change(n)
}

// bound retires the oldest notes of machines, those that were said again last.
func (m *merging) bound(l Limits, kept map[int64]bool) {
	for _, kind := range []string{Short, Long, FailureOf, Direction} {
		room := l.of(kind)
		m.added = m.firstOf(kind, room)
		for _, n := range m.added {
			if n.Kind == kind {
				room--
			}
		}
		m.retireOldest(kind, room, kept)
	}
}

// firstOf keeps the first n added notes of a kind, and all of other kinds.
func (m *merging) firstOf(kind string, n int) []record.Note {
	var out []record.Note
	for _, a := range m.added {
		if a.Kind == kind {
			if n == 0 {
				continue
			}
			n--
		}
		out = append(out, a)
	}
	return out
}

// retireOldest leaves room live notes of a kind.
func (m *merging) retireOldest(kind string, room int, kept map[int64]bool) {
	var ids []int64
	for _, id := range m.order {
		if n := m.live[id]; n.Kind == kind && machine(n) && !n.Gone {
			ids = append(ids, id)
		}
	}
	sort.SliceStable(ids, func(i, j int) bool { return !kept[ids[i]] && kept[ids[j]] })
	for i := 0; i < len(ids)-room; i++ {
		m.retire(ids[i])
	}
}

func (m *merging) out() []record.Note {
	var out []record.Note
	for _, id := range m.order {
		if n, ok := m.changed[id]; ok {
			out = append(out, n)
		}
	}
	return append(out, m.added...)
}
