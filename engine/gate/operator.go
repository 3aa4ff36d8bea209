package gate

import (
	"fmt"

	"atoll/store/record"
)

// rules are what an operator may do beyond, or is expected to stay below, the
// policy that holds for all.
type rules struct {
	factor     int  // times MaxFiles and MaxLines
	inPlace    bool // adding or removing files is worth a look
	softLimits bool // the limits on files and lines are a warning
}

// note says in a message that a limit was widened.
func (r rules) note() string {
	if r.factor > 1 {
		return fmt.Sprintf(", times %d for this operator", r.factor)
	}
	return ""
}

// rulesOf returns the rule set of an operator. Structural and rewrite are
// there to touch more than others; tune changes literals only; what a person
// wrote by hand is long on purpose, so its length is a warning. Nothing widens
// what is protected, forbidden or out of scope.
func rulesOf(op record.Operator) rules {
	switch op {
	case record.OpStructural:
		return rules{factor: 4}
	case record.OpRewrite, record.OpSynergy, record.OpCrossover:
		return rules{factor: 2}
	case record.OpTune:
		return rules{factor: 1, inPlace: true}
	case record.OpManual:
		return rules{factor: 1, softLimits: true}
	}
	return rules{factor: 1}
}
