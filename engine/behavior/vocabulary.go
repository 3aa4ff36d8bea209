package behavior

import (
	"slices"
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

// len returns how many candidates it holds.
func (v *Vocabulary) len() int { return len(v.rows) }

// numberMark ends the key of a number, which no word has.
const numberMark = "\x00"

// words counts the sub-tokens of a file, and sums the magnitudes and values of
// the numbers by the last name before them that is no filler.
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
			if word := strings.ToLower(string(t.text[:min(len(t.text), 24)])); !isFiller(word) {
				name, ordinal = word, 0
			}
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

// fillers are the words of common languages that say nothing about a program:
// types, declarations, glue. No axis and no number is named after them.
var fillers = strings.Fields(`
	int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 i8 i16 i32 i64 u8 u16 u32 u64 isize usize
	float float32 float64 f32 f64 double complex long short char byte rune bool boolean string str void
	unsigned signed number var let const mut static final auto def fn func function return returns new
	public private protected pub self this true false nil null none np numpy array list tuple`)

func isFiller(word string) bool { return slices.Contains(fillers, word) }
