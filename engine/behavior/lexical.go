package behavior

import (
	"math"
	"sync"
)

// The lexical embedder.
const (
	lexicalID   = "lexical-1"
	lexicalDims = 256

	buckets  = 1 << 16 // features of one file are hashed into as many
	spread   = 4       // dimensions that one feature reaches
	grid     = 256     // vectors are multiples of 1/grid, so that sums are exact
	ordinals = 64      // numbers behind one name that are told apart

	bigramWeight  = 0.5
	numberWeight  = 1 // by magnitude alone
	contextWeight = 2 // by magnitude and the name before it
	levelWeight   = 1 // per factor of two, with the name before it
	octaves       = 2 // factors of two from one bucket of magnitude to the next
)

// lexical embeds source text by its words: sub-tokens of identifiers, pairs of
// neighbours, operators, and numbers by sign and magnitude, once alone and once
// with the name before them. Counts are damped per file by log2(1+n), hashed,
// and projected to 256 dimensions by signs that come from the hash.
//
// A number is shared out smoothly (by a quadratic B-spline) among the nearest
// of the magnitudes 1/4, 1, 4, 16 and so on, and besides counts in proportion
// to its logarithm: a small change moves the vector a little, a large one far,
// and each number of its own name in a direction of its own. Comments count for
// nothing.
type lexical struct {
	tables sync.Pool // of *table
}

var _ Embedder = (*lexical)(nil)

// NewLexical returns the built-in embedder.
func NewLexical() *lexical {
	return &lexical{tables: sync.Pool{New: func() any { return new(table) }}}
}

// ID names this version.
func (l *lexical) ID() string { return lexicalID }

// Dims is 256.
func (l *lexical) Dims() int { return lexicalDims }

// Key returns the name under which the vector of a blob may be kept: besides
// the content only the comment style of the path's language matters.
func (l *lexical) Key(path string) string { return lexicalID + "/" + string(styleOf(path)) }

// Embed returns the vector of one file.
func (l *lexical) Embed(path string, content []byte) []float32 {
	t := l.tables.Get().(*table)
	defer l.tables.Put(t)
	t.read(newScanner(path, content))
	return t.project()
}

// table collects the features of one file.
type table struct {
	weight  [buckets]float32
	touched [buckets]bool
	order   []uint16
	sum     [lexicalDims]float64 // of features that are not damped
	buf     []byte
}

func (t *table) add(feature uint64, w float64) {
	i := uint16(feature ^ feature>>16 ^ feature>>32 ^ feature>>48)
	if !t.touched[i] {
		t.touched[i] = true
		t.order = append(t.order, i)
	}
	t.weight[i] += float32(w)
}

// Salts keep the kinds of features apart.
const (
	saltWord uint64 = iota + 1
	saltSign
	saltPair
	saltNumber
	saltContext
	saltLevel
)

func (t *table) read(s *scanner) {
	var last uint64 // the token before, for pairs
	var name uint64 // the identifier before, for numbers
	ordinal := 0
	step := func(h uint64) {
		if last != 0 {
			t.add(mix(last*3+h+saltPair), bigramWeight)
		}
		last = h
	}
	for {
		tok, ok := s.next()
		if !ok {
			return
		}
		switch tok.kind {
		case wordToken:
			name, ordinal = hashBytes(saltContext, tok.text), 0
			t.buf = subTokens(tok.text, t.buf, func(part []byte) {
				h := hashBytes(saltWord, part)
				t.add(h, 1)
				step(h)
			})
		case signToken:
			h := hashBytes(saltSign, tok.text)
			t.add(h, 1)
			step(h)
		case numberToken:
			ordinal = min(ordinal+1, ordinals)
			t.number(tok.value, mix(name+uint64(ordinal)))
			step(saltNumber)
		}
	}
}

// number adds a literal. Its context is the name before it and how many
// numbers there were since.
func (t *table) number(v float64, context uint64) {
	level, positive := logMagnitude(v)
	if v == 0 {
		t.add(mix(saltNumber), numberWeight)
		t.add(mix(context+saltNumber), contextWeight)
		return
	}
	at := level / octaves
	mid := math.Round(at)
	off := at - mid // -0.5 to 0.5
	for i, w := range [3]float64{(0.5 - off) * (0.5 - off) / 2, 0.75 - off*off, (0.5 + off) * (0.5 + off) / 2} {
		bucket := uint64(int64(mid)+int64(i)+1000) << 1
		if positive {
			bucket |= 1
		}
		t.add(mix(bucket<<8+saltNumber), numberWeight*w)
		t.add(mix(context^mix(bucket<<8+saltContext)), contextWeight*w)
	}
	t.scatter(mix(context+saltLevel), levelWeight*level)
}

// logMagnitude returns log2 of the magnitude, within -40 to 40, and the sign.
func logMagnitude(v float64) (level float64, positive bool) {
	if v == 0 {
		return 0, true
	}
	return max(-40, min(40, math.Log2(math.Abs(v)))), v > 0
}

// scatter adds a feature to the dimensions that its hash names.
func (t *table) scatter(h uint64, x float64) {
	x /= math.Sqrt(spread)
	for range spread {
		if h&lexicalDims != 0 {
			t.sum[h%lexicalDims] -= x
		} else {
			t.sum[h%lexicalDims] += x
		}
		h >>= 9
	}
}

// project empties the table into a vector.
func (t *table) project() []float32 {
	for _, i := range t.order {
		w := float64(t.weight[i])
		t.weight[i], t.touched[i] = 0, false
		t.scatter(mix(uint64(i)*0x9e3779b97f4a7c15+1), math.Copysign(math.Log2(1+math.Abs(w)), w))
	}
	t.order = t.order[:0]
	out := make([]float32, lexicalDims)
	for i, x := range t.sum {
		out[i] = float32(math.RoundToEven(x*grid) / grid)
	}
	clear(t.sum[:])
	return out
}

// hashBytes is FNV-1a with a finaliser; 0 is never returned.
func hashBytes(salt uint64, b []byte) uint64 {
	h := 14695981039346656037 ^ mix(salt)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return mix(h) | 1<<63
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
