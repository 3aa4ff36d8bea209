// Package front keeps who is best in a way of its own where several things count: the
// Pareto front over several objectives, and who leads each of a number of cases (as GEPA
// keeps candidates: Agrawal et al. 2025, "GEPA: Reflective prompt evolution can outperform
// reinforcement learning").
//
// Its three nouns are [Entry], a candidate with its values; [Set], those of which no other
// is at least as good in everything and better in something; and [Leaders], the best of each
// case.
//
// Larger is better in all values, and one that is not a number is missing: such a candidate
// is on no front and leads no case. What they keep does not depend on the order in which
// entries are added.
//
// Caveats: both only grow; who leaves or has other values needs a new one. A front of n
// candidates takes n comparisons for each that is added.
package front
