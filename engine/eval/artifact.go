package eval

import (
	"crypto/sha256"
	"encoding/hex"

	"atoll/engine/sandbox"
)

// product takes the build product that a stage left, or the identity that it
// reported, the first one that does, and asks whether another candidate has the
// same. A product that the evaluator
// builds is as trustworthy as the evaluator; one that candidate code writes can
// be forged, but then only to count as the duplicate of another.
func (r *run) product(res *sandbox.Result, identity string) {
	switch {
	case r.out.Product != "":
		return
	case res.HasProduct:
		sum := sha256.Sum256(res.Product)
		r.out.Product = hex.EncodeToString(sum[:])
	case identity != "":
		sum := sha256.Sum256([]byte("identity " + identity))
		r.out.Product = hex.EncodeToString(sum[:])
	default:
		return
	}
	if r.q.SameProduct == nil || r.q.Root {
		return
	}
	if twin, ok := r.q.SameProduct(r.out.Product); ok && twin != r.q.Candidate {
		r.out.Twin = &twin
	}
}
