package gitops

import (
	"strings"
	"unicode/utf8"
)

// badName says why a name may not stand in a tree, or "" if it may. It refuses
// what git fsck refuses: a name that is .git, or that a file system of macOS
// or Windows takes for .git. Bytes that are no UTF-8 and backslashes are fine.
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case name == "." || name == "..":
		return "means another directory"
	case strings.IndexByte(name, '/') >= 0:
		return "contains a slash"
	case strings.IndexByte(name, 0) >= 0:
		return "contains a zero byte"
	case dotGitHFS(name) || dotGitNTFS(name):
		return "stands for a git directory"
	}
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && dotGitNTFS(name[i+1:]) {
			return "stands for a git directory on Windows"
		}
	}
	return ""
}

// dotGitNTFS reports a name that NTFS takes for .git: in any case, by its
// short name git~1, with trailing dots and spaces, as a stream after a colon.
func dotGitNTFS(name string) bool {
	rest, ok := cutFold(name, ".git")
	if !ok {
		if rest, ok = cutFold(name, "git~1"); !ok {
			return false
		}
	}
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '.', ' ':
		case '\\', ':':
			return true
		default:
			return false
		}
	}
	return true
}

// cutFold removes an ASCII prefix without regard to case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// dotGitHFS reports a name that HFS+ takes for .git: in any case and with the
// code points that it ignores anywhere.
func dotGitHFS(name string) bool {
	const want = ".git"
	n := 0
	for len(name) > 0 {
		c, size := utf8.DecodeRuneInString(name)
		if c == utf8.RuneError && size == 1 {
			return false
		}
		name = name[size:]
		if ignoredByHFS(c) {
			continue
		}
		if n == len(want) || c > 0x7f || lower(byte(c)) != want[n] {
			return false
		}
		n++
	}
	return n == len(want)
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// ignoredByHFS reports the code points that HFS+ leaves out of comparisons.
func ignoredByHFS(c rune) bool {
	return c >= 0x200c && c <= 0x200f || c >= 0x202a && c <= 0x202e ||
		c >= 0x206a && c <= 0x206f || c == 0xfeff
}

// specialSymlink reports the files git reads by itself and that may not be
// symbolic links: through one, git would read outside the tree.
func specialSymlink(name string) bool {
	switch strings.ToLower(strings.TrimRight(name, ". ")) {
	case ".gitmodules", ".gitattributes", ".gitignore", ".mailmap":
		return true
	}
	return false
}
