package behavior

import (
	"strings"
)

// Document is the content of one file of a candidate.
type Document struct {
	Path string
	Data []byte
}

// Vocabulary is what a sample of candidates says in the files where they
// differ: how often each word comes, and how large the numbers behind each name
// are. It is for naming axes, not for placing candidates. The zero value is
// empty and ready; it belongs to one goroutine.
type Vocabulary struct {
	vectors [][]float32
	rows    []map[string]float64    // per candidate: counts of words, levels of numbers
	values  []map[string][2]float64 // per candidate: sum and count of each number
	cache   map[uint64]map[string]float64
	known   map[uint64]map[string][2]float64
}

// Add takes a candidate: its vector, and its versions of the files in which
// the sampled candidates differ, the same paths for every candidate (a file
// that it lacks is left out). A version that came before is not read again.
func (v *Vocabulary) Add(vector []float32, files []Document) {
	if v.cache == nil {
		v.cache = map[uint64]map[string]float64{}
		v.known = map[uint64]map[string][2]float64{}
	}
	row, vals := map[string]float64{}, map[string][2]float64{}
	for _, f := range files {
		h := hashBytes(hashBytes(0, []byte(styleOf(f.Path))), f.Data)
		if v.cache[h] == nil {
			v.cache[h], v.known[h] = words(f)
		}
		for w, n := range v.cache[h] {
			row[w] += n
		}
		for w, x := range v.known[h] {
			sum := vals[w]
			vals[w] = [2]float64{sum[0] + x[0], sum[1] + x[1]}
		}
	}
	v.vectors = append(v.vectors, vector)
	v.rows = append(v.rows, row)
	v.values = append(v.values, vals)
}

// Len returns how many candidates it holds.
func (v *Vocabulary) Len() int { return len(v.rows) }

// numberMark ends the key of a number, which no word has.
const numberMark = "\x00"

// words counts the sub-tokens of a file, and sums the magnitudes and values of
// the numbers by the name before them.
func words(f Document) (map[string]float64, map[string][2]float64) {
	counts, values := map[string]float64{}, map[string][2]float64{}
	s := newScanner(f.Path, f.Data)
	var buf []byte
	name, ordinal := "", 0
	for {
		t, ok := s.next()
		if !ok {
			return counts, values
		}
		switch t.kind {
		case wordToken:
			name, ordinal = strings.ToLower(string(t.text[:min(len(t.text), 24)])), 0
			buf = subTokens(t.text, buf, func(part []byte) { counts[string(part)]++ })
		case numberToken:
			ordinal = min(ordinal+1, ordinals)
			key := numberKey(name, ordinal)
			level, positive := logMagnitude(t.value)
			if t.value == 0 {
				level = -40
			}
			if positive {
				counts[key] += level + 41
			} else {
				counts[key] -= level + 41
			}
			sum := values[key]
			values[key] = [2]float64{sum[0] + t.value, sum[1] + 1}
		}
	}
}
