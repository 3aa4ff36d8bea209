package probe

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A play is a test of the package with other values in the place of some of its literals: a test knows how things are
// made, filled and used together. What the package gave, and what became of the objects, is told; what the test says
// of it is that it failed.

// The bounds of a play.
const (
	fewestParts   = 4   // of one in so many literals another stands in the place, where there are few
	mostLiterals  = 400 // of a test
	mostSeen      = 400 // results that are told
	mostHeld      = 12  // objects that are looked at when the test has ended
	neighbourhood = 5   // literals before and behind one, whose values it may get
)

// plays are the groups of the tests that can be played.
func plays() []*group {
	var out []*group
	for _, s := range stage.scripts {
		s.literals = slices.DeleteFunc(s.literals, func(n int) bool { return !stage.literals[n].value.IsValid() })
		s.literals = s.literals[:min(len(s.literals), mostLiterals)]
		out = append(out, &group{name: s.name, script: s})
	}
	return out
}

// play runs a test with other values.
func (r *runner) play(g *group, m *maker, in *string) string {
	r.settle(g.script)
	writes := m.d.chance(4)
	now, text := g.script.exchanges(m)
	*in = g.name + text
	seen := r.perform(g.script, now, writes)
	m.void = seen.fell
	var out []string
	for _, s := range seen.list {
		if !r.lib.orders.none[g.name+" "+s.at] {
			out = append(out, s.at+" gave "+s.told)
		}
	}
	return strings.Join(append(out, seen.more...), StepMark)
}

// performance is what was seen of a test that ran.
type performance struct {
	list []sight
	more []string // that it panicked, what is shared, that it failed
	fell bool     // it panicked
}

// sight is one thing that was seen, at a line of the test or at its end.
type sight struct{ at, told string }

// perform runs a script with values in the place of some of its parts. writes: at the end what it had is written to.
func (r *runner) perform(s *script, now map[int]reflect.Value, writes bool) (p performance) {
	var held []reflect.Value
	hold := func(v reflect.Value) {
		if v = standing(v); v.IsValid() && len(held) < mostHeld && !slices.ContainsFunc(held, func(o reflect.Value) bool { return o.Type() == v.Type() && o.Pointer() == v.Pointer() }) {
			held = append(held, v)
		}
	}
	stage.held = hold
	stage.fell = func(e any) { p.more, p.fell = append(p.more, panicText(e)), true }
	stage.saw = func(at string, values []reflect.Value) {
		if len(p.list) < mostSeen {
			told, _ := quiet(func() string { return (&shower{lib: r.lib, passive: true}).results(values) })
			p.list = append(p.list, sight{at, told})
		}
		for _, v := range values {
			hold(v)
		}
	}
	failed := s.perform(now)
	for i, v := range held {
		p.list = append(p.list, sight{fmt.Sprintf("at its end thing %d", i+1), r.left(v)})
	}
	if writes {
		p.more = append(p.more, r.shared(held)...)
	}
	if failed {
		p.more = append(p.more, "the test fails")
	}
	return p
}

// oftenAlike is how often a test is run as it is written, to know what it tells each time in another way: what hangs on the order of
// a table, on the moment or on chance. Those lines are not told.
const oftenAlike = 3

// settle looks at a test before it is played for the first time in this process.
func (r *runner) settle(s *script) {
	if r.lib.orders.notice == nil || s.settled {
		return
	}
	s.settled = true
	var first map[string]string
	for range oftenAlike {
		told := map[string]string{}
		for _, x := range r.perform(s, nil, false).list {
			told[x.at] += x.told + StepMark
		}
		if first == nil {
			first = told
		}
		for at, text := range told {
			if name := s.name + " " + at; text != first[at] && !r.lib.orders.none[name] && !s.unsteady[at] {
				s.unsteady[at] = true
				r.lib.orders.notice(name)
			}
		}
	}
}

// left is what became of something that a test had.
func (r *runner) left(v reflect.Value) string {
	told, _ := quiet(func() string {
		if r.lib.object(v.Type()) {
			return r.contents(v)
		}
		return (&shower{lib: r.lib, passive: true}).show(v)
	})
	return told
}

// shared says which of the things that a test had change when its owner writes to another one: they share memory.
func (r *runner) shared(held []reflect.Value) []string {
	var out []string
	for i, v := range held {
		lists := written(r.lib, []reflect.Value{v})
		others := slices.Concat(held[:i], held[i+1:])
		if len(lists) == 0 || len(others) == 0 {
			continue
		}
		look := func() (text string) {
			for _, o := range others {
				text += r.left(o) + "; "
			}
			return text
		}
		before := look()
		restore := scribble(lists, false)
		if look() != before {
			out = append(out, ShareMark+fmt.Sprintf("writing to the thing number %d changes another one", i+1)+ShareMark)
		}
		restore()
	}
	return out
}

// standing is what a value is that can be looked at later: a pointer, a table, or a list that is not empty.
func standing(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map:
		if !v.IsNil() {
			return v
		}
	case reflect.Slice:
		if v.Len() > 0 {
			return v
		}
	}
	return reflect.Value{}
}

// perform runs the script with values in the place of its literals, and reports whether the test failed. Only while it runs
// something is seen.
func (s *script) perform(now map[int]reflect.Value) (failed bool) {
	stage.now = now
	defer func() { stage.now = nil }()
	for _, fill := range stage.anew {
		fill()
	}
	stage.on.Store(true)
	defer stage.on.Store(false)
	every := func(string, string) (bool, error) { return true, nil }
	return !testing.RunTests(every, []testing.InternalTest{{Name: s.name, F: func(t *testing.T) {
		defer Fell()
		s.run(t)
	}}})
}

// exchanges draws what stands in the place of which literals, and writes it.
func (s *script) exchanges(m *maker) (now map[int]reflect.Value, text string) {
	now = map[int]reflect.Value{}
	parts := max(fewestParts, 2*len(s.literals)/3)
	for i, n := range s.literals {
		was := stage.literals[n]
		near := s.near(i)
		m.texts = textsOf(near)
		from := len(m.d.used)
		m.d.alone(i, parts)
		if m.d.n(parts) < parts-1 {
			literalAt(m, from, was.value, parts)
			continue
		}
		if v, told, ok := was.retold(m); ok {
			if v.IsValid() {
				now[n] = v
				text += told
			}
			continue
		}
		made := len(m.places)
		v := exchanged(m, was.value, near, from, parts)
		for k := made; k < len(m.places); k++ {
			m.places[k].own = true
		}
		if reflect.DeepEqual(v.Interface(), was.value.Interface()) {
			continue
		}
		now[n] = v
		text += fmt.Sprintf(", with %s for %s (%s)", constantText(v), constantText(was.value), was.at)
	}
	return now, text
}

// near are the literals beside one.
func (s *script) near(i int) []reflect.Value {
	var out []reflect.Value
	for k := max(0, i-neighbourhood); k <= min(len(s.literals)-1, i+neighbourhood); k++ {
		if k != i {
			out = append(out, stage.literals[s.literals[k]].value)
		}
	}
	return out
}

func textsOf(list []reflect.Value) (out []string) {
	for _, v := range list {
		if v.Kind() == reflect.String && v.Len() > 0 && v.Len() <= longestSpelled && len(out) < mostTexts {
			out = append(out, v.String())
		}
	}
	return out
}

// literalAt remembers the place of a literal, whose one choice said that it stays.
func literalAt(m *maker, from int, v reflect.Value, parts int) {
	p, ok := placeOf(v, m.texts)
	if !ok || p.kind == edgeText && len(p.text) > longestSpelled || len(m.d.used) >= maxChoices || len(m.places) >= mostLiterals {
		return
	}
	p.before = []uint64{uint64(parts - 1), 0}
	p.from, p.to = from, len(m.d.used)
	m.places = append(m.places, p)
}

// The choices that begin a value near to a literal, and a number near to one that is of the code.
const (
	beginsNear = 1
	besideCode = 10
)

// exchanged is a value in the place of a literal: one that is drawn, one beside it, or that of another literal near it.
func exchanged(g *maker, was reflect.Value, near []reflect.Value, from, parts int) reflect.Value {
	t := was.Type()
	v := reflect.New(t).Elem()
	kind := g.d.n(4) // beginsNear is one of them
	if t.Kind() == reflect.Bool {
		v.SetBool(!was.Bool())
		return v
	}
	if kind == 0 {
		return drawn(g, t)
	}
	if kind == 3 {
		alike := slices.DeleteFunc(slices.Clone(near), func(o reflect.Value) bool { return o.Kind() != t.Kind() })
		if len(alike) > 0 {
			v.Set(alike[g.d.n(len(alike))].Convert(t))
			literalAt(g, from, v, parts)
			return v
		}
	}
	switch {
	case t.Kind() == reflect.String:
		s := was.String()
		for range 1 + g.d.n(2) {
			if g.d.n(3) == 0 {
				s = inserted(g, s)
			} else {
				s = g.changed(s)
			}
		}
		v.SetString(s)
	case v.CanInt():
		if n := besideWhole(g, was.Int()); !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case v.CanUint():
		if n := besideWhole(g, int64(was.Uint())); n >= 0 && !v.OverflowUint(uint64(n)) {
			v.SetUint(uint64(n))
		}
	case v.CanFloat():
		f := was.Float()
		v.SetFloat([]float64{f + 1, f - 1, f + float64(g.d.n(9)-4)/8, 2 * f, f / 2, -f, 0, 10 * f}[g.d.n(8)])
	default:
		return was
	}
	literalAt(g, from, v, parts)
	return v
}

// drawn is a value as calls of functions get them.
func drawn(g *maker, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(g.duration()))
	case t.Kind() == reflect.String:
		v.SetString(g.text())
	case v.CanInt():
		if n := g.integer(t.Bits()-1, true); !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case v.CanUint():
		if n := uint64(g.integer(t.Bits(), false)); !v.OverflowUint(n) {
			v.SetUint(n)
		}
	case v.CanFloat():
		v.SetFloat(g.float())
	}
	return v
}

// besideWhole is a whole number near another one, or one of the changed code.
func besideWhole(g *maker, v int64) int64 {
	switch k := g.d.n(12); k {
	case 0, 1, 2:
		return v + 1
	case 3, 4:
		return v - 1
	case 5:
		return v + int64(g.d.n(9)) - 4
	case 6:
		return 2 * v
	case 7:
		return v / 2
	case 8:
		return -v
	case 9:
		return 0
	case besideCode:
		if n := g.lib.lits.NearInts; len(n) > 0 {
			return n[g.d.n(len(n))] + int64(g.d.n(3)) - 1
		}
	}
	return 10 * v
}

// betweenQuotes is what stands between two quotes.
var betweenQuotes = regexp.MustCompile("[\"'`]([^\"'`]*)[\"'`]")

// inserted has something of the changed code at the edge of a word, or in the place of one or of what is quoted.
func inserted(g *maker, s string) string {
	edges, what := words.FindAllStringIndex(s, -1), codeText(g)
	if parts := betweenQuotes.FindAllStringSubmatchIndex(s, -1); len(parts) > 0 && g.d.chance(5) {
		p := parts[g.d.n(len(parts))]
		return s[:p[2]] + what + s[p[3]:]
	}
	if len(edges) == 0 {
		return s + what
	}
	e := edges[g.d.n(len(edges))]
	switch g.d.n(5) {
	case 0, 1:
		return s[:e[0]] + what + s[e[0]:]
	case 2, 3:
		return s[:e[1]] + what + s[e[1]:]
	}
	return s[:e[0]] + what + s[e[1]:]
}

// codeText is a string of the changed code, a character of it, or a few of what it has.
func codeText(g *maker) string {
	lits := g.lib.lits
	switch k := g.d.n(6); {
	case k < 3 && len(lits.NearStrings) > 0:
		return lits.NearStrings[g.d.n(len(lits.NearStrings))]
	case k < 5:
		return string(g.nearRune())
	}
	return g.nearText()
}
