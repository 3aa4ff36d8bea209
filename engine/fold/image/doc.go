// Package image writes a graph of plain values as it lies in memory and reads it
// back, in the same program, later. Values without pointers are not even copied: what
// is read uses the bytes of the image, so that a hundred megabytes that are mapped take a
// few hundredths of a second.
//
// Its nouns are the image, bytes with a checksum, and the layout, a sum over all types
// of the graph: an image is read by a program whose types lie in memory as those of
// its writer did, and by no other. Several pointers to one value stay so. Numbers
// that are not finite are numbers like others.
//
// Caveats: functions are left as they are; channels and interfaces cannot be
// written, and pointers into the middle of another value become values of their own. It
// reaches fields that are not exported, so it is for state that has one owner. An
// image is a cache: whoever can write one decides what is read.
package image
