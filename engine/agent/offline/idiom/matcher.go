package idiom

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// The bounds of a matcher that is written into a file.
const (
	mostSteps = 120  // states, so that one and whether something matched fit into a byte
	mostTable = 2048 // bytes
)

// What is before the place at which a match begins or goes on, as far as an expression
// asks for it.
const (
	afterOther = iota
	afterStart // of the text
	afterLine  // a new line
	afterWord  // a character of a word
	afterKinds
)

// Matcher tells where the first match of an expression that begins at a place ends, in
// the order of preference that package regexp has: a state for each list of places in
// the expression, those that it prefers first, with what was read last.
type Matcher struct {
	alphabet
	next   []byte // state by state * (classes + 1) + class; the last class is the end of the text
	starts [afterKinds]byte
}

// hit is set in a next state where the expression has matched before the character.
const hit = 0x80

// NewMatcher makes the matcher of an expression; nil where it is too large, or may match
// an empty text.
func NewMatcher(pattern string) *Matcher {
	b := newMatcher(pattern)
	if b == nil || b.empty() {
		return nil
	}
	return b.m
}

// newMatcher makes the states of an expression; nil where it is too large.
func newMatcher(pattern string) *matcherOf {
	prog := compiled(pattern)
	if prog == nil {
		return nil
	}
	b := &matcherOf{prog: prog, m: &Matcher{}, index: map[string]byte{}}
	if !b.m.classify(prog) || !b.determine() {
		return nil
	}
	return b
}

// matcherOf makes a matcher.
type matcherOf struct {
	prog  *syntax.Prog
	m     *Matcher
	lists []ordered
	index map[string]byte
	ways  [][]way // beside next: the one to a match, 0 for none, and to each place of the next list
}

// way is how a place is reached: from which one of the list before, and which borders of groups
// are passed on it, before the character.
type way struct {
	from  int
	slots uint32
}

// ordered is what a state stands for.
type ordered struct {
	pcs   []uint32
	after int
}

// state is the number of a list; 0 is the one from which nothing matches. It asks for no
// more than fits.
func (b *matcherOf) state(o ordered) (byte, bool) {
	if len(o.pcs) == 0 {
		o.after = afterOther
	}
	key := fmt.Sprint(o)
	s, ok := b.index[key]
	if !ok {
		if len(b.lists) == mostSteps {
			return 0, false
		}
		s = byte(len(b.lists))
		b.index[key] = s
		b.lists = append(b.lists, o)
	}
	return s, true
}

// determine makes the states.
func (b *matcherOf) determine() bool {
	b.state(ordered{})
	for after := range afterKinds {
		s, ok := b.state(ordered{[]uint32{uint32(b.prog.Start)}, b.kept(after)})
		if !ok {
			return false
		}
		b.m.starts[after] = s
	}
	for at := 0; at < len(b.lists); at++ {
		for c := range b.m.classes + 1 {
			to, ways, matched := b.step(b.lists[at], c)
			s, ok := b.state(to)
			if !ok || len(b.m.next) == mostTable {
				return false
			}
			if matched {
				s |= hit
			}
			b.m.next, b.ways = append(b.m.next, s), append(b.ways, ways)
		}
	}
	return true
}

// kept is what the expression can tell of what was read last.
func (b *matcherOf) kept(after int) int {
	switch {
	case after == afterStart && b.m.asks&(syntax.EmptyBeginText|syntax.EmptyBeginLine) == 0,
		after == afterLine && b.m.asks&syntax.EmptyBeginLine == 0,
		after == afterWord && b.m.asks&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) == 0:
		return afterOther
	}
	return after
}

// step reads a character of a class, or the end, and tells the ways, and whether there is a match before it.
func (b *matcherOf) step(from ordered, class int) (to ordered, ways []way, matched bool) {
	r := rune(-1) // the end
	if class < b.m.classes {
		r = b.m.stand[class]
	}
	before := rune(-1)
	switch from.after {
	case afterOther:
		before = ' '
	case afterLine:
		before = '\n'
	case afterWord:
		before = 'a'
	}
	c := closing{prog: b.prog, at: syntax.EmptyOpContext(before, r), seen: make([]bool, len(b.prog.Inst))}
	for i, pc := range from.pcs {
		c.follow(pc, way{from: i})
	}
	ways = []way{c.match}
	if r < 0 {
		return ordered{}, ways, c.matched
	}
	for i, pc := range c.reading {
		if in := &b.prog.Inst[pc]; in.MatchRune(r) && !slices.Contains(to.pcs, in.Out) {
			to.pcs, ways = append(to.pcs, in.Out), append(ways, c.ways[i])
		}
	}
	switch {
	case r == '\n':
		to.after = b.kept(afterLine)
	case syntax.IsWordChar(r):
		to.after = b.kept(afterWord)
	}
	return to, ways, c.matched
}

// closing follows what reads no character, in order, up to a match: what comes behind it
// is not preferred.
type closing struct {
	prog    *syntax.Prog
	at      syntax.EmptyOp
	seen    []bool
	reading []uint32
	ways    []way // to each that reads
	match   way
	matched bool
}

func (c *closing) follow(pc uint32, on way) {
	if c.matched || c.seen[pc] {
		return
	}
	c.seen[pc] = true
	switch in := &c.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		c.follow(in.Out, on)
		c.follow(in.Arg, on)
	case syntax.InstCapture:
		on.slots |= 1 << in.Arg // as many as fit; who asks for groups has no more
		c.follow(in.Out, on)
	case syntax.InstNop:
		c.follow(in.Out, on)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^c.at == 0 {
			c.follow(in.Out, on)
		}
	case syntax.InstMatch:
		c.match, c.matched = on, true
	case syntax.InstFail:
	default:
		c.reading, c.ways = append(c.reading, pc), append(c.ways, on)
	}
}

// empty reports whether something matches where it begins.
func (b *matcherOf) empty() bool {
	for _, s := range b.m.starts {
		row := int(s) * (b.m.classes + 1)
		if slices.ContainsFunc(b.m.next[row:row+b.m.classes+1], func(to byte) bool { return to&hit != 0 }) {
			return true
		}
	}
	return false
}

// alphabet is classes of characters that an expression treats alike.
type alphabet struct {
	classes int
	ascii   [128]byte // class by character
	beyond  []beyond  // classes of others; 0 for all that are not named
	stand   []rune    // a character that stands for its class
	asks    syntax.EmptyOp
}

// classify groups characters that every instruction treats alike; new lines and
// characters of words are told apart where the expression asks for borders.
func (a *alphabet) classify(prog *syntax.Prog) bool {
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth {
			a.asks |= syntax.EmptyOp(in.Arg)
		}
	}
	lines := a.asks&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
	words := a.asks&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	b := automatonOf{prog: prog, a: &Automaton{}}
	b.also = func(r rune) string {
		switch {
		case lines && r == '\n':
			return "line"
		case words && syntax.IsWordChar(r):
			return "word"
		}
		return ""
	}
	if lines || words {
		b.cuts = []rune{'\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1}
	}
	if !b.classify() {
		return false
	}
	a.classes, a.ascii, a.beyond, a.stand = b.a.classes, b.a.ascii, b.a.beyond, b.stand
	return true
}

// never reports a character with which no match begins, whatever is before it.
func (m *Matcher) never(class int) bool {
	for _, s := range m.starts {
		if m.next[int(s)*(m.classes+1)+class] != 0 {
			return false
		}
	}
	return true
}

// first reports whether a match begins at the start of the text only.
func (m *Matcher) first() bool {
	for _, after := range []int{afterOther, afterLine, afterWord} {
		for c := range m.classes {
			if m.next[int(m.starts[after])*(m.classes+1)+c] != 0 {
				return false
			}
		}
	}
	return true
}

// text writes the matcher as a function that appends where the matches of a text begin and
// end, with its tables.
func (m *Matcher) text(name, expression string) string {
	return m.filled(name, expression).Replace(matcherText)
}

// filled puts what it is into the text of a function, beside what else stands there.
func (m *Matcher) filled(name, expression string, more ...string) *strings.Replacer {
	var begin, beyond strings.Builder
	fmt.Fprintf(&begin, "state := %d\n", m.starts[afterOther])
	for after, cond := range []string{afterStart: "from == 0", afterLine: `s[from-1] == '\n'`, afterWord: "s[from-1] == '_' || '0' <= s[from-1] && s[from-1] <= '9' || 'A' <= s[from-1]&^0x20 && s[from-1]&^0x20 <= 'Z'"} {
		if s := m.starts[after]; s != m.starts[afterOther] {
			if after != afterStart {
				cond = "from > 0 && (" + cond + ")"
			}
			fmt.Fprintf(&begin, "if %s {\nstate = %d\n}\n", cond, s)
		}
	}
	if len(m.beyond) == 0 {
		beyond.WriteString("_, width = utf8.DecodeRuneInString(s[i:])\nclass = 0\n")
	} else {
		beyond.WriteString("r, n := utf8.DecodeRuneInString(s[i:])\nclass, width = 0, n\nswitch {\n")
		for _, b := range m.beyond {
			fmt.Fprintf(&beyond, "case %#x <= r && r <= %#x:\nclass = %d\n", b.lo, b.hi, b.class)
		}
		beyond.WriteString("}\n")
	}
	first := ""
	if m.first() {
		first = "if from > 0 {\nbreak\n}\n"
	}
	classes := m.ascii
	for i, c := range classes {
		if m.never(int(c)) {
			classes[i] |= hit
		}
	}
	end := fmt.Sprint(m.classes)
	read := strings.NewReplacer("NAME", name, "END", end, "BEYOND", beyond.String()).Replace(readText)
	return strings.NewReplacer(append(more, "NAME", name, "EXPRESSION", expression, "BEGIN", begin.String(), "READ", read, "FIRST", first,
		"ROW", fmt.Sprint(m.classes+1), "CLASSES", bytesText(classes[:]), "STATES", bytesText(m.next))...)
}

// readText finds the class and the width of what is read at i.
const readText = `class, width := END, 0
			if i < len(s) {
				width = 1
				if s[i] < 0x80 {
					class = int(NAMEClass[s[i]] & 0x7f)
				} else {
					BEYOND}
			}
			if i == from {
				size = width
			}
			`

// matcherText is the function of a matcher. It goes on in each state from character to
// character until nothing can match any more; where that takes many times as long as the
// text, the expression does it.
const matcherText = `// NAME appends where EXPRESSION matches, at most so often: begin and end of each
// match, by the states of an automaton.
func NAME(to []int, s string, most int) []int {
	steps := 16*len(s) + 64
	for from := 0; from < len(s); {
		if c := s[from]; c < 0x80 && NAMEClass[c] >= 0x80 {
			from++
			continue
		}
		FIRSTBEGINend, size, i := -1, 0, from
		for ; state != 0 && steps >= 0; steps-- {
			READnext := NAMENext[state*ROW+class]
			if next >= 0x80 {
				end = i
			}
			state = int(next & 0x7f)
			i += width
		}
		switch {
		case steps < 0:
			to = to[:0]
			for _, m := range EXPRESSION.FindAllStringIndex(s, most) {
				to = append(to, m[0], m[1])
			}
			return to
		case end < 0:
			from += size
		default:
			to = append(to, from, end)
			from = end
			if len(to) == 2*most {
				return to
			}
		}
	}
	return to
}

const NAMEClass = CLASSES

const NAMENext = STATES
`
