// Package archive keeps the best candidate of every niche: the MAP-Elites
// archive of one island.
//
// Its three nouns are [Shape], how coordinates are cut into cells; [Entry], a
// measured candidate with its coordinates; and [Archive], a fold of entries
// and decisions that knows the holder of each cell and everyone behind it.
//
// The archive is a pure function of the set of entries, the removed and the
// frozen candidates and the shape. The order in which they came does not
// matter: of two entries in one cell the frozen one stands first, then the one
// with the higher objective, then the one with more samples, then the one with
// the lower number. A removed candidate keeps its coordinates and can be
// restored; the next in line takes its niche.
//
// Entries without coordinates wait in a pool until [Archive.Remap] gives them
// some.
//
// Statistics follow the definitions of pyribs (coverage from 0 to 1, QD score
// with the offset subtracted). They are summed afresh in the order of cells, so
// that an archive grown step by step and one folded at once agree bit for bit.
//
// Caveats: an Archive belongs to one goroutine, readers included. Objectives
// are adjusted: higher is better.
package archive
