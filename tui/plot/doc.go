// Package plot turns data into lines of text: heat maps of niches, curves in
// braille, sparklines, bars and legends.
//
// Its three nouns are [Ramp] (values to colours or characters, one table per
// colour profile), [HeatMap] (a grid with axes, marks and a cursor) and
// [Chart] (series over a number axis). Data goes in, lines come out; every
// line has exactly the width that was asked for.
//
// Caveats: the package does no IO and knows nothing of events or keys. It
// writes escape codes itself, from tables, because a style object per cell
// costs a hundred times more. Strings from outside pass [Clean] first, here
// and on every screen: it is the one place where control sequences end.
package plot
