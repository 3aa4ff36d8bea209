// Package text has the few functions on strings that the first process of a sandbox
// needs. That process takes over as soon as what it imports is initialised: package
// strings would be ready only after packages of other modules, some of which read the
// program's own file or /proc when they initialise.
package text

import "bytes"

// Index returns where c is first in s, or -1.
func Index(s string, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// LastIndex returns where c is last in s, or -1.
func LastIndex(s string, c byte) int {
	i := len(s) - 1
	for i >= 0 && s[i] != c {
		i--
	}
	return i
}

// Count returns how often c is in s.
func Count(s string, c byte) int {
	n := 0
	for i := range len(s) {
		if s[i] == c {
			n++
		}
	}
	return n
}

// Has reports that c is in s.
func Has(s string, c byte) bool { return Index(s, c) >= 0 }

// Begins reports that s begins with prefix.
func Begins(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// Ends reports that s ends with suffix.
func Ends(s, suffix string) bool {
	return len(s) >= len(suffix) && s[len(s)-len(suffix):] == suffix
}

// After returns what follows prefix in s, and whether s begins with it; else s.
func After(s, prefix string) (string, bool) {
	if !Begins(s, prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// Cut returns what is before and after the first sep in s; s and nothing without one.
func Cut(s, sep string) (before, after string, found bool) {
	for i := range len(s) {
		if Begins(s[i:], sep) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// Split returns the parts of s between every two sep; one where there is none.
func Split(s string, sep byte) []string {
	parts := make([]string, 0, Count(s, sep)+1)
	for i := Index(s, sep); i >= 0; i = Index(s, sep) {
		parts, s = append(parts, s[:i]), s[i+1:]
	}
	return append(parts, s)
}

// TrimLeft returns s without the bytes of set, which are ASCII, that it begins with.
func TrimLeft(s, set string) string {
	for s != "" && Has(set, s[0]) {
		s = s[1:]
	}
	return s
}

// TrimRight returns s without the bytes of set, which are ASCII, that it ends with.
func TrimRight(s, set string) string {
	for s != "" && Has(set, s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// Lower returns s in lower case.
func Lower(s string) string { return string(bytes.ToLower([]byte(s))) }

// Valid returns s with every run of bytes that are no UTF-8 replaced.
func Valid(s, by string) string { return string(bytes.ToValidUTF8([]byte(s), []byte(by))) }
