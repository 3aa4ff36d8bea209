package idiom

import (
	"fmt"
	"go/ast"
	"go/constant"
	"slices"
	"strconv"
	"strings"
)

// The bounds of groups that are written into a file.
const (
	mostSlots = 32   // begin and end of a match and of each group, a bit each
	mostWays  = 4096 // bytes
	mostCells = 1024
)

// Groups tells where the groups of an expression are: what a [Matcher] goes through forward
// is gone back from the end of a match, by the ways that led there.
type Groups struct {
	*Matcher
	slots int
	empty bool     // it may match an empty text
	rows  []uint16 // by state and class: where the ways begin
	ways  []byte   // from which place, and what is passed
	sets  []uint32 // of borders of groups that are passed together
}

// NewGroups makes the groups of an expression; nil where it is too large, or has none.
func NewGroups(pattern string) *Groups {
	b := newMatcher(pattern)
	if b == nil || b.prog.NumCap <= 2 || b.prog.NumCap > mostSlots || len(b.ways) > mostCells {
		return nil
	}
	g := &Groups{Matcher: b.m, slots: b.prog.NumCap, empty: b.empty(), sets: []uint32{0}}
	known := map[string]uint16{}
	for _, ways := range b.ways {
		if len(ways) > 256 {
			return nil
		}
		row := g.row(ways)
		at, ok := known[string(row)]
		if !ok {
			at = uint16(len(g.ways))
			known[string(row)] = at
			g.ways = append(g.ways, row...)
		}
		g.rows = append(g.rows, at)
		if len(g.ways) > mostWays || len(g.sets) > 255 {
			return nil
		}
	}
	return g
}

// row are the ways of a character in a state: two bytes each.
func (g *Groups) row(ways []way) (row []byte) {
	for _, w := range ways {
		slots := w.slots &^ 3 // begin and end of the match are known
		set := slices.Index(g.sets, slots)
		if set < 0 {
			set = len(g.sets)
			g.sets = append(g.sets, slots)
		}
		row = append(row, byte(w.from), byte(set))
	}
	return row
}

// text writes the groups as a function that tells where a match and its groups begin and
// end, with its tables.
func (g *Groups) text(name, expression string) string {
	numbers := func(kind string, list any) string {
		return "[...]" + kind + "{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ", ") + "}"
	}
	return g.filled(name, expression, "OFFSETS", numbers("uint16", g.rows), "WAYS", bytesText(g.ways), "SETS", numbers("uint32", g.sets)).Replace(groupsText)
}

// groupsText is the function of groups. It goes forward as matcherText does and writes down
// by what, and from the end of the match back: the last place at which a border was passed
// is where the group has it.
const groupsText = `// NAME tells where EXPRESSION matches first, at from or behind it: begin and end of the
// match and of each group, -1 where it has none, by the states of an automaton and the ways
// that led to them.
func NAME(at []int, s string, from int) bool {
	var room [64]uint16
	for steps := 16*len(s) + 64; from <= len(s); {
		if from < len(s) && s[from] < 0x80 && NAMEClass[s[from]] >= 0x80 {
			from++
			continue
		}
		FIRSTBEGINtrail, end, last, size, i := room[:0], -1, 0, 0, from
		for ; state != 0 && steps >= 0; steps-- {
			READcell := state*ROW + class
			trail = append(trail, uint16(cell))
			next := NAMENext[cell]
			if next >= 0x80 {
				end, last = i, len(trail)-1
			}
			state = int(next & 0x7f)
			i += width
		}
		if steps < 0 {
			for _, m := range EXPRESSION.FindAllStringSubmatchIndex(s, -1) {
				if m[0] >= from {
					return copy(at, m) > 0
				}
			}
			return false
		}
		if end < 0 && from == len(s) {
			break
		}
		if end < 0 {
			from += size
			continue
		}
		for k := range at {
			at[k] = -1
		}
		at[0], at[1] = from, end
		for way := 0; ; last-- {
			e := int(NAMERows[trail[last]]) + 2*way
			if slots := NAMESlots[NAMEWays[e+1]]; slots != 0 {
				for k := 2; k < len(at); k++ {
					if slots>>k&1 != 0 && at[k] < 0 {
						at[k] = end
					}
				}
			}
			if last == 0 {
				return true
			}
			way = int(NAMEWays[e]) + 1
			width := 1
			if s[end-1] >= 0x80 {
				_, width = utf8.DecodeLastRuneInString(s[from:end])
			}
			end -= width
		}
	}
	return false
}

const NAMEClass = CLASSES

const NAMENext = STATES

const NAMEWays = WAYS

var NAMERows = OFFSETS

var NAMESlots = SETS
`

// grouping knows the methods of expressions that tell groups.
type grouping struct{ matching }

// look goes through a constant expression by its automaton where groups are asked for. What may
// match an empty text is looked for once only: where package regexp goes on behind that is another thing.
func (x grouping) look(n ast.Node) {
	c, id, called := method(n)
	if c == nil {
		return
	}
	body, template := x.body(called, c)
	if body == "" {
		return
	}
	pattern := x.known(id)
	if pattern == "" {
		return
	}
	g := NewGroups(pattern)
	if g == nil || g.empty && len(c.Args) == 2 {
		return
	}
	if template != "" {
		parts := replaced(template, g.slots/2)
		if parts == "" {
			return
		}
		body = strings.Replace(body, "PARTS", parts, 1)
	}
	body = strings.NewReplacer("SLOTS", strconv.Itoa(g.slots), "COUNT", strconv.Itoa(g.slots/2)).Replace(body)
	x.instead(c, id, called, stand{"an automaton that finds what an expression does, and its groups", lower(id.Name) + "Groups", " tells where " + id.Name + " matches first,", body, g})
}

// body is the function that stands for a method, and the template of what is replaced; "" for calls that have none.
func (x grouping) body(method string, c *ast.CallExpr) (body, template string) {
	switch args := len(c.Args); {
	case args == 1 && method == "FindStringSubmatch":
		return groupsFirst, ""
	case args == 1 && method == "FindStringSubmatchIndex":
		return groupsPlaces, ""
	case args == 2 && method == "FindAllStringSubmatch" && x.negative(c.Args[1]):
		return groupsAll, ""
	case args == 2 && method == "ReplaceAllString":
		if with := x.f.Info.Types[c.Args[1]].Value; with != nil && with.Kind() == constant.String && strings.Contains(constant.StringVal(with), "$") {
			return groupsReplaced, constant.StringVal(with)
		}
	}
	return "", ""
}

// replaced appends a template of [regexp.Regexp.Expand] that has groups; "" for one with names and dollars.
func replaced(template string, groups int) string {
	var out strings.Builder
	literal := func(text string) {
		if text != "" {
			fmt.Fprintf(&out, "out = append(out, %q...)\n", text)
		}
	}
	for {
		before, after, found := strings.Cut(template, "$")
		literal(before)
		if !found {
			return out.String()
		}
		var name string
		ends := true
		if rest, braced := strings.CutPrefix(after, "{"); braced {
			name, template, ends = strings.Cut(rest, "}")
		} else {
			template = strings.TrimLeft(after, "0123456789")
			if name = after[:len(after)-len(template)]; template != "" && wordy(template[0]) {
				return ""
			}
		}
		group, err := strconv.Atoi(name)
		if err != nil || !ends || name != strconv.Itoa(group) {
			return ""
		}
		switch {
		case group == 0:
			out.WriteString("out = append(out, s[at[0]:at[1]]...)\n")
		case group < groups:
			fmt.Fprintf(&out, "if at[%d] >= 0 {\nout = append(out, s[at[%d]:at[%d]]...)\n}\n", 2*group, 2*group, 2*group+1)
		}
	}
}

// wordy reports a byte with which a name may go on.
func wordy(c byte) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// The functions that stand for the methods of an expression which tell groups.
const (
	groupsFirst = `// NAME is CALL by an automaton.
func NAME(s string) []string {
	var at [SLOTS]int
	if !ASKS(at[:], s, 0) {
		return nil
	}
	out := make([]string, COUNT)
	for i := range out {
		if at[2*i] >= 0 {
			out[i] = s[at[2*i]:at[2*i+1]]
		}
	}
	return out
}
`
	groupsPlaces = `// NAME is CALL by an automaton.
func NAME(s string) []int {
	at := make([]int, SLOTS)
	if !ASKS(at, s, 0) {
		return nil
	}
	return at
}
`
	groupsAll = `// NAME is CALL by an automaton.
func NAME(s string) [][]string {
	var at [SLOTS]int
	var out [][]string
	for from := 0; ASKS(at[:], s, from); from = at[1] {
		m := make([]string, COUNT)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = s[at[2*i]:at[2*i+1]]
			}
		}
		out = append(out, m)
	}
	return out
}
`
	groupsReplaced = `// NAME is CALL by an automaton.
func NAME(s, _ string) string {
	var at [SLOTS]int
	if !ASKS(at[:], s, 0) {
		return s
	}
	out := make([]byte, 0, len(s)+8)
	from := 0
	for ok := true; ok; ok = ASKS(at[:], s, from) {
		out = append(out, s[from:at[0]]...)
		PARTSfrom = at[1]
	}
	return string(append(out, s[from:]...))
}
`
)
