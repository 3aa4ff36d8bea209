package audit

import "hash/maphash"

// window is how many lines in a row must be equal to count as standing twice.
const window = 6

// significant is a line of code, without white space around it.
type significant struct {
	file int
	text string
}

// duplicated returns for each file how many of its lines lie in a run of at least
// six that stands elsewhere, too.
func duplicated(lines []significant, files int) []int {
	seed := maphash.MakeSeed()
	first := map[uint64]int{}
	twice := make([]bool, len(lines))
	var h maphash.Hash
	h.SetSeed(seed)
	for i := 0; i+window <= len(lines); i++ {
		if lines[i].file != lines[i+window-1].file {
			continue
		}
		h.Reset()
		letters := 0
		for _, l := range lines[i : i+window] {
			_, _ = h.WriteString(l.text)
			_ = h.WriteByte('\n')
			letters += len(l.text)
		}
		if letters < 5*window { // brackets and the like
			continue
		}
		sum := h.Sum64()
		was, known := first[sum]
		if !known {
			first[sum] = i
			continue
		}
		if lines[was].file == lines[i].file && i < was+window {
			continue
		}
		for k := range window {
			twice[was+k], twice[i+k] = true, true
		}
	}
	out := make([]int, files)
	for i, t := range twice {
		if t {
			out[lines[i].file]++
		}
	}
	return out
}
