package store

import "atoll/store/record"

// The value of a row of the log is what its candidate was known by when the row was
// written, so that a fold of the log is the same whenever it is made: further samples
// change the columns of a candidate, and not what was placed by those before. It is a
// list of numbers: how many measures there are, the measures, then the numbers of
// [valueNow] without the zeros at the end.

// valued reports the kinds of rows that have a value: those after which a candidate may
// stand elsewhere.
func valued(kind record.LogKind) bool {
	return kind == record.LogEnd || kind == record.LogSample || kind == record.LogHeld
}

// valueNow packs what a candidate is known by within this transaction; nil without an
// objective.
func (t *tx) valueNow(exp record.ExperimentID, id record.CandidateID) ([]byte, error) {
	if id < 0 {
		return nil, nil
	}
	var list []float64
	_, err := t.one(sqlCandidateValue, []any{exp, id}, func(r *row) {
		measures := unpackFloats(r.blob())
		list = append([]float64{float64(len(measures))}, measures...)
		end := len(list)
		for range numbersOfValue {
			if list = append(list, r.float()); list[len(list)-1] != 0 {
				end = len(list)
			}
		}
		list = list[:end]
	})
	if err != nil {
		return nil, err
	}
	return packFloats(list)
}

// numbersOfValue is how many numbers sqlCandidateValue reads behind the measures.
const numbersOfValue = 8

// applyValue gives a candidate the values that a row of the log was written with, and
// reports whether it has any. What is no value leaves the candidate as it is.
func applyValue(c *record.FoldCandidate, value []byte) bool {
	all := unpackFloats(value)
	if len(all) == 0 || !(all[0] >= 0 && all[0] < float64(len(all))) {
		return false
	}
	k := 1 + int(all[0])
	if c.Measures = nil; k > 1 {
		c.Measures = all[1:k:k]
	}
	var n [numbersOfValue]float64
	copy(n[:], all[k:])
	c.Version, c.Samples, c.Objective = int(n[0]), int(n[1]), &n[2]
	c.MAD, c.Dev = n[3], n[4]
	c.ClaimedSamples, c.Claimed, c.ClaimedDev = int(n[5]), nil, n[7]
	if c.ClaimedSamples > 0 {
		c.Claimed = &n[6]
	}
	return true
}
