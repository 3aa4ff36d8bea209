package agent

import (
	"strconv"
	"strings"

	"atoll/store/record"
)

// Move is a candidate that differs from its parent in one number and nothing else.
type Move struct {
	Parent, Candidate record.CandidateID
	Where             string // file and place of the number
	From, To          float64
	Against           int // see [End]
}

// MovesLast is for how many candidates a move is remembered.
const MovesLast = 4096

// moveMark is what the last words of an intent tag begin with that tell of a move.
const moveMark = "move:"

// MoveTag is what an intent tag ends with that tells of a move.
func MoveTag(where string, from, to float64) string {
	return " " + moveMark + strconv.FormatFloat(from, 'g', -1, 64) + ":" + strconv.FormatFloat(to, 'g', -1, 64) + ":" + where
}

// WithoutMove is an intent tag that tells of no move.
func WithoutMove(tag string) string {
	tag, _, _ = strings.Cut(tag, " "+moveMark)
	return tag
}

// Moves are those of late, in the order of the log.
func (h *History) Moves() []Move {
	if h == nil {
		return nil
	}
	return h.moves
}

// moved folds a move, and forgets those of long ago.
func (h *History) moved(end End, tag string) {
	if end.Candidate == record.NoCandidate {
		return
	}
	old := 0
	for old < len(h.moves) && h.moves[old].Candidate < end.Candidate-MovesLast {
		old++
	}
	h.moves = h.moves[old:]
	_, move, ok := strings.Cut(tag, " "+moveMark)
	if !ok {
		return
	}
	words := strings.SplitN(move, ":", 3)
	if len(words) < 3 {
		return
	}
	from, err1 := strconv.ParseFloat(words[0], 64)
	to, err2 := strconv.ParseFloat(words[1], 64)
	if err1 != nil || err2 != nil {
		return
	}
	h.moves = append(h.moves, Move{end.Parent, end.Candidate, words[2], from, to, end.Against})
}
