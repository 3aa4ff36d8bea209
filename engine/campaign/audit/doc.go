// Package audit measures how healthy a source tree is, and says what to mend
// first.
//
// Its three nouns are [File], one file with its functions; [Report], all files of a
// tree with what stands twice; and [Finding], one place that is worse than the
// bounds, with a priority and the figure under which it is mended.
//
// Figures. Go: cyclomatic complexity as gocyclo counts it (McCabe 1976) and
// cognitive complexity as gocognit 1.2 does (Campbell 2018), both by those libraries.
// Python: cyclomatic complexity by the rules of radon 5.1, of match and except* too, which
// radon passes over, read from tokens. Other
// languages: branches among the tokens of each function. Maintainability is
// 171 - 5.2 ln V - 0.23 CC - 16.2 ln LOC, scaled to 0..100 (Oman and Hagemeister 1992, in the
// form of Visual Studio), with the Halstead volume V from tokens: an
// approximation, meant for comparing a file with itself.
//
// The package is pure: files come in, figures go out. Tests, vendored, generated
// and binary files are passed over.
package audit
