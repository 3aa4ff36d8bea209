package behavior

// Embedder turns the content of one file into a vector. Vectors add up: that of
// a commit is the sum over its files. Implementations are safe for concurrent
// use and must not depend on anything but their arguments.
type Embedder interface {
	// ID names the embedder and its version. Vectors of different ids never
	// meet in one space.
	ID() string
	// Dims is the length of every vector.
	Dims() int
	// Embed returns the vector of one file. It is not normalised.
	Embed(path string, content []byte) []float32
}

// Combine returns parent - removed + added, the vector of a commit from that
// of its parent and those of the blobs that went and came. A nil parent is the
// empty tree; vectors of another length than the first count for nothing.
// The sum is taken in float64 and rounded once.
func Combine(parent []float32, removed, added [][]float32) []float32 {
	dims := len(parent)
	for _, vs := range [][][]float32{removed, added} {
		for _, v := range vs {
			if dims == 0 {
				dims = len(v)
			}
		}
	}
	sum := make([]float64, dims)
	add := func(v []float32, sign float64) {
		if len(v) != dims {
			return
		}
		for i, x := range v {
			sum[i] += sign * float64(x)
		}
	}
	add(parent, 1)
	for _, v := range removed {
		add(v, -1)
	}
	for _, v := range added {
		add(v, 1)
	}
	out := make([]float32, dims)
	for i, x := range sum {
		out[i] = float32(x)
	}
	return out
}
