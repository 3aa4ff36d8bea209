// Package language tells what an edit has to know of a file's language: how
// its text falls into tokens, lines, blocks and functions, and whether a result
// still has its form.
//
// Its three nouns are [Language] (how comments, strings and statements look),
// [Token] and [Source] (a file with the part of it that may change). Go is read
// by go/parser and go/types; the others by one lexer, which accepts every
// input: decision 16 says why.
//
// Caveats: a token is no promise of meaning; a balanced text may not compile.
package language
