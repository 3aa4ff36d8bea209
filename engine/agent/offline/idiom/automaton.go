package idiom

import (
	"fmt"
	"go/ast"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The bounds of an automaton that is written into a file.
const (
	mostStates  = 48
	mostClasses = 32
	mostBeyond  = 12 // ranges of characters beyond ASCII
)

// Automaton tells whether an expression matches anywhere in a text: a state for
// each set of places in the expression, by classes of characters that it treats
// alike.
type Automaton struct {
	classes int
	ascii   [128]byte // class by character
	beyond  []beyond  // classes of others; 0 for all that are not named
	next    []byte    // state by state * classes + class
	ends    []bool    // by state: the text may end here
	hit     int       // the state in which it has matched; -1 for none
	dead    int       // the state from which it cannot match; -1 for none
}

type beyond struct {
	lo, hi rune
	class  byte
}

// NewAutomaton makes the automaton of an expression; nil where it is too large, or
// asks for more of its surroundings than the ends of the text.
func NewAutomaton(pattern string) *Automaton {
	prog := compiled(pattern)
	if prog == nil {
		return nil
	}
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
			return nil
		}
	}
	b := automatonOf{prog: prog, a: &Automaton{hit: -1, dead: -1}}
	if !b.classify() || !b.determine() {
		return nil
	}
	b.fold()
	return b.a
}

// compiled is the program of an expression; nil for one that is none.
func compiled(pattern string) *syntax.Prog {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	return prog
}

// automatonOf makes an automaton by the construction of subsets.
type automatonOf struct {
	prog  *syntax.Prog
	a     *Automaton
	stand []rune // a character that stands for its class

	cuts []rune              // borders of classes beside those of the instructions
	also func(r rune) string // what else tells classes apart; nil for nothing
}

// classify groups characters that every instruction treats alike.
func (b *automatonOf) classify() bool {
	cuts := append([]rune{0, 128, unicode.MaxRune + 1}, b.cuts...)
	for _, in := range b.prog.Inst {
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				r := in.Rune[0]
				cuts = append(cuts, r, r+1)
				if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
					for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
						cuts = append(cuts, f, f+1)
					}
				}
			}
			for i := 0; i+1 < len(in.Rune); i += 2 {
				cuts = append(cuts, in.Rune[i], in.Rune[i+1]+1)
			}
		case syntax.InstRuneAnyNotNL:
			cuts = append(cuts, '\n', '\n'+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	byTreatment := map[string]byte{}
	class := func(r rune) byte {
		var t []byte
		for i := range b.prog.Inst {
			in := &b.prog.Inst[i]
			if takes(in) && in.MatchRune(r) {
				t = strconv.AppendInt(append(t, ' '), int64(i), 10)
			}
		}
		if b.also != nil {
			t = append(t, b.also(r)...)
		}
		c, ok := byTreatment[string(t)]
		if !ok {
			c = byte(len(byTreatment))
			byTreatment[string(t)] = c
			b.stand = append(b.stand, r)
		}
		return c
	}
	class(unicode.MaxRune) // what most characters are is 0
	for i := 0; i+1 < len(cuts); i++ {
		lo, hi := cuts[i], cuts[i+1]-1
		c := class(lo)
		if len(byTreatment) > mostClasses {
			return false
		}
		for r := lo; r <= min(hi, 127); r++ {
			b.a.ascii[r] = c
		}
		if lo >= 128 && c != 0 {
			b.a.beyond = append(b.a.beyond, beyond{lo, hi, c})
		}
	}
	b.a.classes = len(byTreatment)
	return len(b.a.beyond) <= mostBeyond
}

// takes reports an instruction that reads a character.
func takes(in *syntax.Inst) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// closure follows what reads no character. It reports whether that matches.
func (b *automatonOf) closure(from []uint32, at syntax.EmptyOp) (reading []uint32, matches bool) {
	seen := make([]bool, len(b.prog.Inst))
	todo := slices.Clone(from)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := &b.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^at == 0 {
				todo = append(todo, in.Out)
			}
		case syntax.InstMatch:
			matches = true
		case syntax.InstFail:
		default:
			reading = append(reading, pc)
		}
	}
	return reading, matches
}

// determine makes the states. State 0 is the start of the text.
func (b *automatonOf) determine() bool {
	start := uint32(b.prog.Start)
	sets := [][]uint32{{start}}
	index := map[string]byte{}
	var hits []bool
	for at := 0; at < len(sets); at++ {
		if len(sets) > mostStates {
			return false
		}
		here := syntax.EmptyOp(0)
		if at == 0 {
			here = syntax.EmptyBeginText
		}
		reading, hit := b.closure(sets[at], here)
		_, end := b.closure(sets[at], here|syntax.EmptyEndText)
		hits = append(hits, hit)
		b.a.ends = append(b.a.ends, hit || end)
		for c := range b.a.classes {
			set := []uint32{start} // a match may begin at any place
			for _, pc := range reading {
				if in := &b.prog.Inst[pc]; in.MatchRune(b.stand[c]) {
					set = append(set, in.Out)
				}
			}
			slices.Sort(set)
			set = slices.Compact(set)
			key := fmt.Sprint(set)
			to, ok := index[key]
			if !ok {
				to = byte(len(sets))
				index[key] = to
				sets = append(sets, set)
			}
			b.a.next = append(b.a.next, to)
		}
	}
	for s, hit := range hits {
		if hit {
			for c := range b.a.classes {
				b.a.next[s*b.a.classes+c] = byte(s)
			}
		}
	}
	return len(sets) <= mostStates
}

// fold makes one state of those that cannot be told apart, and names the one in
// which the expression has matched and the one in which it cannot any more.
func (b *automatonOf) fold() {
	a, k := b.a, b.a.classes
	group := make([]byte, len(a.ends))
	for s, end := range a.ends {
		if end {
			group[s] = 1
		}
	}
	for count := 0; ; {
		index := map[string]byte{}
		now := make([]byte, len(group))
		for s := range group {
			key := []byte{group[s]}
			for c := range k {
				key = append(key, group[a.next[s*k+c]])
			}
			g, ok := index[string(key)]
			if !ok {
				g = byte(len(index))
				index[string(key)] = g
			}
			now[s] = g
		}
		group = now
		if len(index) == count {
			break
		}
		count = len(index)
	}
	n := int(slices.Max(group)) + 1
	next, ends := make([]byte, n*k), make([]bool, n)
	for s, g := range group {
		ends[g] = a.ends[s]
		for c := range k {
			next[int(g)*k+c] = group[a.next[s*k+c]]
		}
	}
	a.next, a.ends = next, ends
	for s := range n {
		stays := !slices.ContainsFunc(next[s*k:(s+1)*k], func(to byte) bool { return int(to) != s })
		switch {
		case stays && ends[s]:
			a.hit = s
		case stays:
			a.dead = s
		}
	}
}

// text writes the automaton as a function of a text, with its tables; it begins in
// the comment that says what it is.
func (a *Automaton) text(name string) string {
	var out strings.Builder
	out.WriteString(": by the class\n// of each character it goes to the next state of an automaton.\n")
	fmt.Fprintf(&out, "func %s(s string) bool {\nstate := 0\nfor _, r := range s {\nclass := 0\n", name)
	out.WriteString("if r < 128 {\nclass = int(" + name + "Class[r])\n}")
	if len(a.beyond) > 0 {
		out.WriteString(" else {\nswitch {\n")
		for _, b := range a.beyond {
			fmt.Fprintf(&out, "case %#x <= r && r <= %#x:\nclass = %d\n", b.lo, b.hi, b.class)
		}
		out.WriteString("}\n}")
	}
	fmt.Fprintf(&out, "\nstate = int(%sNext[state*%d+class])\n", name, a.classes)
	if a.hit >= 0 {
		fmt.Fprintf(&out, "if state == %d {\nreturn true\n}\n", a.hit)
	}
	if a.dead >= 0 {
		fmt.Fprintf(&out, "if state == %d {\nreturn false\n}\n", a.dead)
	}
	var ends []string
	for s, end := range a.ends {
		if end {
			ends = append(ends, "state == "+strconv.Itoa(s))
		}
	}
	if len(ends) == 0 {
		ends = []string{"false"}
	}
	fmt.Fprintf(&out, "}\nreturn %s\n}\n\n", strings.Join(ends, " || "))
	fmt.Fprintf(&out, "const %sClass = %s\n\nconst %sNext = %s\n", name, bytesText(a.ascii[:]), name, bytesText(a.next))
	return out.String()
}

// bytesText writes bytes as a constant text.
func bytesText(data []byte) string {
	var out strings.Builder
	for i, b := range data {
		if i%32 == 0 {
			if i > 0 {
				out.WriteString("\" +\n")
			}
			out.WriteByte('"')
		}
		fmt.Fprintf(&out, `\x%02x`, b)
	}
	return out.String() + `"`
}

// automaton asks an automaton whether a constant expression matches: in the place
// of MatchString, and before ReplaceAllString, which returns what does not match as it is.
func (x *finder) automaton(n ast.Node) {
	c, id, called := method(n)
	if !(called == "MatchString" && len(c.Args) == 1 || called == "ReplaceAllString" && len(c.Args) == 2) {
		return
	}
	pattern := x.pattern(id)
	if pattern == "" {
		return
	}
	if cond, _ := classOf(pattern); cond != "" {
		return // a loop is better
	}
	a := NewAutomaton(pattern)
	name := lower(id.Name) + "Finds"
	said := "// " + name + " is " + id.Name + ".MatchString without an expression"
	made := strings.Contains(string(x.src), said)
	if a == nil || !made && x.f.Pkg.Scope().Lookup(name) != nil {
		return
	}
	end := x.f.Offset(x.fn.End())
	var edits []Edit
	if !made {
		edits = append(edits, Edit{end, end, "\n\n" + said + a.text(name)})
	}
	if called == "MatchString" {
		x.offer("an automaton for an expression", n, nil, append(edits, x.replace(c.Fun, name))...)
		x.tidy(id)
		return
	}
	around := x.fresh(lower(x.fn.Name.Name) + "Replace" + strconv.Itoa(x.f.Fset.Position(c.Pos()).Line))
	if around == "" || a.hit == 0 || strings.Contains(x.text(x.fn), name+"(") {
		return
	}
	edits = append(edits, Edit{end, end, "\n\n// " + around + " is " + x.text(c.Fun) + ", which returns what does not match as it is.\nfunc " + around +
		"(s, with string) string {\nif !" + name + "(s) {\nreturn s\n}\nreturn " + x.text(c.Fun) + "(s, with)\n}\n"})
	x.offer("an automaton before an expression", n, nil, append(edits, x.replace(c.Fun, around))...)
}
