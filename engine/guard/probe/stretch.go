package probe

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of texts that are made long.
const (
	mostStretched    = 1500 // texts
	stretchedShare   = 8    // one of so many cases more is one
	shortestStretch  = 9    // bytes of a run; shorter ones are drawn
	mostFrames       = 60   // places for a run
	mostFramesOfText = 8    // those in one text of the tests
	beyondStretch    = 8    // bytes of a run more than its number, whatever stands before it
)

// frame is a text with a place where a run of one byte is put in.
type frame struct {
	head, foot string
	fill       byte
}

// stretched are texts with a long run in them, of as many bytes as the code has numbers, and behind
// the run what the code looks for or what stands beside it: what is asked of the first
// bytes alone is not asked there. Of each list what is most telling comes first, and the
// texts begin with what is first in all of them.
func stretched(ints []int64, strs, marks, recorded []string) []string {
	lengths, tails, frames := runLengths(ints), runTails(ints, strs), frames(marks, telling(marks, recorded))
	var out []string
	seen := map[string]bool{}
	for sum := range len(lengths) + len(tails) + len(frames) {
		for i := range min(len(lengths), sum+1) {
			for j := range min(len(tails), sum-i+1) {
				k := sum - i - j
				if k >= len(frames) {
					continue
				}
				f := frames[k]
				s := f.head + strings.Repeat(string(rune(f.fill)), lengths[i]) + tails[j] + f.foot
				if !seen[s] && len(out) < mostStretched {
					seen[s] = true
					out = append(out, s)
				}
			}
		}
		if len(out) >= mostStretched {
			break
		}
	}
	return out
}

// runLengths are lengths at the numbers of the code: first at those that are no characters.
func runLengths(ints []int64) []int {
	var lists [4][]int
	for _, k := range byCharacter(ints, 1) {
		if k >= shortestStretch && k <= longestEdge {
			for i, n := range []int64{k + beyondStretch, k, k + 1, k - 1} {
				lists[i] = append(lists[i], int(n))
			}
		}
	}
	return distinct(inTurn(lists[:]...), mostEdges)
}

// runTails are what stands behind a run: the characters beside those of the code, and those
// themselves, its short texts, and what is no text.
func runTails(ints []int64, strs []string) []string {
	var before, behind, at, raw []string
	for _, c := range byCharacter(ints, -1) {
		for i, list := range []*[]string{&before, &behind, &at} {
			v := c + int64([]int{-1, 1, 0}[i])
			if v >= 0 && v <= unicode.MaxRune && utf8.ValidRune(rune(v)) {
				*list = append(*list, string(rune(v)))
			}
			if v >= 0x80 && v <= 0xff {
				raw = append(raw, string([]byte{byte(v)}))
			}
		}
	}
	var texts []string
	for _, s := range strs {
		if s != "" && len(s) <= 20 {
			texts = append(texts, s)
		}
	}
	return distinct(inTurn(before, texts, behind, at, []string{"", "\x00", "\xff", "\n", "é"}, raw), mostEdges)
}

// byCharacter orders numbers: first those that are printed characters of ASCII where sign is
// below zero, and last where it is above.
func byCharacter(ints []int64, sign int) []int64 {
	rank := func(v int64) int {
		if v >= ' ' && v <= '~' {
			return sign
		}
		return 0
	}
	out := slices.Clone(ints)
	slices.SortStableFunc(out, func(a, b int64) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// frames are places for a run: between the characters of the code, and in texts of the tests, first those
// that hold such a character, beside it, behind the first byte, before the last and at the end.
func frames(marks, recorded []string) []frame {
	made, open := []frame{{"", "", 'a'}}, []frame{}
	for _, m := range marks {
		made = append(made, frame{m, closing(m), 'a'})
		open = append(open, frame{m, "", 'a'}, frame{"", m, 'a'})
	}
	var with, without [][]frame
	for _, s := range recorded {
		if slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(s, m) }) {
			with = append(with, framesOf(s, marks))
		} else {
			without = append(without, framesOf(s, marks))
		}
	}
	return distinct(inTurn(slices.Concat(made, open), slices.Concat(inTurn(with...), inTurn(without...))), mostFrames)
}

// telling are a few texts of the tests of other lengths, those that hold a character of the code first.
func telling(marks, recorded []string) []string {
	list := slices.Clone(recorded)
	without := func(s string) bool {
		return !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(s, m) })
	}
	slices.SortStableFunc(list, func(a, b string) int { return compareBools(without(a), without(b)) })
	return someOf(list)
}

// closing is what closes a bracket, and any other character itself.
func closing(m string) string {
	if i := strings.Index("([{<", m); i >= 0 {
		return ")]}>"[i : i+1]
	}
	return m
}

// framesOf are the places for a run in a text, which goes on with the letter or digit that stands before it.
func framesOf(s string, marks []string) []frame {
	var cuts []int
	for _, m := range marks {
		for _, at := range []int{strings.Index(s, m), strings.LastIndex(s, m)} {
			if at >= 0 {
				cuts = append(cuts, at, at+len(m))
			}
		}
	}
	cuts = append(cuts, len(s), 1, len(s)-1)
	var out []frame
	for _, at := range distinct(cuts, mostFramesOfText) {
		fill := byte('a')
		if at > 0 && s[at-1] < utf8.RuneSelf && (unicode.IsLetter(rune(s[at-1])) || unicode.IsDigit(rune(s[at-1])) || s[at-1] == ' ') {
			fill = s[at-1]
		}
		out = append(out, frame{s[:at], s[at:], fill})
	}
	return out
}

// stretchedCases are the aims of a group at texts that are made long, behind all others. Those that may
// take much time are last.
func (s *session) stretchedCases(group string) []aim {
	if list, ok := s.long[group]; ok {
		return list
	}
	var lists [][]aim
	e := s.r.lib.edges
	if g := s.r.byName[group]; g != nil {
		for _, p := range s.r.lib.places(g) {
			if p.kind != edgeText {
				continue
			}
			var list []aim
			for i := range e.stretched {
				p.index = len(e.texts) + i
				list = append(list, p)
			}
			lists = append(lists, list)
		}
	}
	all := inTurn(lists...)
	all = all[:min(len(all), s.room(group))]
	slow := func(a aim) bool { return len(e.stretched[a.index-len(e.texts)]) > longestEarly }
	slices.SortStableFunc(all, func(a, b aim) int { return compareBools(slow(a), slow(b)) })
	s.long[group] = all
	return all
}

// room is how many cases more a group may get for texts that are made long: one that is close to the change,
// where some are. It hangs on the request alone: two trees count the positions of a survey alike.
func (s *session) room(group string) int {
	if s.q.Drawn || len(s.q.Close) > 0 && !slices.Contains(s.q.Close, group) {
		return 0
	}
	return min(len(s.r.lib.edges.stretched), s.count(group)/stretchedShare)
}
