package record

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ExperimentID numbers the experiments of one store from 1.
type ExperimentID int64

// JobID is the number of a job within its experiment. Job 0 measures the root.
type JobID int64

// String returns the form people see, "#341".
func (id JobID) String() string { return "#" + strconv.FormatInt(int64(id), 10) }

// CandidateID is the number of a candidate within its experiment: that of the
// make job it came from. The root is candidate 0.
type CandidateID int64

// Root is the candidate every experiment starts from.
const Root CandidateID = 0

// NoCandidate marks a job that has no candidate, or a parent that is absent.
const NoCandidate CandidateID = -1

// String returns the form people see, "c128".
func (id CandidateID) String() string { return "c" + strconv.FormatInt(int64(id), 10) }

// ParseCandidateID understands "128", "c128" and "#128".
func ParseCandidateID(s string) (CandidateID, error) {
	n, err := strconv.ParseInt(strings.TrimLeft(s, "c#"), 10, 64)
	if err != nil || n < 0 {
		return NoCandidate, fmt.Errorf("%q is no candidate: write c128 or 128", s)
	}
	return CandidateID(n), nil
}

// ParseNiche reads the coordinates of a niche, written "9,4" or "(9,4)".
func ParseNiche(s string) ([]int, error) {
	var coords []int
	for part := range strings.SplitSeq(strings.Trim(s, "()"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is no niche: write 9,4", s)
		}
		coords = append(coords, n)
	}
	return coords, nil
}

// Seq is a position in the ordered log of a store. It grows by commit order.
type Seq int64

// Millis is a wall-clock time in milliseconds since 1970.
type Millis int64

// Hash is the name of a git object (SHA-1).
type Hash [20]byte

// ErrHash reports text that is not a full 40-digit object name.
var ErrHash = errors.New("not a 40-digit object name")

// ParseHash reads 40 hexadecimal digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != 40 {
		return h, ErrHash
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, ErrHash
	}
	return h, nil
}

// IsZero reports the hash of nothing.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns 40 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Short returns the 7 digits shown to people.
func (h Hash) Short() string { return h.String()[:7] }

// MarshalText writes 40 digits, or nothing for the zero hash.
func (h Hash) MarshalText() ([]byte, error) {
	if h.IsZero() {
		return []byte{}, nil
	}
	return []byte(h.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (h *Hash) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*h = Hash{}
		return nil
	}
	v, err := ParseHash(string(b))
	*h = v
	return err
}
