package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
)

// lineRunes bounds a text that has to be one line: an intent, a reason.
const lineRunes = 400

// maxLineBytes bounds one line of anything that is cut by lines; what is
// longer (minified code, a table on one line) loses its middle, visibly.
const maxLineBytes = 4000

// Tokens estimates how many tokens a model reads: one for every four bytes of
// ASCII and one for every other character. Code often takes a third more;
// budgets of money reserve by bytes, not by this.
func Tokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

// Fence lays a text between two lines that it cannot contain, so that nothing
// in it can pose as the end of the material. The lines carry a digest of the
// text, which makes the same text look the same in every prompt.
func Fence(label, text string) string {
	label = strings.NewReplacer("[", "(", "]", ")").Replace(clean.Clip(clean.Line(label), 200))
	id := fenceID(text)
	for salt := 0; strings.Contains(text, id); salt++ {
		id = fenceID(fmt.Sprintf("%d\n%s", salt, text))
	}
	text = strings.TrimSuffix(text, "\n")
	return "[begin " + label + " " + id + "]\n" + text + "\n[end " + label + " " + id + "]"
}

func fenceID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// fit cuts a section to a budget of tokens (0 = none) at line ends: the end is
// left out, or with ends the middle. The text says how much is missing, and a
// fence that the cut would leave open is closed.
func fit(s agent.Section, budget int, ends bool) agent.Section {
	s.Tokens = Tokens(s.Text)
	if budget <= 0 || s.Tokens <= budget {
		return s
	}
	lines := strings.Split(s.Text, "\n")
	for i, l := range lines {
		// Never as short as the lines of a fence can be.
		lines[i] = shorten(l, max(1000, min(maxLineBytes, 2*budget)))
	}
	before := s.Cut
	for room := budget; ; {
		head, tail := keep(lines, room, ends)
		left := len(lines) - head - tail
		s.Text, s.Cut = stitch(lines, head, tail, left), before+left
		s.Tokens = Tokens(s.Text)
		if s.Tokens <= budget || head+tail <= 1 {
			return s
		}
		room -= max(s.Tokens-budget, 4)
	}
}

// keep returns how many lines of the beginning and of the end stay within a
// number of tokens, besides the mark. At least the first line stays.
func keep(lines []string, budget int, ends bool) (head, tail int) {
	room := 4 * max(budget-8, 1) // in quarters of a token
	front := room
	if ends {
		front = room / 3
	}
	used := 0
	for head < len(lines) && (head == 0 || used+cost(lines[head]) <= front) {
		used += cost(lines[head])
		head++
	}
	if !ends {
		return head, 0
	}
	for head+tail < len(lines) && used+cost(lines[len(lines)-1-tail]) <= room {
		used += cost(lines[len(lines)-1-tail])
		tail++
	}
	return head, tail
}

// cost is a line in quarters of a token.
func cost(line string) int {
	n := 1
	for _, r := range line {
		if r < utf8.RuneSelf {
			n++
		} else {
			n += 4
		}
	}
	return n
}

// stitch joins what stays around the mark. A fence that is open before the
// mark is closed after it, and one that is open where the text goes on is
// begun again, unless both are the same.
func stitch(lines []string, head, tail, left int) string {
	if left == 0 {
		return strings.Join(lines, "\n")
	}
	out := append([]string(nil), lines[:head]...)
	out = append(out, missing(left))
	before, after := openFence(lines[:head]), ""
	if tail > 0 {
		after = openFence(lines[:len(lines)-tail])
	}
	if before != after {
		if before != "" {
			out = append(out, before)
		}
		if after != "" {
			out = append(out, "[begin "+strings.TrimPrefix(after, "[end "))
		}
	}
	return strings.Join(append(out, lines[len(lines)-tail:]...), "\n")
}

func missing(lines int) string {
	if lines == 1 {
		return "... 1 line left out"
	}
	return fmt.Sprintf("... %d lines left out", lines)
}

// openFence returns the closing line of the fence that is open after lines.
// What stands inside a fence cannot open another.
func openFence(lines []string) string {
	end := ""
	for _, l := range lines {
		switch {
		case end == "" && strings.HasPrefix(l, "[begin ") && strings.HasSuffix(l, "]"):
			end = "[end " + l[len("[begin "):]
		case end != "" && l == end:
			end = ""
		}
	}
	return end
}

// shorten takes the middle out of a long line.
func shorten(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	head, tail := strings.ToValidUTF8(line[:limit/2], ""), strings.ToValidUTF8(line[len(line)-limit/4:], "")
	return fmt.Sprintf("%s ... %d characters left out ... %s", head, utf8.RuneCountInString(line)-utf8.RuneCountInString(head)-utf8.RuneCountInString(tail), tail)
}

// height returns how many tokens each section with a budget may have so that
// all sections together keep within a total: the largest give way first, all
// to the same height. 0: they fit as they are.
func height(sections []agent.Section, s *sheet, total int) int {
	if total <= 0 {
		return 0
	}
	sum, fixed := 0, 0
	var sizes []int
	for _, sec := range sections {
		sum += sec.Tokens
		if p := s.part(sec.Name); p.budget > 0 {
			sizes = append(sizes, sec.Tokens)
		} else {
			fixed += sec.Tokens
		}
	}
	if sum <= total {
		return 0
	}
	return max(1, waterLevel(sizes, total-fixed))
}

// waterLevel is the largest height h with sum(min(size, h)) <= room.
func waterLevel(sizes []int, room int) int {
	sizes = append([]int(nil), sizes...)
	sort.Ints(sizes)
	for i, n := range sizes {
		if rest := len(sizes) - i; n*rest > room {
			return max(room/rest, 0)
		}
		room -= n
	}
	return room
}
